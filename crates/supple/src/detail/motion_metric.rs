//! Two ways to know the acceleration metric, one answer: which joints would move most.
//!
//! A sweep over the whole body costs less for bodies of some hundred joints, the assembly tree for larger ones, which it does
//! not visit. Both tell the same metric (tests), so both lead to the same joints.

use crate::dynamics::integrate::{Loads, Workspace};
use crate::model::LinkId;

use super::cost;
use super::hybrid::Hybrid;
use super::metric_by_assembly::MetricByAssembly;
use super::metric_by_sweep::MetricBySweep;
use super::scene::Scene;
use super::select::{Allowance, NOISE, Selector, Verdict};
use super::{Detail, Metric, NodeId, RegionReport};

/// A search for the joints that move most, from the root of the assembly tree down.
pub(super) struct Search<'a, J, W> {
    /// What moves them.
    pub(super) of: Cause,
    /// What the user asks for.
    pub(super) detail: &'a Detail,
    /// How many may be tried, or how much may be left out.
    pub(super) allowed: Allowance,
    /// Takes joints, or leaves them: told the joint, and whether there is room.
    pub(super) judge: J,
    /// What a metric is worth in a node.
    pub(super) weigh: W,
    /// The queue.
    pub(super) selector: &'a mut Selector,
}

/// What moves the joints.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cause {
    /// Loads, for the time of a step: accelerations.
    Loads,
    /// Impulses, which a scene has as its loads: velocity jumps.
    Impulses,
}

/// The acceleration metric of one body.
#[derive(Clone, Debug, Default)]
pub(super) struct MotionMetric {
    prepared: bool,
    /// Some link has no inverse inertia.
    impossible: bool,
    by_sweep: MetricBySweep,
    by_assembly: Option<Box<MetricByAssembly>>,
}

impl MotionMetric {
    /// Where the assembly tree is asked for, or may pay, all parts of the body freeze once.
    fn prepare(&mut self, scene: &Scene<'_>, detail: &Detail) {
        if std::mem::replace(&mut self.prepared, true) {
            return;
        }
        let wanted = match detail.metric {
            Metric::Auto => cost::assembly_may_pay(scene.model.tree().links.len(), &detail.target),
            Metric::Direct => false,
            Metric::Assembly => true,
        };
        self.by_assembly = wanted.then(|| MetricByAssembly::new(scene).ok().map(Box::new)).flatten();
        self.impossible = wanted && self.by_assembly.is_none();
    }

    /// Whether all is kept that may pay for a target.
    pub(super) fn serves(&self, joints: usize, detail: &Detail) -> bool {
        let fine = !self.prepared || self.impossible || self.by_assembly.is_some();
        fine || detail.metric == Metric::Direct || !cost::assembly_may_pay(joints, &detail.target)
    }

    /// What the assembly tree knows, if it is kept.
    pub(super) fn by_assembly(&mut self) -> Option<&mut MetricByAssembly> {
        self.by_assembly.as_deref_mut()
    }

