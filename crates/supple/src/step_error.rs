use crate::dynamics::LoadError;

/// Why a step could not be taken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The step length is not a positive number.
    #[error("dt must be positive and finite, got {dt} s")]
    BadStep {
        /// The value given.
        dt: f64,
    },
    /// A position, velocity or load is NaN or infinite, or of the wrong length, before the step.
    #[error("{what} at {joint} is {value} before step {step} (t = {time} s): set it to a finite value")]
    BadInput {
        /// Which quantity.
        what: &'static str,
        /// Where.
        joint: String,
        /// Its value.
        value: f64,
        /// Number of the step.
        step: u64,
        /// Time at its start \[s].
        time: f64,
    },
    /// A quaternion that is no rotation.
    #[error(
        "the quaternion of joint {joint:?} has length {length} before step {step} (t = {time} s): give one of length 1"
    )]
    NotUnit {
        /// The joint.
        joint: String,
        /// Its length.
        length: f64,
        /// Number of the step.
        step: u64,
        /// Time at its start \[s].
        time: f64,
    },
    /// A spring or an actuator that cannot be.
    #[error(transparent)]
    BadLoad(#[from] LoadError),
    /// The adaptive integrator's tolerance is not a number that steps can meet.
    #[error(
        "the tolerance of the adaptive integrator must be positive, at least 1e-14 rad or m (rounding is not smaller), and finite, got {tolerance}"
    )]
    BadTolerance {
        /// The value given.
        tolerance: f64,
    },
    /// A list has the wrong length.
    #[error("{what} has {got} numbers, the model needs {need}")]
    WrongLength {
        /// Which list.
        what: &'static str,
        /// Its length.
        got: usize,
        /// The length needed.
        need: usize,
    },
    /// The motion left the finite numbers in this step. The state is that before the step.
    #[error(
        "joint {joint:?} became non-finite in step {step} (t = {time} s): take smaller steps, add damping, or use the default integrator"
    )]
    NotFinite {
        /// The first joint concerned.
        joint: String,
        /// Number of the step.
        step: u64,
        /// Time at its start \[s].
        time: f64,
    },
    /// Nothing resists a joint in the present pose.
    #[error(
        "joint {joint:?} moves no inertia in the present pose (step {step}, t = {time} s): give the massless bodies beyond it some mass, or the joint armature"
    )]
    Singular {
        /// The joint.
        joint: String,
        /// Number of the step.
        step: u64,
        /// Time at its start \[s].
        time: f64,
    },
}
