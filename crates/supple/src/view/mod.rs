//! View-dependent detail: what a body is worth to the viewer.
//!
//! Kim, Redon & Kim, "View-dependent dynamics of articulated bodies", 2008.
//!
//! ```text
//!  who looks, at what
//!    camera          from where, which way, how many pixels;   viewer: cameras, and how it is known what they see
//!    looks           shapes of a model's bodies;   mesh: their surfaces
//!  how much is seen of a part: the paper's N
//!    image           exact areas of balls and boxes in an image;   volume: balls and boxes that merge
//!    sight           N along the assembly tree, by volumes or by pixels that were counted
//!    raster          draws and counts pixels: item_buffer here, supple-gpu on a graphics processor;   screen: of whole crowds and worlds
//!  what that is worth
//!    watch           𝒜_M and 𝒱_M: pixels per step that would be wrong
//!    difference      pixels that are wrong;   twin: the same bodies at full detail;   a_posteriori: compares, and takes the step again
//! ```

mod a_posteriori;
mod camera;
mod camera_error;
mod difference;
mod image;
mod item_buffer;
mod looks;
mod mesh;
mod raster;
mod raster_error;
mod screen;
mod sight;
mod twin;
mod viewer;
mod volume;
mod watch;

pub use a_posteriori::{APosteriori, CheckError, Checked};
pub use camera::{Camera, Projection};
pub use camera_error::CameraError;
pub use difference::differing;
pub use item_buffer::ItemBuffer;
pub use looks::{Look, Looks};
pub use mesh::{Level, Mesh};
pub use raster::{Item, NOTHING, Raster, check};
pub use raster_error::RasterError;
pub use screen::Screen;
pub use twin::Twin;
pub use viewer::{Attention, Measure, Viewer, ViewerError, Visibility};
pub use volume::Volume;
pub(crate) use watch::Watch;
