//! Boxes one on another: they stand, and stand still.

use glam::DVec3;
use supple::constraint::Frame;
use supple::world::World;

use super::props::{DT, cuboid, floor, rough};
use crate::{Kind, Parameter, Parameters, Scene, SceneError, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "stack-10",
    figure: "",
    summary: "a stack of 10 boxes that stands still",
    parameters: &[
        Parameter {
            name: "boxes",
            kind: Kind::Count { default: 10, min: 1, max: 1000 },
            doc: "how many boxes",
        },
        Parameter {
            name: "ratio",
            kind: Kind::Number { default: 1.0, min: 1e-3, max: 1e3, unit: "" },
            doc: "mass of the topmost box, in boxes",
        },
    ],
    build,
};

/// Edge of a box \[m] and its mass \[kg].
const EDGE: f64 = 0.2;
const MASS: f64 = 4.0;

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let boxes = parameters.count("boxes");
    let mut stage = Stage::new(World::new(), DT, 10.0);
    floor(&mut stage, rough(0.5))?;
    for i in 0..boxes {
        let mass = if i + 1 == boxes { MASS * parameters.number("ratio") } else { MASS };
        let at = Frame::at(DVec3::Z * (EDGE * (i as f64 + 0.5)));
        cuboid(&mut stage, format!("box {i}"), mass, at, DVec3::splat(EDGE), rough(0.5))?;
    }
    Ok(stage)
}
