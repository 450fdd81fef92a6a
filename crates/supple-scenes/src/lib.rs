//! The gallery: scenes for tests, benchmarks, the command line and the viewer, each defined once.
//!
//! ```
//! let scene = supple_scenes::find("pendulum")?;
//! let mut parameters = scene.parameters();
//! parameters.set("links", "10")?;
//! let mut simulation = scene.build(&parameters)?.simulation;
//! simulation.step(0.001)?;
//! assert_eq!(simulation.model.nv(), 10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```text
//!  gallery ─► Scene ─► Parameters (typed, checked) ─► Scene::build ─► Stage { simulation, shapes, … }
//!                                                                       └─► Show: all bodies, stepped as the scene has it
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
mod open;
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
mod show;
mod tree;
mod tree_wind;
mod whip;
mod world_stage;
mod worlds;

pub use dog_puppet::Puppet;
pub use drive::Drive;
pub use error::SceneError;
pub use file::{SceneFile, open_file, print_stage, print_world};
pub use forces::ForceOverTime;
pub use gaze::Gaze;
pub use open::{Opened, open};
pub use parameters::{Kind, Parameter, Parameters};
pub use path::{Key, Path, Sine};
pub use place::Place;
pub use random::SplitMix64;
pub use reference::Ref;
pub use scene::{Capsule, Scene, Stage};
pub use schedule::Schedule;
pub use script::{Cue, Script};
pub use shot::{Glance, Lens, Shot};
pub use show::{Show, active};
pub use world_stage::{Director, WorldShape, WorldStage};
pub use worlds::{find_world, world_stage, worlds};

/// All scenes, in the order in which they are listed.
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

/// The simulation of a scene with some parameters set: the short way for tests and benchmarks.
pub fn simulation(name: &str, settings: &[(&str, &str)]) -> Result<supple::Simulation, SceneError> {
    Ok(stage(name, settings)?.simulation)
}

/// A scene with some parameters set.
pub fn stage(name: &str, settings: &[(&str, &str)]) -> Result<Stage, SceneError> {
    let scene = find(name)?;
    let mut parameters = scene.parameters();
    for (key, value) in settings {
        parameters.set(key, value)?;
    }
    scene.build(&parameters)
}
