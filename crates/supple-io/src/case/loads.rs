//! Springs to the world and actuators of a case.

use glam::DVec3;
use serde::{Deserialize, Serialize};
use supple::dynamics::{check_actuators, check_springs};
use supple::{Actuator, BodyId, JointId, Spring};

use crate::{IoError, Loaded};

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaseSpring {
    body: usize,
    point: [f64; 3],
    anchor: [f64; 3],
    stiffness: f64,
    #[serde(default)]
    damping: f64,
    #[serde(default)]
    rest: f64,
}

#[derive(Deserialize, Serialize)]
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
    /// `null` is no bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    control_range: Option<[Option<f64>; 2]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    force_range: Option<[Option<f64>; 2]>,
    #[serde(default)]
    control: f64,
}

const fn one() -> f64 {
    1.0
}

/// Takes springs and actuators into what was loaded, if its model can have them.
pub(super) fn read(
    springs: Vec<CaseSpring>,
    actuators: Vec<CaseActuator>,
    loaded: &mut Loaded,
) -> Result<(), IoError> {
    let spring = |s: CaseSpring| Spring {
        body: BodyId::new(s.body.min(u32::MAX as usize)),
        point: DVec3::from_array(s.point),
        anchor: DVec3::from_array(s.anchor),
        stiffness: s.stiffness,
        damping: s.damping,
        rest: s.rest,
    };
    let range = |[lower, upper]: [Option<f64>; 2]| {
        [lower.unwrap_or(f64::NEG_INFINITY), upper.unwrap_or(f64::INFINITY)]
    };
    let actuator = |a: CaseActuator| Actuator {
        name: a.name,
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
    };
    loaded.springs = springs.into_iter().map(spring).collect();
    loaded.actuators = actuators.into_iter().map(actuator).collect();
    check_springs(&loaded.model, &loaded.springs)?;
    check_actuators(&loaded.model, &loaded.actuators)?;
    Ok(())
}

/// Springs as they stand in the file; `None` where there are none.
pub(super) fn write_springs(springs: &[Spring]) -> Option<Vec<CaseSpring>> {
    let write = |s: &Spring| CaseSpring {
        body: s.body.index(),
        point: s.point.to_array(),
        anchor: s.anchor.to_array(),
        stiffness: s.stiffness,
        damping: s.damping,
        rest: s.rest,
    };
    (!springs.is_empty()).then(|| springs.iter().map(write).collect())
}

/// Actuators as they stand in the file; `None` where there are none.
pub(super) fn write_actuators(actuators: &[Actuator]) -> Option<Vec<CaseActuator>> {
    let range = |range: [f64; 2]| range.map(|x| x.is_finite().then_some(x));
    let write = |a: &Actuator| CaseActuator {
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
    };
    (!actuators.is_empty()).then(|| actuators.iter().map(write).collect())
}
