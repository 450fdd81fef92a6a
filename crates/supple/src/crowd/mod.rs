//! Many articulated bodies that do not touch.
//!
//! ```text
//!  a step    who steps       all; or, where somebody looks, who is seen and those whose turn it is    (schedule)
//!            before          what the caller does to each of them
//!            share out       how many joints each may have                                             (budget)
//!            step            on all threads
//!            settle          the price of joints
//! ```

mod budget;
mod schedule;

use std::sync::Arc;

use rayon::prelude::*;

use crate::Simulation;
use crate::detail::{Detail, DetailError, Target};
use crate::dynamics::integrate::Workspace;
use crate::simulation::CrowdError;
use crate::view::{Camera, Viewer, ViewerError};
use budget::Budget;
use schedule::MemberSchedule;

/// Workspaces per thread: members are dealt out in so many shares, so that a thread that is done early finds more.
const SHARES: usize = 4;

/// What is done to members of a crowd before their steps.
pub trait Cue: Sync {
    /// Does it to the member of this number.
    fn act(&self, i: usize, member: &mut Simulation);

    /// From when on something may be done to it, if it rests at a time \[s] since the first step: until then it is not asked.
    fn next(&self, _i: usize, time: f64) -> f64 {
        time
    }
}

impl<F: Fn(usize, &mut Simulation) + Sync> Cue for F {
    fn act(&self, i: usize, member: &mut Simulation) {
        self(i, member);
    }
}

/// Many articulated bodies that do not touch, stepped on all of rayon's threads. Results have the same bits for any
/// number of threads.
#[derive(Clone, Debug, Default)]
pub struct Crowd {
    /// The bodies; equal ones share a model.
    pub members: Vec<Simulation>,
    budget: Option<Box<Budget>>,
    /// What members were asked for before there was a budget.
    own: Vec<Detail>,
    viewer: Option<Arc<Viewer>>,
    schedules: Vec<MemberSchedule>,
    /// Whether members are not what the schedules know.
    stale: bool,
    /// Numbers of those that take the present step, ascending.
    stepping: Vec<u32>,
    steps: u64,
    /// Time that has passed since the first step \[s].
    time: f64,
    /// Members of which something may be seen.
    in_view: usize,
    /// Pixels that may be wrong in all images together.
    pixels: Option<f64>,
    workspaces: Vec<Workspace>,
}

impl Crowd {
    /// A crowd of these members.
    pub fn new(members: Vec<Simulation>) -> Self {
        Self { members, ..Self::default() }
    }

    /// Members of one model share its assembly tree.
    fn share_assemblies(&mut self) {
        for i in 1..self.members.len() {
            let (before, rest) = self.members.split_at_mut(i);
            let same = before.iter_mut().rev().find(|m| Arc::ptr_eq(&m.model, &rest[0].model));
            if let Some(same) = same {
                rest[0].share_assembly(same);
            }
        }
    }

    /// Somebody looks at the crowd: joints are worth what is seen of them. Members that nobody sees take
    /// [`Attention::every`](crate::view::Attention::every) steps at once, in turns, and catch up when they come into view; those that
    /// are few pixels large some at once. Cheap enough for every frame: only those that step hear of it. In the first step all do.
    /// Without a viewer nobody has an error in pixels.
    pub fn set_viewer(&mut self, viewer: Option<Arc<Viewer>>) -> Result<(), ViewerError> {
        if let Some(viewer) = &viewer {
            viewer.check()?;
        }
        for (member, schedule) in self.members.iter().zip(&self.schedules) {
            let near = |c: &Camera| (c.position - schedule.center).length() < schedule.reach;
            if let Some(viewer) = viewer.as_deref().filter(|v| v.cameras().iter().any(near)) {
                viewer.check_outside(member)?;
            }
        }
        if viewer.is_some() != self.viewer.is_some() {
            if viewer.is_none() {
                // details that were had before can be had again
                let given = self.set_pixels(None);
                debug_assert!(given.is_ok(), "{given:?}");
            }
            for member in &mut self.members {
                member.set_viewer(viewer.clone())?;
            }
            // who had no looks has some now
            self.reseat();
        }
        self.viewer = viewer;
        Ok(())
    }

