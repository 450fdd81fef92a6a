//! A chain that leaves the plane: joint axes take turns, or every joint is a ball.

use glam::DVec3;
use supple::spatial::rotation;
use supple::{Joint, JointKind};

use crate::gaze::FINE;
use crate::link::{Chain, DAMPING, LENGTH, MASS, TIP_MASS};
use crate::{Kind, Parameter, Parameters, Scene, SceneError, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "chain3d",
    figure: "",
    summary: "a chain in space, its joint axes taking turns (or ball joints), released level",
    parameters: &[
        Parameter {
            name: "links",
            kind: Kind::Count { default: 100, min: 1, max: 1_000_000 },
            doc: "number of links",
        },
        Parameter {
            name: "joints",
            kind: Kind::Choice { default: "alternating", among: &["alternating", "universal", "spherical"] },
            doc: "axes y and z in turn, both in every joint, or ball joints",
        },
        Parameter {
            name: "tilt",
            kind: Kind::Number { default: 0.5, min: -4.0, max: 4.0, unit: "rad" },
            doc: "angle of gravity from -y about the chain: at 0 the chain would fall in a plane",
        },
        LENGTH,
        MASS,
        TIP_MASS,
        DAMPING,
    ],
    build,
};

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let (y, z) = (DVec3::Y, DVec3::Z);
    let joint: &dyn Fn(usize) -> Joint = match parameters.text("joints") {
        "spherical" => &|_| Joint::spherical(),
        "universal" => &|_| Joint::new(JointKind::Universal { axes: [y, z] }),
        _ => &|i| Joint::revolute(if i % 2 == 0 { y } else { z }),
    };
    let chain = Chain {
        links: parameters.count("links"),
        length: parameters.number("length"),
        mass: parameters.number("mass"),
        tip_mass: parameters.number("tip_mass"),
        damping: parameters.number("damping"),
        joint,
    };
    let mut drawn = chain.build()?;
    drawn.simulation.gravity = rotation::about_x(parameters.number("tilt")) * drawn.simulation.gravity;
    Ok(drawn.stage(FINE))
}
