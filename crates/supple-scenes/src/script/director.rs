use std::fmt;

use supple::world::{World, WorldError};

use super::Cue;

/// What a scene does to its world before every step: moves kinematic bodies, makes and cuts constraints, sets motors.
pub trait Director: Send {
    /// Called before each step, which will take `dt` \[s].
    fn cue(&mut self, world: &mut World, dt: f64) -> Result<(), WorldError>;

    /// A copy, which goes on from here.
    fn copy(&self) -> Box<dyn Director>;

    /// What it does as data, if a file can have it: [`Cues`](super::Cues) do.
    fn cues(&self) -> Option<&[Cue]> {
        None
    }
}

impl<F: FnMut(&mut World, f64) -> Result<(), WorldError> + Clone + Send + 'static> Director for F {
    fn cue(&mut self, world: &mut World, dt: f64) -> Result<(), WorldError> {
        self(world, dt)
    }

    fn copy(&self) -> Box<dyn Director> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Director> {
    fn clone(&self) -> Self {
        (**self).copy()
    }
}

impl fmt::Debug for dyn Director {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Director")
    }
}
