use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use supple::{Axes, Integrator, JointForces, Simulation};
use supple_io::case::{Actuators, Springs};

use super::PrintError;
use super::detail::{DetailFile, WeightsFile};
use super::fault::{At, Fault};
use crate::forces::Wrench;
use crate::{Ref, names};

/// An articulated body: a model, where it is and how it moves, and what acts on it.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Articulation {
    /// What the rest of the file calls it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// One of the file's models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Instead of a model, a case (docs/case-format.md) with its own state and loads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<serde_json::Value>,
    /// Number of its first body in the file: for other programs, not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<i64>,
    /// Positions of its joints \[rad or m], quaternions x, y, z, w; neutral, or as the model's file has them, if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q: Option<Vec<f64>>,
    /// Velocities of its joints \[rad/s or m/s]; at rest if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub v: Option<Vec<f64>>,
    /// Joint forces \[N·m or N].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tau: Option<Vec<f64>>,
    /// \[m/s²], if it is not that of the scene.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gravity: Option<[f64; 3]>,
    /// How steps are taken: default, accurate, projection, semi-implicit, explicit, rk4 or adaptive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integrator: Option<String>,
    /// Greatest error of a sub-step of the adaptive integrator \[rad or m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integrator_tolerance: Option<f64>,
    /// Wrenches that stay.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrenches: Vec<Wrench>,
    /// Springs to the world.
    #[serde(default, skip_serializing_if = "Springs::is_empty")]
    pub springs: Springs,
    /// Drives of its joints.
    #[serde(default, skip_serializing_if = "Actuators::is_empty")]
    pub actuators: Actuators,
    /// How much of it is simulated; all of it if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<DetailFile>,
    /// What joints are worth where not all are simulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<WeightsFile>,
}

impl Articulation {
    /// An articulation as it is now, of the model of this name, without what its world has given it: gravity and detail. Wrenches are left
    /// out where the scene sets them anyway.
    pub(crate) fn of(
        simulation: &Simulation,
        number: usize,
        model: &str,
        wrenches: bool,
    ) -> Result<Self, PrintError> {
        let (integrator, integrator_tolerance) = match simulation.integrator {
            Integrator::Default => (None, None),
            Integrator::Adaptive { tolerance } => (Some("adaptive"), Some(tolerance)),
            other => (Integrator::ALL.iter().find(|(_, i)| *i == other).map(|(name, _)| *name), None),
        };
        let loads = &simulation.wrenches;
        let weights = simulation.own_weights().map(|w| WeightsFile::of(w, &simulation.model, number));
        Ok(Self {
            name: String::new(),
            model: Some(model.to_owned()),
            case: None,
            first: None,
            q: Some(simulation.state.q.clone()),
            v: Some(simulation.state.v.clone()),
            tau: simulation.tau.iter().any(|x| *x != 0.0).then(|| simulation.tau.to_vec()),
            gravity: None,
            integrator: integrator.map(str::to_owned),
            integrator_tolerance,
            wrenches: if wrenches { loads.iter().map(Wrench::from).collect() } else { Vec::new() },
            springs: Springs::of(&simulation.springs),
            actuators: Actuators::of(&simulation.actuators),
            detail: None,
            weights: weights.transpose()?,
        })
    }

    /// Sets what the file says of a simulation of its model.
    pub(crate) fn set(&self, simulation: &mut Simulation, at: &At) -> Result<(), Fault> {
        let model = simulation.model.clone();
        if let Some(q) = &self.q {
            simulation.state.q = list(q, model.nq(), &at.key("q"))?;
            supple_io::case::positions(&model, &mut simulation.state.q).map_err(|e| at.key("q").wrong(e))?;
        }
        if let Some(v) = &self.v {
            simulation.state.v = list(v, model.nv(), &at.key("v"))?;
        }
        if let Some(tau) = &self.tau {
            simulation.tau = JointForces::from(list(tau, model.nv(), &at.key("tau"))?);
        }
        if let Some(gravity) = self.gravity {
            simulation.gravity = gravity.into();
        }
        if let Some(name) = &self.integrator {
            simulation.integrator = self.integrator(name, at)?;
        }
        for (i, wrench) in self.wrenches.iter().enumerate() {
            let at = at.key("wrenches").item(i);
            let mut wrench = wrench.clone();
            resolve(&mut wrench.body, &model, &at.key("body"))?;
            let axes = if wrench.in_body { Axes::Body } else { Axes::World };
            simulation.wrenches.push(supple::Load { axes, ..wrench.load() });
        }
        if !self.springs.is_empty() {
            simulation.springs = self.springs.read(&model).map_err(|e| at.key("springs").wrong(e))?;
        }
        if !self.actuators.is_empty() {
            simulation.actuators = self.actuators.read(&model).map_err(|e| at.key("actuators").wrong(e))?;
        }
        Ok(())
    }

    fn integrator(&self, name: &str, at: &At) -> Result<Integrator, Fault> {
        let names = Integrator::ALL.iter().map(|(name, _)| *name);
        let found = Integrator::by_name(name).ok_or_else(|| {
            at.key("integrator").wrong(format!("there is no integrator {name:?}{}", names::hint(name, names)))
        })?;
        match (found, self.integrator_tolerance) {
            (_, None) => Ok(found),
            (Integrator::Adaptive { .. }, Some(tolerance)) if tolerance > 0.0 => {
                Ok(Integrator::Adaptive { tolerance })
            }
            (Integrator::Adaptive { .. }, Some(tolerance)) => {
                Err(at.key("integrator_tolerance").wrong(format!("must be positive, got {tolerance}")))
            }
            _ => Err(at
                .key("integrator_tolerance")
                .wrong(format!("the {name} integrator has none: leave it out"))),
        }
    }
}

fn list(list: &[f64], need: usize, at: &At) -> Result<Vec<f64>, Fault> {
    if list.len() != need {
        return Err(at.wrong(format!("has {} numbers, needs {need}", list.len())));
    }
    match list.iter().position(|x| !x.is_finite()) {
        Some(i) => Err(at.item(i).wrong(format!("must be finite, got {}", list[i]))),
        None => Ok(list.to_vec()),
    }
}

/// Makes the name of a body of a model its number.
pub(crate) fn resolve(body: &mut Ref, model: &supple::Model, at: &At) -> Result<(), Fault> {
    let count = model.bodies().len();
    match body {
        Ref::Name(name) => {
            let found = model.body(name).ok_or_else(|| {
                let all = model.bodies().iter().map(|body| body.name.as_str());
                at.wrong(format!("the model has no body {name:?}{}", names::hint(name, all)))
            })?;
            *body = found.index().into();
            Ok(())
        }
        number => match number.number().filter(|i| *i < count) {
            Some(_) => Ok(()),
            None => Err(at.wrong(format!("the model has no body {number}: it has {count}"))),
        },
    }
}
