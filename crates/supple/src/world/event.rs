use super::{ColliderId, ConstraintId};

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
    /// Two colliders touch that did not before; one of them may be a sensor.
    Touched {
        /// Which ones.
        colliders: [ColliderId; 2],
        /// Impulse along the normal in this step \[N·s]; over the step it is the mean force.
        impulse: f64,
    },
    /// Two colliders touch no longer.
    Parted {
        /// Which ones.
        colliders: [ColliderId; 2],
    },
    /// A constraint could not be met to the tolerance.
    Unsolved {
        /// The one that is farthest off in its island.
        constraint: ConstraintId,
        /// By so much \[m or rad].
        error: f64,
    },
}
