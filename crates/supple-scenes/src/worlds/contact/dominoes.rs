//! A row of dominoes that fall one after another.

use glam::DVec3;
use supple::constraint::Frame;
use supple::world::World;

use super::props::{DT, cuboid, floor, rough};
use crate::{Kind, Parameter, Parameters, Scene, SceneError, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "dominoes",
    figure: "",
    summary: "a row of 40 dominoes along x; the first is pushed, and all fall one after another",
    parameters: &[
        Parameter {
            name: "count",
            kind: Kind::Count { default: 40, min: 1, max: 10_000 },
            doc: "how many dominoes",
        },
        Parameter {
            name: "push",
            kind: Kind::Number { default: 2.5, min: 0.0, max: 20.0, unit: "rad/s" },
            doc: "how fast the first one turns at first; it stands again if slower than 1.3",
        },
    ],
    build,
};

/// A domino: along the row, across it, up \[m]; \[kg].
const SIZE: DVec3 = DVec3::new(0.04, 0.12, 0.24);
const MASS: f64 = 1.0;
/// From one to the next \[m].
const SPACING: f64 = 0.12;

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let count = parameters.count("count");
    let mut stage = Stage::new(World::new(), DT, 3.0 + 0.1 * count as f64);
    floor(&mut stage, rough(0.5))?;
    for i in 0..count {
        let at = Frame::at(DVec3::new(SPACING * i as f64, 0.0, 0.5 * SIZE.z));
        let id = cuboid(&mut stage, format!("domino {i}"), MASS, at, SIZE, rough(0.4))?;
        if i == 0 {
            // about its far lower edge
            let omega = DVec3::Y * parameters.number("push");
            let arm = 0.5 * DVec3::new(-SIZE.x, 0.0, SIZE.z);
            stage.world.body_mut(id)?.set_motion(omega.cross(arm), omega);
        }
    }
    Ok(stage)
}
