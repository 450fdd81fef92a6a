//! Pictures of a scene that somebody else steps.

use glam::DVec3;
use supple::view::Camera;

use super::cast::Cast;
use super::picture::Picture;
use crate::world_stage::WorldStage;
use crate::{Gaze, Show};

/// Pictures of a scene that somebody else steps: what records it, frame by frame.
///
/// ```
/// use supple_scenes::live::Pictures;
///
/// let mut show = supple_scenes::stage("pendulum", &[("links", "5")])?.show()?;
/// let mut pictures = Pictures::of_show(&show);
/// show.step(0.001)?;
/// pictures.take_show(&show);
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
    /// Of a crowd, as it is now.
    pub fn of_show(show: &Show) -> Self {
        let mut pictures = Self::new(Cast::of_show(show), show.gaze.clone(), show.world.gravity);
        pictures.take_show(show);
        pictures
    }

    /// Of a world, as it is now.
    pub fn of_world(stage: &WorldStage) -> Self {
        let mut pictures = Self::new(Cast::of_world(stage), stage.gaze_or_framed(), stage.world.gravity);
        pictures.take_world(stage);
        pictures
    }

    fn new(cast: Cast, gaze: Gaze, gravity: DVec3) -> Self {
        let up = (-gravity).try_normalize().unwrap_or(DVec3::Z);
        Self { picture: Picture::new(&cast), cast, gaze, up }
    }

    /// Takes a picture of the crowd that it is of.
    pub fn take_show(&mut self, show: &Show) {
        self.picture.take(&self.cast, &show.world, None, 0.0);
    }

    /// Takes a picture of the world that it is of.
    pub fn take_world(&mut self, stage: &WorldStage) {
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
