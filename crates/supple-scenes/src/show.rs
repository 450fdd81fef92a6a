//! A scene in motion: its bodies, and what the scene does to them.

use supple::constraint::Frame;
use supple::contact::Shape;
use supple::detail::{Detail, DetailError, Target};
use supple::{ArticulationId, Cue, Simulation, World, WorldError, WorldReport};

use crate::{Drive, Gaze, Schedule, Stage};

/// A [`Stage`] in motion.
///
/// ```
/// let mut show = supple_scenes::stage("ramp", &[("links", "20")])?.show()?;
/// show.step(0.001)?;
/// assert!(show.active() <= 20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Show {
    /// The bodies.
    pub world: World,
    first: ArticulationId,
    /// What happens to each of them before every step.
    pub drive: Option<Drive>,
    /// How many joints of each may be active, over time.
    pub schedule: Option<Schedule>,
    /// From where it is looked at.
    pub gaze: Gaze,
    /// What stands about and may hide bodies: where it is, and its shape.
    pub walls: Vec<(Frame, Shape)>,
}

impl Stage {
    /// The scene, ready to be stepped as a whole; an error if its bodies cannot have its budget.
    pub fn show(mut self) -> Result<Show, DetailError> {
        let (gaze, looks) = (self.gaze_or_framed(), self.looks_of_all());
        for (body, looks) in std::iter::once(&mut self.simulation).chain(&mut self.others).zip(looks) {
            let set = body.set_looks(looks);
            debug_assert!(set.is_ok(), "each has looks that fit it: {set:?}");
        }
        let mut world = World::new();
        world.gravity = self.simulation.gravity;
        let first = world.add_own(self.simulation);
        for body in self.others {
            world.add_own(body);
        }
        world.set_budget(self.budget)?;
        Ok(Show { world, first, drive: self.drive, schedule: self.schedule, gaze, walls: self.walls })
    }
}

/// Adds a body that may have a gravity of its own.
trait AddOwn {
    fn add_own(&mut self, body: Simulation) -> ArticulationId;
}

impl AddOwn for World {
    fn add_own(&mut self, body: Simulation) -> ArticulationId {
        let gravity = body.gravity;
        let id = self.add_articulation(body);
        if gravity != self.gravity {
            let set = self.set_gravity_of(id, Some(gravity));
            debug_assert!(set.is_ok(), "it was added just now: {set:?}");
        }
        id
    }
}

impl Show {
    /// The body; of several the first.
    pub fn first(&self) -> &Simulation {
        match self.world.articulation(self.first) {
            Ok(first) => first,
            Err(error) => unreachable!("a show keeps its bodies: {error}"),
        }
    }

    /// The body, to be changed; of several the first.
    pub fn first_mut(&mut self) -> &mut Simulation {
        match self.world.articulation_mut(self.first) {
            Ok(first) => first,
            Err(error) => unreachable!("a show keeps its bodies: {error}"),
        }
    }

    /// All bodies.
    pub fn bodies(&self) -> impl Iterator<Item = &Simulation> + Clone {
        self.world.articulations().map(|(_, simulation)| simulation)
    }

    /// All bodies, to be changed.
    pub fn bodies_mut(&mut self) -> impl Iterator<Item = &mut Simulation> {
        self.world.articulations_mut().map(|(_, simulation)| simulation)
    }

    /// Time \[s].
    pub fn time(&self) -> f64 {
        self.world.time()
    }

    /// Asks for this much detail of every body; the scene's budget, or what it would ask for over time, is forgotten.
    pub fn set_detail(&mut self, detail: &Detail) -> Result<(), DetailError> {
        self.schedule = None;
        self.world.set_budget(None)?;
        self.bodies_mut().try_for_each(|body| body.set_detail(detail.clone()))
    }

    /// At most so many active joints in all bodies together; what the scene would ask for over time is forgotten.
    pub fn set_budget(&mut self, joints: usize) -> Result<(), DetailError> {
        self.schedule = None;
        self.world.set_budget(Some(joints))
    }

    /// One step of `dt` \[s] for everyone, after what the scene does before it. Where somebody looks, only who steps is visited.
    pub fn step(&mut self, dt: f64) -> Result<WorldReport, WorldError> {
        let Self { world, drive, schedule, .. } = self;
        world.step_with(dt, &Cues { schedule: schedule.as_ref(), drive: drive.as_ref() })
    }

    /// What the scene does before a step, without the step.
    pub fn cue(&mut self) {
        let Self { world, drive, schedule, .. } = self;
        world.cue_all(&Cues { schedule: schedule.as_ref(), drive: drive.as_ref() });
    }

    /// Articulated-body sweeps of the last step; of several bodies nobody knows.
    pub fn sweeps(&self) -> Option<u32> {
        let single = self.world.articulations().count() == 1;
        self.world.step_report(self.first).filter(|_| single).map(|report| report.sweeps)
    }

    /// Joints that can move, in all bodies together.
    pub fn joints(&self) -> usize {
        self.bodies().map(|body| body.model.moving_joints()).sum()
    }

    /// Joints that are active now, in all bodies together.
    pub fn active(&self) -> usize {
        self.bodies().map(active).sum()
    }
}

/// Joints of a body that are active now; none before the first step at less than full detail.
pub fn active(simulation: &Simulation) -> usize {
    if simulation.detail().is_full() {
        simulation.model.moving_joints()
    } else {
        simulation.region().map_or(0, |region| region.report().active)
    }
}

/// What a scene does to bodies before their steps.
struct Cues<'a> {
    schedule: Option<&'a Schedule>,
    drive: Option<&'a Drive>,
}

impl Cue for Cues<'_> {
    fn act(&self, id: ArticulationId, member: &mut Simulation) {
        if let Some(schedule) = self.schedule {
            aim(member, schedule);
        }
        if let Some(drive) = self.drive {
            drive.act(id.index(), member);
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
