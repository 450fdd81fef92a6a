//! Contact and collision: shapes of bodies, who is near whom, and impulses that can only push.
//!
//! Shapes, distances and manifolds are parry's; what is here is what bodies do about them.

pub(crate) mod body_colliders;
pub(crate) mod broad_phase;
pub(crate) mod capsules;
mod collider;
mod hooks;
pub(crate) mod levels;
pub(crate) mod narrow_phase;
pub(crate) mod pair;
pub(crate) mod reduce;
mod settings;
pub(crate) mod solver;
pub(crate) mod volume;

pub use crate::shape::{MadeOf, Shape, ShapeError};
pub use collider::{Collider, ColliderId, ColliderMark, Groups, Material};
pub use hooks::{ContactHooks, Meeting, Side};
pub use parry3d_f64 as parry;
pub use settings::{ContactMethod, ContactSettings};
