//! supple: articulated bodies that simulate only the joints that matter.
#![forbid(unsafe_code)]

pub mod dynamics;
pub mod model;
pub mod spatial;

pub use model::{Body, Joint, JointKind, Model, ModelBuilder, ModelError};
pub use spatial::{Force, Motion, Pose, RigidInertia};
