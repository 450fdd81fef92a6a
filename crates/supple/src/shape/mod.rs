//! Shapes of bodies: what touches, and what is seen of them. They are parry's; what is here checks them before they are made, and has axes
//! of revolution along z.

mod error;
#[expect(clippy::module_inception, reason = "the type gives the folder its name")]
mod shape;

pub use error::ShapeError;
pub use shape::{MadeOf, Shape};
pub(crate) use shape::{is_closed, to_parry};
