//! One budget of joints for many bodies: a price for all of them.
//!
//! What a joint is worth is the square of the velocity that it will have at its body's next update. The price λ is the one at
//! which all bodies together would open as many joints as there are in the budget, by what theirs were worth at their last
//! updates. In its turn a body opens what is worth more than λ, and no more than is left: the sum never exceeds the budget.
//! [`choose_together`](crate::adaptive::choose_together), one queue over all bodies at once, is the reference.

use crate::Crowd;
use crate::adaptive::{Detail, DetailError, Keep, Region, Target, Worths};
use crate::model::Model;
use crate::simulation::Simulation;

/// A number of joints for all members together, and the price that keeps it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Budget {
    joints: usize,
    /// λ: what a joint must be worth to be active \[rad²/s²]; not known before the first step.
    price: Option<f64>,
    /// The member that comes first when updates are brought forward.
    first: usize,
}

impl Crowd {
    /// At most so many active joints in all members together, spent where joints move most; `None`: every member has its own
    /// detail, as it is. Members take turns with their updates.
    ///
    /// There is one price for all: in its turn a member opens what is worth more than that, and the price is the one at which
    /// that is the budget; the sum never exceeds it. How members choose (rule, period, metric) is in their own details.
    pub fn set_budget(&mut self, joints: Option<usize>) -> Result<(), DetailError> {
        let Some(joints) = joints else {
            self.budget = None;
            for (member, own) in self.members.iter_mut().zip(self.own.drain(..)) {
                member.patient = false;
                member.set_detail(own)?;
            }
            return Ok(());
        };
        let all: usize = self.members.iter().map(|m| m.model.moving_joints()).sum();
        let never_frozen: usize = self.members.iter().map(|m| held(&m.model, m.detail())).sum();
        if joints > all {
            return Err(DetailError::TooManyJoints { wanted: joints, joints: all });
        }
        if joints < never_frozen {
            return Err(DetailError::TooFewJoints { wanted: joints, held: never_frozen });
        }
        self.share_assemblies();
        if self.budget.is_none() {
            self.own = self.members.iter().map(|m| m.detail().clone()).collect();
        }
        for (i, member) in self.members.iter_mut().enumerate() {
            let detail = member.detail();
            let most = held(&member.model, detail).min(member.model.moving_joints());
            let phase = (i as u32) % detail.update_every;
            let target = Target::Price { price: 0.0, most };
            member.set_detail(Detail { target, phase, ..detail.clone() })?;
            member.patient = true;
        }
        self.budget = Some(Budget { joints, price: None, first: 0 });
        Ok(())
    }

    /// The budget, if there is one.
    pub fn budget(&self) -> Option<usize> {
        self.budget.map(|b| b.joints)
    }

    /// λ: what a joint must be worth to be active \[rad²/s² or m²/s²]; `None` without budget and before the first step.
    pub fn price(&self) -> Option<f64> {
        self.budget?.price
    }

    /// Active joints of all members.
    pub fn active_joints(&self) -> usize {
        self.members.iter().map(active).sum()
    }

    /// Updates out of turn, in a step half as many as there are regular ones, so that no step is much longer than the
    /// others: of members whose loads have changed much; then, while there is room, of those that would open more; while
    /// there is none, of those that hold joints worth less than the price.
    fn bring_forward(&mut self) {
        let Some(budget) = &mut self.budget else { return };
        let count = self.members.len();
        let period = self.members.iter().map(|m| m.detail().update_every).min().unwrap_or(1);
        let mut room = count.div_ceil(2 * period.max(1) as usize);
        let free = budget.joints.saturating_sub(self.members.iter().map(active).sum());
        let starving = free * 50 < budget.joints;
        let price = budget.price.unwrap_or(0.0);
        let in_need = |member: &Simulation| {
            let Some(region) = member.region().filter(|_| member.is_rested()) else { return false };
            let (has, wants) =
                (region.active().len().saturating_sub(region.held()), region.worths().at_least(price));
            let much = |more: usize, less: usize| more > less + (less / 2).max(2);
            if starving { much(has, wants) } else { much(wants, has) }
        };
        for urgent in [true, false] {
            let first = budget.first;
            for i in (0..count).map(|i| (first + i) % count) {
                let member = &self.members[i];
                if room == 0 {
                    return;
                }
                if !member.is_due() && if urgent { member.is_hurried() } else { in_need(member) } {
                    self.members[i].hurry();
                    budget.first = (i + 1) % count;
                    room -= 1;
                }
            }
        }
    }

