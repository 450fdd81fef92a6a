//! A plant of thousands of joints in gusts: forces on some of its leaves that come and go.
//!
//! A gust is a ball of wind that crosses the crown along x, each at another height and another side: branches bend
//! where it is, and the active joints must be there. Between gusts the plant swings out.

use glam::DVec3;
use supple::adaptive::Detail;
use supple::{Axes, BodyId, Force, Load};

use crate::plant::{Plant, grow};
use crate::{Drive, Kind, Parameter, Parameters, Scene, SceneError, Stage};

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
    let Plant { mut stage, leaves } = grow(joints, parameters.seed("seed"))?;
    let simulation = &mut stage.simulation;
    simulation.set_detail(Detail::joints(parameters.count("active").min(joints)))?;
    let caught = parameters.count("leaves").min(leaves.len());
    if caught > 0 {
        let gusts = Gusts::over(&leaves);
        // evenly among the leaves, and together they catch all of the wind
        let leaves: Vec<_> = (0..caught).map(|i| leaves[i * leaves.len() / caught]).collect();
        let foliage: f64 = leaves.iter().map(|leaf| leaf.2).sum();
        let wind = parameters.number("wind");
        let still = |&(body, ..): &(_, _, _)| Load { body, wrench: Force::ZERO, axes: Axes::World };
        simulation.wrenches = leaves.iter().map(still).collect();
        stage.drive = Some(Drive::new(move |_, simulation| {
            let gust = gusts.at(simulation.state.time);
            for (load, (_, at, share)) in simulation.wrenches.iter_mut().zip(&leaves) {
                let pull = gust.map_or(0.0, |gust| wind * share / foliage * strength(gust.distance(*at)));
                load.wrench = Force::new(DVec3::ZERO, DVec3::new(pull, 0.0, 0.0));
            }
        }));
    }
    Ok(stage)
}

/// How strong a gust is at a distance from its middle \[m]: 1 to 0.
fn strength(distance: f64) -> f64 {
    let near = (1.0 - (distance / RADIUS).powi(2)).max(0.0);
    near * near
}

/// Where gusts are: one after the other crosses the box that the leaves are in.
struct Gusts {
    low: DVec3,
    high: DVec3,
}

impl Gusts {
    fn over(leaves: &[(BodyId, DVec3, f64)]) -> Self {
        let (mut low, mut high) = (leaves[0].1, leaves[0].1);
        for (_, at, _) in leaves {
            (low, high) = (low.min(*at), high.max(*at));
        }
        Self { low, high }
    }

    /// Middle of the gust at this time \[s], if there is one.
    fn at(&self, time: f64) -> Option<DVec3> {
        let crossing = (self.high.x - self.low.x + 2.0 * RADIUS) / SPEED;
        let number = (time / (CALM + crossing)).floor();
        let since = time - number * (CALM + crossing) - CALM;
        // the golden ratio and the root of two spread places without a pattern; not at the very edge
        let place = |ratio: f64, low: f64, high: f64| {
            low + (high - low) * (0.25 + 0.5 * (0.3 + ratio * number).fract())
        };
        let y = place(0.618_033_988_749_895, self.low.y, self.high.y);
        let z = place(0.414_213_562_373_095, self.low.z, self.high.z);
        (since >= 0.0).then(|| DVec3::new(self.low.x - RADIUS + SPEED * since, y, z))
    }
}
