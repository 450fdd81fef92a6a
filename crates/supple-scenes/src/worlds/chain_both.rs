//! One chain twice in one world: as an articulation (reduced coordinates) and as single bodies with constraints (maximal ones).

use glam::DVec3;
use supple::constraint::{Frame, Hinge};
use supple::world::{BodyRef, World};
use supple::{Body, Joint, ModelBuilder, Pose, RigidInertia, Simulation};

use super::figure::rod;
use crate::{Capsule, Kind, Parameter, Parameters, Scene, SceneError, Stage};

/// Length and radius of a link \[m], and between the two chains.
const LENGTH: f64 = 0.1;
const RADIUS: f64 = 0.02;
const APART: f64 = 0.5;

pub(crate) const SCENE: Scene = Scene {
    name: "chain-both",
    figure: "",
    summary: "a chain in reduced coordinates beside the same chain in constraints",
    parameters: &[Parameter {
        name: "links",
        kind: Kind::Count { default: 100, min: 1, max: 10_000 },
        doc: "number of links of each chain",
    }],
    build,
};

/// Axes of the hinges in turn: the chain leaves its plane.
fn axis(link: usize) -> DVec3 {
    if link % 4 == 3 { DVec3::new(0.0, 0.6, 0.8) } else { DVec3::Y }
}

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let mut stage = Stage::new(World::new(), 1e-3, 1.0);
    let links = parameters.count("links");
    // errors of the step, not of the solver, are to be compared
    stage.world.settings.tolerance = 1e-11;
    let Stage { world, shapes, .. } = &mut stage;
    let mut last = BodyRef::World;
    for i in 0..links {
        let [from, to] = [i, i + 1].map(|k| DVec3::X * (LENGTH * k as f64));
        let link = rod(world, shapes, format!("single {i}"), 0.1, [from, to], RADIUS)?;
        world.join(Hinge, last, link, Frame::with_z(from, axis(i)))?;
        last = link.into();
    }
    let mut builder = ModelBuilder::new();
    let name = |i: usize| format!("link {i}");
    for i in 0..links {
        let inertia = RigidInertia::solid_capsule(0.1, DVec3::ZERO, DVec3::X * LENGTH, RADIUS);
        let body = Body::new(name(i), Joint::revolute(axis(i))).inertia(inertia);
        builder.add(match i {
            0 => body.at(Pose::from_translation(DVec3::Y * APART)),
            _ => body.on(name(i - 1)).at(Pose::from_xyz(LENGTH, 0.0, 0.0)),
        });
    }
    let simulation = Simulation::new(builder.finish()?);
    let bodies: Vec<_> = (0..links).filter_map(|i| simulation.model.body(&name(i))).collect();
    let id = world.add_articulation(simulation);
    for body in bodies {
        let (body, from, to) = (BodyRef::Of(id, body), DVec3::ZERO, DVec3::X * LENGTH);
        shapes.push(Capsule { body, from, to, radius: RADIUS });
    }
    Ok(stage)
}
