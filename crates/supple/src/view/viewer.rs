use super::image::Image;
use super::{Camera, CameraError};

/// How it is known how much of a part is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    /// By balls about parts.
    Spheres,
    /// By oriented boxes about parts, kept in their frames.
    #[default]
    Boxes,
    /// By axis-aligned boxes, found anew for all parts at every update.
    AlignedBoxes,
    /// By pixels that were counted: [`Simulation::set_pixels`](crate::Simulation::set_pixels).
    Pixels,
}

/// Which bounding volumes tell the pixels of a part (the paper's equations 5 to 7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// N¹: that about the whole part.
    Whole,
    /// N²: those about its bodies, added up. All bodies are looked at.
    Bodies,
    /// The less of both.
    #[default]
    Least,
}

/// What parts get that are not seen: else they would be found, when they come into view, where they were when they left it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attention {
    /// Share of the pixels that they would have if the camera looked at them, and nothing were in the way.
    pub share: f64,
    /// Joints that a body may have active at least, while it would move at all.
    pub joints: usize,
    /// Steps that articulations of a world take at once, one or more, while nothing can push them and nobody sees them.
    pub every: u32,
}

impl Default for Attention {
    fn default() -> Self {
        Self { share: 0.01, joints: 1, every: 8 }
    }
}

/// Who looks: cameras, and how it is known what they see.
///
/// ```
/// # use glam::DVec3;
/// # use supple::view::{Camera, Viewer, Visibility};
/// let camera = Camera::look_at(DVec3::new(0.0, -5.0, 1.5), DVec3::Z, DVec3::Z);
/// let viewer = Viewer::new([camera])?.by(Visibility::Spheres);
/// # Ok::<(), supple::view::ViewerError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Viewer {
    cameras: Vec<Camera>,
    images: Vec<Image>,
    /// How it is known how much of a part is seen.
    pub visibility: Visibility,
    /// Which bounding volumes count.
    pub measure: Measure,
    /// What parts get that are not seen.
    pub attention: Attention,
    /// By which share more a joint that is active is worth, against flicker.
    pub hysteresis: f64,
}

/// Why nobody can look like that.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ViewerError {
    /// A camera that cannot take an image.
    #[error("camera {camera}: {error}")]
    Camera {
        /// Its number.
        camera: usize,
        /// What is wrong with it.
        error: CameraError,
    },
    /// A share that is none.
    #[error("{what} must be a share between 0 and {most}, got {value}")]
    Share {
        /// Of what.
        what: &'static str,
        /// The most that it may be.
        most: f64,
        /// The value given.
        value: f64,
    },
    /// Counted pixels of something else.
    #[error("{given} numbers of pixels were given, but the body has {links} links that move")]
    Pixels {
        /// How many were given.
        given: usize,
        /// How many there should be.
        links: usize,
    },
}

impl Viewer {
    /// These cameras, at once: pixels count in each of them. Without any, nothing is seen.
    pub fn new(cameras: impl Into<Vec<Camera>>) -> Result<Self, ViewerError> {
        let cameras = cameras.into();
        for (camera, c) in cameras.iter().enumerate() {
            c.check().map_err(|error| ViewerError::Camera { camera, error })?;
        }
        Ok(Self {
            images: cameras.iter().map(Image::of).collect(),
            cameras,
            visibility: Visibility::default(),
            measure: Measure::default(),
            attention: Attention::default(),
            hysteresis: 0.2,
        })
    }

    /// Sets the way in which areas of bodies are seen.
    #[must_use]
    pub fn by(mut self, visibility: Visibility) -> Self {
        self.visibility = visibility;
        self
    }

    /// Sets the bounding volumes by which areas are measured.
    #[must_use]
    pub fn measuring(mut self, measure: Measure) -> Self {
        self.measure = measure;
        self
    }

    /// Sets the attention to what is not seen.
    #[must_use]
    pub fn attending(mut self, attention: Attention) -> Self {
        self.attention = attention;
        self
    }

    /// The cameras.
    pub fn cameras(&self) -> &[Camera] {
        &self.cameras
    }

    pub(crate) fn images(&self) -> &[Image] {
        &self.images
    }

    /// Whether its shares are some.
    pub fn check(&self) -> Result<(), ViewerError> {
        let share = |what, most: f64, value: f64| {
            if value >= 0.0 && value <= most { Ok(()) } else { Err(ViewerError::Share { what, most, value }) }
        };
        share("attention to what is not seen", 1.0, self.attention.share)?;
        share("hysteresis", 10.0, self.hysteresis)
    }
}
