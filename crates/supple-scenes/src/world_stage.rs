use std::fmt;

use glam::DVec3;
use supple::world::{BodyRef, World, WorldError, WorldReport};

use crate::{Cue, Gaze, Script};

/// What a scene does before every step: moves kinematic bodies, makes and cuts constraints, sets motors.
pub trait Director: Send {
    /// Called before each step, which will take `dt` \[s].
    fn cue(&mut self, world: &mut World, dt: f64) -> Result<(), WorldError>;

    /// What it does as data, if a file can have it: a [`Script`](crate::Script) does.
    fn script(&self) -> Option<&[Cue]> {
        None
    }
}

impl<F: FnMut(&mut World, f64) -> Result<(), WorldError> + Send> Director for F {
    fn cue(&mut self, world: &mut World, dt: f64) -> Result<(), WorldError> {
        self(world, dt)
    }
}

/// A world ready to move.
pub struct WorldStage {
    /// What moves.
    pub world: World,
    /// What the scene does before every step.
    pub director: Option<Box<dyn Director>>,
    /// The step that the scene is meant for \[s].
    pub dt: f64,
    /// How long it has something to show \[s].
    pub seconds: f64,
    /// What bodies look like; empty where only the motion is known.
    pub shapes: Vec<WorldShape>,
    /// From where it is looked at; `None`: no place is better than another.
    pub gaze: Option<Gaze>,
    /// What should be known before believing it.
    pub notes: Vec<String>,
}

/// The shape of a body of a world: all points within `radius` of a line segment in the body's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldShape {
    /// The body.
    pub body: BodyRef,
    /// One end of the segment, in the body's frame \[m].
    pub from: DVec3,
    /// The other end \[m].
    pub to: DVec3,
    /// Radius \[m].
    pub radius: f64,
}

impl WorldStage {
    /// A world left to itself.
    pub fn new(world: World, dt: f64, seconds: f64) -> Self {
        Self { world, director: None, dt, seconds, shapes: Vec::new(), gaze: None, notes: Vec::new() }
    }

    /// Has this done before every step. Bodies and joints that cues name must be there.
    pub fn direct(&mut self, cues: Vec<Cue>) -> Result<(), WorldError> {
        self.director = Some(Box::new(Script::new(&self.world, cues)?));
        Ok(())
    }

    /// One step of `dt` \[s], after what the scene does before it.
    pub fn step(&mut self, dt: f64) -> Result<WorldReport, WorldError> {
        if let Some(director) = &mut self.director {
            director.cue(&mut self.world, dt)?;
        }
        self.world.step(dt)
    }
}

impl fmt::Debug for WorldStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorldStage").field("world", &self.world).field("dt", &self.dt).finish_non_exhaustive()
    }
}
