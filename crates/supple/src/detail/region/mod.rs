//! The active region: which joints are simulated now, and its update (theory, section 11).
//!
//! ```text
//!  plain step                          update, before the step whose turn it is
//!  one step on the reduced tree        metric          what would every joint do?   by a sweep, or by the assembly tree
//!                                      select by 𝒜     priority queue over the assembly tree: joints to be tried
//!                                      transient tree  accelerations of the body with active and tried joints
//!                                      choose by 𝒱     rule tree / free / split, velocities as they will be at the next update
//!                                      rigidify        momenta projected on the new reduced tree; parts freeze
//! ```
//!
//! The paper updates velocities on the transient tree, stops joints, and then updates positions. Here joints stop first and
//! the new active region takes the whole step: to first order in dt the same motion, but any integrator serves, and joints
//! that were tried in vain have not moved, so that nothing of them must be computed anew.
//!
//! ```text
//!  update       the outline above;   predict: its first half, choose: by 𝒱, become_next: its end
//!  impulses     what acts at once wakes the joints that it moves
//!  guaranteed   steps in which no joint ever stops
//! ```

mod become_next;
mod choose;
mod guaranteed;
mod impulses;
mod predict;
mod update;

use std::sync::Arc;

use crate::dynamics::State;
use crate::dynamics::actuator::Drives;
use crate::dynamics::integrate::Loads;
use crate::model::{Link, LinkId, Member, Model, Tree};
use crate::util::SparseSet;

use super::assembly::rigid::RigidParts;
use super::assembly::weights::Weights;
use super::hybrid::Hybrid;
use super::motion_metric::MotionMetric;
use super::region_report::{RegionReport, RegionTotals};
use super::worth::{Assembled, Worth};
use super::{AssemblyTree, Detail, Keep, Rigidifier, Selector, Target, Worths};

pub(crate) use update::Update;

/// A body at rest, as an update saw it.
#[derive(Clone, Copy, Debug)]
struct Still {
    /// 𝒜 of the whole body.
    acceleration: f64,
    /// What of it joints that are not active leave out, in the unit of the error that is asked for.
    left: f64,
}

/// The active joints of one body, and what is needed to step and to change them.
#[derive(Clone, Debug)]
pub struct Region {
    assembly: Arc<AssemblyTree>,
    weights: Arc<Weights>,
    /// Joints that the user keeps active or frozen, by link; empty while there are none.
    keep: Vec<Keep>,
    /// Links that stay active.
    never_frozen: Vec<LinkId>,
    rigid: RigidParts,
    now: Hybrid,
    metric: MotionMetric,
    /// Time for which the metric looks ahead \[s]; 0 before the first update.
    ahead: f64,
    /// What the last update saw of a body that it found at rest and left so; `None` where joints moved or stopped since.
    still: Option<Still>,
    /// What joints were worth at the last update.
    worths: Worths,
    report: RegionReport,
    totals: RegionTotals,
    // --- scratch of the update ---
    transient: Hybrid,
    next: Hybrid,
    opened: Vec<LinkId>,
    /// What actuators do, on frozen joints too.
    drives: Drives,
    selector: Selector,
    rigidifier: Rigidifier,
}

impl Region {
    /// All joints of a body frozen but those that move, were active in `state`, or must be; until the first update.
    pub fn new(
        model: &Model,
        assembly: Arc<AssemblyTree>,
        weights: Arc<Weights>,
        detail: &Detail,
        state: &State,
    ) -> Self {
        let tree = model.tree();
        let links = &tree.links;
        let mut keep = Vec::new();
        if !detail.keep.is_empty() {
            keep.resize(links.len(), Keep::Free);
        }
        for (joint, wish) in &detail.keep {
            if let Some(link) = model.joints().get(joint.index()).and_then(|j| j.link) {
                keep[link.index()] = *wish;
            }
        }
        let stays = |i: &usize| links[*i].floats() || keep.get(*i) == Some(&Keep::Active);
        let never_frozen: Vec<LinkId> = (0..links.len()).filter(stays).map(LinkId::new).collect();
        let mut now = Hybrid::new(tree, &assembly);
        for (i, link) in links.iter().enumerate() {
            if state.v[link.dofs()].iter().any(|v| *v != 0.0) {
                now.active.insert(i as u32);
            }
        }
        for link in never_frozen.iter().chain(&state.active).filter(|link| link.index() < links.len()) {
            now.active.insert(link.0);
        }
        let rigid = RigidParts::new(tree, &assembly, &state.q);
        now.mark(&assembly);
        now.build(tree, &assembly, &rigid, &state.q);
        let report =
            RegionReport { active: now.active.len(), groups: now.tree().links.len(), ..Default::default() };
        Self {
            transient: Hybrid::new(tree, &assembly),
            next: Hybrid::new(tree, &assembly),
            keep,
            never_frozen,
            rigid,
            now,
            metric: MotionMetric::default(),
            ahead: 0.0,
            still: None,
            worths: Worths::default(),
            report,
            totals: RegionTotals::default(),
            opened: Vec::new(),
            drives: Drives::default(),
            selector: Selector::default(),
            rigidifier: Rigidifier::default(),
            assembly,
            weights,
        }
    }

