//! A box on a slope: it slides if friction is less than the slope's rise, and not else.

use glam::DVec3;
use supple::constraint::Frame;
use supple::contact::Shape;
use supple::spatial::rotation;
use supple::world::{BodyRef, World};

use super::props::{DT, cuboid, rough, wear};
use crate::{Kind, Parameter, Parameters, Scene, SceneError, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "incline",
    figure: "",
    summary: "a box on a slope along x, which slides if and only if friction is less than the tangent of its angle",
    parameters: &[
        Parameter {
            name: "angle",
            kind: Kind::Number { default: 30.0, min: 0.0, max: 80.0, unit: "degrees" },
            doc: "angle of the slope",
        },
        Parameter {
            name: "friction",
            kind: Kind::Number { default: 0.5, min: 0.0, max: 10.0, unit: "" },
            doc: "Coulomb's coefficient between box and slope",
        },
    ],
    build,
};

/// A flat box, so that it does not tip over on steep slopes \[m, kg].
const SIZE: DVec3 = DVec3::new(0.4, 0.3, 0.04);
const MASS: f64 = 3.0;

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let surface = rough(parameters.number("friction"));
    // down is along +x
    let slope = Frame::new(DVec3::ZERO, rotation::about_y(parameters.number("angle").to_radians()));
    let mut stage = Stage::new(World::new(), DT, 2.0);
    wear(&mut stage, BodyRef::World, Shape::half_space(), slope, surface)?;
    let place = slope * Frame::at(DVec3::Z * (0.5 * SIZE.z));
    cuboid(&mut stage, "box", MASS, place, SIZE, surface)?;
    Ok(stage)
}
