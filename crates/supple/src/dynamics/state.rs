use crate::dynamics::integrate::Memory;
use crate::model::{LinkId, Model};

/// All that must be kept to resume a motion, bit for bit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Positions of all joints (the model's joints say where each one's numbers are).
    pub q: Vec<f64>,
    /// Velocities of all joints.
    pub v: Vec<f64>,
    /// Time \[s].
    pub time: f64,
    /// Steps taken.
    pub step: u64,
    /// Length of the last sub-step of the adaptive integrator \[s]; 0 before the first.
    pub substep: f64,
    /// Links whose joints are active, ascending; empty at full detail, and before the first update.
    pub active: Vec<LinkId>,
    /// What the momentum integrators carry from step to step.
    pub memory: Memory,
}

impl State {
    /// The model at rest in its neutral position.
    pub fn new(model: &Model) -> Self {
        Self {
            q: model.neutral().to_vec(),
            v: vec![0.0; model.nv()],
            memory: Memory::new(model.joints().len()),
            ..Self::default()
        }
    }

    /// Becomes a copy of `other` without allocating if it was one before.
    pub fn copy_from(&mut self, other: &Self) {
        let Self { q, v, time, step, substep, active, memory } = self;
        q.clone_from(&other.q);
        v.clone_from(&other.v);
        active.clone_from(&other.active);
        memory.copy_from(&other.memory);
        (*time, *step, *substep) = (other.time, other.step, other.substep);
    }
}
