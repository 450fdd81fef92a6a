use std::sync::Arc;

use glam::DVec3;

use crate::detail::{AssemblyTree, Detail, DetailError, Region, Target, Update, Weights, Worth};
use crate::dynamics::actuator::{Actuator, Drives};
use crate::dynamics::integrate::{self, Integrator, Load, Loads, Step, StepReport, Workspace, position};
use crate::dynamics::kinematics::{Kinematics, link_pose};
use crate::dynamics::momentum::{Momentum, momentum};
use crate::dynamics::power::power;
use crate::dynamics::spring::{self, Spring};
use crate::dynamics::wrench::Wrenches;
use crate::dynamics::{BodyState, JointForces, State, energy, passive};
use crate::model::{BodyId, Link, LinkId, Model};
use crate::spatial::{Motion, Pose};
use crate::view::{Looks, LooksError, Viewer, ViewerError, Watch};

use super::StepError;
use super::seen_loads::SeenLoads;

/// All that acts on a simulation. A macro, so that the rest of it may be changed meanwhile.
macro_rules! loads {
    ($simulation:expr) => {
        Loads {
            gravity: $simulation.gravity,
            tau: &$simulation.tau,
            driven: $simulation.tau.driven(),
            wrenches: &$simulation.wrenches,
            springs: &$simulation.springs,
            actuators: &$simulation.actuators,
        }
    };
}
/// One articulated body in motion: a model, its state, what acts on it, and how it is stepped.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// What moves.
    pub model: Arc<Model>,
    /// Where it is and how fast it moves.
    pub state: State,
    /// Acceleration of gravity \[m/s²].
    pub gravity: DVec3,
    /// How steps are taken.
    pub integrator: Integrator,
    /// Joint forces of drives, dual to v \[N·m or N].
    pub tau: JointForces,
    /// Wrenches on bodies; they stay until changed.
    pub wrenches: Vec<Load>,
    /// Springs between bodies and the world.
    pub springs: Vec<Spring>,
    /// Drives of joints, each with its control.
    pub actuators: Vec<Actuator>,
    detail: Detail,
    weights: Arc<Weights>,
    /// Whether they were set.
    weighted: bool,
    assembly: Option<Arc<AssemblyTree>>,
    /// `None` at full detail, and until the next step after a change of what it is made from.
    pub(crate) region: Option<Region>,
    /// Whether the next step chooses the active joints even out of turn.
    update_due: bool,
    /// Whether its world decides when loads bring an update forward.
    pub(crate) externally_scheduled: bool,
    /// Step of the last update, and its loads.
    updated: u64,
    seen: SeenLoads,
    looks: Option<Arc<Looks>>,
    /// Who looks at it, if anybody.
    pub(crate) watch: Option<Box<Watch>>,
    work: Workspace,
}

/// What nodes are worth to who looks, if anybody does.
fn worth(watch: &mut Option<Box<Watch>>) -> Option<&mut dyn Worth> {
    watch.as_deref_mut().map(|watch| watch as &mut dyn Worth)
}

/// Energies of a simulation \[J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Of motion.
    pub kinetic: f64,
    /// Of height, joint springs, soft stops and springs to the world.
    pub potential: f64,
}

impl Energy {
    /// Kinetic plus potential \[J].
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}

impl Simulation {
    /// The model at rest in its neutral position, under gravity along −z.
    pub fn new(model: impl Into<Arc<Model>>) -> Self {
        let model = model.into();
        let state = State::new(&model);
        Self {
            tau: JointForces::new(model.nv()),
            state,
            model,
            gravity: DVec3::new(0.0, 0.0, -9.81),
            integrator: Integrator::default(),
            wrenches: Vec::new(),
            springs: Vec::new(),
            actuators: Vec::new(),
            detail: Detail::default(),
            weights: Arc::default(),
            weighted: false,
            assembly: None,
            region: None,
            update_due: false,
            externally_scheduled: false,
            updated: 0,
            seen: SeenLoads::default(),
            looks: None,
            watch: None,
            work: Workspace::default(),
        }
    }

