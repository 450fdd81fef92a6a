//! Two rods: the smallest chaotic body.

use glam::DVec3;
use supple::{Body, BodyId, Joint, ModelBuilder, Pose, RigidInertia, Simulation};

use crate::drawn::{Drawn, Rod};
use crate::gaze::FINE;
use crate::{Kind, Parameter, Parameters, Scene, SceneError, Stage};

const RADIUS: f64 = 0.02;

pub(crate) const SCENE: Scene = Scene {
    name: "double-pendulum",
    figure: "",
    summary: "two rods in a vertical plane: the smallest chaotic body",
    parameters: &[
        Parameter {
            name: "length",
            kind: Kind::Number { default: 1.0, min: 1e-3, max: 1e3, unit: "m" },
            doc: "length of each rod",
        },
        Parameter {
            name: "mass",
            kind: Kind::Number { default: 1.0, min: 1e-6, max: 1e6, unit: "kg" },
            doc: "mass of each rod",
        },
        Parameter {
            name: "upper_angle",
            kind: Kind::Number { default: 2.0, min: -10.0, max: 10.0, unit: "rad" },
            doc: "angle of the upper rod from hanging down",
        },
        Parameter {
            name: "lower_angle",
            kind: Kind::Number { default: 0.5, min: -10.0, max: 10.0, unit: "rad" },
            doc: "angle of the lower rod from the upper",
        },
    ],
    build,
};

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let (length, mass) = (parameters.number("length"), parameters.number("mass"));
    let end = DVec3::new(0.0, 0.0, -length);
    let radius = RADIUS * length;
    let rod = RigidInertia::solid_capsule(mass, DVec3::ZERO, end, radius);
    let model = ModelBuilder::new()
        .body(Body::new("upper", Joint::revolute(DVec3::Y)).inertia(rod))
        .body(
            Body::new("lower", Joint::revolute(DVec3::Y))
                .on("upper")
                .at(Pose::from_translation(end))
                .inertia(rod),
        )
        .finish()?;
    let mut simulation = Simulation::new(model);
    simulation.state.q = vec![parameters.number("upper_angle"), parameters.number("lower_angle")];
    let capsule = |i| Rod { body: BodyId::new(i), from: DVec3::ZERO, to: end, radius };
    Ok(Drawn::new(simulation, vec![capsule(0), capsule(1)]).stage(FINE))
}
