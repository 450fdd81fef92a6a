use super::island::Island;
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
    rows: usize,
    /// Whether it was added, or has got other rows, since the islands were made.
    is_new: bool,
    /// Impulses of its rows with which the next step starts.
    start: [f64; MAX_ROWS],
    /// Whether they were those of a step that could be solved.
    solved: bool,
    /// Mean force and moment on the child in the last step, world axes, about the joint's point.
    pub(crate) force: Force,
}

impl Holder {
    /// A constraint that did nothing yet, with so many rows.
    pub(crate) fn new(constraint: AnyConstraint, rows: usize) -> Self {
        Self { constraint, rows, is_new: true, start: [0.0; MAX_ROWS], solved: false, force: Force::ZERO }
    }

    /// Takes another constraint in its place, with so many rows; as many as before go on with their impulses.
    pub(crate) fn change(&mut self, constraint: AnyConstraint, rows: usize) {
        if rows != self.rows {
            (self.is_new, self.solved, self.start) = (true, false, [0.0; MAX_ROWS]);
        }
        self.rows = rows;
        self.constraint = constraint;
    }

    /// The islands know it as it is.
    pub(crate) fn note_known(&mut self) {
        self.is_new = false;
    }
}

impl Island {
    /// Starts with the impulses that its constraints kept.
    pub(crate) fn recall_start(&mut self, constraints: &Holders) {
        let mut solved = true;
        for joint in &self.topology.joints {
            let holder = constraints.at(joint.constraint());
            self.start.set(joint.range(), &holder.start[..joint.rows()]);
            solved &= holder.solved;
        }
        self.start.set_solved(solved);
        self.start.keep();
    }

    /// Its constraints keep the impulses that the next step starts with, for the islands to come.
    pub(crate) fn keep_start(&self, constraints: &mut Holders) {
        for joint in &self.topology.joints {
            if !constraints.is_taken(joint.constraint()) {
                continue;
            }
            let holder = constraints.at_mut(joint.constraint());
            if holder.rows == joint.rows() && !holder.is_new {
                holder.start[..joint.rows()].copy_from_slice(self.start.impulses(joint.range()));
                holder.solved = self.start.is_solved();
            }
        }
    }
}

/// A joint between two bodies, or a coupling of joints of articulations.
#[derive(Clone, Debug)]
pub(crate) enum AnyConstraint {
    Joint(Constraint),
    Coupling(Coupling),
}
