//! One articulated body in motion: a model, its state, what acts on it, and how it is stepped.
//!
//! ```text
//!  simulation      what is known of the body, and its step;   checks: what is checked before a step, and after it;   step_error
//!  controller      decides before every step what drives do
//!  joint_space     Jacobian, inverse dynamics, mass matrix, weight, in the order of v
//!  seen_loads      what acted at the last update: what is new brings the next forward
//!  screen          bodies as screens draw them
//! ```

mod checks;
mod controller;
mod joint_space;
mod screen;
mod seen_loads;
#[expect(clippy::module_inception, reason = "the type gives the folder its name")]
mod simulation;
mod step_error;

pub use controller::{Commands, Controller, View};
pub(crate) use seen_loads::SeenLoads;
pub use simulation::{Energy, Simulation};
pub use step_error::StepError;
