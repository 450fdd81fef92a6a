//! The end of the step: mirrored momenta projected on what the joints allow at the new pose.

use glam::DVec3;

use crate::dynamics::State;
use crate::model::Tree;
use crate::spatial::{ArticulatedInertia, Force};

use super::super::super::articulated::{eliminate, substitute};
use super::super::super::kinematics::Kinematics;
use super::super::{Memory, Step, Workspace};
use super::{Body, Plan, Scratch};

/// The closing sweep, and more where drives meet limits: leaves v' in `work.rates`, link velocities in `work.sweep.motions`. Dampers
/// act as backward Euler, so that they never ring. How many sweeps it took.
pub(super) fn sweep(plan: &Plan<'_>, state: &mut State, scratch: &mut Scratch, work: &mut Workspace) -> u32 {
    let Step { model, tree, dt, .. } = plan.step;
    let g = plan.g;
    let Scratch { end, bodies, ties, v_middle, damping, .. } = scratch;
    ties.carry(end);

    let Workspace { sweep, diagonal, tau, rates, drives, .. } = work;
    for link in &tree.links {
        for dof in link.dofs() {
            let armature = model.armature()[dof];
            let v0 = state.v[dof];
            tau[dof] = dt * damping[dof] * v_middle[dof] + armature * (v0 + (v_middle[dof] - v0) / g);
            diagonal[dof] = armature + dt * damping[dof];
        }
    }
    // a drive with limits has been given the force of mid-step; it gives the one at the end
    drives.close(v_middle);
    let mut sweeps = 0;
    loop {
        drives.add_limited(tau, diagonal, |drive| (dt * (drive.force - drive.given), dt * drive.d));
        let mut leaf = Leaf { plan, tree, end, bodies, memory: &mut state.memory };
        // a sweep of its own for springs: the usual one does not carry them along
        if ties.is_empty() {
            eliminate::<ArticulatedInertia>(tree, end, diagonal, tau, sweep, |i| leaf.get(i));
        } else {
            // their dampers: what they did at the velocity of mid-step is given back, and done at that of the end
            let mut springs = ties.descending();
            eliminate::<ArticulatedInertia>(tree, end, diagonal, tau, sweep, |i| {
                springs.add_at(i, leaf.get(i), |t| t.c * dt, |t| t.c * t.velocity * dt)
            });
        }
        substitute(tree, end, sweep, rates);
        sweeps += 1;
        if drives.are_cut(|dof| rates[dof]) {
            return sweeps;
        }
    }
}

/// What the links bring to the sweep.
struct Leaf<'a> {
    plan: &'a Plan<'a>,
    tree: &'a Tree,
    end: &'a Kinematics,
    bodies: &'a [Body],
    memory: &'a mut Memory,
}

impl Leaf<'_> {
    /// Inertia and (minus) mirrored momentum of link i about its origin. What the next step needs goes to the memory.
    #[inline(always)]
    fn get(&mut self, i: usize) -> (ArticulatedInertia, Force) {
        let Plan { g, spinning, .. } = *self.plan;
        let dt = self.plan.step.dt;
        let (link, motion, body) = (&self.tree.links[i], &self.end.links[i], &self.bodies[i]);
        let mirrored = body.p0 + (body.p - body.p0) / g;
        let angular = if spinning { motion.rotation * mirrored } else { mirrored };
        let linear = body.l0 + (body.l - body.l0) / g;
        let id = link.id.index();
        self.memory.transmitted[id] = body.transmitted / (g * dt);
        self.memory.reaction[id] = if spinning { body.reaction } else { DVec3::ZERO };
        let momentum = Force::new(angular, linear).about(body.com);
        (body.articulated(self.tree.central[i].mass), -momentum)
    }
}
