use glam::DVec3;

use crate::model::{BodyId, Model};
use crate::spatial::Force;

/// In which axes a wrench is given. Moments are about the body's origin either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Axes {
    /// Axes of the body: a thruster.
    #[default]
    Body,
    /// Axes of the world: wind.
    World,
}

/// A wrench on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// The body.
    pub body: BodyId,
    /// Moment about the body's origin \[N·m] and force \[N].
    pub wrench: Force,
    /// Axes in which it is given.
    pub axes: Axes,
}

/// What acts on an articulated body from outside during a step.
#[derive(Clone, Copy, Debug)]
pub struct Loads<'a> {
    /// Acceleration of gravity \[m/s²].
    pub gravity: DVec3,
    /// Joint forces of drives, dual to v \[N·m or N]; cut to the effort limits. May be empty: none.
    pub tau: &'a [f64],
    /// Wrenches on bodies.
    pub wrenches: &'a [Load],
}

impl Loads<'_> {
    /// The drive's force at one degree of freedom, cut to its effort limit \[N·m or N].
    #[inline(always)]
    pub(crate) fn drive(&self, model: &Model, dof: usize) -> f64 {
        let limit = model.effort_limits()[dof];
        self.tau.get(dof).map_or(0.0, |tau| tau.clamp(-limit, limit))
    }

    /// Whether nothing but gravity acts.
    pub(crate) fn is_none(&self) -> bool {
        self.wrenches.is_empty() && self.tau.iter().all(|t| *t == 0.0)
    }
}
