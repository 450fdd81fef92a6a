//! Springs to the world and actuators of a case.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use supple::dynamics::{check_actuators, check_springs};
use supple::{Actuator, BodyId, JointId, Model, Spring};

use super::file::Maybe;
use crate::{IoError, Loaded};

/// A list of springs between bodies of a tree and the world, as files have them.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Springs(pub(super) Vec<CaseSpring>);

/// A list of drives of joints of a tree, as files have them.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Actuators(pub(super) Vec<CaseActuator>);

impl Springs {
    /// These springs.
    pub fn of(springs: &[Spring]) -> Self {
        Self(springs.iter().map(write_spring).collect())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The springs, if a model can have them.
    pub fn read(&self, model: &Model) -> Result<Vec<Spring>, IoError> {
        let springs: Vec<_> = self.0.iter().map(read_spring).collect();
        check_springs(model, &springs)?;
        Ok(springs)
    }
}

impl Actuators {
    /// These drives.
    pub fn of(actuators: &[Actuator]) -> Self {
        Self(actuators.iter().map(write_actuator).collect())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The drives, if a model can have them.
    pub fn read(&self, model: &Model) -> Result<Vec<Actuator>, IoError> {
        let actuators: Vec<_> = self.0.iter().map(read_actuator).collect();
        check_actuators(model, &actuators)?;
        Ok(actuators)
    }
}

/// A spring between a point of a body and a point of the world.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaseSpring {
    /// Number of the body in its tree.
    body: usize,
    /// In the body's frame \[m].
    point: [f64; 3],
    /// In the world \[m].
    anchor: [f64; 3],
    /// \[N/m]
    stiffness: f64,
    #[serde(default)]
    damping: f64,
    #[serde(default)]
    rest: f64,
}

/// A drive of one degree of freedom.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaseActuator {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    name: String,
    /// The joint, by the id of the body that it carries.
    joint: usize,
    #[serde(default)]
    axis: usize,
    #[serde(default = "one")]
    gear: f64,
    #[serde(default = "one")]
    gain: f64,
    #[serde(default)]
    offset: f64,
    #[serde(default)]
    stiffness: f64,
    #[serde(default)]
    damping: f64,
    #[serde(default)]
    zero: f64,
    /// `null` or "none" is no bound.
    #[serde(default, deserialize_with = "range", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<[Maybe<f64>; 2]>")]
    control_range: Option<[Option<f64>; 2]>,
    #[serde(default, deserialize_with = "range", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<[Maybe<f64>; 2]>")]
    force_range: Option<[Option<f64>; 2]>,
    #[serde(default)]
    control: f64,
}

const fn one() -> f64 {
    1.0
}

fn range<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<[Option<f64>; 2]>, D::Error> {
    let bounds = Option::<[Maybe<f64>; 2]>::deserialize(deserializer)?;
    Ok(bounds.map(|bounds| bounds.map(|bound| bound.0)))
}

/// Takes springs and actuators into what was loaded, if its model can have them.
pub(super) fn read(springs: &Springs, actuators: &Actuators, loaded: &mut Loaded) -> Result<(), IoError> {
    loaded.springs = springs.read(&loaded.model)?;
    loaded.actuators = actuators.read(&loaded.model)?;
    Ok(())
}

fn read_spring(s: &CaseSpring) -> Spring {
    Spring {
        body: BodyId::new(s.body.min(u32::MAX as usize)),
        point: DVec3::from_array(s.point),
        anchor: DVec3::from_array(s.anchor),
        stiffness: s.stiffness,
        damping: s.damping,
        rest: s.rest,
    }
}

fn read_actuator(a: &CaseActuator) -> Actuator {
    let range = |[lower, upper]: [Option<f64>; 2]| {
        [lower.unwrap_or(f64::NEG_INFINITY), upper.unwrap_or(f64::INFINITY)]
    };
    Actuator {
        name: a.name.clone(),
        joint: JointId::new(a.joint.min(u32::MAX as usize)),
        axis: a.axis,
        gear: a.gear,
        gain: a.gain,
        offset: a.offset,
        stiffness: a.stiffness,
        damping: a.damping,
        zero: a.zero,
        control_range: a.control_range.map(range),
        force_range: a.force_range.map(range),
        control: a.control,
    }
}

fn write_spring(s: &Spring) -> CaseSpring {
    CaseSpring {
        body: s.body.index(),
        point: s.point.to_array(),
        anchor: s.anchor.to_array(),
        stiffness: s.stiffness,
        damping: s.damping,
        rest: s.rest,
    }
}

fn write_actuator(a: &Actuator) -> CaseActuator {
    let range = |range: [f64; 2]| range.map(|x| x.is_finite().then_some(x));
    CaseActuator {
        name: a.name.clone(),
        joint: a.joint.index(),
        axis: a.axis,
        gear: a.gear,
        gain: a.gain,
        offset: a.offset,
        stiffness: a.stiffness,
        damping: a.damping,
        zero: a.zero,
        control_range: a.control_range.map(range),
        force_range: a.force_range.map(range),
        control: a.control,
    }
}
