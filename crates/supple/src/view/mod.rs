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
//!    raster          draws and counts pixels: item_buffer here, supple-gpu on a graphics processor;   screen: of many figures
//!  what that is worth
//!    watch           𝒜_M and 𝒱_M: pixels per step that would be wrong;   weights: what a joint changes in an image
//!    difference      pixels that are wrong
//! ```
//!
//! Somebody looks at a pendulum, and its joints are worth what is seen of them:
//!
//! ```
//! use std::sync::Arc;
//!
//! use glam::DVec3;
//! use supple::detail::Detail;
//! use supple::view::{Camera, Viewer, Visibility};
//! use supple::{Body, Joint, ModelBuilder, Pose, RigidInertia, Simulation};
//!
//! let rod = RigidInertia::solid_capsule(1.0, DVec3::ZERO, DVec3::X, 0.1);
//! let model = ModelBuilder::new()
//!     .body(Body::new("upper", Joint::revolute(DVec3::Y)).inertia(rod))
//!     .body(Body::new("lower", Joint::revolute(DVec3::Y)).on("upper").at(Pose::from_xyz(1.0, 0.0, 0.0)).inertia(rod))
//!     .finish()?;
//! let mut simulation = Simulation::new(model);
//! for frame in 0..60 {
//!     let eye = DVec3::new(0.0, -4.0 - 0.1 * f64::from(frame), 0.0);
//!     let camera = Camera::look_at(eye, DVec3::ZERO, DVec3::Z).pixels(1280, 720);
//!     simulation.set_viewer(Some(Arc::new(Viewer::new([camera])?.by(Visibility::Boxes))))?;
//!     if frame == 0 {
//!         simulation.set_detail(Detail::pixels(5.0))?; // that may be wrong in a step
//!     }
//!     simulation.step(1.0 / 60.0)?;
//! }
//! assert!(simulation.region().is_some_and(|region| region.active().len() <= 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod camera;
mod camera_error;
mod difference;
mod image;
mod item_buffer;
mod looks;
mod mesh;
mod raster;
mod raster_error;
mod reach;
mod screen;
mod sight;
mod viewer;
mod volume;
mod watch;
mod weights;

pub use camera::{Camera, Projection};
pub use camera_error::CameraError;
pub use difference::differing;
pub use item_buffer::ItemBuffer;
pub use looks::{Look, Looks, LooksError, box_of};
pub use mesh::{Level, Mesh};
pub use raster::{Item, NOTHING, Raster, check};
pub use raster_error::RasterError;
pub(crate) use screen::Figure;
pub use screen::Screen;
pub use viewer::{Attention, Measure, Viewer, ViewerError, Visibility};
pub use volume::Volume;
pub(crate) use watch::Watch;
