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

use std::sync::Arc;

use crate::dynamics::State;
use crate::dynamics::actuator::Drives;
use crate::dynamics::integrate::{self, Integrator, Load, Loads, StepReport, Workspace};
use crate::model::{Link, LinkId, Member, Model, Tree};
use crate::util::SparseSet;
use crate::util::clock::Stopwatch;

use super::assembly::rigid::RigidParts;
use super::assembly::weights::Weights;
use super::goal::Goal;
use super::hybrid::Hybrid;
use super::motion_metric::{Cause, MotionMetric};
use super::region_report::{RegionReport, RegionTotals};
use super::scene::Scene;
use super::select::{Allowance, NOISE, Verdict};
use super::worth::Worth;
use super::{
    AssemblyTree, Detail, Keep, LeftOut, NodeId, NodeKind, Rigidifier, Rule, Selector, Target, Worths,
    choose, rigidify,
};

/// What an impact will truly give of what its points would give one by one: those of a manifold share the load, and a body that opens
/// gives way. It decides which joints stop so that others may open. Measured on 96 falls of a person with half of the joints, mean error
/// of the ends of limbs: 4.9 % of the height with this, 5.0 % with a third, 5.2 % with 1/30; on 24 of them 6 % where all of it counts.
const SHARED: f64 = 1.0 / 6.0;

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
        watch.has_come_into_view(model.tree(), &self.assembly, &self.rigid, &self.now, q)
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

    /// Finds where the bodies are that carry loads.
    pub(crate) fn locate(&mut self, model: &Model, loads: &Loads) {
        locate(&mut self.now, &self.assembly, &self.rigid, model, loads);
    }

    /// One step with the joints that are active.
    pub(crate) fn step(
        &mut self,
        integrator: Integrator,
        model: &Model,
        state: &mut State,
        loads: &Loads,
        dt: f64,
        work: &mut Workspace,
    ) -> StepReport {
        self.locate(model, loads);
        integrate::step(integrator, model, self.tree(model), state, loads, dt, work)
    }

    /// Chooses the active joints anew, at the start of a step; `boldly` tries as many joints as may be active. `pushed`: loads have forces
    /// with which contacts or constraints answered the body as it was.
    pub(crate) fn update(
        &mut self,
        detail: &Detail,
        boldly: bool,
        pushed: bool,
        model: &Model,
        state: &mut State,
        loads: &Loads,
        dt: f64,
        mut watch: Option<&mut dyn Worth>,
        work: &mut Workspace,
    ) {
        let mut report = RegionReport::default();
        let mut changed =
            self.choose_anew(detail, boldly, pushed, model, state, loads, dt, &mut watch, work, &mut report);
        if changed && self.now.active.len() <= self.never_frozen.len() {
            // all of it stopped: other forces act on a body at rest than on the one that moved, which is what was looked at
            report = RegionReport {
                stopped: report.stopped,
                kinetic_lost: report.kinetic_lost,
                times: report.times,
                ..Default::default()
            };
            changed = self.choose_anew(
                detail,
                boldly,
                pushed,
                model,
                state,
                loads,
                dt,
                &mut watch,
                work,
                &mut report,
            );
        }
        if changed || !self.rests(model, &state.v) {
            self.still = None;
        }
        self.totals.add(&report);
        self.report = report;
    }

    /// Evaluates the metric at the present state and chooses the active joints; whether velocities changed by that.
    fn choose_anew(
        &mut self,
        detail: &Detail,
        boldly: bool,
        pushed: bool,
        model: &Model,
        state: &mut State,
        loads: &Loads,
        dt: f64,
        watch: &mut Option<&mut dyn Worth>,
        work: &mut Workspace,
        report: &mut RegionReport,
    ) -> bool {
        let started = Stopwatch::start();
        let full = model.tree();
        if let Some(watch) = watch {
            watch.set_idle(matches!(detail.target, Target::Error { .. }));
        }
        let mut goal = Goal::new(detail, full.links.len(), self.never_frozen.len(), dt, watch.as_deref());
        if let Some(watch) = watch {
            watch.set_dt(dt);
            watch.begin_update(full, &self.assembly, &self.rigid, &self.now, &state.q);
        }
        if boldly && detail.tries.is_none() {
            goal.acceleration.joints = goal.acceleration.joints.max(goal.velocity.joints);
        }
        let looked = started.elapsed();
        self.ahead = goal.ahead;
        self.predict(detail, &goal, model, state, loads, watch, work, report);
        let mut accelerates = self.sum_of_free(model, &state.q, &work.rates);
        let predicted = started.elapsed();
        self.try_joints(model, state, loads, work, report);
        if pushed || self.keep.contains(&Keep::Rigid) {
            // the whole body has joints that will never be active, or that do not know the forces that hold it: those that were
            // tried move as they do without them
            accelerates = self.sum_of_free(model, &state.q, &work.rates);
        }
        let selected = started.elapsed();

        // a joint that was just woken is judged by what it will have gained until the next update (section 9)
        let at_next_update = |dof: usize| state.v[dof] + goal.ahead * work.rates[dof];
        report.velocity_left_out = self.choose(detail, &goal, model, &state.q, at_next_update, watch);
        let left = self.stay_in_motion(detail, &goal, model, state, accelerates, watch, report);
        let chosen = started.elapsed();

        let changed = self.become_next(model, state, loads, watch, report);
        self.still = Some(Still { acceleration: report.acceleration, left });
        let times = &mut report.times;
        times.look += looked;
        times.metric += predicted - looked;
        times.select += selected - predicted;
        times.choose += chosen - selected;
        times.rigidify += started.elapsed() - chosen;
        changed
    }

    /// Where the choice would leave no joint in motion, whether that is what was asked for: a joint at its turning point has no velocity to
    /// show at the next update, and one that is slow may have all the acceleration that there is. Then joints stay active by their
    /// present velocities, or all that were tried. `accelerates`: 𝒜 of the joints that were tried or are active. What of the
    /// accelerations is left out where no joint is active.
    fn stay_in_motion(
        &mut self,
        detail: &Detail,
        goal: &Goal,
        model: &Model,
        state: &State,
        accelerates: f64,
        watch: &mut Option<&mut dyn Worth>,
        report: &mut RegionReport,
    ) -> f64 {
        let full = model.tree();
        let worth = |region: &Self, watch: &mut Option<&mut dyn Worth>, gained: f64, metric: f64| {
            let Region { assembly, rigid, now, .. } = region;
            assembly.root().map_or(0.0, |root| weigh(watch, full, assembly, rigid, now, gained)(root, metric))
        };
        let freezes = |region: &Self| region.next.active.len() <= region.never_frozen.len();
        if !freezes(self) {
            return 0.0;
        }
        let moves = self.sum_of_free(model, &state.q, &state.v);
        if worth(self, watch, 1.0, moves) > goal.velocity.error {
            report.velocity_left_out = self.choose(detail, goal, model, &state.q, |dof| state.v[dof], watch);
        }
        let gained = goal.ahead * goal.ahead;
        let left = report.acceleration_left_out + worth(self, watch, gained, accelerates);
        let bounded = matches!(detail.target, Target::Error { .. } | Target::Pixels { .. });
        if bounded && freezes(self) && left > goal.acceleration.error.max(NOISE * report.worth) {
            let Self { transient, next, keep, .. } = self;
            for link in transient.active.members().iter().map(|i| LinkId(*i)) {
                if is_free(full, keep, link) {
                    next.active.insert(link.0);
                    report.velocity_left_out = LeftOut::default();
                }
            }
        }
        left
    }

    /// Sum over all joints of the transient region that may be frozen of the metric of `rates`, by v.
    fn sum_of_free(&self, model: &Model, q: &[f64], rates: &[f64]) -> f64 {
        let full = model.tree();
        let links = self.transient.active.members().iter().map(|i| LinkId(*i));
        let of = |link: LinkId| self.weights.norm(full, link, q, &rates[full.links[link.index()].dofs()]);
        links.filter(|link| is_free(full, &self.keep, *link)).map(of).sum()
    }

    /// Chooses the next active joints among those of the transient region, by the `velocity` of each degree of freedom.
    fn choose(
        &mut self,
        detail: &Detail,
        goal: &Goal,
        model: &Model,
        q: &[f64],
        velocity: impl Fn(usize) -> f64,
        watch: &mut Option<&mut dyn Worth>,
    ) -> LeftOut {
        let full = model.tree();
        let Self {
            selector, assembly, transient, now, rigid, keep, weights, never_frozen, next, worths, ..
        } = self;
        let worth = |link: LinkId| {
            let dofs = full.links[link.index()].dofs();
            let mut x = [0.0; 6];
            for (x, dof) in x.iter_mut().zip(dofs.clone()) {
                *x = velocity(dof);
            }
            weights.norm(full, link, q, &x[..dofs.len()])
        };
        // a price is one for nodes, or one for joints
        let rule = match (detail.target, detail.rule) {
            (Target::Price { .. }, Rule::Split) => Rule::Tree,
            // the error is that of the front, which worths of single joints do not add up to
            (Target::Pixels { .. }, _) => Rule::Tree,
            (_, rule) => rule,
        };
        let left = choose(
            selector,
            assembly,
            transient,
            rule,
            goal.velocity,
            |link| is_free(full, keep, link),
            worth,
            weigh(watch, full, assembly, rigid, now, 1.0),
            &mut next.active,
            worths,
        );
        for link in never_frozen {
            next.active.insert(link.0);
        }
        left
    }

    /// Evaluates what every joint would do, and puts the joints to be tried into the transient region. Springs and dampers are implicit over the
    /// time looked ahead (section 9), so that accelerations times that time are what joints will gain in it.
    fn predict(
        &mut self,
        detail: &Detail,
        goal: &Goal,
        model: &Model,
        state: &State,
        loads: &Loads,
        watch: &mut Option<&mut dyn Worth>,
        work: &mut Workspace,
        report: &mut RegionReport,
    ) {
        self.locate(model, loads);
        let Self { now, transient, assembly, rigid, weights, keep, selector, metric, drives, .. } = self;
        transient.active.copy_from(&now.active);
        let tried = |link: LinkId, room: bool| try_joint(transient, keep, link, room);
        let (q, v) = (&state.q[..], &state.v[..]);
        drives.set(model, model.tree(), loads, q, v);
        let scene = Scene { model, assembly, rigid, weights, q, v, loads, drives, ahead: goal.ahead };
        // what accelerates is worth the velocity that it will have gained
        let gained = goal.ahead * goal.ahead;
        let weigh = weigh(watch, model.tree(), assembly, rigid, now, gained);
        metric.select(
            Cause::Loads,
            detail,
            &scene,
            now,
            goal.acceleration,
            tried,
            weigh,
            selector,
            work,
            report,
        );
    }

    /// Accelerations of the body with all joints that are active or tried, into `work.rates`.
    fn try_joints(
        &mut self,
        model: &Model,
        state: &State,
        loads: &Loads,
        work: &mut Workspace,
        report: &mut RegionReport,
    ) {
        let Self { transient, assembly, rigid, ahead, .. } = self;
        transient.mark(assembly);
        transient.build(model.tree(), assembly, rigid, &state.q);
        locate(transient, assembly, rigid, model, loads);
        report.transient = transient.active.len();
        work.accelerate(model, transient.tree(), &state.q, &state.v, loads, *ahead);
    }

    /// An impulse on bodies: wakes just the joints that it moves, as far as the detail allows, and changes velocities at once.
    /// Theory, section 8.
    pub(crate) fn push(
        &mut self,
        detail: &Detail,
        model: &Model,
        state: &mut State,
        loads: &Loads,
        impulse: &Load,
        mut watch: Option<&mut dyn Worth>,
        work: &mut Workspace,
    ) {
        let started = Stopwatch::start();
        let full = model.tree();
        let impulses = &Loads { wrenches: std::slice::from_ref(impulse), ..Loads::default() };
        let goal = Goal::new(detail, full.links.len(), self.never_frozen.len(), 1.0, watch.as_deref());
        let mut report = RegionReport::default();
        self.find_moved(detail, &goal, model, state, loads, impulses, &mut watch, work, &mut report);
        report.times.metric = started.elapsed();

        // the jump of the body so opened
        let Self { transient, assembly, rigid, .. } = self;
        transient.mark(assembly);
        transient.build(full, assembly, rigid, &state.q);
        locate(transient, assembly, rigid, model, impulses);
        report.transient = transient.active.len();
        work.jump(model, transient.tree(), &state.q, impulses, None);
        for dof in transient.tree().links.iter().flat_map(Link::dofs) {
            state.v[dof] += work.rates[dof];
        }
        let selected = started.elapsed();
        report.times.select = selected - report.times.metric;
        report.velocity_left_out =
            self.choose(detail, &goal, model, &state.q, |dof| state.v[dof], &mut watch);
        let chosen = started.elapsed();
        report.times.choose = chosen - selected;
        self.become_next(model, state, loads, &mut watch, &mut report);
        self.still = None;
        // an impulse restarts the integrator, as at full detail
        state.memory.restart_joints(self.tree(model).links.iter().map(|l| l.id));
        report.times.rigidify = started.elapsed() - chosen;
        self.totals.add(&report);
        self.report = report;
    }

    /// Impulses that are about to act: wakes just the joints that they would move, as far as the detail allows, and leaves velocities
    /// to the solver of the impulses on the body so opened. Where there is no room for all of them, those that move most are
    /// active then, and others stop. Whether any woke.
    pub(crate) fn wake(
        &mut self,
        detail: &Detail,
        model: &Model,
        state: &mut State,
        loads: &Loads,
        impulses: &[Load],
        mut watch: Option<&mut dyn Worth>,
        work: &mut Workspace,
    ) -> bool {
        let impulses = &Loads { wrenches: impulses, ..Loads::default() };
        let full = model.tree();
        let mut goal = Goal::new(detail, full.links.len(), self.never_frozen.len(), 1.0, watch.as_deref());
        goal.velocity.joints = goal.velocity.joints.saturating_add(detail.impact_extra);
        if detail.tries.is_none() {
            // an impact may move all that can be active
            goal.acceleration.joints = goal.acceleration.joints.max(goal.velocity.joints);
        }
        let mut report = RegionReport::default();
        self.find_moved(detail, &goal, model, state, loads, impulses, &mut watch, work, &mut report);
        if self.transient.active.len() == self.now.active.len() {
            return false;
        }
        self.transient.mark(&self.assembly);
        self.transient.build(full, &self.assembly, &self.rigid, &state.q);
        report.transient = self.transient.active.len();
        if report.transient <= goal.velocity.joints + self.never_frozen.len() {
            self.next.active.copy_from(&self.transient.active);
        } else {
            let Self { transient, assembly, rigid, .. } = &mut *self;
            locate(transient, assembly, rigid, model, impulses);
            work.jump(model, transient.tree(), &state.q, impulses, None);
            // a number of joints is all that counts: what the next update would not keep may serve until then
            goal.velocity = Allowance { error: 0.0, price: 0.0, ..goal.velocity };
            let (v, jump) = (&state.v, &work.rates);
            let moved = |dof: usize| (v[dof] * v[dof] + (SHARED * jump[dof]) * (SHARED * jump[dof])).sqrt();
            report.velocity_left_out = self.choose(detail, &goal, model, &state.q, moved, &mut watch);
            if self.next.active.members() == self.now.active.members() {
                return false;
            }
        }
        self.become_next(model, state, loads, &mut watch, &mut report);
        self.still = None;
        self.totals.add(&report);
        self.report = report;
        true
    }

    /// Joints that impulses move most, into the transient region, with those that are active.
    fn find_moved(
        &mut self,
        detail: &Detail,
        goal: &Goal,
        model: &Model,
        state: &State,
        loads: &Loads,
        impulses: &Loads,
        watch: &mut Option<&mut dyn Worth>,
        work: &mut Workspace,
        report: &mut RegionReport,
    ) {
        self.locate(model, impulses);
        if let Some(watch) = watch {
            watch.begin_update(model.tree(), &self.assembly, &self.rigid, &self.now, &state.q);
        }
        let Self { now, transient, assembly, rigid, weights, keep, selector, metric, drives, ahead, .. } =
            self;
        transient.active.copy_from(&now.active);
        let woken = |link: LinkId, room: bool| try_joint(transient, keep, link, room);
        let (q, v) = (&state.q[..], &state.v[..]);
        drives.set(model, model.tree(), loads, q, v);
        let scene = Scene { model, assembly, rigid, weights, q, v, loads: impulses, drives, ahead: *ahead };
        // velocity jumps count as velocities do
        let allowed = Allowance { joints: goal.acceleration.joints, ..goal.velocity };
        let weigh = weigh(watch, model.tree(), assembly, rigid, now, 1.0);
        metric.select(Cause::Impulses, detail, &scene, now, allowed, woken, weigh, selector, work, report);
    }

    /// Joints outside the next region stop, parts freeze, and the next region becomes the present one. Whether velocities changed.
    fn become_next(
        &mut self,
        model: &Model,
        state: &mut State,
        loads: &Loads,
        watch: &mut Option<&mut dyn Worth>,
        report: &mut RegionReport,
    ) -> bool {
        let full = model.tree();
        let Self {
            now, transient, next, assembly, rigid, weights, metric, rigidifier, drives, ahead, ..
        } = self;
        next.mark(assembly);
        let stops = |link: &&u32| !next.active.contains(**link);
        report.stopped += now.active.members().iter().filter(stops).count();
        let moves = |dof: usize| state.v[dof] != 0.0;
        let momentum_goes = transient
            .active
            .members()
            .iter()
            .filter(stops)
            .any(|l| full.links[*l as usize].dofs().any(moves));
        let closes = |next: &Hybrid, node: NodeId| {
            !next.is_open(node) && matches!(assembly.node(node).kind, NodeKind::Join(_))
        };
        for open in now.nodes().iter().filter(|open| closes(next, open.node)) {
            rigid.freeze(full, assembly, &state.q, open.node);
            if let Some(watch) = watch {
                watch.freeze(full, assembly, rigid, open.node);
            }
        }
        next.build(full, assembly, rigid, &state.q);
        if momentum_goes {
            for i in 0..transient.tree().links.len() {
                next.locate(assembly, rigid, transient.tree().links[i].full);
            }
            let (old, new) = (transient.tree(), next.tree());
            report.kinetic_lost += rigidify(old, new, &state.q, model.armature(), &mut state.v, rigidifier);
        }
        if let Some(metric) = metric.by_assembly() {
            let (q, v) = (&state.q[..], &state.v[..]);
            drives.set(model, full, loads, q, v);
            let scene = Scene { model, assembly, rigid, weights, q, v, loads, drives, ahead: *ahead };
            for open in now.nodes().iter().filter(|open| closes(next, open.node)) {
                metric.freeze(&scene, open.node);
            }
        }
        if report.stopped > 0 || next.active.members() != now.active.members() {
            state.memory.restart_joints(next.tree().links.iter().map(|l| l.id));
        }
        std::mem::swap(now, next);
        state.active.clear();
        state.active.extend(now.active.members().iter().map(|i| LinkId(*i)));
        report.active = now.active.len();
        report.groups = now.tree().links.len();
        (report.open, report.pieces) = (now.nodes().len(), now.pieces().len());
        momentum_goes
    }

    /// One step of the guaranteed mode: accelerations of the whole body for the joints that the error asks for, none for the
    /// others, and no joint ever stops. Semi-implicit.
    pub(crate) fn guaranteed_step(
        &mut self,
        detail: &Detail,
        model: &Model,
        state: &mut State,
        loads: &Loads,
        dt: f64,
        work: &mut Workspace,
    ) -> StepReport {
        let started = Stopwatch::start();
        let full = model.tree();
        let goal = Goal::new(detail, full.links.len(), self.never_frozen.len(), dt, None);
        let mut report = RegionReport::default();
        self.locate(model, loads);
        let Self { now, next, assembly, rigid, weights, selector, metric, keep, opened, drives, .. } = self;
        next.active.copy_from(&now.active);
        opened.clear();
        let open = |link: LinkId, _: bool| {
            if keep.get(link.index()) != Some(&Keep::Rigid) && next.active.insert(link.0) {
                opened.push(link);
            }
            Verdict::Free
        };
        let (q, v) = (&state.q[..], &state.v[..]);
        drives.set(model, model.tree(), loads, q, v);
        self.ahead = dt;
        let scene = Scene { model, assembly, rigid, weights, q, v, loads, drives, ahead: dt };
        metric.select(
            Cause::Loads,
            detail,
            &scene,
            now,
            goal.acceleration,
            open,
            |_, metric| metric,
            selector,
            work,
            &mut report,
        );
        report.times.metric = started.elapsed();
        // joints that were active are open, and accelerate too
        opened.extend(now.active.members().iter().map(|i| LinkId(*i)));
        for dof in opened.iter().flat_map(|link| full.links[link.index()].dofs()) {
            state.v[dof] += dt * work.rates[dof];
        }
        // what was opened but did not move may as well be rigid
        report.transient = next.active.len();
        next.active.clear();
        let moves = |link: &LinkId| state.v[full.links[link.index()].dofs()].iter().any(|v| *v != 0.0);
        for link in opened.iter().copied().filter(moves).chain(self.never_frozen.iter().copied()) {
            next.active.insert(link.0);
        }
        self.become_next(model, state, loads, &mut None, &mut report);
        self.still = None;
        report.times.rigidify = started.elapsed() - report.times.metric;
        work.backup.save_woken(self.tree(model), state);
        integrate::position::advance_in_place(self.tree(model), &mut state.q, &state.v, dt);
        self.totals.add(&report);
        self.report = report;
        StepReport { sweeps: 1, substeps: 1, capped: false }
    }
}

