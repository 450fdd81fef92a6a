//! Pairs of jointed blocks dropped on the rope bridge.

use glam::DVec3;
use supple::constraint::{Ball, Frame};
use supple::contact::{Collider, Shape};
use supple::world::World;

use super::cargo;
use crate::worlds::{bridge, figure};
use crate::{Kind, Parameter, Parameters, Scene, SceneError, SplitMix64, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "bridge-blocks",
    figure: "Weinstein, Teran & Fedkiw 2006, figure 3, top",
    summary: "81 pairs of jointed blocks dropped on a rope bridge of 102 bodies",
    parameters: &[
        Parameter {
            name: "pairs",
            kind: Kind::Count { default: 81, min: 0, max: 10_000 },
            doc: "how many pairs of blocks, three abreast",
        },
        cargo::PLANKS,
        Parameter {
            name: "seed",
            kind: Kind::Count { default: 1, min: 0, max: u64::MAX },
            doc: "from how high blocks fall",
        },
    ],
    build,
};

/// Edge of a block and gap between the two of a pair, in whose middle the joint is \[m]; wood, hollow \[kg].
const EDGE: f64 = 0.24;
const GAP: f64 = 0.02;
const MASS: f64 = 4.0;
/// Pairs abreast, and from one to the next, across and along \[m].
const ABREAST: usize = 3;
const ACROSS: f64 = 0.4;
const ALONG: f64 = 0.6;
/// From the deck to the blocks, and how much higher some are \[m].
const DROP: f64 = 0.6;
const HIGHER: f64 = 1.0;

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let (pairs, planks) = (parameters.count("pairs"), parameters.count("planks"));
    let mut random = SplitMix64::new(parameters.seed("seed"));
    let mut stage = Stage::new(World::new(), 1.0 / 240.0, 8.0);
    cargo::bridge(&mut stage, planks)?;
    let per_layer = ABREAST * (planks - 2).max(1) * 5 / 3;
    let rows = pairs.min(per_layer).div_ceil(ABREAST);
    let shape = Shape::cuboid(DVec3::splat(EDGE))?;
    for k in 0..pairs {
        let (row, abreast, layer) = (k % per_layer / ABREAST, k % ABREAST, k / per_layer);
        let x = 0.5 * planks as f64 + ALONG * (row as f64 - 0.5 * (rows as f64 - 1.0));
        let height = DROP + random.between(0.0, HIGHER) + layer as f64 * (HIGHER + 2.0 * EDGE);
        let middle = bridge::deck(x, planks)
            + DVec3::new(0.0, ACROSS * (abreast as f64 - 0.5 * (ABREAST as f64 - 1.0)), height);
        let mut blocks = Vec::new();
        for side in [-0.5, 0.5] {
            let at = Frame::at(middle + DVec3::X * (side * (EDGE + GAP)));
            let id = figure::block(&mut stage, format!("block {k} {side}"), MASS, at, DVec3::splat(EDGE))?;
            stage.world.add_collider(id, cargo::falls(Collider::new(shape.clone())))?;
            blocks.push(id);
        }
        stage.world.join(Ball, blocks[0], blocks[1], Frame::at(middle))?;
    }
    stage.world.drag = 1.0;
    Ok(stage)
}