    /// Sets how much of the body is simulated. The next step chooses the active joints.
    pub fn set_detail(&mut self, detail: Detail) -> Result<(), DetailError> {
        if let (Target::Pixels { error }, None) = (detail.target, &self.watch) {
            return Err(DetailError::NoViewer { error });
        }
        if detail.metric == self.detail.metric && self.region.is_some() {
            detail.check_all_but_metric(&self.model)?;
        } else {
            detail.check(&self.model)?;
        }
        let same =
            !detail.is_full() && detail.keep == self.detail.keep && detail.metric == self.detail.metric;
        let room = self.region.as_ref().is_some_and(|r| r.serves(&self.model, &detail));
        self.detail = detail;
        if !(same && room) {
            self.regroup();
        }
        self.update_due = true;
        Ok(())
    }

    /// Changes how many joints, or how much error, from the next step on: cheap, for targets that change over time.
    pub fn set_target(&mut self, target: Target) -> Result<(), DetailError> {
        self.set_detail(Detail { target, ..self.detail.clone() })
    }

    /// How much of the body is simulated.
    pub fn detail(&self) -> &Detail {
        &self.detail
    }

    /// Sets the weights of the joints in the motion metrics: what is worth more is simulated sooner.
    pub fn set_weights(&mut self, weights: impl Into<Arc<Weights>>) {
        self.weights = weights.into();
        self.weighted = true;
        self.region = None;
    }

    /// Weights of the joints in the motion metrics.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The weights that were set, if any were.
    pub fn own_weights(&self) -> Option<&Arc<Weights>> {
        self.weighted.then_some(&self.weights)
    }

    /// The joints that are active; `None` at full detail, and before the first step at less.
    pub fn region(&self) -> Option<&Region> {
        self.region.as_ref()
    }

    /// Sets what the body looks like to a viewer; else it looks like boxes with the inertia of its bodies. An error if the looks were made
    /// for another model.
    pub fn set_looks(&mut self, looks: impl Into<Arc<Looks>>) -> Result<(), LooksError> {
        let looks = looks.into();
        looks.check(&self.model)?;
        if let Some(watch) = self.watch.take() {
            if !self.weighted {
                self.weights = looks.weights(&self.model).clone();
                self.region = None;
            }
            self.watch = Some(Box::new(Watch::new(watch.viewer, looks.clone())));
            self.update_due = true;
        }
        self.looks = Some(looks);
        Ok(())
    }

    /// What the body looks like, if that was set.
    pub fn looks(&self) -> Option<&Arc<Looks>> {
        self.looks.as_ref()
    }

    /// Somebody looks at the body: from the next step on joints are chosen by what they are worth in the image, with
    /// [`Weights::by_looks`] unless others were set. `None`: nobody does, and where
    /// an error in pixels was allowed, all joints are simulated.
    pub fn set_viewer(&mut self, viewer: Option<Arc<Viewer>>) -> Result<(), ViewerError> {
        let Some(viewer) = viewer else {
            if self.watch.take().is_some() && !self.weighted {
                self.weights = Arc::default();
                self.region = None;
            }
            if matches!(self.detail.target, Target::Pixels { .. }) {
                self.detail.target = Target::Full;
                self.regroup();
            }
            self.update_due = true;
            return Ok(());
        };
        viewer.check()?;
        let looks = self.looks.get_or_insert_with(|| Arc::new(Looks::by_inertia(&self.model))).clone();
        let (base, reach) = (self.base(), looks.reach(&self.model));
        if viewer.cameras().iter().any(|camera| camera.position.distance(base) < reach) {
            viewer.check_outside(self)?;
        }
        if self.watch.is_none() {
            self.begin_to_look(viewer);
        } else {
            self.look_from(&viewer);
            self.set_in_view(true);
        }
        Ok(())
    }