    /// No more than so many pixels per step wrong in all that is seen of the crowd, by estimate: those in view have equal shares.
    /// `None`: every member has the detail that it was given.
    pub fn set_pixels(&mut self, error: Option<f64>) -> Result<(), DetailError> {
        let Some(error) = error else {
            if self.pixels.take().is_some() {
                self.give_back()?;
            }
            return Ok(());
        };
        if !(error >= 0.0) {
            return Err(DetailError::BadError { what: "pixel", value: error, unit: "pixels" });
        }
        if self.viewer.is_none() {
            return Err(DetailError::NoViewer { error });
        }
        self.look_at_new();
        self.set_budget(None)?;
        if self.pixels.is_none() {
            self.own = self.members.iter().map(|m| m.detail().clone()).collect();
        }
        for member in &mut self.members {
            member.set_detail(Detail { target: Target::Pixels { error }, ..member.detail().clone() })?;
        }
        self.pixels = Some(error);
        // who rested may have to move
        self.reseat();
        Ok(())
    }

    /// The viewer looks at members that came after it.
    fn look_at_new(&mut self) {
        let Some(viewer) = &self.viewer else { return };
        for member in self.members.iter_mut().filter(|member| member.viewer().is_none()) {
            member.begin_to_look(viewer.clone());
        }
    }

    /// Members get back the details that they had.
    fn give_back(&mut self) -> Result<(), DetailError> {
        for (member, own) in self.members.iter_mut().zip(self.own.drain(..)) {
            member.externally_scheduled = false;
            member.set_detail(own)?;
        }
        self.stale = true;
        Ok(())
    }

    /// Members whose turn it is get their share of the pixels that may be wrong.
    fn share_pixels(&mut self) {
        let Some(error) = self.pixels else { return };
        let error = error / self.in_view.max(1) as f64;
        for i in &self.stepping {
            self.members[*i as usize].allow_pixels(error);
        }
    }

    /// Time that has passed since the first step \[s].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Who looks at it.
    pub fn viewer(&self) -> Option<&Arc<Viewer>> {
        self.viewer.as_ref()
    }

    /// Members that took the last step.
    pub fn stepped(&self) -> &[u32] {
        &self.stepping
    }

    /// Looks at all members anew: necessary after some that nobody sees were changed by hand.
    pub fn reseat(&mut self) {
        self.stale = true;
    }

    /// One step of `dt` \[s] for everyone. Members that cannot take it are as before, the error names the first of them,
    /// and all others have taken it.
    pub fn step(&mut self, dt: f64) -> Result<(), CrowdError> {
        self.step_with(dt, &|_: usize, _: &mut Simulation| {})
    }

