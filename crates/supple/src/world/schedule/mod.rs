//! Who steps now, and with how many joints.
//!
//! ```text
//!  a step    who steps       all that are awake; where somebody looks, of those that are alone only who is seen and whose turn it is
//!            prepare         gravity, the viewer, and what the caller's cue does to each of them
//!            share out       how many joints each may have                                             (budget, pixels)
//!            step            those that are coupled with what they are coupled to (world/step); the others each for itself, on all threads
//!            settle          the price of joints
//! ```

mod budget;
pub(super) mod cue;
mod member;
mod pixels;
mod viewer;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use rayon::prelude::*;

use crate::bodies::ArticulationId;
use crate::detail::{AssemblyTree, Detail, DetailError, Target};
use crate::dynamics::integrate::{StepReport, Workspace};
use crate::model::Model;
use crate::simulation::Simulation;
use crate::view::Viewer;
use crate::world::{Failure, World, WorldError};
use budget::Budget;
pub use cue::Cue;
use member::{MemberSchedule, never_frozen};

/// Workspaces per thread: articulations are dealt out in so many shares, so that a thread that is done early finds more.
const SHARES: usize = 4;

/// When the articulations of a world step, and how much of each is simulated.
#[derive(Clone, Debug, Default)]
pub(super) struct Schedule {
    /// One number of joints for all.
    budget: Option<Box<Budget>>,
    /// Pixels that may be wrong in all images together.
    pixels: Option<f64>,
    /// By place: what articulations were asked for before there was a budget or an error in pixels.
    own: Vec<Option<Detail>>,
    /// Who looks at the world.
    viewer: Option<Arc<Viewer>>,
    /// By place.
    members: Vec<MemberSchedule>,
    /// Whether articulations came or went since this was made.
    stale: bool,
    /// Places of those that were changed by hand since.
    changed: Vec<u32>,
    /// Places of those that take the present step, ascending.
    stepping: Vec<u32>,
    /// Steps of the world that were scheduled.
    turn: u64,
    /// Articulations of which something may be seen.
    in_view: usize,
    /// Lent to those that are alone while they step.
    workspaces: Vec<Workspace>,
}

impl Schedule {
    /// Looks at all articulations anew before the next step.
    pub(super) fn forget(&mut self) {
        self.stale = true;
    }

    /// Forgets an articulation that is gone.
    pub(super) fn remove(&mut self, id: ArticulationId) {
        if let Some(member) = self.members.get_mut(id.index()) {
            *member = MemberSchedule::absent();
        }
        if let Some(own) = self.own.get_mut(id.index()) {
            *own = None;
        }
        self.stale = true;
    }

    /// Looks at an articulation anew before the next step.
    pub(super) fn note_changed(&mut self, id: ArticulationId) {
        let place = id.index() as u32;
        if !self.stale && self.changed.last() != Some(&place) {
            self.changed.push(place);
        }
    }

    /// What is known of articulations that are there, by place.
    fn present(&self) -> impl Iterator<Item = &MemberSchedule> {
        self.members.iter().filter(|member| member.present)
    }

    /// Whether details are shared out, rather than each articulation's own.
    fn shares_detail(&self) -> bool {
        self.budget.is_some() || self.pixels.is_some()
    }

    /// Looks anew at an articulation that came or was changed by hand; time that it owes it still owes.
    fn renew(&mut self, place: usize, simulation: &mut Simulation) -> Result<(), DetailError> {
        let before = self.members[place];
        if before.rests {
            simulation.advance_idle(before.owed);
        }
        if self.shares_detail() && !self.has_charge(place, simulation) {
            self.charge(place, simulation)?;
        }
        let owed = if before.rests { 0.0 } else { before.owed };
        let mut member = MemberSchedule::new(simulation);
        member.owed = owed;
        self.members[place] = member;
        Ok(())
    }

    /// Whether an articulation takes part in what is shared out: not if it is new, or was given a detail of its own.
    fn has_charge(&mut self, place: usize, simulation: &Simulation) -> bool {
        let shared = match simulation.detail().target {
            Target::Price { .. } => self.budget.is_some(),
            Target::Pixels { .. } => self.pixels.is_some(),
            _ => false,
        };
        let Some(own) = self.own.get_mut(place) else { return false };
        if !shared {
            *own = None;
        }
        own.is_some()
    }