    /// Sets the first viewer of the body, which has been checked.
    pub(crate) fn begin_to_look(&mut self, viewer: Arc<Viewer>) {
        let looks = self.looks.get_or_insert_with(|| Arc::new(Looks::by_inertia(&self.model))).clone();
        if !self.weighted {
            self.weights = looks.weights(&self.model).clone();
            self.region = None;
        }
        self.watch = Some(Box::new(Watch::new(viewer, looks)));
        self.update_due = true;
    }

    /// Position of the base \[m]; a body has only one.
    pub(crate) fn base(&self) -> DVec3 {
        let (tree, q) = (self.model.tree(), &self.state.q);
        match tree.links.first() {
            Some(link) if q.len() == self.model.nq() => link_pose(tree, link, q).translation,
            _ => DVec3::ZERO,
        }
    }

    /// Replaces the viewer of the body, if it has one, by one that has been checked.
    pub(crate) fn look_from(&mut self, viewer: &Arc<Viewer>) {
        if let Some(watch) = self.watch.as_mut().filter(|watch| !Arc::ptr_eq(&watch.viewer, viewer)) {
            watch.viewer.clone_from(viewer);
            watch.moved = true;
        }
    }

    /// Sets whether any of it is in view: bodies out of view are not asked whether they come into view.
    pub(crate) fn set_in_view(&mut self, in_view: bool) {
        if let Some(watch) = &mut self.watch {
            watch.in_view = in_view;
        }
    }

    /// Whether nothing moves, and nothing that a viewer could see would move, while its loads stay as they are.
    pub(crate) fn is_resting(&self) -> bool {
        // as if it were looked at
        let most =
            self.watch.as_ref().map_or(0.0, |w| Watch::REST_THRESHOLD * w.viewer.attention.share.min(1.0));
        let rests = |region: &Region| {
            region.report().worth <= most && region.is_asleep(&self.detail.target, &self.model, &self.state.v)
        };
        self.watch.is_some() && !self.update_due && self.region.as_ref().is_some_and(rests)
    }

    /// Lets time pass in which nothing moves \[s].
    pub(crate) fn advance_idle(&mut self, time: f64) {
        self.state.time += time;
    }

    /// Sets the error that its next updates may leave \[pixels per step], without an update now.
    pub(crate) fn allow_pixels(&mut self, error: f64) {
        if matches!(self.detail.target, Target::Pixels { .. }) {
            self.detail.target = Target::Pixels { error };
        }
    }

    /// How many pixels of each link were counted, for viewers that see by pixels.
    pub fn set_pixels(&mut self, pixels: &[u32]) -> Result<(), ViewerError> {
        let links = self.model.tree().links.len();
        if pixels.len() != links {
            return Err(ViewerError::Pixels { given: pixels.len(), links });
        }
        if let Some(watch) = self.watch.as_mut().filter(|watch| watch.pixels != pixels) {
            watch.pixels.clear();
            watch.pixels.extend_from_slice(pixels);
            watch.moved = true;
        }
        Ok(())
    }

    /// Who looks at it.
    pub fn viewer(&self) -> Option<&Arc<Viewer>> {
        self.watch.as_ref().map(|watch| &watch.viewer)
    }

    /// Whether it asks its world for an update out of turn since more of it is seen.
    pub(crate) fn comes_into_view_in_turn(&mut self) -> bool {
        self.externally_scheduled && !self.is_due() && self.has_come_into_view()
    }

    /// Whether a viewer sees much more of it than at the last update.
    fn has_come_into_view(&mut self) -> bool {
        let Self { model, state, region, watch, .. } = self;
        let (Some(watch), Some(region)) = (watch, region) else { return false };
        watch.in_view && region.has_come_into_view(model, &state.q, &mut **watch)
    }

