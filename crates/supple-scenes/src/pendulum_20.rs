//! The small pendulum of Kim, Redon & Kim's table 1: 20 bodies, 19 joints, under the eye of a camera.
//!
//! The first body is part of the world. The others are released level and swing in a plane, which the camera does not look at
//! squarely: links hide one another when the chain folds.

use glam::DVec3;
use supple::Joint;
use supple::spatial::rotation;
use supple::view::Camera;

use crate::gaze::watched;
use crate::link::Chain;
use crate::stage::DT;
use crate::{Gaze, Kind, Parameter, Parameters, Scene, SceneError, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "pendulum-20",
    figure: "Kim et al. 2008, table 1",
    summary: "a planar chain of 20 bodies, the first of them fixed, released level before a camera",
    parameters: &[
        Parameter {
            name: "distance",
            kind: Kind::Number { default: 4.0, min: 0.1, max: 1e4, unit: "m" },
            doc: "distance of the camera from the middle of the chain when it hangs",
        },
        Parameter {
            name: "aside",
            kind: Kind::Number { default: 40.0, min: -90.0, max: 90.0, unit: "degrees" },
            doc: "how far the camera stands aside: 0 looks at the plane of the motion, 90 along it",
        },
        Parameter {
            name: "damping",
            kind: Kind::Number { default: 0.02, min: 0.0, max: 1e6, unit: "N·m·s/rad" },
            doc: "viscous damping of every joint; without any, all of them whip about",
        },
    ],
    build,
};

const BODIES: usize = 20;
/// Length \[m] and mass \[kg] of a link.
const LENGTH: f64 = 0.1;
const MASS: f64 = 0.1;

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let chain = Chain {
        links: BODIES,
        length: LENGTH,
        mass: MASS,
        tip_mass: 1.0,
        damping: parameters.number("damping"),
        joint: &|i| if i == 0 { Joint::fixed() } else { Joint::revolute(DVec3::Z) },
    };
    let mut drawn = chain.build()?;
    drawn.simulation.set_detail(watched())?;
    let mut stage = drawn.stage(DT);
    let middle = DVec3::new(0.0, -0.5 * BODIES as f64 * LENGTH, 0.0);
    let aside = rotation::about_y(parameters.number("aside").to_radians());
    let eye = middle + aside * DVec3::Z * parameters.number("distance");
    stage.gaze = Some(Gaze::fixed(Camera::look_at(eye, middle, DVec3::Y)));
    Ok(stage)
}
