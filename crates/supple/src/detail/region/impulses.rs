//! Impulses on a body with frozen joints: those that they move wake at once (theory, section 8).

use crate::dynamics::integrate::{Load, Loads};
use crate::dynamics::{BodyState, State};
use crate::model::Link;
use crate::util::clock::Stopwatch;

use super::super::goal::Goal;
use super::super::motion_metric::{Cause, Search};
use super::super::scene::Scene;
use super::super::{Allowance, RegionReport};
use super::choose::{present_velocity, weigh};
use super::predict::try_joint;
use super::{Region, Update, locate};

/// What an impulse will truly give of what its points would give one by one: those of a manifold share the load, and a body that opens
/// gives way. It decides which joints stop so that others may open. Measured on 96 falls of a person with half of the joints, mean error
/// of the ends of limbs: 4.9 % of the height with this, 5.0 % with a third, 5.2 % with 1/30; on 24 of them 6 % where all of it counts.
const SHARED: f64 = 1.0 / 6.0;

impl Region {
    /// An impulse on bodies: wakes just the joints that it moves, as far as the detail allows, and changes velocities at once.
    pub(crate) fn push(&mut self, update: &mut Update<'_>, impulse: &Load) {
        let started = Stopwatch::start();
        let Update { model, detail, .. } = *update;
        let full = model.tree();
        let impulses = Loads { wrenches: std::slice::from_ref(impulse), ..Loads::default() };
        let worth = update.worth.as_deref();
        let goal = Goal::new(detail, full.links.len(), self.never_frozen.len(), 1.0, worth);
        let mut report = RegionReport::default();
        self.find_moved(update, &goal, &impulses, &mut report);
        report.times.metric = started.elapsed();

        // the jump of the body so opened
        let Self { transient, assembly, rigid, .. } = self;
        let (state, work) = (&mut *update.state, &mut *update.work);
        transient.mark(assembly);
        transient.build(full, assembly, rigid, &state.q);
        locate(transient, assembly, rigid, model, &impulses);
        report.transient = transient.active.len();
        work.jump(model, transient.tree(), &state.q, &impulses, None);
        for dof in transient.tree().links.iter().flat_map(Link::dofs) {
            state.v[dof] += work.rates[dof];
        }
        let selected = started.elapsed();
        report.times.select = selected - report.times.metric;

        report.velocity_left_out = self.choose(update, &goal, present_velocity);
        let chosen = started.elapsed();
        report.times.choose = chosen - selected;

        self.become_next(update, &mut report);
        self.still = None;
        // an impulse restarts the integrator, as at full detail
        update.state.memory.restart_joints(self.tree(model).links.iter().map(|l| l.id));
        report.times.rigidify = started.elapsed() - chosen;
        self.totals.add(&report);
        self.report = report;
    }

    /// Impulses that are about to act: wakes just the joints that they would move, as far as the detail allows, and leaves velocities
    /// to the solver of the impulses on the body so opened. Where there is no room for all of them, those that move most are
    /// active then, and others stop. Whether any woke.
    pub(crate) fn wake(&mut self, update: &mut Update<'_>, impulses: &[Load]) -> bool {
        let Update { model, detail, .. } = *update;
        let impulses = Loads { wrenches: impulses, ..Loads::default() };
        let full = model.tree();
        let worth = update.worth.as_deref();
        let mut goal = Goal::new(detail, full.links.len(), self.never_frozen.len(), 1.0, worth);
        goal.velocity.joints = goal.velocity.joints.saturating_add(detail.impact_extra);
        if detail.tries.is_none() {
            // an impact may move all that can be active
            goal.acceleration.joints = goal.acceleration.joints.max(goal.velocity.joints);
        }
        let mut report = RegionReport::default();
        self.find_moved(update, &goal, &impulses, &mut report);
        if self.transient.active.len() == self.now.active.len() {
            return false;
        }

        let Self { transient, assembly, rigid, .. } = self;
        let q = &update.state.q;
        transient.mark(assembly);
        transient.build(full, assembly, rigid, q);
        report.transient = transient.active.len();
        if report.transient <= goal.velocity.joints + self.never_frozen.len() {
            self.next.active.copy_from(&self.transient.active);
        } else {
            // not all of them: those that move most
            locate(transient, assembly, rigid, model, &impulses);
            update.work.jump(model, transient.tree(), q, &impulses, None);
            // a number of joints is all that counts: what the next update would not keep may serve until then
            goal.velocity = Allowance { error: 0.0, price: 0.0, ..goal.velocity };
            let moved = |state: &State, jumps: &[f64], dof: usize| {
                let (v, jump) = (state.v[dof], jumps[dof]);
                (v * v + (SHARED * jump) * (SHARED * jump)).sqrt()
            };
            report.velocity_left_out = self.choose(update, &goal, moved);
            if self.next.active.members() == self.now.active.members() {
                return false;
            }
        }
        self.become_next(update, &mut report);
        self.still = None;
        self.totals.add(&report);
        self.report = report;
        true
    }

    /// Joints that impulses move most, into the transient region, with those that are active.
    fn find_moved(
        &mut self,
        update: &mut Update<'_>,
        goal: &Goal,
        impulses: &Loads,
        report: &mut RegionReport,
    ) {
        let Update { model, detail, loads, .. } = *update;
        self.locate(model, impulses);
        if let Some(worth) = &mut update.worth {
            worth.begin_update(&self.assembled(model), &self.now, &update.state.q);
        }
        let Self { now, transient, assembly, rigid, weights, keep, selector, metric, drives, ahead, .. } =
            self;
        transient.active.copy_from(&now.active);
        let (q, v) = (&update.state.q[..], &update.state.v[..]);
        drives.set(&BodyState { model, tree: model.tree(), q, v }, loads);
        let scene = Scene { model, assembly, rigid, weights, q, v, loads: impulses, drives, ahead: *ahead };
        let search = Search {
            of: Cause::Impulses,
            detail,
            // velocity jumps count as velocities do
            allowed: Allowance { joints: goal.acceleration.joints, ..goal.velocity },
            judge: |link, room| try_joint(transient, keep, link, room),
            weigh: weigh(&mut update.worth, scene.assembled(), now, 1.0),
            selector,
        };
        metric.select(&scene, now, search, update.work, report);
    }
}
