//! People on the rope bridge, who fall on it and on each other.

use glam::DVec3;
use supple::constraint::Frame;
use supple::spatial::rotation;
use supple::view::Camera;
use supple::world::World;

use super::cargo;
use super::props::rough;
use super::ragdoll::Ragdoll;
use super::ragdolls::budget;
use crate::worlds::bridge;
use crate::{Gaze, Kind, Parameter, Parameters, Scene, SceneError, SplitMix64, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "bridge-people",
    figure: "",
    summary: "10 people of 29 bodies fall on a rope bridge of 102 bodies, with all joints or with one budget",
    parameters: &[
        Parameter {
            name: "count",
            kind: Kind::Count { default: 10, min: 1, max: 1000 },
            doc: "how many people, two abreast",
        },
        cargo::PLANKS,
        Parameter {
            name: "budget",
            kind: Kind::Count { default: 0, min: 0, max: 1_000_000 },
            doc: "joints that may be active in all of them together, at least one in each; 0: all joints",
        },
        Parameter {
            name: "seed",
            kind: Kind::Count { default: 1, min: 0, max: u64::MAX },
            doc: "which way they look",
        },
    ],
    build,
};

/// From the soles to the pelvis, and from the deck to the soles at first \[m].
const PELVIS: f64 = 0.95;
const DROP: f64 = 0.1;
/// People abreast, and from one to the next, across and along \[m].
const ABREAST: usize = 2;
const ACROSS: f64 = 0.7;
const ALONG: f64 = 1.5;
/// How far they may turn from the way along the bridge \[rad].
const TURN: f64 = 0.5;
/// Where the camera is from the middle of the deck \[m].
const EYE: DVec3 = DVec3::new(0.0, -11.0, 4.0);

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let (count, planks) = (parameters.count("count"), parameters.count("planks"));
    let mut random = SplitMix64::new(parameters.seed("seed"));
    let mut stage = Stage::new(World::new(), 1.0 / 240.0, 8.0);
    cargo::bridge(&mut stage, planks)?;
    stage.world.drag = 1.0;
    let ragdoll = Ragdoll::new()?;
    let per_layer = ABREAST * ((planks as f64 / ALONG) as usize).max(1);
    let rows = count.min(per_layer).div_ceil(ABREAST);
    let middle = 0.5 * planks as f64;
    for i in 0..count {
        let (row, abreast, layer) = (i % per_layer / ABREAST, i % ABREAST, i / per_layer);
        let x = middle + ALONG * (row as f64 - 0.5 * (rows as f64 - 1.0));
        let aside = ACROSS * (abreast as f64 - 0.5 * (ABREAST as f64 - 1.0));
        // who finds no room stands above the others
        let height = PELVIS + DROP + 2.0 * layer as f64;
        let at = bridge::deck(x, planks) + DVec3::new(0.0, aside, height);
        let pelvis = Frame::new(at, rotation::about_z(random.between(-TURN, TURN)));
        let person = ragdoll.simulation.clone();
        ragdoll.add(&mut stage, person, pelvis, rough(cargo::FRICTION))?;
    }
    stage.world.set_budget(budget(parameters, &stage))?;
    let deck = bridge::deck(middle, planks);
    stage.gaze = Some(Gaze::fixed(Camera::look_at(deck + EYE, deck, DVec3::Z)));
    Ok(stage)
}
