//! A simulation as a case.

use supple::{Axes, Simulation};

use super::bodies::Bodies;
use super::file::Case;
use super::{Actuators, Expected, Springs};
use crate::IoError;

/// A simulation's model, state and loads as a JSON case, which [`load_case_str`](crate::load_case_str) reads back as
/// a simulation with the same motion. `expected` is written into it as given. What a case does not tell is
/// how steps are taken, and the time. Wrenches in world axes are an error: a case has those in body axes only.
pub fn case_to_string(
    name: &str,
    simulation: &Simulation,
    expected: Option<Expected>,
) -> Result<String, IoError> {
    let case = Case {
        name: name.into(),
        gravity: simulation.gravity.to_array(),
        bodies: Bodies::of(&simulation.model),
        q: simulation.state.q.clone(),
        qd: simulation.state.v.clone(),
        tau: Some(simulation.tau.to_vec()),
        wrenches: wrenches(simulation)?,
        springs: Springs::of(&simulation.springs),
        actuators: Actuators::of(&simulation.actuators),
        expected,
        hybrid: None,
        rigidification: None,
        impulse: None,
    };
    serde_json::to_string(&case)
        .map_err(|e| IoError::WrongShape { element: "case".into(), message: e.to_string() })
}

/// The sum of the wrenches on each body; `None` where there are none at all.
fn wrenches(simulation: &Simulation) -> Result<Option<Vec<[f64; 6]>>, IoError> {
    if simulation.wrenches.is_empty() {
        return Ok(None);
    }
    let bodies = simulation.model.bodies();
    let mut sums = vec![[0.0; 6]; bodies.len()];
    for load in &simulation.wrenches {
        let Some(sum) = sums.get_mut(load.body.index()) else {
            return Err(IoError::UnknownName {
                what: "body",
                name: load.body.index().to_string(),
                hint: format!(" (a wrench acts on it): ids go up to {}", bodies.len() - 1),
            });
        };
        if load.axes == Axes::World {
            return Err(IoError::Unsupported {
                element: format!("a wrench in world axes on body {:?}", bodies[load.body.index()].name),
                advice: "give it in body axes".into(),
            });
        }
        for (sum, x) in sum.iter_mut().zip(load.wrench.to_array()) {
            *sum += x;
        }
    }
    Ok(Some(sums))
}
