//! A hundred people, or a thousand, dropped into a pit: 29 bodies each, joints that cannot come apart.

use std::f64::consts::{FRAC_PI_2, PI};
use supple::spatial::rotation;

use glam::DVec3;
use supple::constraint::Frame;
use supple::contact::Shape;
use supple::world::{BodyRef, World};

use super::props::{DT, floor, rough, wear};
use super::ragdoll::Ragdoll;
use crate::{Kind, Parameter, Parameters, Scene, SceneError, SplitMix64, Stage};
use supple::spatial::math;

/// A hundred.
pub(crate) const HUNDRED: Scene = Scene {
    name: "ragdolls-100",
    figure: "",
    summary: "100 people of 29 bodies in reduced coordinates, dropped into a pit",
    parameters: &[count(100), SEED, BUDGET],
    build,
};

/// A thousand.
pub(crate) const THOUSAND: Scene = Scene {
    name: "ragdolls-1000",
    figure: "",
    summary: "1000 people of 29 bodies in reduced coordinates, dropped into a pit",
    parameters: &[count(1000), SEED, BUDGET],
    build,
};

const fn count(default: u64) -> Parameter {
    Parameter { name: "count", kind: Kind::Count { default, min: 1, max: 10_000 }, doc: "how many people" }
}

const SEED: Parameter = Parameter {
    name: "seed",
    kind: Kind::Count { default: 1, min: 0, max: u64::MAX },
    doc: "which way they are turned at first",
};
const BUDGET: Parameter = Parameter {
    name: "budget",
    kind: Kind::Count { default: 0, min: 0, max: 1_000_000 },
    doc: "joints that may be active in all of them together, at least one in each; 0: all joints",
};

/// Room of a person who lies, along and across \[m]: a little more than feet to head, and than the toes reach when they turn.
const ALONG: f64 = 2.0;
const ACROSS: f64 = 0.8;
/// Lowest people at first \[m].
const DROP: f64 = 1.0;
/// Walls: height and thickness \[m].
const WALL: f64 = 1.5;
const THICK: f64 = 1.0;
/// Skin and clothes.
const FRICTION: f64 = 0.5;

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let count = parameters.count("count");
    let mut random = SplitMix64::new(parameters.seed("seed"));
    let mut stage = Stage::new(World::new(), DT, 20.0);
    let ragdoll = Ragdoll::new()?;
    // as many layers as a cube would have, in a pit that is nearly a square
    let layer = math::pow(count as f64, 2.0 / 3.0).ceil();
    let columns = (layer * ACROSS / ALONG).sqrt().ceil() as usize;
    let rows = (layer / columns as f64).ceil() as usize;
    let half = 0.5 * DVec3::new(columns as f64 * ALONG, rows as f64 * ACROSS, 0.0);
    pit(&mut stage, half)?;
    for i in 0..count {
        let (column, row, layer) = (i % columns, i / columns % rows, i / (columns * rows));
        let cell = DVec3::new(column as f64 + 0.5, row as f64 + 0.5, layer as f64);
        let at = cell * DVec3::new(ALONG, ACROSS, ACROSS) - half + DROP * DVec3::Z;
        // on their backs, bellies or sides, head to either end
        let end = if random.below(2) == 0 { 0.0 } else { PI };
        let aslant = rotation::about_z(end + random.between(-0.1, 0.1));
        let lying = rotation::about_y(FRAC_PI_2) * rotation::about_z(random.between(-PI, PI));
        let pelvis = Frame::new(at, aslant * lying);
        ragdoll.add(&mut stage, ragdoll.simulation.clone(), pelvis, rough(FRICTION))?;
    }
    stage.world.set_budget(budget(parameters, &stage))?;
    Ok(stage)
}

/// A floor and four walls at ± `half` of it \[m].
fn pit(stage: &mut Stage, half: DVec3) -> Result<(), SceneError> {
    floor(stage, rough(FRICTION))?;
    let length = 2.0 * (half + THICK);
    for (axis, across) in [(DVec3::X, DVec3::Y), (DVec3::Y, DVec3::X)] {
        let size = axis * THICK + across * length + DVec3::Z * WALL;
        for side in [-1.0, 1.0] {
            let at = axis * side * (half + 0.5 * THICK) + DVec3::Z * (0.5 * WALL);
            wear(stage, BodyRef::World, Shape::cuboid(size)?, Frame::at(at), rough(FRICTION))?;
        }
    }
    Ok(())
}

/// The joints that may be active in all articulations together, as far as they have them, and at least one in each; `None`: all.
pub(super) fn budget(parameters: &Parameters, stage: &Stage) -> Option<usize> {
    let budget = Some(parameters.count("budget")).filter(|budget| *budget > 0)?;
    Some(budget.clamp(stage.articulations().count(), stage.joints()))
}
