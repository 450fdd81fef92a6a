//! Actuators: drives on single degrees of freedom.
//!
//! ```text
//! p = gain · control + offset − stiffness · gear (q + zero) − damping · gear q̇        joint force = gear · p
//! ```
//!
//! | | gain | stiffness | damping | p |
//! |---|---|---|---|---|
//! | motor | 1 | 0 | 0 | control |
//! | position | kp | kp | kd | kp (control − gear q) − kd gear q̇ |
//! | velocity | kv | 0 | kv | kv (control − gear q̇) |
//!
//! The control is cut to its range first, p to the force range last; the sum of all drives of a degree of freedom, with
//! the joint force of the simulation, is cut to the joint's effort limit.

use crate::model::{JointId, JointInfo, JointKind};

pub use super::drives::{Drive, Drives};

/// A drive on one degree of freedom of a joint.
///
/// Over a step the implicit integrators take stiffness and damping at its end (theory, section 10), as those of joint
/// springs, so that stiff ones do not explode. A force range or an effort limit cuts that force of the end of the step: it is
/// the limit only where the stiffness and damping there still ask for more, so that a servo settles whatever its limit is.
#[derive(Clone, Debug, PartialEq)]
pub struct Actuator {
    /// Its name, for messages and for finding it; may be empty.
    pub name: String,
    /// The joint it drives.
    pub joint: JointId,
    /// Which of the joint's degrees of freedom: 0 for a hinge or a slide.
    pub axis: usize,
    /// Gear: the actuator turns by `gear` times what the joint does, and the joint feels `gear` times its force.
    pub gear: f64,
    /// Force per control.
    pub gain: f64,
    /// Force that is always there \[N·m or N].
    pub offset: f64,
    /// Stiffness towards position zero of the actuator \[N·m/rad or N/m].
    pub stiffness: f64,
    /// Damping \[N·m·s/rad or N·s/m].
    pub damping: f64,
    /// What the actuator calls the position at which the joint's q is zero \[rad or m].
    pub zero: f64,
    /// Least and greatest control.
    pub control_range: Option<[f64; 2]>,
    /// Least and greatest force, before the gear \[N·m or N].
    pub force_range: Option<[f64; 2]>,
    /// What it is told: the force of a motor, the position or velocity that a servo aims at, in units of the actuator.
    /// It stays until changed.
    pub control: f64,
}

impl Actuator {
    /// A motor: its control is its force \[N·m or N].
    pub fn motor(joint: JointId) -> Self {
        Self {
            name: String::new(),
            joint,
            axis: 0,
            gear: 1.0,
            gain: 1.0,
            offset: 0.0,
            stiffness: 0.0,
            damping: 0.0,
            zero: 0.0,
            control_range: None,
            force_range: None,
            control: 0.0,
        }
    }

    /// A servo that aims at a position with `kp` \[N·m/rad or N/m] and is damped with `kd` \[N·m·s/rad or N·s/m].
    pub fn position(joint: JointId, kp: f64, kd: f64) -> Self {
        Self { gain: kp, stiffness: kp, damping: kd, ..Self::motor(joint) }
    }

    /// A servo that aims at a velocity with `kv` \[N·m·s/rad or N·s/m].
    pub fn velocity(joint: JointId, kv: f64) -> Self {
        Self { gain: kv, damping: kv, ..Self::motor(joint) }
    }

    /// With a name.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// On this degree of freedom of its joint.
    pub fn axis(mut self, axis: usize) -> Self {
        self.axis = axis;
        self
    }

    /// With this gear.
    pub fn gear(mut self, gear: f64) -> Self {
        self.gear = gear;
        self
    }

    /// With a control that is cut to this range.
    pub fn control_range(mut self, lower: f64, upper: f64) -> Self {
        self.control_range = Some([lower, upper]);
        self
    }

    /// With a force, before the gear, that is cut to this range \[N·m or N].
    pub fn force_range(mut self, lower: f64, upper: f64) -> Self {
        self.force_range = Some([lower, upper]);
        self
    }

    /// With this control.
    pub fn control(mut self, control: f64) -> Self {
        self.control = control;
        self
    }
}

/// Where the position of one degree of freedom stands in q; `None` where it is not one number.
pub(crate) fn position_of(joint: &JointInfo, axis: usize) -> Option<usize> {
    match &joint.kind {
        JointKind::Spherical | JointKind::Free | JointKind::Fixed => None,
        JointKind::Compound(elements) => {
            let (mut q, mut v) = (0, 0);
            for element in elements {
                let (nq, nv) = element.sizes();
                if (v..v + nv).contains(&axis) {
                    return (nq == 1).then_some(joint.q + q);
                }
                (q, v) = (q + nq, v + nv);
            }
            None
        }
        // hinges and slides in a row
        _ => (axis < joint.nq).then_some(joint.q + axis),
    }
}
