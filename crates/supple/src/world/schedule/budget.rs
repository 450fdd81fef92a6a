//! One budget of joints for many bodies: a price for all of them.
//!
//! What a joint is worth is the square of the velocity that it will have at its body's next update. The price λ is the one at
//! which all bodies together would open as many joints as there are in the budget, by what theirs were worth at their last
//! updates. In its turn a body opens what is worth more than λ, and no more than is left: the sum never exceeds the budget.
//! [`choose_together`](crate::detail::choose_together), one queue over all bodies at once, is the reference.

use super::Schedule;
use super::member::{MemberSchedule, active, never_frozen};
use crate::bodies::ArticulationId;
use crate::detail::{Detail, DetailError, Region, Worths};
use crate::world::Known;
use crate::{Simulation, World};

/// A number of joints for all articulations together, and the price that keeps it.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    joints: usize,
    /// λ: what a joint must be worth to be active \[rad²/s², or pixels per step]; not known before the first step.
    price: Option<f64>,
    /// The place of the one that comes first when updates are brought forward.
    first: usize,
    /// What the joints of each articulation were worth when it was last counted, and all of them together.
    counted: Vec<Worths>,
    worths: Worths,
    /// Updates of each articulation when it was last counted, with one more for every region that it had.
    updates: Vec<u64>,
    /// Active joints of all articulations, those never frozen, and articulations that would move but have no joint.
    active: usize,
    never_frozen: usize,
    starved: usize,
}

impl World {
    /// At most so many active joints in all articulations together, spent where joints move most; `None`: every articulation has its own
    /// detail, as it is. Articulations take turns with their updates.
    ///
    /// There is one price for all: in its turn an articulation opens what is worth more than that, and the price is the one at which
    /// that is the budget. The sum never exceeds it; after it was lowered, all choose anew in the next step. How they choose (rule, period,
    /// metric) is in their own details. Floating bases count: they are never frozen.
    pub fn set_budget(&mut self, joints: Option<usize>) -> Result<(), DetailError> {
        let Some(joints) = joints else {
            if self.schedule.budget.take().is_some() {
                self.give_back()?;
            }
            return Ok(());
        };
        let all: usize = self.articulations.simulations().map(|(_, s)| s.model.moving_joints()).sum();
        if joints > all {
            return Err(DetailError::TooManyJoints { wanted: joints, joints: all });
        }
        self.check_fewest(joints)?;
        self.set_pixels(None)?;
        self.share_assemblies();
        self.schedule.budget = Some(Box::new(Budget::new(joints)));
        let Self { articulations, schedule, .. } = self;
        for (id, simulation) in articulations.simulations_mut() {
            schedule.charge(id.index(), simulation)?;
        }
        // what sleeps moves nothing
        for (_, articulated) in articulations.iter_mut().filter(|(_, a)| a.sleep.is_asleep()) {
            articulated.simulation.give_up_joints();
            self.known = Known::Nothing;
        }
        schedule.forget();
        Ok(())
    }

    /// An error if joints that are never frozen are more than a budget.
    pub(super) fn check_fewest(&self, joints: usize) -> Result<(), DetailError> {
        let fewest: usize = self.articulations.simulations().map(|(_, s)| never_frozen(s)).sum();
        if joints < fewest {
            return Err(DetailError::TooFewJoints { wanted: joints, held: fewest });
        }
        Ok(())
    }

    /// What an articulation was asked for before a budget, or an error in pixels of the world, gave it something else; `None`: it has what it
    /// was asked for.
    pub fn own_detail(&self, id: ArticulationId) -> Option<&Detail> {
        self.schedule.own.get(id.index()).filter(|_| self.articulations.contains(id))?.as_ref()
    }

    /// The budget, if there is one.
    pub fn budget(&self) -> Option<usize> {
        self.schedule.budget.as_ref().map(|b| b.joints)
    }

    /// λ: what a joint must be worth to be active \[rad²/s² or m²/s²]; `None` without budget and before the first step.
    pub fn price(&self) -> Option<f64> {
        self.schedule.budget.as_ref()?.price
    }

