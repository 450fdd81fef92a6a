//! View-dependent detail: what a body is worth to the viewer.
//!
//! Kim, Redon & Kim, "View-dependent dynamics of articulated bodies", 2008.

mod camera;
mod camera_error;
mod image;
mod looks;
mod sight;
mod viewer;
mod volume;
mod watch;

pub use camera::{Camera, Projection};
pub use camera_error::CameraError;
pub use looks::{Look, Looks};
pub use viewer::{Attention, Measure, Viewer, ViewerError, Visibility};
pub use volume::Volume;
pub(crate) use watch::Watch;
