//! What makes the articulations of a file.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use supple::Simulation;
use supple::detail::{Detail, Weights};

use super::articulation::Articulation;
use super::fault::{At, Fault};
use super::model::Known;
use super::{SceneFile, SceneKind, WeightsFile};
use crate::names;

/// An articulation that was made.
pub(super) struct Made {
    pub(super) simulation: Simulation,
    /// Its model in the file.
    pub(super) model: Option<String>,
    pub(super) name: String,
    /// Where it is in the file.
    pub(super) at: At,
}

/// Models of a file, and weights that were made for them.
pub(super) struct Makers {
    pub(super) models: BTreeMap<String, Known>,
    weights: Vec<(String, WeightsFile, Arc<Weights>)>,
    /// Whether cases have the gravity of the file, not their own.
    one_gravity: bool,
}

impl Makers {
    pub(super) fn new(file: &SceneFile, folder: &Path) -> Result<Self, Fault> {
        let mut models = BTreeMap::new();
        for (name, model) in &file.models {
            models.insert(name.clone(), model.read(folder, &At::top().key("models").key(name))?);
        }
        let one_gravity = file.kind == Some(SceneKind::World);
        Ok(Self { models, weights: Vec::new(), one_gravity })
    }

    pub(super) fn notes(&self) -> Vec<String> {
        self.models.values().flat_map(|known| known.notes.iter().cloned()).collect()
    }

    /// The step that a model's file asks for \[s]: of several the shortest.
    pub(super) fn timestep(&self) -> Option<f64> {
        let steps = self.models.values().filter_map(|known| known.loaded.as_ref()?.timestep);
        steps.min_by(f64::total_cmp)
    }

    /// The simulation of an articulation.
    fn make(&mut self, file: &Articulation, gravity: [f64; 3], at: &At) -> Result<Simulation, Fault> {
        let mut simulation = match (&file.model, &file.case) {
            (Some(name), None) => self.known(name, &at.key("model"))?.simulation.clone(),
            (None, Some(case)) => {
                let loaded = supple_io::load_case_str(&case.to_string());
                loaded.map_err(|error| at.key("case").wrong(error))?.simulation()
            }
            _ => return Err(at.wrong("needs either \"model\": the name of one, or \"case\"")),
        };
        if file.case.is_none() || self.one_gravity {
            simulation.gravity = gravity.into();
        }
        file.set(&mut simulation, at)?;
        if let Some(weights) = &file.weights {
            let name = file.model.clone().unwrap_or_default();
            simulation.set_weights(self.weights(name, weights, &simulation, &at.key("weights"))?);
        }
        Ok(simulation)
    }

    /// Details come last: they look at all the rest.
    fn detail(file: &Articulation, phase: u32, simulation: &mut Simulation, at: &At) -> Result<(), Fault> {
        let Some(detail) = &file.detail else { return Ok(()) };
        let at = at.key("detail");
        let detail = detail.detail(&simulation.model, &at)?;
        let phase = detail.phase.saturating_add(phase);
        simulation.set_detail(Detail { phase, ..detail }).map_err(|error| at.wrong(error))
    }

    fn known(&self, name: &str, at: &At) -> Result<&Known, Fault> {
        self.models.get(name).ok_or_else(|| {
            let all = self.models.keys().map(String::as_str);
            at.wrong(format!("there is no model {name:?}{}", names::hint(name, all)))
        })
    }

    fn weights(
        &mut self,
        model: String,
        file: &WeightsFile,
        simulation: &Simulation,
        at: &At,
    ) -> Result<Arc<Weights>, Fault> {
        let known = self.weights.iter().find(|(of, weights, _)| *of == model && weights == file);
        if let Some((_, _, weights)) = known.filter(|_| !model.is_empty()) {
            return Ok(weights.clone());
        }
        let made = Arc::new(file.weights(&simulation.model, at)?);
        self.weights.push((model, file.clone(), made.clone()));
        Ok(made)
    }

    /// All articulations, and then all instances.
    pub(super) fn all(&mut self, file: &SceneFile) -> Result<Vec<Made>, Fault> {
        let mut all = Vec::new();
        for (i, articulation) in file.articulations.iter().enumerate() {
            let at = At::top().key("articulations").item(i);
            let mut simulation = self.make(articulation, file.gravity, &at)?;
            Self::detail(articulation, 0, &mut simulation, &at)?;
            let (model, name) = (articulation.model.clone(), articulation.name.clone());
            all.push(Made { simulation, model, name, at });
        }
        for (k, instances) in file.instances.iter().enumerate() {
            let at = At::top().key("instances").item(k);
            let each = instances.each(&at)?;
            let first = self.make(&each, file.gravity, &at)?;
            for i in 0..instances.count {
                let mut simulation = first.clone();
                instances.place(i, &mut simulation, &at)?;
                let every = each.detail.as_ref().map_or(1, |detail| detail.update_every.max(1));
                // one after the other, so that no step has all the updates
                Self::detail(&each, i as u32 % every, &mut simulation, &at)?;
                all.push(Made { simulation, model: each.model.clone(), name: String::new(), at: at.clone() });
            }
        }
        Ok(all)
    }
}