    /// Takes one step of `dt` \[s] for everyone, after `cue` has acted on each member that steps now. Members that rest, where somebody looks, are not visited
    /// before something is done to them.
    pub fn step_with(&mut self, dt: f64, cue: &impl Cue) -> Result<(), CrowdError> {
        self.find_who_steps(dt);
        let shares = (SHARES * rayon::current_num_threads()).clamp(1, self.members.len().max(1));
        let size = self.members.len().div_ceil(shares).max(1);
        // more threads later need more workspaces; fewer never drop any
        self.workspaces.resize_with(shares.max(self.workspaces.len()), Workspace::default);
        let viewer = self.viewer.clone();
        let prepare = |i: usize, member: &mut Simulation, schedule: &MemberSchedule| {
            if schedule.rested {
                member.advance_idle(schedule.owed);
            }
            if let Some(viewer) = &viewer {
                member.look_from(viewer);
                member.set_in_view(schedule.is_large());
                if schedule.came || member.comes_into_view_in_turn() {
                    member.hurry();
                }
            }
            cue.act(i, member);
        };
        let alone = self.members.len() == 1;
        if alone {
            // nothing to share
            if self.schedules[0].steps {
                prepare(0, &mut self.members[0], &self.schedules[0]);
            }
        } else {
            self.members.par_chunks_mut(size).zip(self.schedules.par_chunks(size)).enumerate().for_each(
                |(share, (members, schedules))| {
                    for (i, (member, schedule)) in members.iter_mut().zip(schedules).enumerate() {
                        if schedule.steps {
                            prepare(share * size + i, member, schedule);
                        }
                    }
                },
            );
        }
        self.share_out();
        self.share_pixels();
        let now = self.time + dt;
        let step =
            |i: usize, work: &mut Workspace, member: &mut Simulation, schedule: &mut MemberSchedule| {
                let time = if schedule.owed == 0.0 || schedule.rested { dt } else { schedule.owed + dt };
                let result = member.step_in(work, time);
                if result.is_ok() {
                    schedule.owed = 0.0;
                }
                schedule.refresh(member);
                if schedule.rests {
                    schedule.until = cue.next(i, now);
                }
                result
            };
        let first = if alone {
            let (work, schedule) = (&mut self.workspaces[0], &mut self.schedules[0]);
            let result =
                if schedule.steps { step(0, work, &mut self.members[0], schedule).err() } else { None };
            result.map(|source| CrowdError { member: 0, source })
        } else {
            let chunks = self.members.par_chunks_mut(size).zip(self.schedules.par_chunks_mut(size));
            let failures = chunks.zip(&mut self.workspaces).enumerate().filter_map(
                |(share, ((members, schedules), work))| {
                    let mut first = None;
                    for (i, (member, schedule)) in members.iter_mut().zip(schedules).enumerate() {
                        if schedule.steps
                            && let Err(source) = step(share * size + i, work, member, schedule)
                        {
                            first.get_or_insert(CrowdError { member: share * size + i, source });
                        }
                    }
                    first
                },
            );
            failures.min_by_key(|error| error.member)
        };
        self.time = now;
        self.settle();
        match first {
            Some(first) => Err(first),
            None => Ok(()),
        }
    }

    /// Brings members that nobody sees up to the present.
    pub fn catch_up(&mut self) -> Result<(), CrowdError> {
        let mut first = None;
        for (i, (member, schedule)) in self.members.iter_mut().zip(&mut self.schedules).enumerate() {
            if schedule.rests {
                member.advance_idle(schedule.owed);
            } else if schedule.owed > 0.0
                && let Err(source) = member.step(schedule.owed)
            {
                first.get_or_insert(CrowdError { member: i, source });
            }
            schedule.owed = 0.0;
            schedule.refresh(member);
        }
        first.map_or(Ok(()), Err)
    }

    /// Looks at all members anew; time that they owe they still owe.
    fn make_schedules(&mut self) {
        self.look_at_new();
        let before = std::mem::take(&mut self.schedules);
        for (member, schedule) in self.members.iter_mut().zip(&before).filter(|(_, schedule)| schedule.rests)
        {
            member.advance_idle(schedule.owed);
        }
        self.schedules.extend(self.members.iter().map(MemberSchedule::new));
        for (schedule, before) in self.schedules.iter_mut().zip(&before).filter(|(_, before)| !before.rests) {
            schedule.owed = before.owed;
        }
        self.stale = false;
        self.forget_counts();
    }

    /// Marks the members that take this step.
    fn find_who_steps(&mut self, dt: f64) {
        if self.stale || self.schedules.len() != self.members.len() {
            self.make_schedules();
        }
        let lowered = self.is_over_budget();
        let Self { schedules, stepping, steps, viewer, in_view, time, .. } = self;
        *in_view = schedules.len();
        if let Some(viewer) = viewer {
            schedules.par_iter_mut().enumerate().for_each(|(i, schedule)| {
                let came = schedule.comes_into_view(viewer) || schedule.has_grown();
                let turn =
                    *steps == 0 || (i as u64 + *steps).is_multiple_of(u64::from(schedule.every(viewer)));
                schedule.rested = schedule.rests;
                schedule.came = came;
                schedule.steps = lowered || came || (turn && !schedule.may_rest(*time));
                if !schedule.steps {
                    schedule.owed += dt;
                }
            });
            *in_view = schedules.iter().filter(|schedule| schedule.seen).count();
        } else {
            schedules.iter_mut().for_each(|schedule| schedule.steps = true);
        }
        *steps += 1;
        stepping.clear();
        stepping.extend((0..schedules.len() as u32).filter(|i| schedules[*i as usize].steps));
    }
}
