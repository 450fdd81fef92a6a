//! The gallery: scenes for tests, benchmarks, the command line and the viewer, each defined once.
//!
//! ```
//! let scene = supple_scenes::find("pendulum")?;
//! let mut parameters = scene.parameters();
//! parameters.set("links", "10")?;
//! let mut stage = scene.build(&parameters)?;
//! stage.step(0.001)?;
//! assert_eq!(stage.joints(), 10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```text
//!  gallery ─► Scene ─► Parameters (typed, checked) ─► Scene::build ─► Stage { world, script, shapes, … } ─► step
//! ```
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod chain3d;
mod crowd_200;
mod crowd_50000;
mod dog;
mod dog_puppet;
mod dogs_100;
mod double_pendulum;
mod drawn;
mod drive;
mod error;
pub mod file;
pub mod forces;
mod framing;
mod gaze;
mod humanoid;
mod humanoid_detailed;
mod limb;
mod link;
pub mod live;
mod names;
mod number;
mod parameters;
mod path;
mod pendulum;
mod pendulum_20;
mod pendulum_300;
mod pendulum_spring;
mod place;
mod plant;
mod prismatic;
mod ramp;
mod random;
mod reference;
mod robot;
mod scene;
mod schedule;
pub mod script;
mod shot;
mod stage;
mod tree;
mod tree_wind;
mod whip;
mod worlds;

pub use dog_puppet::Puppet;
pub use drive::Drive;
pub use error::SceneError;
pub use file::{SceneFile, open_file, print_stage};
pub use forces::ForceOverTime;
pub use gaze::Gaze;
pub use parameters::{Kind, Parameter, Parameters};
pub use path::{Key, Path, Sine};
pub use place::Place;
pub use random::SplitMix64;
pub use reference::Ref;
pub use scene::Scene;
pub use schedule::Schedule;
pub use script::{Cue, Cues, Director, Script};
pub use shot::{Glance, Lens, Shot};
pub use stage::{Capsule, DT, DtFrom, SECONDS, Stage, active};

/// All scenes, in the order in which they are listed: articulations each for itself, worlds without contact, worlds whose bodies touch.
pub fn gallery() -> &'static [Scene] {
    const GALLERY: &[Scene] = &[
        pendulum::SCENE,
        pendulum_spring::SCENE,
        prismatic::SCENE,
        chain3d::SCENE,
        double_pendulum::SCENE,
        tree::SCENE,
        humanoid::SCENE,
        humanoid_detailed::SCENE,
        robot::SCENE,
        pendulum_300::SCENE,
        crowd_200::SCENE,
        ramp::SCENE,
        whip::SCENE,
        tree_wind::SCENE,
        pendulum_20::SCENE,
        pendulum_300::THRESHOLD,
        pendulum_300::DISTANCE,
        dogs_100::SCENE,
        dog_puppet::SCENE,
        crowd_50000::SCENE,
        worlds::pendulum::SCENE,
        worlds::joints::SCENE,
        worlds::blocked::SCENE,
        worlds::magnets::SCENE,
        worlds::net::SCENE,
        worlds::bridge::SCENE,
        worlds::treads::SCENE,
        worlds::four_bar::SCENE,
        worlds::slider_crank::SCENE,
        worlds::bennett::SCENE,
        worlds::stewart::SCENE,
        worlds::chain_both::SCENE,
        worlds::bar_and_disks::SCENE,
        worlds::figures_joined::SCENE,
        worlds::bead_on_circle::SCENE,
        worlds::structure_drag::SCENE,
        worlds::plate::SCENE,
        worlds::contact::stack::SCENE,
        worlds::contact::incline::SCENE,
        worlds::contact::ragdolls::HUNDRED,
        worlds::contact::ragdolls::THOUSAND,
        worlds::contact::rings::SCENE,
        worlds::contact::bridge_blocks::SCENE,
        worlds::contact::bridge_people::SCENE,
        worlds::contact::bridge_rings::SCENE,
        worlds::contact::net_boxes::SCENE,
        worlds::contact::dominoes::SCENE,
        worlds::contact::card_house::SCENE,
        worlds::contact::cradle::SCENE,
        worlds::contact::top::SCENE,
        worlds::contact::falling_character::SCENE,
        worlds::contact::skeletons::SCENE,
        worlds::contact::tank::SCENE,
    ];
    GALLERY
}

/// The scene with this name.
pub fn find(name: &str) -> Result<&'static Scene, SceneError> {
    gallery().iter().find(|s| s.name == name).ok_or_else(|| SceneError::UnknownScene {
        name: name.into(),
        hint: names::hint(name, gallery().iter().map(|s| s.name)),
    })
}

/// The first articulation of a scene with some parameters set: the short way for tests and benchmarks.
pub fn simulation(name: &str, settings: &[(&str, &str)]) -> Result<supple::Simulation, SceneError> {
    let mut world = stage(name, settings)?.world;
    let first = world.articulations().next().map(|(id, _)| id);
    let first = first.ok_or_else(|| SceneError::NoArticulation { name: name.into() })?;
    Ok(world.remove_articulation(first)?)
}

/// The scene of this name with some parameters set.
pub fn stage(name: &str, settings: &[(&str, &str)]) -> Result<Stage, SceneError> {
    let scene = find(name)?;
    let mut parameters = scene.parameters();
    for (key, value) in settings {
        parameters.set(key, value)?;
    }
    scene.build(&parameters)
}
