//! What a scene looks like, in files: images, videos, glTF animations.
//!
//! ```text
//!  live::Pictures ─┬─► render ─► Image ─► video (.mp4, .gif, numbered .png) or one .png
//!                  └─► glb: every body as a node, its motion as an animation
//! ```
//!
//! ```
//! use supple_record::{Renderer, Style};
//! use supple_scenes::live::Live;
//!
//! let mut live = Live::new(supple_scenes::stage("pendulum", &[("links", "5")])?);
//! let camera = live.gaze().cameras(0.0)[0].pixels(64, 48);
//! let mut renderer = Renderer::new(live.cast(), live.up(), Style::default());
//! live.step()?;
//! live.take_picture();
//! let image = renderer.draw(live.cast(), live.picture(), &camera)?;
//! assert_eq!(image.size, [64, 48]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod colour;
mod draft;
mod error;
mod glb;
mod image;
mod render;
mod surface;
mod video;

pub use colour::Colouring;
pub use draft::{Draft, scratch_beside};
pub use error::RecordError;
pub use glb::Glb;
pub use image::Image;
pub use render::{Renderer, Style};
pub use video::{Sink, create};
