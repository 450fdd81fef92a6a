//! A rope bridge: planks tied to each other at both sides, hand ropes that hold them too, and a truck that drives over it.

use glam::{DQuat, DVec3};
use supple::constraint::{Ball, Constraint, Distance, Frame};
use supple::world::{BodyRef, SingleId, World, WorldError};

use super::figure::{block, rod};
use crate::script::Roll;
use crate::{Cue, Kind, Parameter, Parameters, Scene, SceneError, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "bridge",
    figure: "Weinstein, Teran & Fedkiw 2006, figure 3",
    summary: "a rope bridge of 102 bodies: loops between planks and hand ropes, and a truck that drives over it",
    parameters: &[
        Parameter {
            name: "planks",
            kind: Kind::Count { default: 20, min: 3, max: 1000 },
            doc: "how many planks; bodies are five times as many and two",
        },
        Parameter {
            name: "load",
            kind: Kind::Number { default: 500.0, min: 0.0, max: 1e5, unit: "kg" },
            doc: "mass of the truck, which weighs on one plank at a time",
        },
        Parameter {
            name: "air",
            kind: Kind::Number { default: 1.0, min: 0.0, max: 100.0, unit: "1/s" },
            doc: "share of their momenta that bodies lose per second",
        },
    ],
    build,
};

/// A plank along the bridge, across it and its thickness \[m]; pine \[kg].
const PLANK: DVec3 = DVec3::new(1.0, 1.6, 0.05);
const PLANK_MASS: f64 = 40.0;
/// Height of the hand ropes \[m]; ropes \[kg/m] and their radius \[m].
const RAIL: f64 = 1.0;
const ROPE_MASS: f64 = 0.6;
const ROPE: f64 = 0.015;
/// How deep the bridge hangs through, as a share of its length, and from its ends to the posts \[m].
const SAG: f64 = 0.06;
const TIE: f64 = 0.4;
/// The truck \[m/s].
const SPEED: f64 = 2.0;

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let count = parameters.count("planks");
    let mut stage = Stage::new(World::new(), 1.0 / 240.0, count as f64 * PLANK.x / SPEED + 4.0);
    let planks = bridge(&mut stage, count)?.into_iter().map(|(id, _)| id.index().into()).collect();
    stage.world.drag = parameters.number("air");
    let weight = parameters.number("load");
    if weight > 0.0 {
        // weighs on the plank that it is on, then on the next
        let force = (stage.world.gravity * weight).to_array();
        let truck = Roll { bodies: planks, force, speed: SPEED, length: PLANK.x, height: 0.5 * PLANK.z };
        stage.direct(vec![Cue::Roll(truck)])?;
    }
    Ok(stage)
}

/// Where the deck of a bridge of `count` planks is after `k` of them \[m].
pub(crate) fn deck(k: f64, count: usize) -> DVec3 {
    let (s, length) = (k / count as f64, count as f64 * PLANK.x);
    DVec3::new(s * length, 0.0, 4.0 * SAG * length * s * (s - 1.0))
}

/// The bridge from the origin along x; its planks and their sizes \[m].
pub(crate) fn bridge(stage: &mut Stage, count: usize) -> Result<Vec<(SingleId, DVec3)>, SceneError> {
    let node = |k: f64| deck(k, count);
    let mut sizes = Vec::new();
    for i in 0..count {
        let [from, to] = [node(i as f64), node(i as f64 + 1.0)];
        let turn = DQuat::from_rotation_arc(DVec3::X, (to - from).normalize());
        let size = DVec3 { x: (to - from).length(), ..PLANK };
        let place = Frame::new(0.5 * (from + to), turn);
        sizes.push((block(stage, format!("plank {i}"), PLANK_MASS, place, size)?, size));
    }
    let planks: Vec<SingleId> = sizes.iter().map(|(id, _)| *id).collect();
    let [start, end] = [(node(0.0), node(-1.0)), (node(count as f64), node(count as f64 + 1.0))]
        .map(|(at, beyond)| (at, at + (beyond - at).normalize() * TIE));
    for side in [-0.5 * PLANK.y * DVec3::Y, 0.5 * PLANK.y * DVec3::Y] {
        for (i, two) in planks.windows(2).enumerate() {
            stage.world.join(Ball, two[0], two[1], Frame::at(node(i as f64 + 1.0) + side))?;
        }
        for (plank, (at, post)) in [(planks[0], start), (planks[count - 1], end)] {
            let on_plank = stage.world.frame(plank)?.inverse().point(at + side);
            let tie = Constraint::new(Distance { length: TIE }, BodyRef::World, plank);
            stage.world.add(tie.parent_frame(Frame::at(post + side)).child_frame(Frame::at(on_plank)))?;
        }
        rail(stage, &planks, side, [start.1, end.1])?;
    }
    Ok(sizes)
}

/// The hand rope at one side, piece by piece, and what holds the planks to it.
fn rail(stage: &mut Stage, planks: &[SingleId], side: DVec3, posts: [DVec3; 2]) -> Result<(), SceneError> {
    let up = side + RAIL * DVec3::Z;
    let mut last = (BodyRef::World, posts[0] + up);
    for (i, plank) in planks.iter().enumerate() {
        let foot = stage.world.frame(*plank)?.position + side;
        let top = foot + RAIL * DVec3::Z;
        let piece = rope(stage, format!("rail {i}"), last.1, top)?;
        let hanger = rope(stage, format!("hanger {i}"), foot, top)?;
        stage.world.join(Ball, last.0, piece, Frame::at(last.1))?;
        stage.world.join(Ball, *plank, hanger, Frame::at(foot))?;
        stage.world.join(Ball, piece, hanger, Frame::at(top))?;
        last = (piece.into(), top);
    }
    let post = posts[1] + up;
    let piece = rope(stage, "rail to the post".to_owned(), last.1, post)?;
    stage.world.join(Ball, last.0, piece, Frame::at(last.1))?;
    stage.world.join(Ball, BodyRef::World, piece, Frame::at(post))?;
    Ok(())
}

fn rope(stage: &mut Stage, name: String, from: DVec3, to: DVec3) -> Result<SingleId, WorldError> {
    let mass = ROPE_MASS * (to - from).length();
    rod(&mut stage.world, &mut stage.shapes, name, mass, [from, to], ROPE)
}
