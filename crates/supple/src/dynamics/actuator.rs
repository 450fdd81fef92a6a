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

use crate::model::{JointId, JointInfo, JointKind, Model, Tree};

use super::integrate::Loads;

/// A drive on one degree of freedom of a joint.
///
/// Over a step the implicit integrators take stiffness and damping at its end (theory, section 10), as those of joint
/// springs, so that stiff ones do not explode. Where a force range or an effort limit is reached, the force is
/// the limit, and nothing is implicit.
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

    /// What it does to its joint at position `q` (where that is one number) and velocity `v`.
    fn drive(&self, order: u32, dof: usize, q: f64, v: f64) -> Drive {
        let control = clamp(self.control, self.control_range);
        let still = self.gain * control + self.offset - self.stiffness * self.gear * (q + self.zero);
        let moving = still - self.damping * self.gear * v;
        let cut = clamp(moving, self.force_range);
        let (force, implicit) = if cut == moving { (still, self.gear * self.gear) } else { (cut, 0.0) };
        let (k, d) = (implicit * self.stiffness, implicit * self.damping);
        Drive { dof, order, force: self.gear * force, k, d }
    }
}

fn clamp(x: f64, range: Option<[f64; 2]>) -> f64 {
    // not `f64::clamp`, which panics on a range that is none
    range.map_or(x, |[lower, upper]| x.max(lower).min(upper))
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

/// What all actuators do to one degree of freedom, as a spring and a damper: `force − k (h v') − d v'` over a step `h` at
/// whose end the velocity is v'.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive {
    /// The degree of freedom: its place in v.
    pub dof: usize,
    order: u32,
    /// Force at the present position if the joint stood still \[N·m or N]; in [`Drives`] beyond that of the simulation's
    /// `tau`.
    pub force: f64,
    /// Stiffness \[N·m/rad or N/m].
    pub k: f64,
    /// Damping \[N·m·s/rad or N·s/m].
    pub d: f64,
}

impl Drive {
    /// The explicit part over a step `h` \[s] at velocity `v`: what is added to the joint force.
    #[inline]
    pub fn joint_force(&self, v: f64, h: f64) -> f64 {
        self.force - (self.d + h * self.k) * v
    }

    /// The implicit part over a step `h` \[s]: what is added to the joint's inertia.
    #[inline]
    pub fn diagonal(&self, h: f64) -> f64 {
        h * self.d + h * h * self.k
    }
}

/// The degrees of freedom that actuators drive, ascending, each once. Time and room grow with the actuators, not with
/// the joints.
#[derive(Clone, Debug, Default)]
pub struct Drives {
    drives: Vec<Drive>,
}

impl Drives {
    /// What the actuators of `loads` do at (q, v) to the joints that are links of `tree`, the full tree of the model or a
    /// smaller one. Those on frozen joints do nothing.
    pub fn set(&mut self, model: &Model, tree: &Tree, loads: &Loads, q: &[f64], v: &[f64]) {
        self.drives.clear();
        for (i, actuator) in loads.actuators.iter().enumerate() {
            let joint = &model.joints()[actuator.joint.index()];
            let Some(link) = joint.link else { continue };
            if !tree.moves(link) {
                continue;
            }
            let dof = joint.v + actuator.axis;
            let position = position_of(joint, actuator.axis).map_or(0.0, |at| q[at]);
            self.drives.push(actuator.drive(i as u32, dof, position, v[dof]));
        }
        // the order given within a degree of freedom, so that sums have the same bits every time
        self.drives.sort_unstable_by_key(|d| (d.dof, d.order));
        self.drives.dedup_by(|next, sum| {
            let same = next.dof == sum.dof;
            if same {
                (sum.force, sum.k, sum.d) = (sum.force + next.force, sum.k + next.k, sum.d + next.d);
            }
            same
        });
        for drive in &mut self.drives {
            let (dof, limit) = (drive.dof, model.effort_limits()[drive.dof]);
            let asked = loads.tau.get(dof).copied().unwrap_or(0.0);
            let alone = loads.drive(model, dof);
            let total = asked + drive.force - drive.d * v[dof];
            if total.abs() > limit {
                *drive = Drive { force: total.clamp(-limit, limit) - alone, k: 0.0, d: 0.0, ..*drive };
            } else {
                drive.force += asked - alone;
            }
        }
    }

    /// All of them, ascending by degree of freedom.
    pub fn all(&self) -> &[Drive] {
        &self.drives
    }

    /// What drives a degree of freedom.
    pub fn at(&self, dof: usize) -> Option<&Drive> {
        self.drives.binary_search_by_key(&dof, |d| d.dof).ok().map(|i| &self.drives[i])
    }

    /// Adds the explicit parts over a step `h` \[s] at velocities v to `tau`, the implicit ones to `diagonal`.
    pub(crate) fn add(&self, v: &[f64], h: f64, tau: &mut [f64], diagonal: &mut [f64]) {
        for drive in &self.drives {
            tau[drive.dof] += drive.joint_force(v[drive.dof], h);
            diagonal[drive.dof] += drive.diagonal(h);
        }
    }
}
