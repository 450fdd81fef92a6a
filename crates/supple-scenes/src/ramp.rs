//! Less and less of a swinging chain is simulated, down to one joint, then more and more again.
//!
//! While most joints are active the chain moves as the full one does; with one it is a rigid pendulum, and what it lost
//! meanwhile is not given back when they return.

use glam::DVec3;
use supple::Joint;
use supple::detail::Detail;

use crate::gaze::FINE;
use crate::link::{Chain, DAMPING, LENGTH, MASS};
use crate::{Kind, Parameter, Parameters, Scene, SceneError, Schedule, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "ramp",
    figure: "slides of Redon et al. 2005, time-dependent simplification",
    summary: "a swinging chain whose active joints fall from all to one and rise again",
    parameters: &[
        Parameter {
            name: "links",
            kind: Kind::Count { default: 100, min: 1, max: 1_000_000 },
            doc: "number of links",
        },
        Parameter {
            name: "period",
            kind: Kind::Number { default: 8.0, min: 0.01, max: 1e6, unit: "s" },
            doc: "time after which all joints are active again; the fewest are at half of it",
        },
        LENGTH,
        MASS,
        DAMPING,
    ],
    build,
};

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let links = parameters.count("links");
    let chain = Chain {
        links,
        length: parameters.number("length"),
        mass: parameters.number("mass"),
        tip_mass: 1.0,
        damping: parameters.number("damping"),
        joint: &|_| Joint::revolute(DVec3::Z),
    };
    let mut drawn = chain.build()?;
    drawn.simulation.set_detail(Detail::joints(links))?;
    let mut stage = drawn.stage(FINE);
    let at = |share: f64| share * parameters.number("period");
    // all for a moment, down to one, one for a moment, and up again; slower where few are left
    let few = links.min(10);
    stage.script.schedule = Some(Schedule::new([
        (at(0.15), links),
        (at(0.35), few),
        (at(0.45), 1),
        (at(0.55), 1),
        (at(0.65), few),
        (at(0.9), links),
    ]));
    Ok(stage)
}
