use std::fmt;
use std::sync::Arc;

use supple::adaptive::Detail;
use supple::view::Camera;

/// Steps from one choice of joints to the next in scenes about what is seen: errors in pixels grow with the time until then.
pub(crate) const UPDATE_EVERY: u32 = 5;

/// From where a scene is looked at, over time: the same time gives the same cameras.
#[derive(Clone)]
pub struct Gaze(Arc<Look>);

type Look = dyn Fn(f64) -> Vec<Camera> + Send + Sync;

impl Gaze {
    /// The cameras that there are at a time \[s].
    pub fn new(look: impl Fn(f64) -> Vec<Camera> + Send + Sync + 'static) -> Self {
        Self(Arc::new(look))
    }

    /// One camera that stays where it is.
    pub fn fixed(camera: Camera) -> Self {
        Self::new(move |_| vec![camera])
    }

    /// All cameras at a time \[s].
    pub fn cameras(&self, time: f64) -> Vec<Camera> {
        (self.0)(time)
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
