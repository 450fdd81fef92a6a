//! A net that lies under boxes and is pulled up by its corners, with all that is on it.

use glam::DVec3;
use supple::constraint::{Constraint, Frame, Rope};
use supple::contact::{Collider, Shape};
use supple::world::{BodyRef, SingleBody, SingleId, World};

use super::props::JOINTED;
use crate::script::Follow;
use crate::worlds::{figure, net};
use crate::{Cue, Kind, Parameter, Parameters, Path, Scene, SceneError, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "net-boxes",
    figure: "Weinstein, Teran & Fedkiw 2006, figure 2",
    summary: "a net of 15 by 15 cells (736 bodies) picks up nine boxes from the floor and holds them",
    parameters: &[
        Parameter {
            name: "cells",
            kind: Kind::Count { default: 15, min: 5, max: 100 },
            doc: "cells along each side",
        },
        Parameter {
            name: "boxes",
            kind: Kind::Count { default: 3, min: 0, max: 30 },
            doc: "boxes along each side, in the middle of the net",
        },
        Parameter {
            name: "weight",
            kind: Kind::Number { default: 5.0, min: 0.01, max: 1e4, unit: "kg" },
            doc: "mass of each box",
        },
        Parameter {
            name: "air",
            kind: Kind::Number { default: 0.5, min: 0.0, max: 100.0, unit: "1/s" },
            doc: "share of their momenta that bodies lose per second",
        },
    ],
    build,
};

/// Rope 40 mm thick, as nets for cargo have.
const CARGO_NET: net::Twine = net::Twine { rope: 0.02, weight: 1.0, knot: 0.03, mass: 0.2 };
/// Groups: pieces of the net do not touch each other.
const NET: u32 = 1;
const BOXES: u32 = 2;
const FLOOR: u32 = 4;
/// Edge of a box: larger than a cell can be wide; from one to the next \[m].
const EDGE: f64 = 0.4;
const SPACING: f64 = 0.45;
const FRICTION: f64 = 0.5;
/// From a corner of the net up to its handle, and how much longer the rope there is \[m].
const TIE: f64 = 0.2;
const SLACK: f64 = 0.05;
/// Corners begin to rise after this, and rise for so long \[s].
const REST: f64 = 0.5;
const RISE: f64 = 4.0;
/// How high they rise and how far they come together, in half sides of the net.
const HEIGHT: f64 = 1.5;
const TOGETHER: f64 = 0.35;

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let cells = parameters.count("cells");
    let mut stage = Stage::new(World::new(), 1.0 / 240.0, REST + RISE + 3.5);
    stage.world.settings.tolerance = JOINTED;
    let ground = Collider::new(Shape::half_space()).friction(FRICTION).groups(FLOOR, NET | BOXES);
    stage.world.add_collider(BodyRef::World, ground)?;
    let middle = DVec3::Z * CARGO_NET.knot;
    let knots = net::lattice(&mut stage, cells, middle, &CARGO_NET)?;
    for part in stage.shapes.clone() {
        let shape = Shape::capsule(part.from, part.to, part.radius)?;
        stage
            .world
            .add_collider(part.body, Collider::new(shape).friction(FRICTION).groups(NET, BOXES | FLOOR))?;
    }
    let mut handles = Vec::new();
    for (i, j) in [(0, 0), (0, cells), (cells, 0), (cells, cells)] {
        let at = middle + net::place(i, j, cells) + DVec3::Z * TIE;
        let handle =
            stage.world.add_body(SingleBody::kinematic(format!("handle {i} {j}")).at(Frame::at(at)))?;
        let tie = Constraint::new(Rope { longest: TIE + SLACK }, handle, knots[i * (cells + 1) + j]);
        stage.world.add(tie.named(format!("tie {i} {j}")))?;
        handles.push((handle, at));
    }
    let side = parameters.count("boxes");
    let shape = Shape::cuboid(DVec3::splat(EDGE))?;
    for k in 0..side * side {
        let cell = DVec3::new((k % side) as f64, (k / side) as f64, 0.0);
        let aside = (cell - 0.5 * (side as f64 - 1.0) * (DVec3::X + DVec3::Y)) * SPACING;
        let at = Frame::at(2.0 * middle + aside + 0.5 * EDGE * DVec3::Z);
        let id = figure::block(
            &mut stage,
            format!("box {k}"),
            parameters.number("weight"),
            at,
            DVec3::splat(EDGE),
        )?;
        let boxed = Collider::new(shape.clone()).friction(FRICTION).groups(BOXES, NET | BOXES | FLOOR);
        stage.world.add_collider(id, boxed)?;
    }
    stage.world.drag = parameters.number("air");
    let half = 0.5 * cells as f64 * net::CELL;
    // takes the corners up and together, smoothly, then holds them
    let lift = |(handle, from): (SingleId, DVec3)| {
        let aside = DVec3::new(from.x, from.y, 0.0);
        let way = (HEIGHT * half * DVec3::Z - TOGETHER * aside).to_array();
        let path = Path::Glide { from: from.to_array(), way, start: REST, seconds: RISE };
        Cue::Follow(Follow { body: handle.index().into(), path, late: false })
    };
    stage.direct(handles.into_iter().map(lift).collect())?;
    Ok(stage)
}
