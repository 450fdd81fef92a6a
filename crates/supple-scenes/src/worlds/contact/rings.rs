//! Rings dropped on poles: closed chains of six bodies that are not convex, in stacks and heaps.

use glam::DVec3;
use supple::constraint::Frame;
use supple::contact::Shape;
use supple::spatial::rotation;
use supple::world::{BodyRef, World};

use super::hoop::Hoop;
use super::props::{AIR, DT, floor, rough, wear};
use crate::{Kind, Parameter, Parameters, Scene, SceneError, SplitMix64, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "rings",
    figure: "Weinstein, Teran & Fedkiw 2006, figure 6",
    summary: "360 rings of 6 bodies that are not convex, dropped on 25 poles: 2,160 bodies and joints",
    parameters: &[
        Parameter {
            name: "rings",
            kind: Kind::Count { default: 360, min: 1, max: 100_000 },
            doc: "how many rings; there is a pole for every 14.4 of them, in rows and columns",
        },
        Parameter {
            name: "seed",
            kind: Kind::Count { default: 1, min: 0, max: u64::MAX },
            doc: "where rings are at first",
        },
        AIR,
    ],
    build,
};

/// Rings per pole, as in the paper.
const PER_POLE: f64 = 360.0 / 25.0;
/// A ring: radius, and radius of its rod \[m]; wood \[kg/m³].
const RADIUS: f64 = 0.25;
const THICK: f64 = 0.03;
const DENSITY: f64 = 700.0;
/// Poles: from one to the next, radius and height \[m].
const SPACING: f64 = 0.8;
const POLE: f64 = 0.06;
const HEIGHT: f64 = 1.2;
/// Rings at first: from layer to layer, and how far from the pole and how much aslant they may be \[m, rad].
const LAYER: f64 = 0.25;
const ASIDE: f64 = 0.1;
const ASLANT: f64 = 0.2;
const FRICTION: f64 = 0.5;

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let rings = parameters.count("rings");
    let mut random = SplitMix64::new(parameters.seed("seed"));
    let mut stage = Stage::new(World::new(), DT, 10.0);
    stage.world.drag = parameters.number("air");
    floor(&mut stage, rough(FRICTION))?;
    let side = (rings as f64 / PER_POLE).sqrt().round().max(1.0) as usize;
    let pole = |k: usize| {
        let cell = DVec3::new((k % side) as f64, (k / side % side) as f64, 0.0);
        (cell - 0.5 * (side as f64 - 1.0) * (DVec3::X + DVec3::Y)) * SPACING
    };
    for k in 0..side * side {
        let shape = Shape::capsule(pole(k), pole(k) + DVec3::Z * (HEIGHT - POLE), POLE)?;
        wear(&mut stage, BodyRef::World, shape, Frame::IDENTITY, rough(FRICTION))?;
    }
    let hoop = Hoop::new(RADIUS, THICK, DENSITY, |piece| piece.friction(FRICTION))?;
    for k in 0..rings {
        let aside = DVec3::new(random.between(-ASIDE, ASIDE), random.between(-ASIDE, ASIDE), 0.0);
        let height = HEIGHT + LAYER * ((k / (side * side)) as f64 + 0.5);
        let turn = rotation::about_x(random.between(-ASLANT, ASLANT))
            * rotation::about_y(random.between(-ASLANT, ASLANT));
        let at = Frame::new(pole(k) + aside + DVec3::Z * height, turn);
        hoop.add(&mut stage, &format!("ring {k}"), at)?;
    }
    Ok(stage)
}
