//! The update from top to bottom: a joint moves, stops, or stands still until the next one.

use crate::dynamics::integrate::{Loads, Workspace};
use crate::dynamics::{BodyState, State};
use crate::model::{LinkId, Model};
use crate::util::clock::Stopwatch;

use super::super::goal::Goal;
use super::super::select::NOISE;
use super::super::worth::Worth;
use super::super::{Detail, Keep, LeftOut, RegionReport, Target};
use super::choose::{is_free, present_velocity, weigh};
use super::{Region, Still, locate};

/// What a change of the active region is about: a body and its state, what acts on it, what is asked for, and who looks.
pub(crate) struct Update<'a> {
    /// The model.
    pub(crate) model: &'a Model,
    /// What the user asks for.
    pub(crate) detail: &'a Detail,
    /// Where the body is: velocities change where joints stop.
    pub(crate) state: &'a mut State,
    /// What acts on it.
    pub(crate) loads: &'a Loads<'a>,
    /// Who says what nodes are worth, if anybody looks.
    pub(crate) worth: Option<&'a mut dyn Worth>,
    /// Scratch.
    pub(crate) work: &'a mut Workspace,
}

impl Region {
    /// Chooses the active joints anew, at the start of a step of `dt` \[s]; `boldly` tries as many joints as may be active. `pushed`: loads
    /// have forces with which contacts or constraints answered the body as it was.
    pub(crate) fn update(&mut self, update: &mut Update<'_>, dt: f64, boldly: bool, pushed: bool) {
        let mut report = RegionReport::default();
        let mut changed = self.choose_anew(update, dt, boldly, pushed, &mut report);
        if changed && self.now.active.len() <= self.never_frozen.len() {
            // all of it stopped: other forces act on a body at rest than on the one that moved, which is what was looked at
            report = RegionReport {
                stopped: report.stopped,
                kinetic_lost: report.kinetic_lost,
                times: report.times,
                ..Default::default()
            };
            changed = self.choose_anew(update, dt, boldly, pushed, &mut report);
        }
        if changed || !self.rests(update.model, &update.state.v) {
            self.still = None;
        }
        self.totals.add(&report);
        self.report = report;
    }

    /// Evaluates the metric at the present state and chooses the active joints; whether velocities changed by that.
    fn choose_anew(
        &mut self,
        update: &mut Update<'_>,
        dt: f64,
        boldly: bool,
        pushed: bool,
        report: &mut RegionReport,
    ) -> bool {
        // --- what is to be reached, and what is seen of the body ---
        let started = Stopwatch::start();
        let goal = self.goal(update, dt, boldly);
        let looked = started.elapsed();

        // --- what every joint would do, and which are tried ---
        self.ahead = goal.ahead;
        self.predict(update, &goal, report);
        let mut accelerates = self.sum_of_free(update.model, &update.state.q, &update.work.rates);
        let predicted = started.elapsed();
        self.try_joints(update, report);
        if pushed || self.keep.contains(&Keep::Rigid) {
            // the whole body has joints that will never be active, or that do not know the forces that hold it: those that were
            // tried move as they do without them
            accelerates = self.sum_of_free(update.model, &update.state.q, &update.work.rates);
        }
        let selected = started.elapsed();

        // --- which of them become active ---
        // a joint that was just woken is judged by what it will have gained until the next update (section 9)
        let at_next_update =
            |state: &State, rates: &[f64], dof: usize| state.v[dof] + goal.ahead * rates[dof];
        report.velocity_left_out = self.choose(update, &goal, at_next_update);
        let left = self.stay_in_motion(update, &goal, accelerates, report);
        let chosen = started.elapsed();

        // --- the others stop ---
        let changed = self.become_next(update, report);
        self.still = Some(Still { acceleration: report.acceleration, left });
        let times = &mut report.times;
        times.look += looked;
        times.metric += predicted - looked;
        times.select += selected - predicted;
        times.choose += chosen - selected;
        times.rigidify += started.elapsed() - chosen;
        changed
    }

    /// What an update is to reach before a step of `dt` \[s]; who looks, looks.
    fn goal(&self, update: &mut Update<'_>, dt: f64, boldly: bool) -> Goal {
        let Update { model, detail, .. } = *update;
        if let Some(worth) = &mut update.worth {
            worth.set_idle(matches!(detail.target, Target::Error { .. }));
        }
        let (joints, worth) = (model.tree().links.len(), update.worth.as_deref());
        let mut goal = Goal::new(detail, joints, self.never_frozen.len(), dt, worth);
        if let Some(worth) = &mut update.worth {
            worth.set_dt(dt);
            worth.begin_update(&self.assembled(model), &self.now, &update.state.q);
        }
        if boldly && detail.tries.is_none() {
            goal.acceleration.joints = goal.acceleration.joints.max(goal.velocity.joints);
        }
        goal
    }

    /// Accelerations of the body with all joints that are active or tried, into `update.work.rates`.
    fn try_joints(&mut self, update: &mut Update<'_>, report: &mut RegionReport) {
        let Update { model, loads, .. } = *update;
        let (q, v) = (&update.state.q[..], &update.state.v[..]);
        let Self { transient, assembly, rigid, ahead, .. } = self;
        transient.mark(assembly);
        transient.build(model.tree(), assembly, rigid, q);
        locate(transient, assembly, rigid, model, loads);
        report.transient = transient.active.len();
        update.work.accelerate(&BodyState { model, tree: transient.tree(), q, v }, loads, *ahead);
    }

    /// Where the choice would leave no joint in motion, whether that is what was asked for: a joint at its turning point has no velocity to
    /// show at the next update, and one that is slow may have all the acceleration that there is. Then joints stay active by their
    /// present velocities, or all that were tried. `accelerates`: 𝒜 of the joints that were tried or are active. What of the
    /// accelerations is left out where no joint is active.
    fn stay_in_motion(
        &mut self,
        update: &mut Update<'_>,
        goal: &Goal,
        accelerates: f64,
        report: &mut RegionReport,
    ) -> f64 {
        let Update { model, detail, .. } = *update;
        let freezes = |region: &Self| region.next.active.len() <= region.never_frozen.len();
        if !freezes(self) {
            return 0.0;
        }
        let moves = self.sum_of_free(model, &update.state.q, &update.state.v);
        if self.worth_of_whole(update, 1.0, moves) > goal.velocity.error {
            report.velocity_left_out = self.choose(update, goal, present_velocity);
        }
        let gained = goal.ahead * goal.ahead;
        let left = report.acceleration_left_out + self.worth_of_whole(update, gained, accelerates);
        let bounded = matches!(detail.target, Target::Error { .. } | Target::Pixels { .. });
        if bounded && freezes(self) && left > goal.acceleration.error.max(NOISE * report.worth) {
            let Self { transient, next, keep, .. } = self;
            for link in transient.active.members().iter().map(|i| LinkId(*i)) {
                if is_free(model.tree(), keep, link) {
                    next.active.insert(link.0);
                    report.velocity_left_out = LeftOut::default();
                }
            }
        }
        left
    }

    /// What the whole body is worth with this metric, of velocities that are `gained` times it.
    fn worth_of_whole(&self, update: &mut Update<'_>, gained: f64, metric: f64) -> f64 {
        let body = self.assembled(update.model);
        let mut worth = weigh(&mut update.worth, body, &self.now, gained);
        body.assembly.root().map_or(0.0, |root| worth(root, metric))
    }
}
