//! Pictures of a scene that somebody else steps.

use glam::DVec3;
use supple::view::Camera;

use super::cast::Cast;
use super::picture::Picture;
use crate::{Gaze, Stage};

/// Pictures of a scene that somebody else steps: what records it, frame by frame.
///
/// ```
/// use supple_scenes::live::Pictures;
///
/// let mut stage = supple_scenes::stage("pendulum", &[("links", "5")])?;
/// let mut pictures = Pictures::of(&stage);
/// stage.step(0.001)?;
/// pictures.take(&stage);
/// assert_eq!((pictures.picture().time, pictures.picture().actors.len()), (0.001, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Pictures {
    cast: Cast,
    picture: Picture,
    gaze: Gaze,
    up: DVec3,
}

impl Pictures {
    /// Of a stage, as it is now.
    pub fn of(stage: &Stage) -> Self {
        let cast = Cast::of(stage);
        let up = (-stage.world.gravity).try_normalize().unwrap_or(DVec3::Z);
        let mut pictures = Self { picture: Picture::new(&cast), cast, gaze: stage.gaze_or_framed(), up };
        pictures.take(stage);
        pictures
    }

    /// Takes a picture of the stage that it is of.
    pub fn take(&mut self, stage: &Stage) {
        self.picture.take(&self.cast, &stage.world, None, 0.0);
    }

    /// Who plays, and what they look like.
    pub fn cast(&self) -> &Cast {
        &self.cast
    }

    /// The last picture that was taken.
    pub fn picture(&self) -> &Picture {
        &self.picture
    }

    /// The camera that the scene is meant to be looked at from, as of the last picture; of several the first.
    pub fn camera(&self) -> Option<Camera> {
        self.gaze.cameras(self.picture.time).into_iter().next()
    }

    /// Against gravity, a unit vector.
    pub fn up(&self) -> DVec3 {
        self.up
    }
}