/// What a metric is worth in a node: itself, or pixels to a viewer, of velocities that are `gained` times the metric.
fn weigh<'a>(
    watch: &'a mut Option<&mut dyn Worth>,
    full: &'a Tree,
    assembly: &'a AssemblyTree,
    rigid: &'a RigidParts,
    now: &'a Hybrid,
    gained: f64,
) -> impl FnMut(NodeId, f64) -> f64 {
    move |node, metric| match watch {
        Some(watch) if !watch.is_idle() => {
            watch.worth(full, assembly, rigid, node, gained * metric, now.is_open(node))
        }
        _ => metric,
    }
}

/// Whether the metric decides about a joint: it is no floating base, and the user does not keep it active or frozen.
fn is_free(full: &Tree, keep: &[Keep], link: LinkId) -> bool {
    !full.links[link.index()].floats() && keep.get(link.index()).is_none_or(|k| *k == Keep::Free)
}

/// Takes a joint into the transient region if there is room.
fn try_joint(transient: &mut Hybrid, keep: &[Keep], link: LinkId, room: bool) -> Verdict {
    if keep.get(link.index()) == Some(&Keep::Rigid) || transient.active.contains(link.0) {
        Verdict::Free
    } else if room {
        transient.active.insert(link.0);
        Verdict::Counts
    } else {
        Verdict::NoRoom
    }
}

fn locate(hybrid: &mut Hybrid, assembly: &AssemblyTree, rigid: &RigidParts, model: &Model, loads: &Loads) {
    loads.for_each_link(model, |link| hybrid.locate(assembly, rigid, link));
}
