use std::fmt;
use std::sync::Arc;

use supple::detail::Detail;
use supple::view::Camera;

use crate::Shot;

/// Length of a step of scenes about how bodies swing \[s]; of those about what is seen it is a frame's.
pub(crate) const FINE: f64 = 1.0 / 240.0;

/// Steps from one choice of joints to the next in scenes about what is seen: errors in pixels grow with the time until then.
pub(crate) const UPDATE_EVERY: u32 = 5;

/// From where a scene is looked at, over time: the same time gives the same cameras.
#[derive(Clone)]
pub struct Gaze(How);

#[derive(Clone)]
enum How {
    /// As data, which files can have.
    Told(Arc<Vec<Shot>>),
    /// As a program.
    Custom(Arc<Look>),
}

type Look = dyn Fn(f64) -> Vec<Camera> + Send + Sync;

impl Gaze {
    /// The cameras that there are at a time \[s]. They cannot be printed as a file: [`Gaze::told`] can.
    pub fn new(look: impl Fn(f64) -> Vec<Camera> + Send + Sync + 'static) -> Self {
        Self(How::Custom(Arc::new(look)))
    }

    /// Cameras as a file has them.
    pub fn told(shots: Vec<Shot>) -> Self {
        Self(How::Told(Arc::new(shots)))
    }

    /// One camera that stays where it is.
    pub fn fixed(camera: Camera) -> Self {
        Self::told(vec![Shot::fixed(&camera)])
    }

    /// All cameras at a time \[s].
    pub fn cameras(&self, time: f64) -> Vec<Camera> {
        match &self.0 {
            How::Told(shots) => shots.iter().map(|shot| shot.at(time)).collect(),
            How::Custom(look) => look(time),
        }
    }

    /// The cameras, if a file can have them.
    pub fn shots(&self) -> Option<&[Shot]> {
        match &self.0 {
            How::Told(shots) => Some(shots),
            How::Custom(_) => None,
        }
    }
}

/// Full detail, until some error in pixels is asked for.
pub(crate) fn watched() -> Detail {
    Detail { update_every: UPDATE_EVERY, ..Detail::default() }
}

impl fmt::Debug for Gaze {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Gaze")
    }
}
