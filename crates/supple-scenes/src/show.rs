//! A scene in motion: its bodies, and what the scene does to them.

use supple::constraint::Frame;
use supple::contact::Shape;
use supple::detail::{Detail, DetailError, Target};
use supple::{Crowd, CrowdError, Cue, Simulation, StepReport};

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
    pub crowd: Crowd,
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
    pub fn show(self) -> Result<Show, DetailError> {
        let (gaze, looks) = (self.gaze_or_framed(), self.looks_of_all());
        let mut members: Vec<_> = std::iter::once(self.simulation).chain(self.others).collect();
        for (member, looks) in members.iter_mut().zip(looks) {
            let set = member.set_looks(looks);
            debug_assert!(set.is_ok(), "each has looks that fit it: {set:?}");
        }
        let mut crowd = Crowd::new(members);
        crowd.set_budget(self.budget)?;
        Ok(Show { crowd, drive: self.drive, schedule: self.schedule, gaze, walls: self.walls })
    }
}

impl Show {
    /// The body; of several the first.
    pub fn first(&self) -> &Simulation {
        &self.crowd.members[0]
    }

    /// Time \[s].
    pub fn time(&self) -> f64 {
        // who is alone steps without the crowd, and who is not seen lags behind it
        self.crowd.time().max(self.first().state.time)
    }

    /// Asks for this much detail of every body; the scene's budget, or what it would ask for over time, is forgotten.
    pub fn set_detail(&mut self, detail: &Detail) -> Result<(), DetailError> {
        self.schedule = None;
        self.crowd.set_budget(None)?;
        self.crowd.members.iter_mut().try_for_each(|member| member.set_detail(detail.clone()))
    }

    /// At most so many active joints in all bodies together; what the scene would ask for over time is forgotten.
    pub fn set_budget(&mut self, joints: usize) -> Result<(), DetailError> {
        self.schedule = None;
        self.crowd.set_budget(Some(joints))
    }

    /// One step of `dt` \[s] for everyone, after what the scene does before it. An error names the body by its number.
    /// The report is that of a single body; a crowd has none. In a crowd that is looked at, only who steps is visited.
    pub fn step(&mut self, dt: f64) -> Result<Option<StepReport>, CrowdError> {
        let Self { crowd, drive, schedule, .. } = self;
        let cues = Cues { schedule: schedule.as_ref(), drive: drive.as_ref() };
        let alone = crowd.budget().is_none() && crowd.viewer().is_none();
        match &mut crowd.members[..] {
            [only] if alone => {
                cues.act(0, only);
                only.step(dt).map(Some).map_err(|source| CrowdError { member: 0, source })
            }
            _ => crowd.step_with(dt, &cues).map(|()| None),
        }
    }

    /// What the scene does before a step, without the step.
    pub fn cue(&mut self) {
        for (i, member) in self.crowd.members.iter_mut().enumerate() {
            Cues { schedule: self.schedule.as_ref(), drive: self.drive.as_ref() }.act(i, member);
        }
    }

    /// Joints that can move, in all bodies together.
    pub fn joints(&self) -> usize {
        self.crowd.members.iter().map(|member| member.model.moving_joints()).sum()
    }

    /// Joints that are active now, in all bodies together.
    pub fn active(&self) -> usize {
        self.crowd.members.iter().map(active).sum()
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
    fn act(&self, i: usize, member: &mut Simulation) {
        if let Some(schedule) = self.schedule {
            aim(member, schedule);
        }
        if let Some(drive) = self.drive {
            drive.act(i, member);
        }
    }

    fn next(&self, i: usize, time: f64) -> f64 {
        match (self.schedule, self.drive) {
            (Some(_), _) => time,
            (None, Some(drive)) => drive.next(i, time),
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