    /// Whether articulations have more joints than the budget, which was just set or has to do for others.
    pub(super) fn is_over_budget(&self) -> bool {
        let new = |budget: &&Budget| budget.price.is_none() || budget.counted.is_empty();
        let new = self.schedule.budget.as_deref().filter(new);
        new.is_some_and(|budget| self.active_joints() > budget.joints)
    }

    /// Updates out of turn, in a step half as many as there are regular ones, so that no step is much longer than the
    /// others: of articulations whose loads have changed much; then, while there is room, of those that would open more; while
    /// there is none, of those that hold joints worth less than the price.
    fn bring_forward(&mut self) {
        let Self { articulations, schedule: Schedule { budget: Some(budget), stepping, .. }, .. } = self
        else {
            return;
        };
        if budget.active > budget.joints {
            // the budget was lowered: all have to give
            stepping.iter().for_each(|i| articulations.simulation_at_mut(*i as usize).hurry());
            return;
        }
        let count = stepping.len();
        let period = stepping
            .iter()
            .map(|i| articulations.simulation_at(*i as usize).detail().update_every)
            .min()
            .unwrap_or(1);
        let mut room = count.div_ceil(2 * period.max(1) as usize);
        let free = budget.joints.saturating_sub(budget.active);
        let starving = free * 50 < budget.joints;
        let price = budget.price.unwrap_or(0.0);
        let in_need = |member: &Simulation| {
            let Some(region) = member.region().filter(|_| member.is_rested()) else { return false };
            let (has, wants) = (
                region.active().len().saturating_sub(region.never_frozen()),
                region.worths().at_least(price),
            );
            let much = |more: usize, less: usize| more > less + (less / 2).max(2);
            if starving { much(has, wants) } else { much(wants, has) }
        };
        for urgent in [true, false] {
            let first = stepping.partition_point(|i| (*i as usize) < budget.first);
            for at in (0..count).map(|i| (first + i) % count) {
                let i = stepping[at] as usize;
                let member = articulations.simulation_at_mut(i);
                if room == 0 {
                    return;
                }
                if !member.is_due() && if urgent { member.is_hurried() } else { in_need(member) } {
                    member.hurry();
                    budget.first = i + 1;
                    room -= 1;
                }
            }
        }
    }

    /// Before a step: every articulation whose turn it is may keep what it has, and what nobody has is shared among them. One that
    /// would move but has no joint gets one before others get more, at any price: what rests is worth less than what moves, and
    /// would hang in the air for ever.
    pub(super) fn share_out(&mut self) {
        self.count_first();
        self.count_woken();
        self.bring_forward();
        let Self {
            articulations, schedule: Schedule { budget: Some(budget), members, stepping, .. }, ..
        } = self
        else {
            return;
        };
        let (joints, price, taken) = (budget.joints, budget.price.unwrap_or(0.0), budget.active);
        let mut free = joints.saturating_sub(taken);
        let (may, have) =
            (joints.saturating_sub(budget.never_frozen), taken.saturating_sub(budget.never_frozen));
        let due = |i: &&u32| articulations.simulation_at(**i as usize).is_due();
        let turns = stepping.iter().filter(due).filter(|i| !members[**i as usize].starved).count();
        for i in stepping.iter().map(|i| *i as usize).filter(|i| members[*i].starved) {
            let member = articulations.simulation_at_mut(i);
            if member.is_due() {
                let one = free.min(1);
                free -= one;
                let fewest = member.region().map_or(0, Region::never_frozen);
                member.set_price(price, (fewest + one).min(member.model.moving_joints()));
            } else {
                // room that it had left has gone to others
                member.set_price(price, active(member));
            }
        }
        let fair = may / articulations.count().max(1);
        let mut turn = 0;
        for i in stepping.iter().map(|i| *i as usize).filter(|i| !members[*i].starved) {
            let member = articulations.simulation_at_mut(i);
            if !member.is_due() {
                // room that it had left has gone to others
                member.set_price(price, active(member));
                continue;
            }
            // what does not divide goes to the first
            let share = free / turns + usize::from(turn < free % turns);
            turn += 1;
            let fewest = member.region().map_or(0, Region::never_frozen);
            let mut keeps = active(member).saturating_sub(fewest);
            if taken > joints {
                keeps = keeps * may / have.max(1);
            } else if budget.starved > 0 && free == 0 && keeps > fair {
                keeps -= 1;
            }
            let most = active(member).min(fewest) + keeps + share;
            member.set_price(price, most.min(member.model.moving_joints()));
        }
    }

