use supple::detail::Target;
use supple::world::{ArticulationId, World, WorldError};
use supple::{Cue as Acts, Simulation};

use super::{Cue, Cues, Director};
use crate::{Drive, Schedule};

/// What a scene does before every step.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// What happens to each articulation.
    pub drive: Option<Drive>,
    /// How many joints of each articulation may be active, over time; `None`: as their detail says.
    pub schedule: Option<Schedule>,
    /// What happens to the world as a whole.
    pub director: Option<Box<dyn Director>>,
}

impl Script {
    /// Has this done to a world before every step, in place of what was done to it. Bodies and joints that cues name must be there.
    pub fn direct(&mut self, world: &World, cues: Vec<Cue>) -> Result<(), WorldError> {
        self.director = Some(Box::new(Cues::new(world, cues)?));
        Ok(())
    }

    /// What happens to articulations, as [`World::step_with`] and [`World::cue_all`] take it.
    pub fn on_articulations(&self) -> impl Acts + use<'_> {
        OnArticulations { drive: self.drive.as_ref(), schedule: self.schedule.as_ref() }
    }

    /// What happens to the world as a whole before a step of `dt` \[s].
    pub fn prepare(&mut self, world: &mut World, dt: f64) -> Result<(), WorldError> {
        self.director.as_mut().map_or(Ok(()), |director| director.cue(world, dt))
    }
}

/// What happens to articulations.
struct OnArticulations<'a> {
    drive: Option<&'a Drive>,
    schedule: Option<&'a Schedule>,
}

impl Acts for OnArticulations<'_> {
    fn act(&self, id: ArticulationId, simulation: &mut Simulation) {
        if let Some(schedule) = self.schedule {
            aim(simulation, schedule);
        }
        if let Some(drive) = self.drive {
            drive.act(id.index(), simulation);
        }
    }

    fn next(&self, id: ArticulationId, time: f64) -> f64 {
        match (self.schedule, self.drive) {
            (Some(_), _) => time,
            (None, Some(drive)) => drive.next(id.index(), time),
            (None, None) => f64::INFINITY,
        }
    }
}

/// Asks for as many joints as the schedule has, when they would be chosen anew anyway.
fn aim(simulation: &mut Simulation, schedule: &Schedule) {
    let detail = simulation.detail();
    if !simulation.state.step.is_multiple_of(u64::from(detail.update_every)) {
        return;
    }
    let joints = schedule.joints(simulation.state.time).min(simulation.model.moving_joints());
    if detail.target != Target::Joints(joints) {
        let asked = simulation.set_target(Target::Joints(joints));
        debug_assert!(asked.is_ok(), "no more joints than the body has can be had: {asked:?}");
    }
}
