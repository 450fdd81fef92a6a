//! The end of the step: mirrored momenta projected on what the joints allow at the new pose.

use glam::DVec3;

use crate::State;
use crate::model::{Model, Tree};
use crate::spatial::{ArticulatedInertia, Force};

use super::super::super::articulated::{eliminate, substitute};
use super::super::Workspace;
use super::{Plan, Scratch};

/// The closing sweep: leaves v' in `work.qdd`, link velocities in `work.sweep.motions`. Dampers act as backward
/// Euler, so that they never ring.
pub(super) fn sweep(
    plan: &Plan,
    model: &Model,
    tree: &Tree,
    state: &mut State,
    scratch: &mut Scratch,
    work: &mut Workspace,
) {
    let Plan { g, dt, spinning, .. } = *plan;
    let Scratch { end, bodies, ties, v_middle, damping, .. } = scratch;
    ties.carry(end);
    let mut springs = ties.descending();
    let Workspace { sweep, diagonal, tau, qdd, .. } = work;
    for link in &tree.links {
        for dof in link.dofs() {
            let armature = model.armature()[dof];
            let v0 = state.v[dof];
            tau[dof] = dt * damping[dof] * v_middle[dof] + armature * (v0 + (v_middle[dof] - v0) / g);
            diagonal[dof] = armature + dt * damping[dof];
        }
    }
    let memory = &mut state.memory;
    eliminate::<ArticulatedInertia>(tree, end, diagonal, tau, sweep, |i| {
        let (link, motion, body) = (&tree.links[i], &end.links[i], &bodies[i]);
        let mirrored = body.p0 + (body.p - body.p0) / g;
        let angular = if spinning { motion.rotation * mirrored } else { mirrored };
        let linear = body.l0 + (body.l - body.l0) / g;
        // what the next step needs
        let id = link.id.index();
        memory.transmitted[id] = body.transmitted / (g * dt);
        memory.reaction[id] = if spinning { body.reaction } else { DVec3::ZERO };
        let momentum = Force::new(angular, linear).about(body.com);
        let (mut inertia, mut force) = (body.articulated(tree.central[i].mass), -momentum);
        // dampers of springs: what they did at the velocity of mid-step is given back, and done at that of the end
        springs.add_at(i, &mut inertia, &mut force, |t| t.c * dt, |t| t.c * t.velocity * dt);
        (inertia, force)
    });
    substitute(tree, end, sweep, qdd);
}
