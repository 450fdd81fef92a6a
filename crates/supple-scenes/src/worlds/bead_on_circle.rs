//! A particle that is to stay on a fixed circle, with no forces: Faure's example of the step "move freely, then correct".

use glam::DVec3;
use supple::RigidInertia;
use supple::constraint::{Constraint, Frame, OnCircle};
use supple::world::{BodyRef, SingleBody, Solver, World};

use crate::{Capsule, Kind, Parameter, Parameters, Scene, SceneError, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "bead-on-circle",
    figure: "Faure 1998, figure 4",
    summary: "a bead that runs on a ring of 1 m with 1 m/s and no forces",
    parameters: &[Parameter {
        name: "solver",
        kind: Kind::Choice { default: "impulse", among: &["impulse", "displacement"] },
        doc: "impulses before and after the position update, or displacements after it (3 × 10)",
    }],
    build,
};

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let mut stage = Stage::new(World::new(), 0.05, 10.0);
    let Stage { world, shapes, .. } = &mut stage;
    world.gravity = DVec3::ZERO;
    if parameters.text("solver") == "displacement" {
        world.settings.solver = Solver::Displacement { outer: 3, inner: 10 };
    }
    let bead = SingleBody::new("bead", RigidInertia::solid_sphere(1.0, 0.05, DVec3::ZERO));
    let bead = world.add_body(bead.at(Frame::at(DVec3::X)).moving(DVec3::Y, DVec3::ZERO))?;
    shapes.push(Capsule { body: bead.into(), from: DVec3::ZERO, to: DVec3::ZERO, radius: 0.05 });
    world.add(Constraint::new(OnCircle { radius: 1.0 }, BodyRef::World, bead))?;
    Ok(stage)
}
