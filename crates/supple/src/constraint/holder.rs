use super::{Constraint, Coupling, MAX_ROWS};
use crate::bodies::{Id, Slots};
use crate::spatial::Force;

/// A constraint of a world.
pub type ConstraintId = Id<ConstraintMark>;

/// What [`ConstraintId`] is an id of.
#[derive(Clone, Debug)]
pub enum ConstraintMark {}

/// The constraints of a world.
pub(crate) type Holders = Slots<Holder, ConstraintMark>;

/// A constraint and what it did in the last step.
#[derive(Clone, Debug)]
pub(crate) struct Holder {
    pub(crate) constraint: AnyConstraint,
    /// How many rows it has.
    pub(crate) rows: usize,
    /// Whether it was added or changed since the islands were made.
    pub(crate) is_new: bool,
    /// Impulses of its rows with which the next step starts.
    pub(crate) start: [f64; MAX_ROWS],
    /// Whether they were those of a step that could be solved.
    pub(crate) solved: bool,
    /// Mean force and moment on the child in the last step, world axes, about the joint's point.
    pub(crate) force: Force,
}

/// A joint between two bodies, or a coupling of joints of articulations.
#[derive(Clone, Debug)]
pub(crate) enum AnyConstraint {
    Joint(Constraint),
    Coupling(Coupling),
}