    /// The assembly tree of the model, made when it is first needed.
    pub fn assembly(&mut self) -> &Arc<AssemblyTree> {
        self.assembly.get_or_insert_with(|| Arc::new(AssemblyTree::build(self.model.tree())))
    }

    /// Takes the assembly tree of another simulation of the same model.
    pub fn share_assembly(&mut self, other: &mut Self) {
        if Arc::ptr_eq(&self.model, &other.model) {
            self.assembly = Some(other.assembly().clone());
        }
    }

    /// Takes an assembly tree that was made for its model.
    pub(crate) fn set_assembly(&mut self, assembly: Arc<AssemblyTree>) {
        self.assembly = Some(assembly);
    }

    /// Forms the rigid groups anew in the next step: necessary after q or v have been changed by hand at less than full
    /// detail, since groups keep the shape in which their joints froze.
    pub fn regroup(&mut self) {
        self.region = None;
        self.update_due = true;
        if self.detail.is_full() {
            self.state.active.clear();
        }
        self.state.memory.restart();
    }

    /// Notes all that acts on it.
    pub(crate) fn note_loads(&self, seen: &mut SeenLoads) {
        seen.note_loads(&loads!(self));
    }

    /// Whether just that acts on it.
    pub(crate) fn has_loads(&self, seen: &SeenLoads) -> bool {
        seen.are_same(&loads!(self))
    }

    /// Keeps only the joints that are never frozen; none may move.
    pub(crate) fn give_up_joints(&mut self) {
        self.state.active.clear();
        self.regroup();
        self.form_groups();
    }

    /// Forms the rigid groups now, if they are not there: the next step would do so. A state that a step would refuse has none.
    pub fn form_groups(&mut self) {
        let fine = || self.check_lengths().is_ok() && self.check_state().is_ok();
        if self.region.is_none() && !self.detail.is_full() && fine() {
            let assembly = self.assembly().clone();
            let weights = self.weights.clone();
            self.region = Some(Region::new(&self.model, assembly, weights, &self.detail, &self.state));
            if let Some(watch) = &mut self.watch {
                watch.forget();
            }
        }
    }

    /// Goes on from a state that was saved, with the joints that were active in it: the same motion, bit for bit, if the loads
    /// are those of the last update before it was saved. A state of full detail has its active joints chosen in the next step.
    pub fn restore(&mut self, state: &State) {
        self.state.copy_from(state);
        self.region = None;
        self.update_due = state.active.is_empty() && state.v.iter().any(|v| *v != 0.0);
        self.updated = state.step;
        self.seen.note_loads(&loads!(self));
    }

    /// Takes one step of `dt` \[s]. On an error the state is that before the step.
    pub fn step(&mut self, dt: f64) -> Result<StepReport, StepError> {
        let mut work = std::mem::take(&mut self.work);
        let result = self.step_in(&mut work, dt);
        self.work = work;
        result
    }

    /// Takes one step with a workspace from outside: many simulations that take turns with one stay in the cache.
    /// The result is the same to the bit.
    pub fn step_in(&mut self, work: &mut Workspace, dt: f64) -> Result<StepReport, StepError> {
        self.check(dt)?;
        let report = if self.adapt(work, dt, false) { self.advance(work, dt) } else { StepReport::default() };
        self.commit(work, dt)?;
        Ok(report)
    }

    /// Ends a step: takes it back, with an error, if its result is not finite or out of range.
    pub(crate) fn commit(&mut self, work: &mut Workspace, dt: f64) -> Result<(), StepError> {
        if let Err(mut error) = self.outcome(work) {
            work.backup.restore(&mut self.state);
            if let StepError::NotFinite { speed, .. } = &mut error {
                *speed = self.state.v.iter().fold(0.0, |fastest, v| v.abs().max(fastest));
            }
            *work = Workspace::default();
            if !self.detail.is_full() {
                self.regroup();
            }
            return Err(error);
        }
        self.state.time += dt;
        self.state.step += 1;
        Ok(())
    }

