//! Characters of different sizes in a ring, whose hands and feet are to meet their neighbours' (Faure's complex assembly).
//!
//! Each has 15 bodies and 14 joints (10 balls, 4 hinges: 50 rows) and shares two hands and two feet with its neighbours (6 rows each
//! on either side): 56 rows per character, 784 for 14 of them; the paper's scene has 758.

use std::f64::consts::TAU;
use supple::spatial::rotation;

use glam::DVec3;
use supple::constraint::{Ball, Constraint, Frame, Hinge};
use supple::world::{SingleId, World, WorldError};

use super::figure::rod;
use crate::{Capsule, Kind, Parameter, Parameters, Scene, SceneError, SplitMix64, Stage};

/// Along the ring between neighbours \[m].
const SPACING: f64 = 1.5;

pub(crate) const SCENE: Scene = Scene {
    name: "figures-joined",
    figure: "Faure 1998, figure 3",
    summary: "a ring of characters of different sizes whose hands and feet are to meet: to be assembled",
    parameters: &[
        Parameter {
            name: "characters",
            kind: Kind::Count { default: 14, min: 2, max: 1000 },
            doc: "how many; 56 rows each",
        },
        Parameter {
            name: "spread",
            kind: Kind::Number { default: 0.25, min: 0.0, max: 0.5, unit: "" },
            doc: "sizes are between 1 less and 1 plus this",
        },
        Parameter {
            name: "seed",
            kind: Kind::Count { default: 1, min: 0, max: u64::MAX },
            doc: "of the sizes",
        },
    ],
    build,
};

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let mut stage = Stage::new(World::new(), 1.0 / 240.0, 1.0);
    stage.world.gravity = DVec3::ZERO;
    let (count, spread) = (parameters.count("characters"), parameters.number("spread"));
    let mut random = SplitMix64::new(parameters.seed("seed"));
    let mut hands: Vec<[Tip; 4]> = Vec::new();
    for i in 0..count {
        let turn = rotation::about_z(TAU * i as f64 / count as f64);
        let radius = SPACING * count as f64 / TAU;
        let at = Frame::new(turn * (DVec3::X * radius), turn);
        let size = random.between(1.0 - spread, 1.0 + spread);
        hands.push(character(&mut stage.world, &mut stage.shapes, &format!("{i}"), at, size)?);
    }
    for (i, own) in hands.iter().enumerate() {
        let next = &hands[(i + 1) % count];
        // left hand and foot with the neighbour's right ones
        for (left, right) in [(own[0], next[1]), (own[2], next[3])] {
            let hold = Constraint::new(Ball, left.0, right.0);
            stage.world.add(hold.parent_frame(Frame::at(left.1)).child_frame(Frame::at(right.1)))?;
        }
    }
    stage
        .notes
        .push("assemble it (World::assemble) to see the figure; steps close it at a bounded speed".into());
    Ok(stage)
}

/// A body and a point of it, in its frame.
type Tip = (SingleId, DVec3);

/// A character with its feet below `at`, arms and legs apart, elbows and knees bent a little. Returns the tips of its left and right
/// hand, left and right foot.
fn character(
    world: &mut World,
    shapes: &mut Vec<Capsule>,
    name: &str,
    at: Frame,
    size: f64,
) -> Result<[Tip; 4], WorldError> {
    let place = |x: f64, y: f64, z: f64| at.point(DVec3::new(x, y, z) * size);
    let mut limb = |part: &str, mass: f64, from: DVec3, to: DVec3, radius: f64| {
        rod(world, shapes, format!("{part} {name}"), mass * size * size * size, [from, to], radius * size)
    };
    let pelvis = limb("pelvis", 12.0, place(0.0, -0.1, 0.95), place(0.0, 0.1, 0.95), 0.1)?;
    let chest = limb("chest", 20.0, place(0.0, 0.0, 1.1), place(0.0, 0.0, 1.4), 0.12)?;
    let head = limb("head", 5.0, place(0.0, 0.0, 1.58), place(0.0, 0.0, 1.66), 0.09)?;
    let mut joints: Vec<(SingleId, SingleId, DVec3, Option<DVec3>)> =
        vec![(pelvis, chest, place(0.0, 0.0, 1.02), None), (chest, head, place(0.0, 0.0, 1.48), None)];
    let mut tips = Vec::new();
    for (trunk, masses, points, axis) in [
        (
            chest,
            [2.0, 1.5, 0.5],
            [[0.0, 0.2, 1.4], [-0.08, 0.46, 1.35], [0.08, 0.66, 1.4], [0.15, 0.8, 1.4]],
            DVec3::Z,
        ),
        (
            pelvis,
            [8.0, 4.0, 1.0],
            [[0.0, 0.1, 0.9], [0.08, 0.32, 0.52], [0.0, 0.52, 0.12], [0.05, 0.66, 0.05]],
            DVec3::Y,
        ),
    ] {
        for side in [1.0, -1.0] {
            let p = points.map(|[x, y, z]: [f64; 3]| place(x, side * y, z));
            let mut last = trunk;
            for i in 0..3 {
                let link = limb("limb", masses[i], p[i], p[i + 1], 0.04)?;
                // the middle joint, elbow or knee, is a hinge
                joints.push((last, link, p[i], (i == 1).then_some(at.rotation * axis)));
                last = link;
            }
            tips.push((last, 0.5 * (p[3] - p[2])));
        }
    }
    for (parent, child, point, axis) in joints {
        match axis {
            Some(axis) => world.join(Hinge, parent, child, Frame::with_z(point, axis))?,
            None => world.join(Ball, parent, child, Frame::at(point))?,
        };
    }
    Ok([tips[0], tips[1], tips[2], tips[3]])
}