    /// Searches the body `now`. Accelerations (or jumps) of all joints that were opened are left in `work.rates`. The bodies that carry loads
    /// must have been located in `now`.
    pub(super) fn select(
        &mut self,
        scene: &Scene<'_>,
        now: &Hybrid,
        search: Search<'_, impl FnMut(LinkId, bool) -> Verdict, impl FnMut(NodeId, f64) -> f64>,
        work: &mut Workspace,
        report: &mut RegionReport,
    ) {
        self.prepare(scene, search.detail);
        let asked = search.detail.metric == Metric::Assembly;
        let by_assembly = self.by_assembly.as_mut().filter(|_| asked || pays(scene, now, search.allowed));
        // --- the direct way ---
        let Some(by_assembly) = by_assembly else {
            report.metric = Metric::Direct;
            report.visited = scene.assembly.nodes().len();
            report.acceleration = match search.of {
                Cause::Loads => self.by_sweep.begin(scene, work),
                Cause::Impulses => self.by_sweep.begin_impulses(scene, work),
            };
            let Search { allowed, judge, weigh, selector, .. } = search;
            let mut worth = above_rounding(report.acceleration, weigh);
            let whole = scene.assembly.root().map_or(0.0, |root| worth(root, report.acceleration));
            let expand =
                |node| self.by_sweep.expand(scene.assembly, node).map(|part| weighed(part, &mut worth));
            report.worth = whole;
            report.acceleration_left_out = selector.greedy(scene.assembly, whole, allowed, judge, expand);
            return;
        };
        // --- the way of the assembly tree ---
        report.metric = Metric::Assembly;
        if by_assembly.ahead() != scene.ahead && (scene.model.has_passive() || !scene.drives.all().is_empty())
        {
            by_assembly.freeze_all(scene);
        }
        by_assembly.refreeze_changed(scene, now);
        let Workspace { kinematics, wrenches, rates, .. } = work;
        kinematics.update_without_bias(now.tree(), scene.q, scene.v);
        let Loads { wrenches: loads, springs, .. } = *scene.loads;
        wrenches.set_on_links(scene.model, now.tree(), kinematics, loads, springs);
        report.acceleration = match search.of {
            Cause::Loads => by_assembly.begin(scene, now, kinematics, wrenches.entries()),
            Cause::Impulses => by_assembly.begin_impulses(scene, now, kinematics, wrenches.entries()),
        };
        rates.resize(scene.model.nv(), 0.0);
        by_assembly.select(scene, now, search, rates, report);
    }
}

impl MetricByAssembly {
    /// Searches the body `now`, whose coefficients have been found.
    fn select(
        &mut self,
        scene: &Scene<'_>,
        now: &Hybrid,
        search: Search<'_, impl FnMut(LinkId, bool) -> Verdict, impl FnMut(NodeId, f64) -> f64>,
        rates_of_all: &mut [f64],
        report: &mut RegionReport,
    ) {
        let Search { allowed, judge, weigh, selector, .. } = search;
        let (assembly, tree) = (scene.assembly, scene.model.tree());
        let mut set = |link: LinkId, rates: &[f64; 6]| {
            let dofs = tree.links[link.index()].dofs();
            let count = dofs.len();
            rates_of_all[dofs].copy_from_slice(&rates[..count]);
        };
        self.open_rates(assembly, now).for_each(|(link, rates)| set(link, rates));
        let mut worth = above_rounding(report.acceleration, weigh);
        let whole = assembly.root().map_or(0.0, |root| worth(root, report.acceleration));
        let expand = |node| {
            let (parts, rates) = self.expand(scene, now, node);
            if let Some(link) = assembly.node(node).joint() {
                set(link, &rates);
            }
            parts.map(|part| weighed(part, &mut worth))
        };
        report.worth = whole;
        report.acceleration_left_out = selector.greedy(assembly, whole, allowed, judge, expand);
        (report.visited, report.force_region) = (self.visited(), self.force_region());
    }
}

/// What nodes are worth, but for those whose metric is rounding.
fn above_rounding(whole: f64, mut weigh: impl FnMut(NodeId, f64) -> f64) -> impl FnMut(NodeId, f64) -> f64 {
    move |node, metric| if metric > NOISE * whole { weigh(node, metric) } else { 0.0 }
}

fn weighed(part: Option<(NodeId, f64)>, worth: &mut impl FnMut(NodeId, f64) -> f64) -> Option<(NodeId, f64)> {
    part.map(|(node, metric)| (node, worth(node, metric)))
}

fn pays(scene: &Scene<'_>, now: &Hybrid, allowed: Allowance) -> bool {
    let loads = scene.loads;
    cost::assembly_pays(&cost::Work {
        joints: scene.model.tree().links.len(),
        depth: scene.assembly.depth(),
        open: now.nodes().len(),
        tries: allowed.joints,
        forced: loads.wrenches.len() + loads.springs.len() + loads.driven.len() + scene.drives.all().len(),
    })
}
