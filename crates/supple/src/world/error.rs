use std::fmt;

use crate::StepError;
use crate::bodies::{ArticulationId, BodyRef, SingleId};
use crate::detail::DetailError;
use crate::model::BodyId;

/// Why a world refused something.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// The step length is not a positive number.
    #[error("dt must be positive and finite, got {dt} s")]
    BadStep {
        /// The value given.
        dt: f64,
    },
    /// A number of a body, a constraint or a setting that cannot be.
    #[error("{what} of {name:?} is {value}: it must be {must}")]
    BadNumber {
        /// Which quantity, with its unit.
        what: &'static str,
        /// Of which body or constraint.
        name: String,
        /// Its value.
        value: f64,
        /// What it must be.
        must: &'static str,
    },
    /// Principal moments that no mass distribution has.
    #[error(
        "body {name:?}: principal moments {moments:?} kg·m² violate the triangle inequality (no mass distribution has them): each must be at most the sum of the other two"
    )]
    InertiaTriangle {
        /// The body.
        name: String,
        /// The principal moments, ascending.
        moments: [f64; 3],
    },
    /// An id of something that is not there, or no longer.
    #[error("{what} {index} is not in the world: it was removed, or belongs to another world")]
    Gone {
        /// What kind of thing.
        what: &'static str,
        /// Its number.
        index: usize,
    },
    /// A constraint that acts on a coordinate that its joint does not have.
    #[error("constraint {name:?} acts on coordinate {coordinate}, its joint has {count}: number them from 0")]
    NoCoordinate {
        /// The constraint.
        name: String,
        /// The number given.
        coordinate: usize,
        /// How many there are.
        count: usize,
    },
    /// A constraint with more rows than a joint may have.
    #[error("constraint {name:?} has {rows} rows, at most {most} are possible: split it into two")]
    TooManyRows {
        /// The constraint.
        name: String,
        /// How many.
        rows: usize,
        /// How many there may be.
        most: usize,
    },
    /// A constraint between a body and itself.
    #[error("constraint {name:?} joins a body to itself: give it two bodies, or a body and the world")]
    SameBody {
        /// The constraint.
        name: String,
    },
    /// A soft constraint whose joint model has limits.
    #[error(
        "constraint {name:?} is soft, but limits of its joint are not: take a Distance, or leave it hard"
    )]
    SoftLimit {
        /// The constraint.
        name: String,
    },
    /// A query with a shape that only others can meet.
    #[error("a query with a {shape}: ask with a convex shape, a compound or a mesh")]
    NoQuery {
        /// The shape.
        shape: &'static str,
    },
    /// Guaranteed detail of an articulation that constraints hold.
    #[error(
        "articulation {index} has a guaranteed error and is held by constraints: take Detail::error or Detail::joints"
    )]
    Guaranteed {
        /// Its place in the world.
        index: usize,
    },
    /// A coupling of a degree of freedom that is not one number.
    #[error("coupling {name:?}: degree of freedom {dof} is not a single position; couple hinges and sliders")]
    NotScalar {
        /// The coupling.
        name: String,
        /// The degree of freedom.
        dof: usize,
    },
    /// A velocity for a body of an articulation whose velocity is made by joints.
    #[error(
        "body {name:?} of articulation {index} hangs on joint {joint:?}, which makes its velocity: set those of the joints, articulation_mut(..)?.state.v, or that of the body at the root if it floats"
    )]
    NotFloating {
        /// The body.
        name: String,
        /// The articulation's place in the world.
        index: usize,
        /// The joint that it hangs on.
        joint: String,
    },
    /// A velocity for what is fixed to the world.
    #[error(
        "{name:?} stands still: what is fixed to the world, and the world itself, have no velocity to set"
    )]
    StandsStill {
        /// What it is.
        name: String,
    },
    /// An articulation could not take the step.
    #[error("articulation {index}: {error}")]
    Articulation {
        /// Its place in the world.
        index: usize,
        /// Why.
        error: StepError,
    },
    /// Something could not take the step: with all that constraints join it to, it is as before it, or as before the part of it that failed. All
    /// others have taken it, and time has gone on.
    #[error("{}", listed(failures))]
    Failed {
        /// What, and why.
        failures: Vec<Failure>,
    },
    /// The budget of joints, or the error in pixels, of the world can no longer be had: articulations came, or other joints are to be active.
    #[error("budget of the world: {0}")]
    Budget(#[from] DetailError),
}

impl WorldError {
    /// Says what it is about where that has no name.
    pub(super) fn named(mut self, called: impl FnOnce() -> String) -> Self {
        if let Self::BadNumber { name, .. }
        | Self::NoCoordinate { name, .. }
        | Self::TooManyRows { name, .. }
        | Self::SameBody { name }
        | Self::SoftLimit { name } = &mut self
            && name.is_empty()
        {
            *name = called();
        }
        self
    }
}

/// What could not take a step, and why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Failure {
    /// An articulation.
    #[error("articulation {} stays at {time} s: {error}", articulation.index())]
    Articulation {
        /// Which.
        articulation: ArticulationId,
        /// Its time, at which it stays \[s].
        time: f64,
        /// Why.
        error: StepError,
    },
    /// A single body that left the finite numbers.
    #[error(
        "body {name:?} stays at {time} s: it became non-finite in step {step}: take smaller steps, or look for contradicting constraints"
    )]
    Body {
        /// Which.
        body: SingleId,
        /// Its name.
        name: String,
        /// Its time, at which it stays \[s].
        time: f64,
        /// Number of the step.
        step: u64,
    },
}

impl Failure {
    /// The body; of an articulation its first.
    pub fn body(&self) -> BodyRef {
        match self {
            Self::Articulation { articulation, .. } => BodyRef::Of(*articulation, BodyId::new(0)),
            Self::Body { body, .. } => BodyRef::Single(*body),
        }
    }

    /// The articulation, if it is one.
    pub fn articulation(&self) -> Option<ArticulationId> {
        match self {
            Self::Articulation { articulation, .. } => Some(*articulation),
            Self::Body { .. } => None,
        }
    }

    /// Its time, at which it stays \[s].
    pub fn time(&self) -> f64 {
        match self {
            Self::Articulation { time, .. } | Self::Body { time, .. } => *time,
        }
    }

    /// Why an articulation could not take the step.
    pub fn cause(&self) -> Option<&StepError> {
        match self {
            Self::Articulation { error, .. } => Some(error),
            Self::Body { .. } => None,
        }
    }

    /// Whether a number was not finite, before or after the step.
    pub fn is_not_finite(&self) -> bool {
        match self {
            Self::Articulation { error, .. } => {
                matches!(error, StepError::NotFinite { .. } | StepError::BadInput { .. })
            }
            Self::Body { .. } => true,
        }
    }
}

/// The failures that a message names.
const NAMED: usize = 8;

/// A message of all failures.
fn listed(failures: &[Failure]) -> String {
    let mut message = failures.iter().take(NAMED).map(Failure::to_string).collect::<Vec<_>>().join("; ");
    if failures.len() > NAMED {
        // a string takes what is written to it
        let _ = fmt::write(&mut message, format_args!("; and {} more", failures.len() - NAMED));
    }
    message
}