    /// An articulation has its part in the budget, or in the pixels that may be wrong; what it was asked for before is kept.
    fn charge(&mut self, place: usize, simulation: &mut Simulation) -> Result<(), DetailError> {
        if self.own.len() <= place {
            self.own.resize(place + 1, None);
        }
        let detail = simulation.detail().clone();
        let target = match self.pixels {
            Some(error) => Target::Pixels { error },
            // until its share is known no more than it must have
            None => Target::Price {
                price: 0.0,
                most: never_frozen(simulation).min(simulation.model.moving_joints()),
            },
        };
        let phase = if self.pixels.is_some() { detail.phase } else { place as u32 % detail.update_every };
        simulation.set_detail(Detail { target, phase, ..detail.clone() })?;
        simulation.externally_scheduled = self.budget.is_some();
        self.own[place].get_or_insert(detail);
        Ok(())
    }
}

impl World {
    /// Articulations that took the last step, by their [places](crate::world::Id::index), ascending. Where nobody looks these are all that are
    /// awake.
    pub fn stepped(&self) -> &[u32] {
        &self.schedule.stepping
    }

    /// What the last step of an articulation did, or the last part of it.
    pub fn step_report(&self, id: ArticulationId) -> Option<StepReport> {
        let known = self.schedule.members.get(id.index()).filter(|_| self.articulations.contains(id))?;
        Some(known.report)
    }

    /// Joints that are active now, of all articulations that are awake.
    pub fn active_joints(&self) -> usize {
        self.articulations.simulations().map(|(_, simulation)| member::active(simulation)).sum()
    }

    /// Before a step: who takes it, and with how many joints.
    pub(super) fn schedule(&mut self, cue: &dyn Cue) -> Result<(), WorldError> {
        if self.articulations.is_empty() {
            self.schedule.stepping.clear();
            return Ok(());
        }
        self.find_who_steps()?;
        self.prepare(cue);
        self.share_out();
        self.share_pixels();
        Ok(())
    }

    /// Looks at all articulations anew.
    fn make_schedule(&mut self) -> Result<(), DetailError> {
        self.look_at_new();
        let Self { articulations, schedule, .. } = self;
        schedule.stale = false;
        schedule.changed.clear();
        schedule.members.resize_with(articulations.places(), MemberSchedule::absent);
        for (id, simulation) in articulations.simulations_mut() {
            schedule.renew(id.index(), simulation)?;
        }
        for (place, member) in schedule.members.iter_mut().enumerate() {
            member.coupled = articulations.is_coupled(place);
        }
        self.forget_counts();
        self.budget().map_or(Ok(()), |joints| self.check_fewest(joints))
    }

    /// Looks anew at the articulations that were changed by hand.
    fn renew_changed(&mut self) -> Result<(), DetailError> {
        let Self { articulations, schedule, .. } = self;
        let changed = std::mem::take(&mut schedule.changed);
        for place in changed.iter().map(|place| *place as usize) {
            schedule.renew(place, articulations.simulation_at_mut(place))?;
            schedule.members[place].coupled = articulations.is_coupled(place);
        }
        schedule.changed = changed;
        schedule.changed.clear();
        Ok(())
    }

    /// Articulations get back the details that they had.
    fn give_back(&mut self) -> Result<(), DetailError> {
        let Self { articulations, schedule, .. } = self;
        for (id, simulation) in articulations.simulations_mut() {
            if let Some(own) = schedule.own.get_mut(id.index()).and_then(Option::take) {
                simulation.externally_scheduled = false;
                simulation.set_detail(own)?;
            }
        }
        schedule.own.clear();
        schedule.forget();
        Ok(())
    }

    /// Simulations of one model share its assembly tree.
    fn share_assemblies(&mut self) {
        let mut trees: HashMap<*const Model, Arc<AssemblyTree>> = HashMap::new();
        for (_, simulation) in self.articulations.simulations_mut() {
            match trees.entry(Arc::as_ptr(&simulation.model)) {
                Entry::Occupied(known) => simulation.set_assembly(known.get().clone()),
                Entry::Vacant(new) => drop(new.insert(simulation.assembly().clone())),
            }
        }
    }

    /// Marks the articulations that take this step.
    fn find_who_steps(&mut self) -> Result<(), DetailError> {
        if self.schedule.stale {
            self.make_schedule()?;
        } else if !self.schedule.changed.is_empty() {
            self.renew_changed()?;
        }
        let lowered = self.is_over_budget();
        for (id, articulated) in self.articulations.iter() {
            self.schedule.members[id.index()].asleep = articulated.sleep.is_asleep();
        }
        let time = self.time;
        let Schedule { members, stepping, turn, viewer, in_view, .. } = &mut self.schedule;
        if let Some(viewer) = viewer {
            members.par_iter_mut().enumerate().for_each(|(i, member)| {
                let came = member.comes_into_view(viewer) || member.has_grown();
                let turn = *turn == 0 || (i as u64 + *turn).is_multiple_of(u64::from(member.every(viewer)));
                member.rested = member.rests;
                member.came = came;
                member.steps = member.is_awake()
                    && (member.coupled || lowered || came || (turn && !member.may_rest(time)));
            });
            *in_view = members.iter().filter(|member| member.present && member.seen).count();
        } else {
            members.iter_mut().for_each(|member| member.steps = member.is_awake());
            *in_view = members.iter().filter(|member| member.present).count();
        }
        *turn += 1;
        stepping.clear();
        stepping.extend((0..members.len() as u32).filter(|i| members[*i as usize].steps));
        Ok(())
    }

