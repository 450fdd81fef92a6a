//! A plate that is shaken by a tracker, with nine swings, each of two rods and a seat on four ball joints: 28 solids, 108 rows, one
//! linearization and fifteen products of conjugate gradients per frame (Faure, section 4.3), at steps as long as the frames happen to be.

use std::f64::consts::TAU;

use glam::DVec3;
use supple::constraint::{Ball, Frame};
use supple::spatial::rotation;
use supple::world::{SingleBody, Solver, World};

use super::figure::rod;
use crate::script::Follow;
use crate::{Capsule, Cue, Kind, Parameter, Parameters, Path, Scene, SceneError, SplitMix64, Stage};
use supple::spatial::math;

/// Length of the rods \[m], and width of a seat.
const LENGTH: f64 = 0.2;
const WIDTH: f64 = 0.12;
/// Samples of the record per second.
const RATE: f64 = 60.0;
/// Seconds of the record.
const SECONDS: f64 = 10.0;

pub(crate) const SCENE: Scene = Scene {
    name: "plate",
    figure: "Faure 1998, figure 6",
    summary: "a plate with nine swings, shaken by a recorded tracker: 28 solids, 108 rows, 1 × 15 iterations",
    parameters: &[
        Parameter {
            name: "solver",
            kind: Kind::Choice { default: "displacement", among: &["displacement", "impulse"] },
            doc: "displacements after the position update as in the paper, or impulses before and after it",
        },
        Parameter {
            name: "outer",
            kind: Kind::Count { default: 1, min: 1, max: 100 },
            doc: "linearizations per frame",
        },
        Parameter {
            name: "inner",
            kind: Kind::Count { default: 15, min: 1, max: 10_000 },
            doc: "products of conjugate gradients per linearization",
        },
        Parameter {
            name: "noise",
            kind: Kind::Number { default: 0.002, min: 0.0, max: 0.1, unit: "m" },
            doc: "noise of the tracker's record, also in rad",
        },
    ],
    build,
};

/// What the tracker was read at: the hand's way is three sines, the sensor's noise is added.
fn record(noise: f64) -> Path {
    let mut random = SplitMix64::new(6);
    let mut rough = move || DVec3::from_array([0; 3].map(|_| random.between(-noise, noise)));
    let sample = |k: usize| {
        let t = k as f64 / RATE;
        let wave = |turns: f64, phase: f64| math::sin(TAU * turns * t + phase) - math::sin(phase);
        let position = DVec3::new(0.06 * wave(0.7, 0.0), 0.05 * wave(0.5, 1.0), 0.04 * wave(0.9, 2.0));
        let turn = DVec3::new(0.15 * wave(0.4, 0.5), 0.15 * wave(0.6, 0.2), 0.2 * wave(0.5, 0.0));
        Frame::new(position + rough(), rotation::exp(turn + rough())).into()
    };
    Path::Samples { rate: RATE, frames: (0..=(RATE * SECONDS) as usize).map(sample).collect() }
}

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let mut stage = Stage::new(World::new(), 1.0 / 12.0, SECONDS);
    let Stage { world, shapes, .. } = &mut stage;
    if parameters.text("solver") == "displacement" {
        let [outer, inner] = ["outer", "inner"].map(|name| parameters.count(name) as u32);
        world.settings.solver = Solver::Displacement { outer, inner };
    }
    let plate = world.add_body(SingleBody::kinematic("plate"))?;
    for swing in 0..9 {
        let place = DVec3::new((swing / 3) as f64 - 1.0, (swing % 3) as f64 - 1.0, 0.0) * 0.25;
        shapes.push(Capsule { body: plate.into(), from: DVec3::ZERO, to: place, radius: 0.02 });
        let ends = [-0.5, 0.5].map(|side| place + DVec3::X * (WIDTH * side));
        let down = DVec3::NEG_Z * LENGTH;
        let seat = rod(world, shapes, format!("seat {swing}"), 0.3, [ends[0] + down, ends[1] + down], 0.02)?;
        for end in ends {
            let rope = rod(world, shapes, format!("rod {swing}"), 0.05, [end, end + down], 0.01)?;
            world.join(Ball, plate, rope, Frame::at(end))?;
            world.join(Ball, rope, seat, Frame::at(end + down))?;
        }
    }
    // the plate is to be where the tracker is read now: one frame late, as with a real one
    let follow = Follow { body: plate.index().into(), path: record(parameters.number("noise")), late: true };
    stage.direct(vec![Cue::Follow(follow)])?;
    Ok(stage)
}
