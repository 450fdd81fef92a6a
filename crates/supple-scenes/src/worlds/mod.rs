//! Scenes with constraints: one world, articulations and single bodies, closed loops.

mod bar_and_disks;
mod bead_on_circle;
mod bennett;
mod blocked;
mod bridge;
mod chain_both;
mod contact;
mod figure;
mod figures_joined;
mod four_bar;
mod joints;
mod magnets;
mod net;
mod pendulum;
mod plate;
mod proximity;
mod slider_crank;
mod stewart;
mod structure_drag;
mod treads;

use crate::world_stage::WorldStage;
use crate::{Scene, SceneError, names};

/// All worlds, in the order in which they are listed: first those without contact.
pub fn worlds() -> &'static [Scene<WorldStage>] {
    const WORLDS: &[Scene<WorldStage>] = &[
        pendulum::SCENE,
        joints::SCENE,
        blocked::SCENE,
        magnets::SCENE,
        net::SCENE,
        bridge::SCENE,
        treads::SCENE,
        four_bar::SCENE,
        slider_crank::SCENE,
        bennett::SCENE,
        stewart::SCENE,
        chain_both::SCENE,
        bar_and_disks::SCENE,
        figures_joined::SCENE,
        bead_on_circle::SCENE,
        structure_drag::SCENE,
        plate::SCENE,
        contact::stack::SCENE,
        contact::incline::SCENE,
        contact::ragdolls::HUNDRED,
        contact::ragdolls::THOUSAND,
        contact::rings::SCENE,
        contact::bridge_blocks::SCENE,
        contact::bridge_rings::SCENE,
        contact::net_boxes::SCENE,
        contact::dominoes::SCENE,
        contact::card_house::SCENE,
        contact::cradle::SCENE,
        contact::top::SCENE,
        contact::falling_character::SCENE,
        contact::skeletons::SCENE,
        contact::tank::SCENE,
    ];
    WORLDS
}

/// The world with this name.
pub fn find_world(name: &str) -> Result<&'static Scene<WorldStage>, SceneError> {
    worlds().iter().find(|s| s.name == name).ok_or_else(|| SceneError::UnknownScene {
        name: name.into(),
        hint: names::hint(name, worlds().iter().map(|s| s.name)),
    })
}

/// A world with some parameters set.
pub fn world_stage(name: &str, settings: &[(&str, &str)]) -> Result<WorldStage, SceneError> {
    let scene = find_world(name)?;
    let mut parameters = scene.parameters();
    for (key, value) in settings {
        parameters.set(key, value)?;
    }
    scene.build(&parameters)
}
