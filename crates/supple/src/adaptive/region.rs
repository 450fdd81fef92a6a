//! The active region: which joints are simulated now, and its update (theory, section 11).
//!
//! ```text
//!  plain step                          step that also chooses the active joints
//!  one step on the reduced tree        metric          one articulated-body sweep over the whole body → q̈
//!                                      select by 𝒜     priority queue over the assembly tree
//!                                      transient tree  one step with active and selected joints
//!                                      select by 𝒱     rule tree / free / split
//!                                      rigidify        momenta projected on the new reduced tree
//! ```
//!
//! The paper stops joints between the velocity and the position update; here the transient body takes a whole step
//! first, so that every integrator serves.

use std::sync::Arc;

use crate::State;
use crate::dynamics::integrate::{self, Integrator, Loads, StepReport, Workspace};
use crate::model::{LinkId, LinkJoint, Model, Tree};

use super::{AssemblyTree, Detail, Keep, Rigidifier, Selector, Target, choose, reduce, rigidify};

/// What an update of the active region did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RegionReport {
    /// Joints that are active now.
    pub active: usize,
    /// Joints that took part in the step of the update.
    pub transient: usize,
    /// 𝒜: sum of squared joint accelerations that the whole body would have had.
    pub acceleration: f64,
    /// The part of it that the step of the update left out.
    pub acceleration_left_out: f64,
    /// The part of the squared joint velocities that was stopped.
    pub velocity_left_out: f64,
}

/// The active joints of one body, and what is needed to step and to change them.
#[derive(Clone, Debug)]
pub struct Region {
    assembly: Arc<AssemblyTree>,
    /// Joints that the user holds, by link.
    keep: Vec<Keep>,
    active: Vec<bool>,
    reduced: Tree,
    report: RegionReport,
    // --- scratch of the update ---
    transient: Vec<bool>,
    transient_tree: Tree,
    chosen: Vec<bool>,
    /// v before the step of the update, then the velocities by which joints are ranked after it.
    ranked_v: Vec<f64>,
    selector: Selector,
    rigidifier: Rigidifier,
}

impl Region {
    /// All joints of the body at rest in `state` frozen but those that must be active, until the first update.
    pub fn new(model: &Model, assembly: Arc<AssemblyTree>, detail: &Detail, state: &State) -> Self {
        let links = &model.tree().links;
        let mut keep = vec![Keep::Free; links.len()];
        for (joint, wish) in &detail.keep {
            if let Some(link) = model.joints().get(joint.index()).and_then(|j| j.link) {
                keep[link.index()] = *wish;
            }
        }
        for (link, keep) in links.iter().zip(&mut keep) {
            // a floating base is never frozen
            if link.parent.is_none() && link.joint == LinkJoint::Free {
                *keep = Keep::Active;
            }
        }
        let moving = |i: usize| state.v[links[i].dofs()].iter().any(|v| *v != 0.0);
        let active = (0..links.len()).map(|i| keep[i] == Keep::Active || moving(i)).collect();
        let mut region = Self {
            assembly,
            keep,
            active,
            reduced: Tree::default(),
            report: RegionReport::default(),
            transient: Vec::new(),
            transient_tree: Tree::default(),
            chosen: Vec::new(),
            ranked_v: Vec::new(),
            selector: Selector::default(),
            rigidifier: Rigidifier::default(),
        };
        reduce(model.tree(), &state.q, &region.active, &mut region.reduced);
        region
    }

    /// The assembly tree, which bodies of the same model may share.
    pub fn assembly(&self) -> &Arc<AssemblyTree> {
        &self.assembly
    }

    /// The rigid groups and the joints between them.
    pub fn tree(&self) -> &Tree {
        &self.reduced
    }

    /// Which joints are active, by link.
    pub fn active(&self) -> &[bool] {
        &self.active
    }

    /// What the last update did.
    pub fn report(&self) -> &RegionReport {
        &self.report
    }

    /// One step with the joints that are active.
    pub fn step(
        &mut self,
        integrator: Integrator,
        model: &Model,
        state: &mut State,
        loads: &Loads,
        dt: f64,
        work: &mut Workspace,
    ) -> StepReport {
        integrate::step(integrator, model, &self.reduced, state, loads, dt, work)
    }

    /// One step that also chooses the active joints anew.
    pub fn update(
        &mut self,
        detail: &Detail,
        integrator: Integrator,
        model: &Model,
        state: &mut State,
        loads: &Loads,
        dt: f64,
        work: &mut Workspace,
    ) -> StepReport {
        let full = model.tree();
        let (budget, acceleration_error, velocity_error) = match detail.target {
            Target::Full => (full.links.len(), 0.0, 0.0),
            Target::Joints(n) => (n, 0.0, 0.0),
            Target::Error { acceleration, velocity } => (full.links.len(), acceleration, velocity),
        };
        let tries = detail.tries.unwrap_or(budget);

        // --- what would every joint do? ---
        work.accelerate(model, full, &state.q, &state.v, loads, dt);
        let square =
            |x: &[f64], link: LinkId| x[full.links[link.index()].dofs()].iter().map(|x| x * x).sum::<f64>();
        let Self { assembly, keep, active, transient, selector, .. } = self;
        let qdd = &work.qdd;
        self.report.acceleration = selector.sum(assembly, |link| square(qdd, link));
        transient.clone_from(active);
        self.report.acceleration_left_out = selector.greedy(assembly, acceleration_error, tries, |link| {
            let i = link.index();
            if keep[i] == Keep::Rigid {
                return false;
            }
            !std::mem::replace(&mut transient[i], true)
        });
        self.report.transient = transient.iter().filter(|a| **a).count();

        // --- one step of the transient body ---
        reduce(full, &state.q, transient, &mut self.transient_tree);
        state.memory.restart();
        self.ranked_v.clone_from(&state.v);
        let report = integrate::step(integrator, model, &self.transient_tree, state, loads, dt, work);

        // --- which joints stay? ---
        let held = keep.iter().filter(|k| **k == Keep::Active).count();
        let chosen = &mut self.chosen;
        let free = |i: usize| self.transient[i] && self.keep[i] == Keep::Free;
        let candidates: &mut Vec<bool> = &mut self.active;
        candidates.clear();
        candidates.extend((0..full.links.len()).map(free));
        // a joint that was just woken is judged by what it will have gained until the next update (section 9)
        let ahead = if detail.look_ahead { f64::from(detail.update_every.saturating_sub(1)) } else { 0.0 };
        for (ranked, v) in self.ranked_v.iter_mut().zip(&state.v) {
            *ranked = v + ahead * (v - *ranked);
        }
        let v = &self.ranked_v;
        self.report.velocity_left_out = choose(
            &mut self.selector,
            &self.assembly,
            detail.rule,
            velocity_error,
            budget.saturating_sub(held),
            candidates,
            |link| square(v, link),
            chosen,
        );
        for (chosen, keep) in chosen.iter_mut().zip(&self.keep) {
            *chosen |= *keep == Keep::Active;
        }
        std::mem::swap(&mut self.active, &mut self.chosen);
        self.report.active = self.active.iter().filter(|a| **a).count();

        // --- the others stop ---
        reduce(full, &state.q, &self.active, &mut self.reduced);
        if self.active != self.transient {
            let (old, new) = (&self.transient_tree, &self.reduced);
            rigidify(old, new, &state.q, model.armature(), &mut state.v, &mut self.rigidifier);
            state.memory.restart();
        }
        report
    }
}
