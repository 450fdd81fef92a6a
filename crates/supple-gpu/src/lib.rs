//! The item buffer of [`supple::view`] on a graphics processor: visible pixels of each body by wgpu.
//!
//! ```no_run
//! use supple::view::Raster;
//! # let (camera, items) = (supple::view::Camera::look_at(glam::DVec3::X, glam::DVec3::ZERO, glam::DVec3::Z), []);
//! let mut buffer = supple_gpu::GpuItemBuffer::new()?;
//! let mut counts = Vec::new();
//! buffer.count(&camera, &items, 10, &mut counts)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Surfaces go to the processor once, poses for each image, and back come counts. It draws with single precision, so that a pixel at the
//! very edge of something may be another one's than in [`supple::view::ItemBuffer`].
#![forbid(unsafe_code)]

mod device;
mod gpu_error;
mod item_buffer;
mod meshes;
mod picture;
mod pipelines;
mod projector;
mod tally;

pub use gpu_error::GpuError;
pub use item_buffer::GpuItemBuffer;
