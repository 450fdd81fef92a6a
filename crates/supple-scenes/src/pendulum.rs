//! A planar chain that hangs on its first joint, straight and level at the start.

use glam::DVec3;
use supple::Joint;

use crate::gaze::FINE;
use crate::link::{Chain, DAMPING, LENGTH, MASS, TIP_MASS};
use crate::{Kind, Parameter, Parameters, Scene, SceneError, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "pendulum",
    figure: "Redon et al. 2005, figure 5",
    summary: "a planar chain of many links, released level",
    parameters: &[
        Parameter {
            name: "links",
            kind: Kind::Count { default: 300, min: 1, max: 1_000_000 },
            doc: "number of links",
        },
        LENGTH,
        MASS,
        TIP_MASS,
        DAMPING,
    ],
    build,
};

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let chain = Chain {
        links: parameters.count("links"),
        length: parameters.number("length"),
        mass: parameters.number("mass"),
        tip_mass: parameters.number("tip_mass"),
        damping: parameters.number("damping"),
        joint: &|_| Joint::revolute(DVec3::Z),
    };
    Ok(chain.build()?.stage(FINE))
}