    /// Whether the next step chooses the active joints, if no load brings that forward.
    pub(crate) fn is_due(&self) -> bool {
        self.update_due || self.region.is_none() || self.detail.is_turn(self.state.step)
    }

    /// Whether loads that are new or have changed much call for an update out of turn, which comes no sooner than a quarter of
    /// the period, five steps at most, after the last.
    pub(crate) fn is_hurried(&self) -> bool {
        self.is_rested() && self.seen.changed(&loads!(self), self.detail.on_change)
    }

    /// Whether the last update is a quarter of the period, or five steps, ago.
    pub(crate) fn is_rested(&self) -> bool {
        self.state.step >= self.updated + u64::from(self.detail.update_every / 4).clamp(1, 5)
    }

    /// Makes the next step choose the active joints.
    pub(crate) fn hurry(&mut self) {
        self.update_due = true;
    }

    /// Sets what a budget asks of its next updates, without an update now.
    pub(crate) fn set_price(&mut self, price: f64, most: usize) {
        self.detail.target = Target::Price { price, most };
    }

    /// The start of a step: saves what it may change, and chooses the active joints if it is time for that. Whether anything moves;
    /// always so where contacts or constraints push it (`pushed`).
    pub(crate) fn adapt(&mut self, work: &mut Workspace, dt: f64, pushed: bool) -> bool {
        if self.detail.is_full() {
            work.backup.save_whole(&self.state);
            return true;
        }
        self.form_groups();
        // out of turn much may have changed
        let out_of_turn = self.update_due
            || (!self.externally_scheduled && (self.is_hurried() || self.has_come_into_view()));
        let Self { model, state, detail, region, update_due, updated, seen, watch, .. } = self;
        let loads = loads!(self);
        let Some(region) = region else { return false };
        // also while it sleeps: what the workspace has may be another's
        work.backup.save(region.tree(model), state);
        // a price that has fallen, room that others left, or somebody who looks from elsewhere wakes what would move
        let judged_anew = matches!(detail.target, Target::Price { .. })
            || watch.as_ref().is_some_and(|watch| watch.is_news());
        let may_wake = judged_anew && detail.is_turn(state.step) && region.report().acceleration > 0.0;
        let asleep = region.is_asleep(&detail.target, model, &state.v) && seen.are_same(&loads);
        if !pushed && !out_of_turn && !may_wake && asleep {
            return false;
        }
        let guaranteed = matches!(detail.target, Target::Guaranteed { .. });
        if !guaranteed && (out_of_turn || detail.is_turn(state.step)) {
            let worth = worth(watch);
            let mut update = Update { model, detail, state, loads: &loads, worth, work };
            region.update(&mut update, dt, out_of_turn, pushed);
            work.backup.save_woken(region.tree(model), state);
            (*update_due, *updated) = (false, state.step);
            seen.note_loads(&loads);
        }
        true
    }

    /// Positions and velocities after `dt` \[s], with the joints that are active.
    pub(crate) fn advance(&mut self, work: &mut Workspace, dt: f64) -> StepReport {
        let integrator = self.integrator;
        self.advance_by(integrator, work, dt)
    }

    /// Positions and velocities after `dt` \[s] by an integrator of the caller.
    pub(crate) fn advance_by(&mut self, integrator: Integrator, work: &mut Workspace, dt: f64) -> StepReport {
        let Self { model, state, detail, region, watch, .. } = self;
        let loads = &loads!(self);
        let tree = match region {
            _ if detail.is_full() => model.tree(),
            Some(region) if matches!(detail.target, Target::Guaranteed { .. }) => {
                // parts freeze and open unseen
                if let Some(watch) = watch {
                    watch.forget();
                }
                return region
                    .guaranteed_step(&mut Update { model, detail, state, loads, worth: None, work }, dt);
            }
            Some(region) => {
                region.locate(model, loads);
                region.tree(model)
            }
            None => return StepReport::default(),
        };
        integrate::step(integrator, &Step { model, tree, loads, dt }, state, work)
    }

