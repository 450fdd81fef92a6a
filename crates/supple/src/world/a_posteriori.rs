//! The paper's other way (section 3.2): take the step both ways, compare the images, and accept or refine. It costs more than
//! full detail: it is for checking.

use crate::detail::{Detail, DetailError, Target};
use crate::view::{Camera, RasterError, Screen, ViewerError};
use crate::{Simulation, StepError, World, WorldError};

use super::{ArticulationId, Twin};

/// How often a step is taken with half the error before all joints are taken. Chosen: the last has a 64th of the error, and each
/// costs a step of all bodies.
const HALVINGS: u32 = 6;

/// Steps worlds at a detail of which the images are checked. What is compared are articulations; what pushes them acts on them alone.
#[derive(Debug)]
pub struct APosteriori {
    screen: Screen,
    twin: Twin,
    /// Pixels that may differ in a step.
    most: usize,
    dynamic: u64,
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
    /// The world cannot take the step.
    #[error(transparent)]
    Step(#[from] WorldError),
    /// An articulation cannot take it at full detail.
    #[error("at full detail: {0}")]
    Full(#[from] StepError),
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
        Self { screen, twin: Twin::default(), most, dynamic: 0, image: Vec::new() }
    }

    /// One step of `dt` \[s] of a world. Articulations whose details allow an error in pixels are refined; others are as they are. On an error
    /// the world is as before.
    pub fn step(&mut self, world: &mut World, cameras: &[Camera], dt: f64) -> Result<Checked, CheckError> {
        self.twin.follow_world(world);
        self.twin.step(dt)?;
        let start = world.snapshot();
        let seen = |(id, simulation): (ArticulationId, &Simulation)| {
            let detail = simulation.detail();
            matches!(detail.target, Target::Pixels { .. }).then(|| (id, detail.clone()))
        };
        let asked: Vec<(ArticulationId, Detail)> = world.articulations().filter_map(seen).collect();
        let checked = self.refine(world, &start, &asked, cameras, dt);
        if checked.is_err() {
            world.restore(&start);
        }
        for (id, asked) in asked {
            let simulation = world.articulation_mut(id)?;
            if *simulation.detail() != asked {
                simulation.set_detail(asked)?;
            }
        }
        let mut checked = checked?;
        self.dynamic += checked.pixels as u64;
        checked.dynamic = self.dynamic;
        Ok(checked)
    }

    /// Takes the step from the start until its image is good enough.
    fn refine(
        &mut self,
        world: &mut World,
        start: &World,
        asked: &[(ArticulationId, Detail)],
        cameras: &[Camera],
        dt: f64,
    ) -> Result<Checked, CheckError> {
        let mut checked = Checked::default();
        loop {
            world.step(dt)?;
            checked.pixels = self.differing(world, cameras)?;
            if checked.pixels <= self.most || checked.full {
                return Ok(checked);
            }
            checked.full = checked.refined == HALVINGS;
            checked.refined += u32::from(!checked.full);
            world.restore(start);
            for (id, asked) in asked {
                let Target::Pixels { error } = asked.target else { continue };
                let error = error / f64::from(1u32 << checked.refined);
                let target = if checked.full { Target::Full } else { Target::Pixels { error } };
                // chosen anew, whosever turn it is
                world.articulation_mut(*id)?.set_detail(Detail { target, ..asked.clone() })?;
            }
        }
    }

    /// Pixels in which the articulations look other than at full detail.
    fn differing(&mut self, world: &World, cameras: &[Camera]) -> Result<usize, RasterError> {
        let bodies = world.articulations().map(|(_, simulation)| simulation);
        self.twin.differing(bodies, cameras, &mut self.screen, &mut self.image)
    }
}