    /// Before their steps: gravity, the viewer, and what the cue does.
    fn prepare(&mut self, cue: &dyn Cue) {
        let Self { articulations, schedule, gravity, gravity_of, .. } = self;
        let viewer = schedule.viewer.clone();
        let prepare = |id: ArticulationId, simulation: &mut Simulation, member: &MemberSchedule| {
            if member.rested {
                simulation.advance_idle(member.owed);
            }
            simulation.gravity = gravity_of.get(&id).copied().unwrap_or(*gravity);
            if let Some(viewer) = &viewer {
                simulation.look_from(viewer);
                simulation.set_in_view(member.is_large());
                if member.came || simulation.comes_into_view_in_turn() {
                    simulation.hurry();
                }
            }
            cue.act(id, simulation);
        };
        let members = &schedule.members;
        let acts = |id: ArticulationId| members[id.index()].steps;
        for (id, articulated) in articulations.iter_mut().filter(|(id, _)| acts(*id)) {
            articulated.give();
            prepare(id, &mut articulated.simulation, &members[id.index()]);
        }
        articulations.for_each_alone(SHARES, |id, simulation| {
            if acts(id) {
                prepare(id, simulation, &members[id.index()]);
            }
        });
    }

    /// Those that are alone take their steps, in as many parts as the user wants. Who cannot is as before the part that failed; all others have
    /// taken them.
    pub(super) fn step_alone(&mut self, dt: f64, cue: &dyn Cue) -> Vec<Failure> {
        let now = self.time;
        let parts = self.settings.substeps.max(1);
        let Self { articulations, schedule: Schedule { members, workspaces, .. }, .. } = self;
        let step = |id: ArticulationId,
                    simulation: &mut Simulation,
                    member: &mut MemberSchedule,
                    work: &mut Workspace| {
            if !member.steps {
                member.owed += dt;
                return None;
            }
            let time = if member.owed == 0.0 || member.rested { dt } else { member.owed + dt };
            let result = (0..parts).try_for_each(|_| {
                member.report = simulation.step_in(work, time / f64::from(parts))?;
                Ok(())
            });
            if result.is_ok() {
                member.owed = 0.0;
            }
            member.refresh(simulation);
            if member.rests {
                member.until = cue.next(id, now);
            }
            result.err().map(|error| Failure::Articulation {
                articulation: id,
                time: simulation.state.time,
                error,
            })
        };
        articulations.map_alone(members, workspaces, SHARES, step)
    }

    /// What a cue does to all articulations before a step, without the step.
    pub fn cue_all(&mut self, cue: &impl Cue) {
        self.articulations.simulations_mut().for_each(|(id, simulation)| cue.act(id, simulation));
    }

    /// After a step: what is known of those that may be pushed, and the price of joints.
    pub(super) fn settle_schedule(&mut self, cue: &dyn Cue) {
        let now = self.time;
        let Self { articulations, schedule: Schedule { members, .. }, .. } = self;
        for (id, articulated) in articulations.iter() {
            let member = &mut members[id.index()];
            if member.steps {
                member.refresh(&articulated.simulation);
                member.report = articulated.report;
                if articulated.sleep.is_asleep() {
                    member.until = cue.next(id, now);
                }
            }
        }
        self.settle_budget();
    }

    /// Brings articulations that nobody sees up to the present.
    pub fn catch_up(&mut self) -> Result<(), WorldError> {
        let Self { articulations, schedule: Schedule { members, .. }, .. } = self;
        let mut failures = Vec::new();
        for (id, simulation) in articulations.simulations_mut() {
            let Some(member) = members.get_mut(id.index()).filter(|member| !member.coupled) else { continue };
            if member.rests {
                simulation.advance_idle(member.owed);
            } else if member.owed > 0.0
                && let Err(error) = simulation.step(member.owed)
            {
                failures.push(Failure::Articulation { articulation: id, time: simulation.state.time, error });
            }
            member.owed = 0.0;
            member.refresh(simulation);
        }
        if failures.is_empty() { Ok(()) } else { Err(WorldError::Failed { failures }) }
    }
}