    /// An impulse on a body, given as a wrench times its time \[N·m·s, N·s]: changes velocities at once. At less than full detail
    /// it wakes just the joints that it moves, as far as the detail allows.
    pub fn push(&mut self, impulse: Load) -> Result<(), StepError> {
        self.check_lengths()?;
        self.check_state()?;
        self.check_wrench("an impulse", &impulse)?;
        self.form_groups();
        let mut work = std::mem::take(&mut self.work);
        let loads = loads!(self);
        let Self { model, state, detail, region, watch, .. } = self;
        match region {
            Some(region) => {
                let (loads, worth, work) = (&loads, worth(watch), &mut work);
                region.push(&mut Update { model, detail, state, loads, worth, work }, &impulse);
            }
            None => {
                let impulses = Loads { wrenches: std::slice::from_ref(&impulse), ..Loads::default() };
                work.jump(model, model.tree(), &state.q, &impulses, None);
                for (v, jump) in state.v.iter_mut().zip(&work.rates) {
                    *v += jump;
                }
                state.memory.restart();
            }
        }
        self.work = work;
        Ok(())
    }

    /// Impulses that are about to act wake the joints that they would move; which of them stay active, the next step chooses.
    pub(crate) fn wake_by(&mut self, impulses: &[Load], work: &mut Workspace) {
        let loads = loads!(self);
        let Self { model, state, detail, region, watch, .. } = self;
        let Some(region) = region.as_mut().filter(|_| !detail.is_full()) else { return };
        let worth = worth(watch);
        let mut update = Update { model, detail, state, loads: &loads, worth, work };
        if region.wake(&mut update, impulses) {
            work.backup.save_woken(region.tree(model), state);
            self.update_due = true;
        }
    }

    /// Whether anything may drive joints.
    pub(crate) fn is_driven(&self) -> bool {
        !self.actuators.is_empty() || !self.tau.driven().is_empty()
    }

    /// What drives do to joints that move, at the present state, over a step of `ahead` \[s].
    pub(crate) fn see_drives(&self, drives: &mut Drives, ahead: f64) {
        let State { q, v, .. } = &self.state;
        let body = BodyState { model: &self.model, tree: self.stepped_tree(), q, v };
        drives.begin(&body, &loads!(self), ahead);
    }

    /// Wrenches that the user lets act, on links at the poses of `kinematics`.
    pub(crate) fn see_wrenches(&mut self, wrenches: &mut Wrenches, kinematics: &Kinematics) {
        let Self { model, region, detail, .. } = self;
        let loads = loads!(self);
        if let Some(region) = region.as_mut().filter(|_| !detail.is_full()) {
            region.locate(model, &loads);
        }
        wrenches.set(&self.model, self.stepped_tree(), kinematics, &self.wrenches);
    }

    /// Energy that the joint of a link stores \[J], by springs, stops and `drives`, when it moves for `time` \[s] with velocities `v`. `q` is
    /// that of the state, and so again after it.
    pub(crate) fn stored_by(&self, link: &Link, v: &[f64], time: f64, drives: &Drives, q: &mut [f64]) -> f64 {
        let (model, tree) = (&self.model, self.stepped_tree());
        let mut stored = 0.0;
        if link.passive {
            let before = passive::elastic_energy(model, tree, link, q);
            position::advance_link(tree, link, q, v, time);
            stored = passive::elastic_energy(model, tree, link, q) - before;
            let own = link.q as usize..link.q as usize + position::positions(tree, link);
            q[own.clone()].copy_from_slice(&self.state.q[own]);
        }
        let loads = loads!(self);
        for dof in link.dofs() {
            let (drive, way) = (drives.at(dof), time * v[dof]);
            let (force, k) = drive.map_or((0.0, 0.0), |drive| (drive.force, drive.k));
            stored += (0.5 * k * way - force - loads.drive(model, dof)) * way;
        }
        stored
    }

