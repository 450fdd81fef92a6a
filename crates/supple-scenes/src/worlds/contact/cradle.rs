//! Newton's cradle: one ball in, one ball out.

use glam::DVec3;
use supple::constraint::{Constraint, Distance, Frame};
use supple::contact::Material;
use supple::spatial::rotation;
use supple::world::{BodyRef, World};

use super::props::sphere;
use crate::{Kind, Parameter, Parameters, Scene, SceneError, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "newton-cradle",
    figure: "",
    summary: "five balls on strings that give each other all of their momentum",
    parameters: &[
        Parameter {
            name: "balls",
            kind: Kind::Count { default: 5, min: 2, max: 100 },
            doc: "how many balls",
        },
        Parameter {
            name: "lifted",
            kind: Kind::Count { default: 1, min: 0, max: 100 },
            doc: "how many of them are lifted at first",
        },
        Parameter {
            name: "angle",
            kind: Kind::Number { default: 40.0, min: 0.0, max: 80.0, unit: "degrees" },
            doc: "how far",
        },
        Parameter {
            name: "restitution",
            kind: Kind::Number { default: 1.0, min: 0.0, max: 1.0, unit: "" },
            doc: "share of the speed that an impact gives back",
        },
    ],
    build,
};

/// A ball: radius \[m], steel \[kg].
const RADIUS: f64 = 0.05;
const MASS: f64 = 4.1;
/// How high the strings are fixed above the balls, and how far to either side \[m].
const HEIGHT: f64 = 0.5;
const SIDE: f64 = 0.2;

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let (balls, lifted) = (parameters.count("balls"), parameters.count("lifted"));
    let surface = Material { friction: 0.0, restitution: parameters.number("restitution"), rolling: 0.0 };
    let mut stage = Stage::new(World::new(), 1.0 / 240.0, 5.0);
    let turn = rotation::about_y(parameters.number("angle").to_radians());
    for i in 0..balls {
        let rail = DVec3::new(2.0 * RADIUS * i as f64, 0.0, 0.0);
        let string = if i < lifted { turn * DVec3::NEG_Z } else { DVec3::NEG_Z };
        let at = rail + HEIGHT * string;
        let id = sphere(&mut stage, format!("ball {i}"), MASS, at, RADIUS, surface)?;
        for side in [-SIDE, SIDE] {
            let fixed = rail + DVec3::Y * side;
            let string = Constraint::new(Distance { length: fixed.distance(at) }, BodyRef::World, id);
            stage.world.add(string.parent_frame(Frame::at(fixed)))?;
        }
    }
    Ok(stage)
}
