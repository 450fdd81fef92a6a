//! Steps with a guaranteed error, in which no joint ever stops.

use crate::dynamics::BodyState;
use crate::dynamics::integrate::{StepReport, position};
use crate::model::LinkId;
use crate::util::clock::Stopwatch;

use super::super::goal::Goal;
use super::super::motion_metric::{Cause, Search};
use super::super::scene::Scene;
use super::super::select::Verdict;
use super::super::{Keep, RegionReport};
use super::{Region, Update};

impl Region {
    /// One step of `dt` \[s] in the guaranteed mode: accelerations of the whole body for the joints that the error asks for, none for the
    /// others, and no joint ever stops. Semi-implicit. Whoever looks is not asked: the error is one of accelerations.
    pub(crate) fn guaranteed_step(&mut self, update: &mut Update<'_>, dt: f64) -> StepReport {
        let started = Stopwatch::start();
        let Update { model, detail, loads, .. } = *update;
        let full = model.tree();
        let goal = Goal::new(detail, full.links.len(), self.never_frozen.len(), dt, None);
        let mut report = RegionReport::default();
        self.locate(model, loads);
        self.ahead = dt;

        // --- joints that the error asks for ---
        let Self { now, next, assembly, rigid, weights, selector, metric, keep, opened, drives, .. } = self;
        next.active.copy_from(&now.active);
        opened.clear();
        let open = |link: LinkId, _: bool| {
            if keep.get(link.index()) != Some(&Keep::Rigid) && next.active.insert(link.0) {
                opened.push(link);
            }
            Verdict::Free
        };
        let (q, v) = (&update.state.q[..], &update.state.v[..]);
        drives.set(&BodyState { model, tree: full, q, v }, loads);
        let scene = Scene { model, assembly, rigid, weights, q, v, loads, drives, ahead: dt };
        let search = Search {
            of: Cause::Loads,
            detail,
            allowed: goal.acceleration,
            judge: open,
            weigh: |_, metric| metric,
            selector,
        };
        metric.select(&scene, now, search, update.work, &mut report);
        report.times.metric = started.elapsed();

        // --- their velocities; joints that were active are open, and accelerate too ---
        let state = &mut *update.state;
        opened.extend(now.active.members().iter().map(|i| LinkId(*i)));
        for dof in opened.iter().flat_map(|link| full.links[link.index()].dofs()) {
            state.v[dof] += dt * update.work.rates[dof];
        }
        // what was opened but did not move may as well be rigid
        report.transient = next.active.len();
        next.active.clear();
        let moves = |link: &LinkId| state.v[full.links[link.index()].dofs()].iter().any(|v| *v != 0.0);
        for link in opened.iter().copied().filter(moves).chain(self.never_frozen.iter().copied()) {
            next.active.insert(link.0);
        }

        // --- positions ---
        self.become_next(update, &mut report);
        self.still = None;
        report.times.rigidify = started.elapsed() - report.times.metric;
        update.work.backup.save_woken(self.tree(model), update.state);
        position::advance_in_place(self.tree(model), &mut update.state.q, &update.state.v, dt);
        self.totals.add(&report);
        self.report = report;
        StepReport { sweeps: 1, substeps: 1, capped: false }
    }
}