    /// Before a step: every member whose turn it is may keep what it has, and what nobody has is shared among them. A member that
    /// would move but has no joint gets one before others get more, at any price: what rests is worth less than what moves, and
    /// would hang in the air for ever.
    pub(crate) fn share_out(&mut self) {
        self.bring_forward();
        let Some(Budget { joints, price, .. }) = self.budget else { return };
        let taken = self.active_joints();
        let mut free = joints.saturating_sub(taken);
        let never_frozen: usize = self.members.iter().filter_map(|m| m.region()).map(Region::held).sum();
        let (may, have) = (joints.saturating_sub(never_frozen), taken.saturating_sub(never_frozen));
        let needy = self.members.iter().filter(|m| is_needy(m)).count();
        for member in self.members.iter_mut().filter(|m| m.is_due() && is_needy(m)) {
            let one = free.min(1);
            free -= one;
            let held = member.region().map_or(0, Region::held);
            member.set_price(price.unwrap_or(0.0), (held + one).min(member.model.moving_joints()));
        }
        let turns = self.members.iter().filter(|m| m.is_due() && !is_needy(m)).count();
        let fair = may / self.members.len().max(1);
        for (turn, member) in self.members.iter_mut().filter(|m| m.is_due() && !is_needy(m)).enumerate() {
            // what does not divide goes to the first
            let share = free / turns + usize::from(turn < free % turns);
            let held = member.region().map_or(0, Region::held);
            let mut keeps = active(member).saturating_sub(held);
            if taken > joints {
                // the budget was lowered: all have to give
                keeps = keeps * may / have.max(1);
            } else if needy > 0 && free == 0 && keeps > fair {
                keeps -= 1;
            }
            let most = active(member).min(held) + keeps + share;
            member.set_price(price.unwrap_or(0.0), most.min(member.model.moving_joints()));
        }
    }

    /// After a step: the price at which all that members would open, as of their last updates, is the budget.
    pub(crate) fn set_price(&mut self) {
        let Some(budget) = &mut self.budget else { return };
        let (mut worths, mut held) = (Worths::default(), 0);
        for region in self.members.iter().filter_map(|m| m.region()) {
            worths.add(region.worths());
            held += region.held();
        }
        budget.price = Some(worths.price_of(budget.joints.saturating_sub(held).max(1)));
    }
}

/// Active joints of a member; before its first step at less than full detail those that are never frozen.
fn active(member: &Simulation) -> usize {
    match member.region() {
        Some(region) => region.active().len(),
        None if member.detail().is_full() => member.model.moving_joints(),
        None => held(&member.model, member.detail()),
    }
}

/// Whether a member would move, and has no joint to do it with.
fn is_needy(member: &Simulation) -> bool {
    let needs =
        |region: &Region| region.active().len() <= region.held() && region.report().acceleration > 0.0;
    member.region().is_some_and(needs)
}

/// Joints that are never frozen.
fn held(model: &Model, detail: &Detail) -> usize {
    let bases = model.tree().links.iter().filter(|link| link.floats()).count();
    let mut kept: Vec<_> =
        detail.keep.iter().filter(|(_, keep)| *keep == Keep::Active).map(|(j, _)| *j).collect();
    kept.sort_unstable();
    kept.dedup();
    bases + kept.len()
}
