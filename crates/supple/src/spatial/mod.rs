//! Six-dimensional algebra in blocks of three, over glam's `f64` types.
//!
//! Spatial vectors are (angular; linear). All velocities and accelerations refer to a point that is fixed
//! in the body (its frame origin), and accelerations are those of that point ("classical"), not Plücker
//! derivatives: so no formula of the dynamics needs a linear velocity (see [`crate::dynamics`]).

mod articulated_inertia;
mod force;
mod frame;
pub mod mat6;
pub mod math;
mod motion;
mod pose;
mod rigid_inertia;
pub mod rotation;
pub mod swing_twist;
mod sym3;
mod unsymmetric_inertia;
pub(crate) mod vec8;

pub use articulated_inertia::ArticulatedInertia;
pub use force::Force;
pub use frame::Frame;
pub use motion::Motion;
pub use pose::Pose;
pub use rigid_inertia::RigidInertia;
pub use sym3::Sym3;
pub use unsymmetric_inertia::UnsymmetricInertia;
