//! The paper's pendulum: 300 links, released level, with or without forces on some of them.
//!
//! Set-up of theory, section 13.1. Figure 5 has gravity alone; in table 1 a number of links carry a force that changes
//! at every step. The paper does not say which forces: here they are weak, in the plane, on links spread evenly,
//! and turn at different speeds.
//!
//! Kim, Redon & Kim look at it as it swings: from one place at several thresholds, and from several distances. There it is released in
//! waves: a straight one falls like a rod, with one joint or with most of them and nothing between.

use std::f64::consts::TAU;

use glam::DVec3;
use supple::Joint;
use supple::view::Camera;

use crate::drawn::Drawn;
use crate::forces::Turning;
use crate::gaze::FINE;
use crate::link::Chain;
use crate::stage::DT;
use crate::{Drive, ForceOverTime, Gaze, Kind, Parameter, Parameters, Scene, SceneError, Stage, gaze};
use supple::spatial::math;

pub(crate) const SCENE: Scene = Scene {
    name: "pendulum-300",
    figure: "Redon et al. 2005, figure 5 and table 1",
    summary: "the paper's pendulum: a planar chain of 300 links, released level, with forces on some of them",
    parameters: &[
        Parameter {
            name: "forces",
            kind: Kind::Count { default: 0, min: 0, max: LINKS as u64 },
            doc: "number of links with a force on them, which changes all the time",
        },
        Parameter {
            name: "force",
            kind: Kind::Number { default: 0.02, min: 0.0, max: 1e3, unit: "N" },
            doc: "strength of each force (a link weighs 1 N)",
        },
    ],
    build,
};

/// Looked at, to compare thresholds.
pub(crate) const THRESHOLD: Scene = Scene {
    name: "pendulum-300-threshold",
    figure: "Kim et al. 2008, figure 8",
    summary: "the pendulum of 300 links swings before a camera: which error in pixels costs what",
    parameters: WATCHED,
    build: watched,
};

/// The same, to compare distances.
pub(crate) const DISTANCE: Scene = Scene {
    name: "pendulum-300-distance",
    figure: "Kim et al. 2008, figure 9",
    summary: "the pendulum of 300 links swings before a camera that is near or far",
    parameters: WATCHED,
    build: watched,
};

const WATCHED: &[Parameter] = &[
    Parameter {
        name: "distance",
        kind: Kind::Number { default: 60.0, min: 0.1, max: 1e5, unit: "m" },
        doc: "distance of the camera from the plane in which the pendulum, 30 m long, swings",
    },
    Parameter {
        name: "thickness",
        kind: Kind::Number { default: 0.1, min: 1e-3, max: 10.0, unit: "m" },
        doc: "thickness of a link as it is seen; as it weighs, it would be 0.02 m, much less than a pixel",
    },
    Parameter {
        name: "damping",
        kind: Kind::Number { default: 0.05, min: 0.0, max: 1e6, unit: "N·m·s/rad" },
        doc: "viscous damping of every joint",
    },
    Parameter {
        name: "slope",
        kind: Kind::Number { default: 30.0, min: 0.0, max: 90.0, unit: "degrees" },
        doc: "steepest slope of the waves in which it is released; a straight one falls like a rod",
    },
];

const LINKS: usize = 300;
/// Length of a link \[m].
const LENGTH: f64 = 0.1;

/// Waves in which it is released where it is looked at.
const WAVES: f64 = 5.0;
/// What the camera looks at: where a pendulum that hangs has its middle \[m].
const MIDDLE: DVec3 = DVec3::new(0.0, -0.5 * LINKS as f64 * LENGTH, 0.0);

fn watched(parameters: &Parameters) -> Result<Stage, SceneError> {
    let mut drawn = level(parameters.number("damping"))?;
    drawn.simulation.set_detail(gaze::watched())?;
    let radius = 0.5 * parameters.number("thickness");
    drawn.shapes.iter_mut().for_each(|link| link.radius = radius);
    let slope = |i: usize| math::sin(TAU * WAVES * i as f64 / LINKS as f64);
    for (i, q) in drawn.simulation.state.q.iter_mut().enumerate() {
        let before = i.checked_sub(1).map_or(0.0, slope);
        *q = parameters.number("slope").to_radians() * (slope(i) - before);
    }
    let mut stage = drawn.stage(DT);
    let eye = MIDDLE + DVec3::Z * parameters.number("distance");
    stage.gaze = Some(Gaze::fixed(Camera::look_at(eye, MIDDLE, DVec3::Y)));
    Ok(stage)
}

/// The pendulum at rest, level.
fn level(damping: f64) -> Result<Drawn, SceneError> {
    let chain = Chain {
        links: LINKS,
        length: LENGTH,
        mass: 0.1,
        tip_mass: 1.0,
        damping,
        joint: &|_| Joint::revolute(DVec3::Z),
    };
    Ok(chain.build()?)
}

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let mut drawn = level(0.0)?;
    let mut drive = None;
    let (forces, strength) = (parameters.count("forces"), parameters.number("force"));
    if forces > 0 {
        // in the middle of as many equal stretches of the chain
        let link = |i: usize| (2 * i + 1) * LINKS / (2 * forces);
        let turning = Drive::told((0..forces).map(|i| turning(i, link(i), strength)).collect());
        turning.act(0, &mut drawn.simulation);
        drive = Some(turning);
    }
    let mut stage = drawn.stage(FINE);
    stage.script.drive = drive;
    Ok(stage)
}

/// The `i`-th force: at the joint of its link, turning in the plane 1 to 3 times a second.
fn turning(i: usize, link: usize, strength: f64) -> ForceOverTime {
    // the golden ratio spreads angles and speeds without a pattern
    let spread = (0.618_033_988_749_895 * i as f64).fract();
    let turns = 1.0 + 2.0 * spread;
    ForceOverTime::Turning(Turning { articulation: None, body: link.into(), strength, turns, phase: spread })
}
