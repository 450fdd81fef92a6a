//! The first step in contact, and steps in contact that are longer than those before.
//!
//! What nothing touches takes steps that know the forces of springs at both ends. What touches goes on by its velocities alone, and springs
//! act after that, over the step to come (`projection`). A velocity that a free step leaves may take a stiff joint in one such step far
//! beyond where its spring would ever let it: with `k dt²` a thousand times the inertia, to a thousand times its energy. So may one that a
//! shorter step leaves, which knows the springs over its own length alone. So when contacts begin to push, or steps get longer, velocities
//! give way to what springs, stops and servos gain in force on the way, over the time `b` of the step to come instead of `a`:
//!
//! ```text
//! (M + b d + b² k) v' = (M + b d + a² k) v      a = 0 after a free step
//! ```
//!
//! where `v'` leads to `U(q + b v') ≤ U(q) + …` of at most a quarter of the kinetic energy, however stiff they are, and `v' = v` where they
//! are soft. Inside the body, so that momenta stay. Contacts are solved with the same matrix, so that they do not undo it: it is of the
//! joints that are active then, and of the very step to come.

use crate::Simulation;
use crate::dynamics::{BodyState, passive};
use crate::model::Tree;

use super::{ApartScratch, Articulated, InContact, Prediction};

/// A step is longer than another if it is by this factor, so that rounding does not count.
const LONGER: f64 = 1.0 + 1e-9;

/// What velocities and contacts know of springs, dampers, stops and drives.
#[derive(Clone, Debug, Default)]
pub(super) struct Implicit {
    /// What these put on the diagonal of the mass matrix, by v, with the armatures; empty if nobody knows.
    pub(super) diagonal: Vec<f64>,
    /// For a step of this length \[s], and the joints of this tree.
    step: f64,
    tree: u64,
    /// How far ahead velocities know them \[s]: the length of the last step if it was a momentum projection, else 0.
    ahead: f64,
}

impl Implicit {
    /// Nobody knows anything: the last step was no momentum projection.
    pub(super) fn forget(&mut self) {
        self.diagonal.clear();
        (self.step, self.tree, self.ahead) = (0.0, 0, 0.0);
    }

    /// A momentum projection of `dt` \[s] had this on its diagonal.
    pub(super) fn note(&mut self, tree: &Tree, diagonal: &[f64], dt: f64) {
        self.diagonal.clear();
        self.diagonal.extend_from_slice(diagonal);
        (self.step, self.tree, self.ahead) = (dt, tree.id, dt);
    }

    /// A copy, without an allocation.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.diagonal.clone_from(&other.diagonal);
        (self.step, self.tree, self.ahead) = (other.step, other.tree, other.ahead);
    }

    /// For which step it is to be known when one of `dt` \[s] comes: a shorter one takes nothing farther than the last.
    fn needed(&self, dt: f64) -> f64 {
        if dt > LONGER * self.ahead { dt } else { self.ahead }
    }
}

impl Articulated {
    /// Whether contacts with it are of its active joints and of a step of `dt` \[s], where that is to be known.
    pub(crate) fn has_foreseen(&self, dt: f64) -> bool {
        let [implicit, _] = &self.contact.implicit;
        !self.touched
            || self.sleep.is_asleep()
            || (implicit.tree, implicit.step) == (self.simulation.stepped_tree().id, implicit.needed(dt))
    }

    /// Notes what springs, dampers, stops and drives put on the diagonal of the mass matrix over a step of `dt` \[s], if that is not known.
    pub(super) fn foresee(&mut self, dt: f64) {
        if self.has_foreseen(dt) {
            return;
        }
        let Self {
            simulation,
            contact: InContact { implicit: [implicit, _], .. },
            prediction: Prediction { work, .. },
            ..
        } = self;
        let simulation = &*simulation;
        let Simulation { model, state, .. } = simulation;
        let tree = simulation.stepped_tree();
        let dt = implicit.needed(dt);
        (implicit.step, implicit.tree) = (dt, tree.id);
        implicit.diagonal.clear();
        implicit.diagonal.extend_from_slice(model.armature());
        if !simulation.is_driven() && !model.has_passive() {
            return;
        }
        simulation.see_drives(&mut work.drives, dt);
        let body = BodyState { model, tree, q: &state.q, v: &state.v };
        for link in &tree.links {
            if link.passive {
                passive::couples(&body, link, (&state.v, dt), |dof, c| {
                    implicit.diagonal[dof] += dt * c.d + dt * dt * (c.k + c.stop_k);
                });
            }
            for dof in link.dofs() {
                if let Some(drive) = work.drives.at(dof) {
                    implicit.diagonal[dof] += drive.diagonal(dt);
                }
            }
        }
    }

    /// Takes the velocities with which it goes on in contact for the step that was foreseen, if they come from one that did not look so far.
    pub(crate) fn meet(&mut self) {
        let [implicit, _] = &self.contact.implicit;
        if implicit.step <= LONGER * implicit.ahead {
            return;
        }
        if implicit.ahead == 0.0 {
            self.begin_ledger();
        }
        let Self {
            simulation,
            contact: InContact { root, implicit: [implicit, _], .. },
            apart: ApartScratch { numbers, .. },
            prediction: Prediction { work, .. },
            ..
        } = self;
        let (ahead, dt) = (std::mem::replace(&mut implicit.ahead, implicit.step), implicit.step);
        if !simulation.is_driven() && !simulation.model.has_passive() {
            return;
        }
        simulation.see_drives(&mut work.drives, dt);
        let Simulation { model, region, state, .. } = simulation;
        let tree = region.as_ref().map_or(model.tree(), |r| r.tree(model));
        numbers.clear();
        numbers.resize(root.len(), 0.0);
        root.forth(&state.v, numbers);
        let more = dt * dt - ahead * ahead;
        let body = BodyState { model, tree, q: &state.q, v: &state.v };
        let mut any = false;
        let mut give = |dof: usize, impulse: f64| {
            if impulse != 0.0 {
                root.push_dof(dof, impulse, numbers);
                any = true;
            }
        };
        for link in &tree.links {
            if link.passive {
                passive::couples(&body, link, (&state.v, dt), |dof, c| {
                    let rate = state.v[dof];
                    // a stop that is not reached yet pushes on a part of the way alone
                    let spared = if c.stop_force * rate > 0.0 { dt * c.stop_force.abs() } else { 0.0 };
                    let push = more * (c.k + c.stop_k) * rate.abs();
                    give(dof, -(push - spared).max(0.0).copysign(rate));
                });
            }
            for dof in link.dofs() {
                if let Some(drive) = work.drives.at(dof) {
                    give(dof, -more * drive.k * state.v[dof]);
                }
            }
        }
        if !any {
            return;
        }
        root.back(numbers, &mut state.v);
        state.memory.restart_joints(tree.links.iter().map(|link| link.id));
        self.update_kinematics();
    }
}