    /// Joint accelerations at the present state, passive forces explicit.
    pub fn accelerations(&mut self) -> &[f64] {
        let loads = loads!(self);
        let (model, State { q, v, .. }) = (&*self.model, &self.state);
        self.work.accelerate(&BodyState { model, tree: model.tree(), q, v }, &loads, 0.0);
        &self.work.rates
    }

    /// Pose and motion of all links at the present state.
    pub fn kinematics(&self) -> Kinematics {
        let mut kinematics = Kinematics::default();
        kinematics.update(self.model.tree(), &self.state.q, &self.state.v);
        kinematics
    }

    /// Pose of one body in the world. At less than full detail it takes the active joints and a climb in the assembly tree; no
    /// other body is visited.
    pub fn pose_of(&self, body: BodyId) -> Pose {
        let (group, group_from_body) = self.place_in_group(body);
        let Some(group) = group else { return group_from_body };
        let mut poses = Kinematics::default();
        poses.update_poses(self.stepped_tree(), &self.state.q);
        poses.links[group.index()].pose() * group_from_body
    }

    /// The rigid group that a body is part of, a link of [`Simulation::stepped_tree`], and where the body is in it; without group it
    /// stands in the world.
    pub fn place_in_group(&self, body: BodyId) -> (Option<LinkId>, Pose) {
        let info = &self.model.bodies()[body.index()];
        let (Some(link), tree) = (info.link, self.stepped_tree()) else { return (None, info.link_from_body) };
        let member = match &self.region {
            Some(region) if tree.members.is_some() => region.member(link),
            _ => tree.member(link),
        };
        (member.group, member.group_from_link * info.link_from_body)
    }

    /// Pose of a body in the world.
    pub fn body_pose(&self, kinematics: &Kinematics, body: BodyId) -> Pose {
        let info = &self.model.bodies()[body.index()];
        match info.link {
            Some(link) => kinematics.links[link.index()].pose() * info.link_from_body,
            None => info.link_from_body,
        }
    }

    /// Velocity of a body at its own origin, in its own axes.
    pub fn body_velocity(&self, kinematics: &Kinematics, body: BodyId) -> Motion {
        let info = &self.model.bodies()[body.index()];
        let Some(link) = info.link else { return Motion::ZERO };
        let motion = &kinematics.links[link.index()];
        let at_body = motion.velocity.at(motion.rotation * info.link_from_body.translation);
        let body_from_world = (motion.rotation * info.link_from_body.rotation).transpose();
        Motion::new(body_from_world * at_body.angular, body_from_world * at_body.linear)
    }

    /// Energies at the present state.
    pub fn energy(&self) -> Energy {
        self.energy_at(&self.kinematics())
    }

    /// Energies at the present state, whose `kinematics` are known: without an allocation.
    pub fn energy_at(&self, kinematics: &Kinematics) -> Energy {
        let tree = self.model.tree();
        Energy {
            kinetic: energy::kinetic(tree, kinematics, self.model.armature(), &self.state.v),
            potential: energy::gravitational(tree, kinematics, self.gravity)
                + energy::elastic(&self.model, tree, &self.state.q)
                + spring::energy(&self.model, tree, kinematics, &self.springs),
        }
    }

    /// Power \[W] that drives, wrenches, dampers and friction, as they are now, bring into [`Simulation::energy`] at a state (q, v), whose
    /// `kinematics` are known; negative where they take it. What constraints and contacts of a world do is not in it.
    pub fn power_at(&self, kinematics: &Kinematics, (q, v): (&[f64], &[f64])) -> f64 {
        power(&self.model, kinematics, &loads!(self), (q, v), &mut Drives::default())
    }

    /// Momenta at the present state.
    pub fn momentum(&self) -> Momentum {
        momentum(self.model.tree(), &self.kinematics())
    }
}
