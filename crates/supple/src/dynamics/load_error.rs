use super::actuator::{Actuator, position_of};
use super::spring::Spring;
use crate::model::Model;

/// What is wrong with a spring or an actuator.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A spring on a body that is not there.
    #[error(
        "spring {spring} is tied to body number {body}, but the model has {bodies} bodies, counted from 0"
    )]
    NoBody {
        /// The spring's number, from zero.
        spring: usize,
        /// The body's number.
        body: usize,
        /// Bodies that there are.
        bodies: usize,
    },
    /// A number of a spring that cannot be.
    #[error("the {what} of spring {spring} on body {body:?} is {value} {unit}: it must be {wanted}")]
    BadSpring {
        /// Which quantity.
        what: &'static str,
        /// The spring's number, from zero.
        spring: usize,
        /// The body that it is tied to.
        body: String,
        /// The value given.
        value: f64,
        /// Its unit.
        unit: &'static str,
        /// What it must be.
        wanted: &'static str,
    },
    /// An actuator on a joint, or a degree of freedom of one, that is not there.
    #[error("{actuator} drives degree of freedom {axis} of {joint}, which has {freedoms}, counted from 0")]
    NoFreedom {
        /// The actuator.
        actuator: String,
        /// The joint.
        joint: String,
        /// The degree of freedom asked for.
        axis: usize,
        /// Degrees of freedom of the joint.
        freedoms: usize,
    },
    /// A position servo on a joint whose position is not a number.
    #[error(
        "{actuator} aims at a position of joint {joint:?}, but the position of that degree of freedom is not one number: drive it by a motor or by velocity, or make the joint of hinges and slides"
    )]
    NoPosition {
        /// The actuator.
        actuator: String,
        /// The joint.
        joint: String,
    },
    /// A number of an actuator that cannot be.
    #[error("the {what} of {actuator} is {value}{unit}: it must be {wanted}")]
    BadActuator {
        /// Which quantity.
        what: &'static str,
        /// The actuator.
        actuator: String,
        /// The value given.
        value: f64,
        /// Its unit, after a space; empty if it has none.
        unit: &'static str,
        /// What it must be.
        wanted: &'static str,
    },
}

/// Whether a model can carry these springs.
pub fn check_springs(model: &Model, springs: &[Spring]) -> Result<(), LoadError> {
    for (i, spring) in springs.iter().enumerate() {
        let (body, bodies) = (spring.body.index(), model.bodies().len());
        let Some(info) = model.bodies().get(body) else {
            return Err(LoadError::NoBody { spring: i, body, bodies });
        };
        let bad = |what, value, unit, wanted| {
            Err(LoadError::BadSpring { what, spring: i, body: info.name.clone(), value, unit, wanted })
        };
        for (what, vector) in [("point", spring.point), ("anchor", spring.anchor)] {
            if let Some(&value) = vector.to_array().iter().find(|x| !x.is_finite()) {
                return bad(what, value, "m", "finite");
            }
        }
        for (what, value, unit) in [
            ("stiffness", spring.stiffness, "N/m"),
            ("damping", spring.damping, "N·s/m"),
            ("rest length", spring.rest, "m"),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return bad(what, value, unit, "finite and not negative");
            }
        }
    }
    Ok(())
}

/// Whether a model can be driven by these actuators.
pub fn check_actuators(model: &Model, actuators: &[Actuator]) -> Result<(), LoadError> {
    for (i, actuator) in actuators.iter().enumerate() {
        check_actuator(model, actuator, i)?;
    }
    Ok(())
}

fn check_actuator(model: &Model, actuator: &Actuator, number: usize) -> Result<(), LoadError> {
    let name = || match actuator.name.as_str() {
        "" => format!("actuator {number}"),
        name => format!("actuator {name:?}"),
    };
    let (number, axis) = (actuator.joint.index(), actuator.axis);
    let Some(joint) = model.joints().get(number) else {
        let joint = format!("joint number {number}, of {} joints", model.joints().len());
        return Err(LoadError::NoFreedom { actuator: name(), joint, axis, freedoms: 0 });
    };
    if axis >= joint.nv {
        let (joint, freedoms) = (format!("joint {:?}", joint.name), joint.nv);
        return Err(LoadError::NoFreedom { actuator: name(), joint, axis, freedoms });
    }
    if actuator.stiffness != 0.0 && position_of(joint, axis).is_none() {
        return Err(LoadError::NoPosition { actuator: name(), joint: joint.name.clone() });
    }
    let bad = |what, value, unit, wanted| {
        Err(LoadError::BadActuator { what, actuator: name(), value, unit, wanted })
    };
    for (what, value, unit) in [
        ("control", actuator.control, ""),
        ("gear", actuator.gear, ""),
        ("gain", actuator.gain, ""),
        ("offset", actuator.offset, " N·m or N"),
        ("zero", actuator.zero, " rad or m"),
    ] {
        if !value.is_finite() {
            return bad(what, value, unit, "finite");
        }
    }
    for (what, value, unit) in [
        ("stiffness", actuator.stiffness, " N·m/rad or N/m"),
        ("damping", actuator.damping, " N·m·s/rad or N·s/m"),
    ] {
        if !(value >= 0.0 && value.is_finite()) {
            return bad(what, value, unit, "finite and not negative");
        }
    }
    for (what, range, unit) in [
        ("lower end of the control range", actuator.control_range, ""),
        ("lower end of the force range", actuator.force_range, " N·m or N"),
    ] {
        if let Some([lower, upper]) = range
            && !(lower <= upper)
        {
            return bad(what, lower, unit, "a number not above the upper end");
        }
    }
    Ok(())
}
