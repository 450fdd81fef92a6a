//! A net of knots and pieces of rope, slung between four posts, with weights in it.

use glam::DVec3;
use supple::constraint::{Ball, Constraint, Frame, Rope};
use supple::world::{BodyRef, SingleId, World};

use super::figure::{ball, rod};
use crate::{Kind, Parameter, Parameters, Scene, SceneError, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "net",
    figure: "Weinstein, Teran & Fedkiw 2006, figure 2",
    summary: "a net of 15 by 15 cells, slung between four posts, with weights in it",
    parameters: &[
        Parameter {
            name: "cells",
            kind: Kind::Count { default: 15, min: 3, max: 200 },
            doc: "cells along each side",
        },
        Parameter {
            name: "span",
            kind: Kind::Count { default: 0, min: 0, max: 200 },
            doc: "cells between posts, for nets that grow without getting wilder; 0: posts at the corners only",
        },
        Parameter {
            name: "weight",
            kind: Kind::Number { default: 10.0, min: 0.01, max: 1e4, unit: "kg" },
            doc: "mass of each of the four weights",
        },
        Parameter {
            name: "air",
            kind: Kind::Number { default: 2.0, min: 0.0, max: 100.0, unit: "1/s" },
            doc: "share of their momenta that bodies lose per second",
        },
    ],
    build,
};

/// Length of a cell \[m].
pub(crate) const CELL: f64 = 0.2;

/// What a net is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Twine {
    /// Radius of the rope \[m] and what it weighs \[kg/m].
    pub(crate) rope: f64,
    pub(crate) weight: f64,
    /// Radius \[m] and mass \[kg] of a knot.
    pub(crate) knot: f64,
    pub(crate) mass: f64,
}

/// Rope 12 mm thick.
const THIN: Twine = Twine { rope: 0.006, weight: 0.1, knot: 0.02, mass: 0.03 };
/// From a corner to its post, outward and upward, and how much longer the tie is \[m].
const POST: DVec3 = DVec3::new(0.15, 0.15, 0.2);
const SLACK: f64 = 0.05;
/// Length of the ropes that weights hang on \[m].
const HANG: f64 = 0.3;

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let cells = parameters.count("cells");
    let mut stage = Stage::new(World::new(), 1.0 / 240.0, 10.0);
    let at = |i: usize, j: usize| place(i, j, cells);
    let knots = lattice(&mut stage, cells, DVec3::ZERO, &THIN)?;
    let knot = |i: usize, j: usize| knots[i * (cells + 1) + j];
    let span = match parameters.count("span") {
        0 => cells,
        span => span.min(cells),
    };
    for (i, j) in every(span, cells) {
        // outward at the rim, straight up within
        let side = |k: usize| [0.0, 1.0, -1.0][usize::from(k == cells) + 2 * usize::from(k == 0)];
        let to_post = POST * DVec3::new(side(i), side(j), 1.0);
        let tie = Constraint::new(Rope { longest: to_post.length() + SLACK }, BodyRef::World, knot(i, j));
        stage.world.add(tie.named(format!("tie {i} {j}")).parent_frame(Frame::at(at(i, j) + to_post)))?;
    }
    let (near, far) = (span / 3, span - span / 3);
    let mass = parameters.number("weight");
    for (tile_i, tile_j) in every(span, cells).filter(|(i, j)| i + span <= cells && j + span <= cells) {
        for (i, j) in [(near, near), (near, far), (far, near), (far, far)] {
            let (i, j) = (tile_i + i, tile_j + j);
            let below = at(i, j) - DVec3::Z * (HANG - 0.5 * SLACK);
            let weight = ball(&mut stage, format!("weight {i} {j}"), mass, below, 0.1)?;
            let rope = Constraint::new(Rope { longest: HANG }, knot(i, j), weight);
            stage.world.add(rope.named(format!("hanger {i} {j}")))?;
        }
    }
    stage.world.drag = parameters.number("air");
    Ok(stage)
}

/// Where a knot is at first, the middle of the net at the origin \[m].
pub(crate) fn place(i: usize, j: usize, cells: usize) -> DVec3 {
    (DVec3::new(i as f64, j as f64, 0.0) - 0.5 * cells as f64 * (DVec3::X + DVec3::Y)) * CELL
}

/// A flat net about a point; its knots, row by row.
pub(crate) fn lattice(
    stage: &mut Stage,
    cells: usize,
    middle: DVec3,
    twine: &Twine,
) -> Result<Vec<SingleId>, SceneError> {
    let mut knots = Vec::new();
    for i in 0..=cells {
        for j in 0..=cells {
            let at = middle + place(i, j, cells);
            knots.push(ball(stage, format!("knot {i} {j}"), twine.mass, at, twine.knot)?);
        }
    }
    let knot = |i: usize, j: usize| knots[i * (cells + 1) + j];
    for i in 0..=cells {
        for j in 0..=cells {
            if i < cells {
                piece(stage, knot(i, j), knot(i + 1, j), twine)?;
            }
            if j < cells {
                piece(stage, knot(i, j), knot(i, j + 1), twine)?;
            }
        }
    }
    Ok(knots)
}

/// Every `span`-th knot in both directions.
fn every(span: usize, cells: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..=cells).step_by(span).flat_map(move |i| (0..=cells).step_by(span).map(move |j| (i, j)))
}

/// A piece of rope from knot to knot, with a joint at the middle of each: what a knot turns does not matter then.
fn piece(stage: &mut Stage, a: SingleId, b: SingleId, twine: &Twine) -> Result<(), SceneError> {
    let [from, to] = [stage.world.body(a)?.centre(), stage.world.body(b)?.centre()];
    let mass = twine.weight * (to - from).length();
    let id = rod(&mut stage.world, &mut stage.shapes, "rope", mass, [from, to], twine.rope)?;
    stage.world.join(Ball, a, id, Frame::at(from))?;
    stage.world.join(Ball, b, id, Frame::at(to))?;
    Ok(())
}