    /// The assembly tree, which bodies of the same model may share.
    pub fn assembly(&self) -> &Arc<AssemblyTree> {
        &self.assembly
    }

    /// The rigid groups and the joints between them; the model's own tree when all joints are active.
    pub fn tree<'a>(&'a self, model: &'a Model) -> &'a Tree {
        if self.now.active.len() == model.tree().links.len() { model.tree() } else { self.now.tree() }
    }

    /// Whether nothing moves, and nothing will while loads stay as they are: the last update found the body at rest, as it still is, and
    /// no joint is active, or those that are have no acceleration. Then neither steps nor updates change anything. A world may lower the
    /// error that `target` allows between updates.
    pub(crate) fn is_asleep(&self, target: &Target, model: &Model, v: &[f64]) -> bool {
        let stays = |still: Still| {
            let allowed = if let Target::Pixels { error } = *target { error } else { f64::INFINITY };
            still.acceleration == 0.0 || (self.now.active.is_empty() && still.left <= allowed)
        };
        self.still.is_some_and(stays) && self.rests(model, v)
    }

    /// Whether no active joint moves.
    fn rests(&self, model: &Model, v: &[f64]) -> bool {
        let rests = |link: &Link| v[link.dofs()].iter().all(|v| *v == 0.0);
        self.tree(model).links.iter().all(rests)
    }

    /// Whether it can go on with another detail, all else the same.
    pub(crate) fn serves(&self, model: &Model, detail: &Detail) -> bool {
        self.metric.serves(model.tree().links.len(), detail)
    }

    /// The links whose joints are active, ascending.
    pub fn active(&self) -> &SparseSet {
        self.now.active()
    }

    /// Open nodes, pieces and groups.
    pub fn hybrid(&self) -> &Hybrid {
        &self.now
    }

    /// What the last update did.
    pub fn report(&self) -> &RegionReport {
        &self.report
    }

    /// What the joints that the last update looked at were worth, those that are never frozen not counted.
    pub fn worths(&self) -> &Worths {
        &self.worths
    }

    /// Whether a viewer sees so much more of it than at the last update that joints should be chosen anew.
    pub(crate) fn has_come_into_view(&self, model: &Model, q: &[f64], watch: &mut dyn Worth) -> bool {
        watch.has_come_into_view(&self.assembled(model), &self.now, q)
    }

    /// Joints that are never frozen.
    pub(crate) fn never_frozen(&self) -> usize {
        self.never_frozen.len()
    }

    /// Sums over all updates.
    pub fn totals(&self) -> &RegionTotals {
        &self.totals
    }

    /// Where a link of the full tree is among the groups.
    pub(crate) fn member(&self, link: LinkId) -> Member {
        self.now.member(&self.assembly, &self.rigid, link)
    }

    /// The body as the assembly tree puts it together.
    fn assembled<'a>(&'a self, model: &'a Model) -> Assembled<'a> {
        Assembled { tree: model.tree(), assembly: &self.assembly, rigid: &self.rigid }
    }

    /// Finds where the bodies are that carry loads.
    pub(crate) fn locate(&mut self, model: &Model, loads: &Loads) {
        locate(&mut self.now, &self.assembly, &self.rigid, model, loads);
    }
}

fn locate(hybrid: &mut Hybrid, assembly: &AssemblyTree, rigid: &RigidParts, model: &Model, loads: &Loads) {
    loads.for_each_link(model, |link| hybrid.locate(assembly, rigid, link));
}
