use crate::dynamics::BodyState;
use crate::dynamics::actuator::Drives;
use crate::dynamics::integrate::Loads;
use crate::model::Model;

use super::assembly::AssemblyTree;
use super::assembly::rigid::RigidParts;
use super::assembly::weights::Weights;
use super::worth::Assembled;

/// A body, where it is and what acts on it.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The model.
    pub model: &'a Model,
    /// Its assembly tree.
    pub assembly: &'a AssemblyTree,
    /// Its rigid parts.
    pub rigid: &'a RigidParts,
    /// Weights of its joints.
    pub weights: &'a Weights,
    /// Joint positions.
    pub q: &'a [f64],
    /// Joint velocities.
    pub v: &'a [f64],
    /// What acts on it.
    pub loads: &'a Loads<'a>,
    /// What its actuators do.
    pub drives: &'a Drives,
    /// Time that is looked ahead, over which springs, dampers and drives are implicit \[s].
    pub ahead: f64,
}

impl<'a> Scene<'a> {
    /// The body as the assembly tree puts it together.
    pub(super) fn assembled(&self) -> Assembled<'a> {
        Assembled { tree: self.model.tree(), assembly: self.assembly, rigid: self.rigid }
    }

    /// The whole body, every joint free to move.
    #[inline]
    pub(super) fn body(&self) -> BodyState<'a> {
        BodyState { model: self.model, tree: self.model.tree(), q: self.q, v: self.v }
    }
}
