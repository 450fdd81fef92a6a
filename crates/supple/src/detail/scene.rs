use crate::dynamics::actuator::Drives;
use crate::dynamics::integrate::Loads;
use crate::model::Model;

use super::assembly::AssemblyTree;
use super::assembly::rigid::RigidParts;
use super::assembly::weights::Weights;

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
