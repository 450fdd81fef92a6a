use crate::dynamics::LoadError;
use crate::dynamics::integrate::Integrator;

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
    /// A number of a body that the model does not have.
    #[error("{what} is of body number {body}, but the model has {bodies} bodies, counted from 0")]
    NoBody {
        /// What is to be of it.
        what: &'static str,
        /// The number given.
        body: usize,
        /// How many bodies the model has.
        bodies: usize,
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
        "joint {joint:?} became non-finite in step {step} (t = {time} s) of the {} integrator; the fastest joint had {speed:.3e} rad/s or m/s before: {}",
        integrator.name(),
        advice(*integrator, *speed)
    )]
    NotFinite {
        /// The first joint concerned.
        joint: String,
        /// The integrator in use.
        integrator: Integrator,
        /// Greatest velocity of any joint before the step \[rad/s or m/s].
        speed: f64,
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

/// What was faster than this before the step had exploded already \[rad/s or m/s]: no machine is, and squares of it are still far
/// from the end of the numbers.
const EXPLODED: f64 = 1e9;

/// What helps where a motion of such a speed left the finite numbers with this integrator.
fn advice(integrator: Integrator, speed: f64) -> &'static str {
    match integrator {
        Integrator::Explicit | Integrator::SemiImplicit | Integrator::Rk4 => {
            "take smaller steps, add damping, or use the default integrator, which holds where this one explodes"
        }
        Integrator::Adaptive { .. } => {
            "look for loads that grow without bound, or take the default integrator for springs and dampers too stiff to resolve"
        }
        Integrator::Default | Integrator::Accurate | Integrator::Projection if speed > EXPLODED => {
            "something drove it there: look for loads, servos or springs that add energy in every step, and take smaller steps"
        }
        Integrator::Default | Integrator::Accurate | Integrator::Projection => {
            "look for loads, stiffnesses or masses so large or so unequal that a number cannot hold their products"
        }
    }
}
