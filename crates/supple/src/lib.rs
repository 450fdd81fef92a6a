//! supple: articulated bodies that simulate only the joints that matter.
#![forbid(unsafe_code)]

mod crowd;
pub mod dynamics;
pub mod model;
mod simulation;
pub mod spatial;
mod state;

pub use crowd::Crowd;
pub use dynamics::integrate::{Axes, Integrator, Load, StepReport, Workspace};
pub use model::{Body, BodyId, Joint, JointId, JointKind, Model, ModelBuilder, ModelError};
pub use simulation::{Energy, Simulation, StepError};
pub use spatial::{Force, Motion, Pose, RigidInertia};
pub use state::State;