    /// Articulations are others: what was counted is void.
    pub(super) fn forget_counts(&mut self) {
        if let Some(budget) = &mut self.schedule.budget {
            budget.counted.clear();
        }
    }

    /// Counts anew what all articulations have, some of which were changed by hand; an error if joints that are never frozen are more than the
    /// budget then.
    pub(super) fn count_changed(&mut self) -> Result<(), DetailError> {
        let Schedule { budget: Some(budget), members, .. } = &mut self.schedule else { return Ok(()) };
        budget.count_joints(members);
        if budget.joints < budget.never_frozen {
            return Err(DetailError::TooFewJoints { wanted: budget.joints, held: budget.never_frozen });
        }
        Ok(())
    }

    /// Counts what all articulations have, if nobody has yet.
    fn count_first(&mut self) {
        let Self { articulations, schedule: Schedule { budget: Some(budget), members, .. }, .. } = self
        else {
            return;
        };
        if budget.counted.len() == members.len() {
            return;
        }
        budget.counted.clear();
        budget.counted.resize(members.len(), Worths::default());
        budget.updates.clear();
        budget.updates.resize(members.len(), 0);
        budget.worths.clear();
        for (id, simulation) in articulations.simulations() {
            budget.count_worths(id.index(), simulation);
        }
        budget.count_joints(members);
    }

    /// Counts the joints that pushes have woken since the last step, in the room that those articulations were given then.
    fn count_woken(&mut self) {
        let Self {
            articulations, schedule: Schedule { budget: Some(budget), members, stepping, .. }, ..
        } = self
        else {
            return;
        };
        for i in stepping.iter().map(|i| *i as usize) {
            let (before, now) = (members[i].active, active(articulations.simulation_at(i)) as u32);
            members[i].active = now;
            budget.active = budget.active + now as usize - before as usize;
        }
    }

    /// After a step: the price at which all that articulations would open, as of their last updates, is the budget.
    pub(super) fn settle_budget(&mut self) {
        let Self {
            articulations,
            schedule: Schedule { budget: Some(budget), members, stepping, viewer, .. },
            ..
        } = self
        else {
            return;
        };
        for i in stepping.iter().map(|i| *i as usize) {
            let simulation = articulations.simulation_at_mut(i);
            budget.count_worths(i, simulation);
            if viewer.is_some() || members[i].coupled {
                // who does not take the next step, or sleeps, keeps no room that others may be given in it
                simulation.set_price(budget.price.unwrap_or(0.0), active(simulation));
            }
        }
        budget.count_joints(members);
        budget.price = Some(budget.worths.price_of(budget.joints.saturating_sub(budget.never_frozen).max(1)));
    }
}

impl Budget {
    fn new(joints: usize) -> Self {
        Self {
            joints,
            price: None,
            first: 0,
            counted: Vec::new(),
            worths: Worths::default(),
            updates: Vec::new(),
            active: 0,
            never_frozen: 0,
            starved: 0,
        }
    }

    /// Counts joints that are active or never frozen, and who would move but has none.
    fn count_joints(&mut self, members: &[MemberSchedule]) {
        let sum = |of: &dyn Fn(&MemberSchedule) -> u32| members.iter().map(|m| of(m) as usize).sum();
        (self.active, self.never_frozen) = (sum(&|m| m.active), sum(&|m| m.never_frozen));
        self.starved = members.iter().filter(|m| m.starved).count();
    }

    /// Counts what a member's joints are worth, if that has changed.
    fn count_worths(&mut self, i: usize, member: &Simulation) {
        let Some(region) = member.region() else { return };
        let updates = 1 + region.totals().updates;
        if self.updates[i] == updates && updates > 1 {
            return;
        }
        self.updates[i] = updates;
        self.worths.subtract(&self.counted[i]);
        self.counted[i].clone_from(region.worths());
        self.worths.add(&self.counted[i]);
    }
}
