//! View-dependent detail: what a body is worth to the viewer.
//!
//! Kim, Redon & Kim, "View-dependent dynamics of articulated bodies", 2008.

mod camera;
mod camera_error;
mod difference;
mod item_buffer;
mod mesh;
mod raster;
mod raster_error;

pub use camera::{Camera, Projection};
pub use camera_error::CameraError;
pub use difference::differing;
pub use item_buffer::ItemBuffer;
pub use mesh::{Level, Mesh};
pub use raster::{Item, NOTHING, Raster, check};
pub use raster_error::RasterError;
