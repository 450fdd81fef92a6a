//! The paper's other way (section 3.2): take the step both ways, compare the images, and accept or refine. It costs more than
//! full detail: it is for checking.

use crate::detail::{Detail, DetailError, Target};
use crate::dynamics::State;
use crate::view::{Camera, RasterError, Screen, ViewerError};

use super::{Simulation, StepError, Twin};

/// How often a step is taken with half the error before all joints are taken. Chosen: the last has a 64th of the error, and each
/// costs a step of all bodies.
const HALVINGS: u32 = 6;

/// Steps bodies at a detail of which the images are checked.
#[derive(Debug)]
pub struct APosteriori {
    screen: Screen,
    twin: Twin,
    /// Pixels that may differ in a step.
    most: usize,
    dynamic: u64,
    start: Vec<State>,
    image: Vec<u32>,
}

/// What a step that was checked did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Static error: pixels that differ from the image of full detail, from the same state.
    pub pixels: usize,
    /// How often the step was taken again with half the error.
    pub refined: u32,
    /// Whether all joints had to be taken.
    pub full: bool,
    /// Dynamic error: the sum of static errors so far.
    pub dynamic: u64,
}

/// Why a step could not be checked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// There is no image.
    #[error(transparent)]
    Raster(#[from] RasterError),
    /// A body cannot take the step.
    #[error("body {body}: {error}")]
    Step {
        /// Its number.
        body: usize,
        /// Why.
        error: StepError,
    },
    /// Nobody can look like that.
    #[error(transparent)]
    Viewer(#[from] ViewerError),
    /// A detail cannot be had.
    #[error(transparent)]
    Detail(#[from] DetailError),
}

impl APosteriori {
    /// Accepts steps in which at most so many pixels differ.
    pub fn new(screen: Screen, most: usize) -> Self {
        Self { screen, twin: Twin::default(), most, dynamic: 0, start: Vec::new(), image: Vec::new() }
    }

    /// One step of `dt` \[s] of bodies whose details allow an error in pixels; others are as they are. On an error all bodies are as before.
    pub fn step(
        &mut self,
        bodies: &mut [Simulation],
        cameras: &[Camera],
        dt: f64,
    ) -> Result<Checked, CheckError> {
        self.twin.follow(bodies);
        self.twin.step(dt).map_err(|error| CheckError::Step { body: error.member, error: error.source })?;
        self.start.clear();
        self.start.extend(bodies.iter().map(|b| b.state.clone()));
        let asked: Vec<Detail> = bodies.iter().map(|b| b.detail().clone()).collect();
        let checked = self.refine(bodies, &asked, cameras, dt);
        for ((body, asked), start) in bodies.iter_mut().zip(asked).zip(&self.start) {
            if checked.is_err() {
                body.restore(start);
            }
            if *body.detail() != asked {
                body.set_detail(asked)?;
            }
        }
        let mut checked = checked?;
        self.dynamic += checked.pixels as u64;
        checked.dynamic = self.dynamic;
        Ok(checked)
    }

    /// Takes the step until its image is good enough.
    fn refine(
        &mut self,
        bodies: &mut [Simulation],
        asked: &[Detail],
        cameras: &[Camera],
        dt: f64,
    ) -> Result<Checked, CheckError> {
        let mut checked = Checked::default();
        loop {
            for (body, simulation) in bodies.iter_mut().enumerate() {
                simulation.step(dt).map_err(|error| CheckError::Step { body, error })?;
            }
            checked.pixels = self.twin.differing(bodies, cameras, &mut self.screen, &mut self.image)?;
            if checked.pixels <= self.most || checked.full {
                return Ok(checked);
            }
            checked.full = checked.refined == HALVINGS;
            checked.refined += u32::from(!checked.full);
            for ((body, start), asked) in bodies.iter_mut().zip(&self.start).zip(asked) {
                body.restore(start);
                let Target::Pixels { error } = asked.target else { continue };
                let error = error / f64::from(1u32 << checked.refined);
                let target = if checked.full { Target::Full } else { Target::Pixels { error } };
                // chosen anew, whosever turn it is
                body.set_detail(Detail { target, ..asked.clone() })?;
            }
        }
    }
}
