//! Rings of six bent pieces dropped on the rope bridge.

use glam::DVec3;
use supple::constraint::Frame;
use supple::spatial::rotation;
use supple::world::World;

use super::cargo;
use super::hoop::Hoop;
use crate::worlds::bridge;
use crate::{Kind, Parameter, Parameters, Scene, SceneError, SplitMix64, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "bridge-rings",
    figure: "Weinstein, Teran & Fedkiw 2006, figure 3, bottom",
    summary: "60 closed chains of 6 bodies that are not convex, dropped on a rope bridge of 102 bodies",
    parameters: &[
        Parameter {
            name: "rings",
            kind: Kind::Count { default: 60, min: 0, max: 10_000 },
            doc: "how many rings, two abreast",
        },
        cargo::PLANKS,
        Parameter {
            name: "seed",
            kind: Kind::Count { default: 1, min: 0, max: u64::MAX },
            doc: "how rings are turned at first",
        },
    ],
    build,
};

/// A ring: radius, and radius of its rod \[m]; wood \[kg/m³].
const RADIUS: f64 = 0.28;
const THICK: f64 = 0.035;
const DENSITY: f64 = 700.0;
/// From one ring to the next: along, across, up \[m]; and how much aslant they may be \[rad].
const ALONG: f64 = 0.8;
const ACROSS: f64 = 0.72;
const LAYER: f64 = 0.4;
const ASLANT: f64 = 0.2;
/// From the deck to the lowest \[m].
const DROP: f64 = 0.6;

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let (rings, planks) = (parameters.count("rings"), parameters.count("planks"));
    let mut random = SplitMix64::new(parameters.seed("seed"));
    let mut stage = Stage::new(World::new(), 1.0 / 240.0, 8.0);
    cargo::bridge(&mut stage, planks)?;
    let hoop = Hoop::new(RADIUS, THICK, DENSITY, cargo::falls)?;
    // the middle three quarters of the bridge, then one layer on another
    let along = (0.75 * planks as f64 / ALONG).floor().max(1.0) as usize;
    for k in 0..rings {
        let (abreast, row, layer) = (k % 2, k / 2 % along, k / (2 * along));
        let x = 0.5 * planks as f64 + ALONG * (row as f64 - 0.5 * (along as f64 - 1.0));
        let aside = DVec3::new(0.0, ACROSS * (abreast as f64 - 0.5), DROP + LAYER * layer as f64);
        let turn = rotation::about_x(random.between(-ASLANT, ASLANT))
            * rotation::about_y(random.between(-ASLANT, ASLANT));
        hoop.add(&mut stage, &format!("ring {k}"), Frame::new(bridge::deck(x, planks) + aside, turn))?;
    }
    stage.world.drag = 1.0;
    Ok(stage)
}
