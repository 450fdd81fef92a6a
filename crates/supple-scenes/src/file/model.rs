use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use supple::{Model, ModelError, Simulation};
use supple_io::case::Bodies;
use supple_io::{IoError, LoadOptions, Loaded};

use super::fault::{At, Fault};

/// A model: its bodies, or the file that has them.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFile {
    /// Its bodies, each with the joint that carries it (docs/case-format.md).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bodies: Option<Bodies>,
    /// Path of a URDF, from the scene file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub urdf: Option<String>,
    /// Path of an MJCF, from the scene file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mjcf: Option<String>,
    /// Path of a JSON case, from the scene file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    /// Whether the root of a URDF moves freely.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub floating_base: bool,
    /// Whether a file is read although some of its forces are not supported.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ignore_forces: bool,
    /// Whether what a URDF or MJCF has of collision geometry touches, in a world.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub contacts: bool,
}

/// A model, ready to be used by many.
#[derive(Debug)]
pub(crate) struct Known {
    /// As it is at first; simulations are copies of it, so that they share what can be shared.
    pub(crate) simulation: Simulation,
    /// What else its file has.
    pub(crate) loaded: Option<Loaded>,
    pub(crate) notes: Vec<String>,
}

impl ModelFile {
    /// These bodies.
    pub(crate) fn of(model: &Model) -> Self {
        Self { bodies: Some(Bodies::of(model)), ..Self::default() }
    }

    /// The model, from a folder that paths are relative to.
    pub(crate) fn read(&self, folder: &Path, at: &At) -> Result<Known, Fault> {
        let paths = [("urdf", &self.urdf), ("mjcf", &self.mjcf), ("case", &self.case)];
        let given: Vec<_> = paths.iter().filter_map(|(key, path)| Some((*key, path.as_ref()?))).collect();
        match (&self.bodies, given.as_slice()) {
            (Some(bodies), []) => {
                let (model, warnings) = bodies.model().map_err(|error| in_bodies(bodies, &error, at))?;
                let notes = warnings.iter().map(ToString::to_string).collect();
                Ok(Known { simulation: shared(Simulation::new(model)), loaded: None, notes })
            }
            (None, [(key, path)]) => self.load(folder, path, &at.key(key)),
            _ => Err(at.wrong("needs one of \"bodies\", \"urdf\", \"mjcf\" and \"case\"")),
        }
    }

    fn load(&self, folder: &Path, path: &str, at: &At) -> Result<Known, Fault> {
        let options = LoadOptions {
            floating_base: self.floating_base,
            ignore_forces: self.ignore_forces,
            no_colliders: !self.contacts,
        };
        let loaded = supple_io::load(folder.join(path), &options).map_err(|error| at.wrong(error))?;
        let notes = loaded.warnings.iter().map(ToString::to_string).collect();
        Ok(Known { simulation: shared(loaded.simulation()), loaded: Some(loaded), notes })
    }
}

/// Its assembly tree is made once.
fn shared(mut simulation: Simulation) -> Simulation {
    simulation.assembly();
    simulation
}

/// Where among the bodies of a model something is wrong.
fn in_bodies(bodies: &Bodies, error: &IoError, at: &At) -> Fault {
    let message = error.to_string();
    let of = |what: &str, name: &str| message.starts_with(&format!("{what} {name:?}"));
    let number = message.strip_prefix("body ").and_then(|rest| {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    });
    let named = || bodies.names().position(|(body, joint)| of("body", &body) || of("joint", &joint));
    let at = at.key("bodies");
    let at = number.or_else(named).map_or_else(|| at.clone(), |number: usize| at.item(number));
    match error {
        IoError::Model(ModelError::InertiaTriangle { .. } | ModelError::InertiaNotPositive { .. }) => {
            at.key("inertia_com").wrong(message)
        }
        _ => at.wrong(message),
    }
}
