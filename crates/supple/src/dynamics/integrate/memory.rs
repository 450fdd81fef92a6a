use glam::DVec3;

use crate::model::JointId;

/// What the momentum integrators carry from step to step, by joint. Part of the state: it changes results.
/// Forgetting it is safe (one step without tension stiffness); theory, section 15.8.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// f: force transmitted through the joint onto its link in the last step, world axes \[N].
    pub(crate) transmitted: Vec<DVec3>,
    /// e: twice the energy that the link's tension stiffness may hold \[J]; infinite at the start.
    pub(crate) allowance: Vec<f64>,
    /// d: what joint reactions changed of the link's angular momentum at mid-step, world axes \[N·m·s].
    pub(crate) reaction: Vec<DVec3>,
}

impl Memory {
    /// Nothing remembered, for a model with `joints` joints.
    pub fn new(joints: usize) -> Self {
        Self {
            transmitted: vec![DVec3::ZERO; joints],
            allowance: vec![f64::INFINITY; joints],
            reaction: vec![DVec3::ZERO; joints],
        }
    }

    /// After an impulse or a change of groups: transmitted forces are still good, the rest is not.
    pub fn restart(&mut self) {
        self.allowance.fill(f64::INFINITY);
        self.reaction.fill(DVec3::ZERO);
    }

    /// Forgets what is no longer good after a change of some joints.
    pub(crate) fn restart_joints(&mut self, joints: impl Iterator<Item = JointId>) {
        for joint in joints {
            self.allowance[joint.index()] = f64::INFINITY;
            self.reaction[joint.index()] = DVec3::ZERO;
        }
    }

    /// Forgets all, and all joints.
    pub(crate) fn clear(&mut self) {
        self.transmitted.clear();
        self.allowance.clear();
        self.reaction.clear();
    }

    /// Notes after all others what another one has of a joint; where it is then.
    pub(crate) fn save(&mut self, other: &Self, joint: JointId) -> u32 {
        let (at, joint) = (self.transmitted.len() as u32, joint.index());
        self.transmitted.push(other.transmitted.get(joint).copied().unwrap_or_default());
        self.allowance.push(other.allowance.get(joint).copied().unwrap_or(f64::INFINITY));
        self.reaction.push(other.reaction.get(joint).copied().unwrap_or_default());
        at
    }

    /// Takes back what `saved` has of a joint.
    pub(crate) fn put_back(&mut self, joint: JointId, saved: &Self, at: u32) {
        let (joint, at) = (joint.index(), at as usize);
        if joint < self.transmitted.len() {
            self.transmitted[joint] = saved.transmitted[at];
            self.allowance[joint] = saved.allowance[at];
            self.reaction[joint] = saved.reaction[at];
        }
    }

    /// Becomes a copy of `other` without allocating if it was one before.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.transmitted.clone_from(&other.transmitted);
        self.allowance.clone_from(&other.allowance);
        self.reaction.clone_from(&other.reaction);
    }
}
