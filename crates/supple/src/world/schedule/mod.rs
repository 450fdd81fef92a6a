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
use crate::model::{BodyId, Model};
use crate::simulation::{Simulation, StepError};
use crate::view::Viewer;
use crate::world::{BodyRef, Failure, Known, World, WorldError};
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
    /// Whether constraints or colliders went since it was last looked who is alone.
    pub(super) may_uncouple: bool,
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

    /// A constraint or a collider is gone: who had it may be alone.
    pub(super) fn note_freed(&mut self) {
        self.may_uncouple = true;
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

    /// An articulation takes the time that it owes. It still owes that after an error.
    pub(super) fn pay(&mut self, id: ArticulationId, simulation: &mut Simulation) -> Result<(), StepError> {
        let Some(member) = self.members.get_mut(id.index()).filter(|member| member.owed > 0.0) else {
            return Ok(());
        };
        if member.rests {
            simulation.advance_idle(member.owed);
        } else {
            simulation.step(member.owed)?;
        }
        member.owed = 0.0;
        member.refresh(simulation);
        Ok(())
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
        if self.shares_detail() && !self.has_charge(place, simulation) {
            self.charge(place, simulation)?;
        }
        if before.rests {
            simulation.advance_idle(before.owed);
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
        // an impact may take no more than there is for all
        let impact_extra = if self.budget.is_some() { 0 } else { detail.impact_extra };
        simulation.set_detail(Detail { target, phase, impact_extra, ..detail.clone() })?;
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

    /// Joints that are active now, of all articulations. Where there is a budget, those that sleep keep only joints that are never frozen.
    pub fn active_joints(&self) -> usize {
        self.articulations.simulations().map(|(_, simulation)| member::active(simulation)).sum()
    }

    /// Before a step: who takes it, and with how many joints.
    pub(super) fn schedule(&mut self, cue: &dyn Cue) -> Result<(), WorldError> {
        if self.articulations.is_empty() {
            self.schedule.stepping.clear();
            return Ok(());
        }
        self.renew_schedule()?;
        self.ask_sleepers(cue);
        self.find_who_steps(cue);
        self.prepare(cue);
        self.share_out();
        self.share_pixels();
        Ok(())
    }

    /// Looks at all articulations anew.
    fn make_schedule(&mut self) -> Result<(), DetailError> {
        self.look_at_new();
        let Self { articulations, schedule, .. } = self;
        schedule.changed.clear();
        schedule.members.resize_with(articulations.places(), MemberSchedule::absent);
        for (id, simulation) in articulations.simulations_mut() {
            schedule.renew(id.index(), simulation)?;
        }
        for (place, member) in schedule.members.iter_mut().enumerate() {
            member.coupled = articulations.is_coupled(place);
        }
        self.forget_counts();
        self.budget().map_or(Ok(()), |joints| self.check_fewest(joints))?;
        // not after an error: it stays one until there is another budget, or others go
        self.schedule.stale = false;
        Ok(())
    }

    /// Looks anew at the articulations that were changed by hand.
    fn renew_changed(&mut self) -> Result<(), DetailError> {
        let Self { articulations, schedule, .. } = self;
        let changed = std::mem::take(&mut schedule.changed);
        let renewed = changed.iter().map(|place| *place as usize).try_for_each(|place| {
            schedule.renew(place, articulations.simulation_at_mut(place))?;
            schedule.members[place].coupled = articulations.is_coupled(place);
            Ok(())
        });
        schedule.changed = changed;
        renewed.and_then(|()| self.count_changed())?;
        // not after an error: it stays one until they are changed again
        self.schedule.changed.clear();
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

    /// Looks anew at those that came or were changed.
    fn renew_schedule(&mut self) -> Result<(), DetailError> {
        if self.schedule.stale {
            self.make_schedule()
        } else if !self.schedule.changed.is_empty() {
            self.renew_changed()
        } else {
            Ok(())
        }
    }

    /// The cue acts on those that sleep and whose time for that has come. Who has other loads than when it fell asleep wakes, or was pushed.
    fn ask_sleepers(&mut self, cue: &dyn Cue) {
        let Self { articulations, schedule: Schedule { members, .. }, gravity, gravity_of, time, .. } = self;
        let mut wakes = Vec::new();
        for (id, articulated) in articulations.iter_mut() {
            let member = &mut members[id.index()];
            member.asleep = articulated.sleep.is_asleep();
            member.asked = member.asleep && member.is_due(*time, || cue.next(id, *time));
            if !member.asked {
                continue;
            }
            articulated.give();
            let simulation = &mut articulated.simulation;
            simulation.advance_idle(*time - member.since);
            member.since = *time;
            simulation.gravity = gravity_of.get(&id).copied().unwrap_or(*gravity);
            cue.act(id, simulation);
            if articulated.is_disturbed() {
                wakes.push(id);
            }
        }
        for id in wakes {
            self.wake(BodyRef::Of(id, BodyId::new(0)));
        }
    }

    /// Marks the articulations that take this step.
    fn find_who_steps(&mut self, cue: &dyn Cue) {
        let lowered = self.is_over_budget();
        for (id, articulated) in self.articulations.iter() {
            self.schedule.members[id.index()].asleep = articulated.sleep.is_asleep();
        }
        let Self { articulations, schedule, time, .. } = self;
        let (articulations, time) = (&*articulations, *time);
        let Schedule { members, stepping, turn, viewer, in_view, .. } = schedule;
        if let Some(viewer) = viewer {
            members.par_iter_mut().enumerate().for_each(|(i, member)| {
                let came = member.comes_into_view(viewer) || member.has_grown();
                let turn = *turn == 0 || (i as u64 + *turn).is_multiple_of(u64::from(member.every(viewer)));
                member.rested = member.rests;
                member.came = came;
                member.steps = member.is_awake()
                    && (member.coupled
                        || lowered
                        || came
                        || (turn && !member.may_rest(time, || cue.next(articulations.id_at(i), time))));
            });
            *in_view = members.iter().filter(|member| member.present && member.seen).count();
        } else {
            members.iter_mut().for_each(|member| member.steps = member.is_awake());
            *in_view = members.iter().filter(|member| member.present).count();
        }
        *turn += 1;
        stepping.clear();
        stepping.extend((0..members.len() as u32).filter(|i| members[*i as usize].steps));
    }

    /// Before their steps: gravity, the viewer, and what the cue does.
    fn prepare(&mut self, cue: &dyn Cue) {
        let Self { articulations, schedule, gravity, gravity_of, .. } = self;
        let viewer = schedule.viewer.clone();
        let prepare = |id: ArticulationId, simulation: &mut Simulation, member: &mut MemberSchedule| {
            if member.rested {
                // time in which nothing moved is no part of the step, even if that fails
                simulation.advance_idle(std::mem::take(&mut member.owed));
            }
            simulation.gravity = gravity_of.get(&id).copied().unwrap_or(*gravity);
            if let Some(viewer) = &viewer {
                simulation.look_from(viewer);
                simulation.set_in_view(member.is_large());
                if member.came || simulation.comes_into_view_in_turn() {
                    simulation.hurry();
                }
            }
            if !std::mem::take(&mut member.asked) {
                cue.act(id, simulation);
            }
        };
        let members = &mut schedule.members;
        for (id, articulated) in articulations.iter_mut() {
            let member = &mut members[id.index()];
            if member.steps {
                if !cue.is_nothing() {
                    articulated.give();
                }
                prepare(id, &mut articulated.simulation, member);
            }
        }
        articulations.map_alone(members, &mut Vec::new(), SHARES, |id, simulation, member, (): &mut ()| {
            if member.steps {
                prepare(id, simulation, member);
            }
            None::<()>
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
            let time = member.owed + dt;
            let part = time / f64::from(parts);
            let result = (0..parts).try_for_each(|_| {
                member.report = simulation.step_in(work, part)?;
                // should the next part fail, it owes no more of this one
                member.owed = (member.owed - part).max(0.0);
                Ok(())
            });
            if result.is_ok() {
                member.owed = 0.0;
            }
            member.refresh(simulation);
            if member.rests {
                member.rests_until(cue.next(id, now), now);
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
        let Self { articulations, schedule: Schedule { members, budget, .. }, known, .. } = self;
        for (id, articulated) in articulations.iter_mut() {
            let member = &mut members[id.index()];
            if articulated.sleep.is_asleep() && (member.steps || member.asked) {
                member.rests_until(cue.next(id, now), now);
            }
            if !member.steps {
                continue;
            }
            if articulated.sleep.is_asleep() {
                articulated.note_sleep();
                member.since = now;
                if budget.is_some() {
                    // it moves nothing, and others may need them
                    articulated.simulation.give_up_joints();
                    *known = Known::Nothing;
                }
            }
            member.refresh(&articulated.simulation);
            member.report = articulated.report;
        }
        self.settle_budget();
    }

    /// Brings articulations that nobody sees up to the present.
    pub fn catch_up(&mut self) -> Result<(), WorldError> {
        let Self { articulations, schedule, .. } = self;
        let mut failures = Vec::new();
        for (id, simulation) in articulations.simulations_mut() {
            if let Err(error) = schedule.pay(id, simulation) {
                failures.push(Failure::Articulation { articulation: id, time: simulation.state.time, error });
            }
        }
        if failures.is_empty() { Ok(()) } else { Err(WorldError::Failed { failures }) }
    }
}
