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
    /// Two colliders that touch, one of which is new or was exchanged, overlap deeper than shapes that were put next to each other do (the
    /// rule of [`World::overlaps`](crate::world::World::overlaps)). They are moved apart, as far as that takes no energy, and may fall, get stuck
    /// or hang in the air by it. Told once, by the first step that sees them.
    StartsInside {
        /// One of them.
        a: ColliderId,
        /// The other one.
        b: ColliderId,
        /// How deep \[m].
        depth: f64,
    },
    /// A constraint could not be met to the tolerance.
    Unsolved {
        /// The one that is farthest off in its island.
        constraint: ConstraintId,
        /// By so much \[m or rad].
        error: f64,
    },
}
