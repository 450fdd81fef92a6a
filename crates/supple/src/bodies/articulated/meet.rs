//! The first step in contact.
//!
//! What nothing touches takes steps that know the forces of springs at both ends. What touches goes on by its velocities alone, and springs
//! act after that, over the step to come (`projection`). A velocity that a free step leaves may take a stiff joint in one such step far
//! beyond where its spring would ever let it: with `k dt²` a thousand times the inertia, to a thousand times its energy. So when contacts
//! begin to push, velocities give way to what springs, stops and servos gain in force on the way:
//!
//! ```text
//! (M + dt d + dt² k) v' = (M + dt d) v
//! ```
//!
//! where `v'` leads to `U(q + dt v') ≤ U(q) + …` of at most a quarter of the kinetic energy, however stiff they are, and `v' = v` where they
//! are soft. Inside the body, so that momenta stay. Contacts are solved with the same matrix, so that they do not undo it.

use crate::Simulation;
use crate::dynamics::{BodyState, passive};

use super::Articulated;

impl Articulated {
    /// Notes what springs, dampers, stops and drives put on the diagonal of the mass matrix over a step of `dt` \[s], if no step has, and what
    /// they gain in force on the way: [`Articulated::meet`] gives it.
    pub(super) fn foresee(&mut self, dt: f64) {
        if !self.implicit[0].is_empty() || dt <= 0.0 {
            return;
        }
        let Self { simulation, implicit: [implicit, _], gained, work, .. } = self;
        let simulation = &*simulation;
        let Simulation { model, state, .. } = simulation;
        implicit.extend_from_slice(model.armature());
        gained.clear();
        if !simulation.is_driven() && !model.has_passive() {
            return;
        }
        let tree = simulation.stepped_tree();
        let body = BodyState { model, tree, q: &state.q, v: &state.v };
        simulation.see_drives(&mut work.drives, dt);
        for link in &tree.links {
            if link.passive {
                passive::couples(&body, link, (&state.v, dt), |dof, c| {
                    implicit[dof] += dt * c.d + dt * dt * (c.k + c.stop_k);
                    // a stop that is not reached yet pushes on a part of the way alone
                    let push = dt * (c.k + c.stop_k) * state.v[dof] - c.stop_force.max(0.0);
                    gained.push((dof, -dt * push));
                });
            }
            for dof in link.dofs() {
                if let Some(drive) = work.drives.at(dof) {
                    implicit[dof] += drive.diagonal(dt);
                    gained.push((dof, -dt * dt * drive.k * state.v[dof]));
                }
            }
        }
        gained.retain(|(_, impulse)| *impulse != 0.0);
        // where the choice of joints looks for it, as for that of a step
        work.diagonal.clone_from(implicit);
    }

    /// Takes the velocities with which it goes on in contact, if it comes from a step that knew of none.
    pub(crate) fn meet(&mut self) {
        if self.gained.is_empty() {
            return;
        }
        let Self { simulation, root, gained, numbers, .. } = self;
        let Simulation { model, region, state, .. } = simulation;
        let tree = region.as_ref().map_or(model.tree(), |r| r.tree(model));
        numbers.clear();
        numbers.resize(root.len(), 0.0);
        root.forth(&state.v, numbers);
        for (dof, impulse) in gained.drain(..) {
            root.push_dof(dof, impulse, numbers);
        }
        root.back(numbers, &mut state.v);
        state.memory.restart_joints(tree.links.iter().map(|link| link.id));
        self.update_kinematics();
    }
}
