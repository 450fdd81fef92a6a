use super::ConstraintId;

/// Something that happened in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A constraint had to hold more than it can, and is gone.
    Broke {
        /// Which one.
        constraint: ConstraintId,
        /// Force that it would have had to hold \[N].
        force: f64,
        /// Moment that it would have had to hold \[N·m].
        moment: f64,
    },
    /// A constraint could not be met to the tolerance.
    Unsolved {
        /// The one that is farthest off in its island.
        constraint: ConstraintId,
        /// By so much \[m or rad].
        error: f64,
    },
}
