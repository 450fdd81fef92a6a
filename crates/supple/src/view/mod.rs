//! View-dependent detail: what a body is worth to the viewer.
//!
//! Kim, Redon & Kim, "View-dependent dynamics of articulated bodies", 2008.

mod camera;
mod camera_error;
mod image;
mod volume;

pub use camera::{Camera, Projection};
pub use camera_error::CameraError;
pub use volume::Volume;
