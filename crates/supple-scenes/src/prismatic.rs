//! Five links in a row that slide on each other, and a force on the second.
//!
//! Figure 4 of Redon, Galoppo & Lin, "Adaptive Dynamics of Articulated Bodies" (2005): only the joints on both sides of the
//! second link accelerate, by f/m and −f/m. Were joints 2 to 4 just frozen with the accelerations that they have, joint 1
//! would keep f/m; computed anew it has f/(4m), since links 2 to 5 are now one body.

use glam::DVec3;
use supple::{Axes, Body, BodyId, Force, Joint, Load, ModelBuilder, Pose, RigidInertia, Simulation};

use crate::drawn::{Drawn, Rod};
use crate::gaze::FINE;
use crate::{Kind, Parameter, Parameters, Scene, SceneError, Stage};

const LINKS: usize = 5;
/// From link to link \[m].
const SPACING: f64 = 0.2;
/// Half of the straight part of a link \[m].
const HALF: f64 = 0.06;
const RADIUS: f64 = 0.04;

pub(crate) const SCENE: Scene = Scene {
    name: "prismatic-5",
    figure: "Redon et al. 2005, figure 4",
    summary: "five links that slide on each other along x, afloat without gravity, a force on the second",
    parameters: &[
        Parameter {
            name: "mass",
            kind: Kind::Number { default: 1.0, min: 1e-6, max: 1e6, unit: "kg" },
            doc: "mass of each link",
        },
        Parameter {
            name: "force",
            kind: Kind::Number { default: 1.0, min: -1e6, max: 1e6, unit: "N" },
            doc: "force on the second link along x",
        },
    ],
    build,
};

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let (from, to) = (DVec3::new(-HALF, 0.0, 0.0), DVec3::new(HALF, 0.0, 0.0));
    let inertia = RigidInertia::solid_capsule(parameters.number("mass"), from, to, RADIUS);
    let mut builder = ModelBuilder::new();
    // the figure's joints are those between links: the first link floats, joint i carries link i + 1
    builder.add(Body::new("link1", Joint::free()).inertia(inertia));
    for i in 1..LINKS {
        let joint = Joint::prismatic(DVec3::X).named(format!("joint{i}"));
        let body = Body::new(format!("link{}", i + 1), joint);
        builder.add(body.on(format!("link{i}")).at(Pose::from_xyz(SPACING, 0.0, 0.0)).inertia(inertia));
    }
    let mut simulation = Simulation::new(builder.finish()?);
    simulation.gravity = DVec3::ZERO;
    let wrench = Force::new(DVec3::ZERO, DVec3::new(parameters.number("force"), 0.0, 0.0));
    simulation.wrenches.push(Load { body: BodyId::new(1), wrench, axes: Axes::Body });
    let shapes = (0..LINKS).map(|i| Rod { body: BodyId::new(i), from, to, radius: RADIUS }).collect();
    Ok(Drawn::new(simulation, shapes).stage(FINE))
}
