//! A plant of thousands of joints in gusts: forces on some of its leaves that come and go.
//!
//! A gust is a ball of wind that crosses the crown along x, each at another height and another side: branches bend
//! where it is, and the active joints must be there. Between gusts the plant swings out.

use glam::DVec3;
use supple::BodyId;
use supple::detail::Detail;

use crate::forces::{Gusts, Leaf};
use crate::gaze::FINE;
use crate::plant::{Plant, grow};
use crate::{Drive, ForceOverTime, Kind, Parameter, Parameters, Scene, SceneError, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "tree-wind",
    figure: "",
    summary: "a branching plant of 5000 joints in gusts",
    parameters: &[
        Parameter {
            name: "joints",
            kind: Kind::Count { default: 5000, min: 1, max: 1_000_000 },
            doc: "number of joints, two degrees of freedom each",
        },
        Parameter {
            name: "active",
            kind: Kind::Count { default: 200, min: 1, max: 1_000_000 },
            doc: "joints that may be active",
        },
        Parameter {
            name: "leaves",
            kind: Kind::Count { default: 200, min: 0, max: 1_000_000 },
            doc: "number of branch ends that catch the wind",
        },
        Parameter {
            name: "wind",
            kind: Kind::Number { default: 500.0, min: 0.0, max: 1e6, unit: "N" },
            doc: "force that a gust would have if all leaves were in its middle",
        },
        Parameter {
            name: "seed",
            kind: Kind::Count { default: 1, min: 0, max: u64::MAX },
            doc: "which plant",
        },
    ],
    build,
};

/// Radius of a gust \[m], and its speed \[m/s].
const RADIUS: f64 = 2.5;
const SPEED: f64 = 5.0;
/// Calm before the first gust and between two of them \[s].
const CALM: f64 = 0.5;

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let joints = parameters.count("joints");
    let Plant { mut drawn, leaves } = grow(joints, parameters.seed("seed"))?;
    let simulation = &mut drawn.simulation;
    simulation.set_detail(Detail::joints(parameters.count("active").min(joints)))?;
    let mut drive = None;
    let caught = parameters.count("leaves").min(leaves.len());
    if caught > 0 {
        let (low, high) = bounds(&leaves);
        // evenly among the leaves, and together they catch all of the wind
        let leaves = (0..caught).map(|i| leaves[i * leaves.len() / caught]);
        let leaf = |(body, at, share): (BodyId, DVec3, f64)| Leaf {
            body: body.index().into(),
            at: at.to_array(),
            share,
        };
        let gusts = Drive::told(vec![ForceOverTime::Gusts(Gusts {
            articulation: None,
            leaves: leaves.map(leaf).collect(),
            force: parameters.number("wind"),
            low: low.to_array(),
            high: high.to_array(),
            radius: RADIUS,
            speed: SPEED,
            calm: CALM,
        })]);
        gusts.act(0, &mut drawn.simulation);
        drive = Some(gusts);
    }
    let mut stage = drawn.stage(FINE);
    stage.script.drive = drive;
    Ok(stage)
}

/// The box that the leaves are in \[m].
fn bounds(leaves: &[(BodyId, DVec3, f64)]) -> (DVec3, DVec3) {
    let (mut low, mut high) = (leaves[0].1, leaves[0].1);
    for (_, at, _) in leaves {
        (low, high) = (low.min(*at), high.max(*at));
    }
    (low, high)
}
