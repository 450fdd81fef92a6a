//! A flick near the top of a long hanging chain: the wave runs down, and the active joints must run with it.
//!
//! Where the chain below weighs m g (L − x)/L its waves run at √(g (L − x)): a flick at the top is at depth
//! x = L − (√L − √g t/2)² after a time t, and at the tip after 2 √(L/g), 6.4 s for 100 m.

use std::f64::consts::FRAC_PI_2;

use glam::DVec3;
use supple::Joint;
use supple::detail::Detail;

use crate::forces::{Shake, Wrench};
use crate::gaze::FINE;
use crate::link::{Chain, LENGTH, MASS};
use crate::{Drive, ForceOverTime, Kind, Parameter, Parameters, Scene, SceneError, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "whip",
    figure: "",
    summary: "a flick travels down a hanging chain of 1000 links, and the active joints with it",
    parameters: &[
        Parameter {
            name: "links",
            kind: Kind::Count { default: 1000, min: 20, max: 1_000_000 },
            doc: "number of links",
        },
        Parameter {
            name: "active",
            kind: Kind::Count { default: 100, min: 1, max: 1_000_000 },
            doc: "joints that may be active",
        },
        Parameter {
            name: "flick",
            kind: Kind::Number { default: 5.0, min: 0.0, max: 1e3, unit: "" },
            doc: "greatest force of the flick, in hundredths of the chain's weight",
        },
        LENGTH,
        MASS,
    ],
    build,
};

/// The flick pulls one way and back, and is over after this time \[s].
const DURATION: f64 = 0.3;

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let links = parameters.count("links");
    let (length, mass) = (parameters.number("length"), parameters.number("mass"));
    let chain =
        Chain { links, length, mass, tip_mass: 1.0, damping: 0.0, joint: &|_| Joint::revolute(DVec3::Z) };
    let mut drawn = chain.build()?;
    let simulation = &mut drawn.simulation;
    simulation.state.q[0] = -FRAC_PI_2;
    simulation.set_detail(Detail::joints(parameters.count("active").min(links)))?;
    let weight = links as f64 * mass * simulation.gravity.length();
    let strongest = 0.01 * parameters.number("flick") * weight;
    let load =
        Wrench { body: (links / 50).into(), force: [strongest, 0.0, 0.0], moment: [0.0; 3], in_body: false };
    let flick = Shake { articulation: None, load, period: DURATION, seconds: DURATION };
    let mut stage = drawn.stage(FINE);
    stage.script.drive = Some(Drive::told(vec![ForceOverTime::Shake(flick)]));
    Ok(stage)
}
