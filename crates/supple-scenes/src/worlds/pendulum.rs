//! A chain of rods in maximal coordinates: every rod a single body, every joint a constraint.

use glam::DVec3;
use supple::constraint::{Frame, Hinge};
use supple::world::{BodyRef, World};

use super::figure::rod;
use crate::{Kind, Parameter, Parameters, Scene, SceneError, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "pendulum-constraints",
    figure: "",
    summary: "a chain of rods in maximal coordinates: every joint a constraint",
    parameters: &[
        Parameter {
            name: "links",
            kind: Kind::Count { default: 2, min: 1, max: 10_000 },
            doc: "how many rods",
        },
        Parameter {
            name: "free",
            kind: Kind::Flag { default: false },
            doc: "tumbles in space instead of hanging from the world",
        },
    ],
    build,
};

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let mut stage = Stage::new(World::new(), 1.0 / 240.0, 5.0);
    let free = parameters.flag("free");
    let mut last = BodyRef::World;
    for i in 0..parameters.count("links") {
        let [from, to] = [i, i + 1].map(|k| DVec3::X * k as f64);
        let link = rod(&mut stage.world, &mut stage.shapes, format!("rod {i}"), 1.0, [from, to], 0.02)?;
        if free {
            let spin = DVec3::new(0.3, 1.0, 0.5 + 0.2 * i as f64);
            stage.world.body_mut(link)?.set_motion(DVec3::new(0.5, 0.3 * i as f64, 0.0), spin);
        }
        if !(free && i == 0) {
            // hinges in all directions, so that it tumbles in space
            let axis = if free && i % 2 == 0 { DVec3::Z } else { DVec3::Y };
            stage.world.join(Hinge, last, link, Frame::with_z(from, axis))?;
        }
        last = link.into();
    }
    if free {
        stage.world.gravity = DVec3::ZERO;
    }
    Ok(stage)
}
