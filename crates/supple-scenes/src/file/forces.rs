//! Forces on articulations of a file, bodies by their numbers.

use supple::Simulation;
use supple::model::BodyId;

use super::SceneFile;
use super::articulation::resolve;
use super::fault::{At, Fault};
use super::makers::Made;
use crate::ForceOverTime;

/// The forces of a file, bodies by their numbers.
pub(super) fn forces(file: &SceneFile, all: &[Made]) -> Result<Vec<ForceOverTime>, Fault> {
    let mut forces = file.forces.clone();
    for (i, force) in forces.iter_mut().enumerate() {
        let at = At::top().key("forces").item(i);
        if let Some((field, message)) = force.wrong() {
            return Err(at.key(field).wrong(message));
        }
        let named = force.articulation();
        let Some(Made { simulation: of, .. }) = all.get(named.unwrap_or(0)) else {
            let message =
                format!("there is no articulation {}: the file has {}", named.unwrap_or(0), all.len());
            return Err(at.key("articulation").wrong(message));
        };
        for body in force.bodies() {
            resolve(body, &of.model, &at)?;
        }
        if named.is_none() {
            // others may have other models
            for body in force.bodies() {
                let number = body.number().unwrap_or_default();
                if let Some((i, _)) =
                    all.iter().enumerate().find(|(_, a)| number >= a.simulation.model.bodies().len())
                {
                    return Err(
                        at.wrong(format!("articulation {i} has no body {number}: name an articulation"))
                    );
                }
            }
        }
        if let ForceOverTime::Wave(wave) = force
            && wave.places.is_empty()
        {
            let root = |simulation: &Simulation| simulation.pose_of(BodyId::new(0)).translation;
            wave.places = all.iter().map(|made| root(&made.simulation).to_array()).collect();
        }
        if force.pushes()
            && let Some(Made { at, .. }) = all.iter().find(|made| !made.simulation.wrenches.is_empty())
        {
            let message = "the scene's forces would take its place: make it a force of type \"push\"";
            return Err(at.key("wrenches").wrong(message));
        }
    }
    Ok(forces)
}
