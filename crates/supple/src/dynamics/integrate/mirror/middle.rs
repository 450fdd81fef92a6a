//! The middle of the step: momenta of the start, with the loads so far, projected on what the joints allow there.

use glam::DVec3;

use crate::dynamics::State;
use crate::model::Tree;
use crate::spatial::{ArticulatedInertia, Force, UnsymmetricInertia};

use super::super::super::articulated::{eliminate, substitute};
use super::super::super::kinematics::Kinematics;
use super::super::super::passive;
use super::super::super::spring::Tie;
use super::super::super::wrench::Descending;
use super::super::tension::Tension;
use super::super::{Loads, Memory, Step, Workspace, position};
use super::gyration::gyration;
use super::{Body, Mode, Plan, Scratch};

/// One sweep at `q ⊕ g dt v_pass`, and more where drives meet limits: leaves v_g in `work.rates`, link velocities in
/// `work.sweep.motions`. How many sweeps it took.
pub(super) fn sweep(
    plan: &Plan<'_>,
    state: &State,
    first: bool,
    scratch: &mut Scratch,
    work: &mut Workspace,
) -> u32 {
    let Step { model, tree, loads, dt } = plan.step;
    let spinning = plan.spinning;
    let h = plan.g * dt;
    let Scratch { start, middle, bodies, tension, ties, q, v_pass, damping, .. } = scratch;
    position::advance(tree, &state.q, v_pass, h, q);
    middle.update_without_bias(tree, q, v_pass);
    work.wrenches.set(model, tree, middle, loads.wrenches);
    ties.set(model, tree, middle, loads.springs);
    joint_terms(plan, state, v_pass, damping, work);

    let mass = |t: &Tie| t.c * h + t.k * (h * h);
    let impulse = |t: &Tie| (t.pull + t.k * t.velocity * h) * h;
    let Workspace { sweep, diagonal, tau, rates, drives, wrenches, .. } = work;
    let mut sweeps = 0;
    loop {
        drives.add(tau, diagonal, |drive| (h * drive.force, drive.diagonal(h)));
        let (external, memory) = (wrenches.descending(), &state.memory);
        let mut leaf =
            Leaf { plan, tree, start, middle, tension, memory, loads, first, external, bodies: &mut *bodies };
        // where the velocity to be found takes the point of a spring, counted from where v_pass has taken it
        let mut springs = ties.descending();
        // sweeps of their own for springs: the usual ones do not carry them along
        match (spinning, ties.is_empty()) {
            (false, true) => eliminate::<ArticulatedInertia>(tree, middle, diagonal, tau, sweep, |i| {
                let (inertia, force, _) = leaf.get(i);
                (inertia, force)
            }),
            (true, true) => eliminate::<UnsymmetricInertia>(tree, middle, diagonal, tau, sweep, |i| {
                let (inertia, force, skew) = leaf.get(i);
                (UnsymmetricInertia::with_skew(&inertia, skew), force)
            }),
            (false, false) => eliminate::<ArticulatedInertia>(tree, middle, diagonal, tau, sweep, |i| {
                let (inertia, force, _) = leaf.get(i);
                springs.add_at(i, (inertia, force), mass, impulse)
            }),
            (true, false) => eliminate::<UnsymmetricInertia>(tree, middle, diagonal, tau, sweep, |i| {
                let (inertia, force, skew) = leaf.get(i);
                let (inertia, force) = springs.add_at(i, (inertia, force), mass, impulse);
                (UnsymmetricInertia::with_skew(&inertia, skew), force)
            }),
        }
        substitute(tree, middle, sweep, rates);
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
    start: &'a Kinematics,
    middle: &'a Kinematics,
    tension: &'a Tension,
    memory: &'a Memory,
    loads: &'a Loads<'a>,
    first: bool,
    external: Descending<'a>,

    bodies: &'a mut [Body],
}

impl Leaf<'_> {
    /// Inertia and (minus) momentum of link i about its origin, and the skew part of the inertia.
    #[inline(always)]
    fn get(&mut self, i: usize) -> (ArticulatedInertia, Force, DVec3) {
        let Plan { step, g, mode, spinning, .. } = *self.plan;
        let h = g * step.dt;
        let (motion, central) = (&self.middle.links[i], &self.tree.central[i]);
        let (body, id) = (&mut self.bodies[i], self.tree.links[i].id.index());
        body.place(central, motion.rotation);
        // t: what the stiffness makes of the present turning, so that it acts on changes only
        let ki = self.tension.k[i] * (h * h);
        let w = motion.velocity.angular;
        let mut t = ki * w;
        if self.first && mode == Mode::Default {
            let (energy, allowed) = (w.dot(t), self.memory.allowance[id]);
            if energy > allowed {
                t *= (allowed / energy).sqrt();
            }
        }
        let (angular, skew) = if spinning {
            let (free, lengthen) = gyration(&self.start.links[i].rotation, &motion.rotation, g, body.p0);
            body.free = free;
            let mean = if self.first {
                free + motion.rotation.transpose() * self.memory.reaction[id]
            } else {
                body.p0 + (body.p - body.p0) / (2.0 * g)
            };
            (motion.rotation * body.p0, motion.rotation * mean * (lengthen * -h))
        } else {
            (body.p0, DVec3::ZERO)
        };
        let linear = body.l0 + self.loads.gravity * (h * central.mass);
        let momentum = Force::new(angular + t, linear).about(body.com);
        let minus_wrench = self.external.subtract_at(i, Force::ZERO);
        let mut inertia = body.articulated(central.mass);
        inertia.angular += ki;
        (inertia, minus_wrench * h - momentum, skew)
    }
}

/// Joint forces, springs, dampers and armatures as joint impulses until mid-step, and what they add to the diagonal; drives are
/// made ready.
fn joint_terms(plan: &Plan<'_>, state: &State, v_pass: &[f64], damping: &mut [f64], work: &mut Workspace) {
    let Step { model, tree, loads, dt } = plan.step;
    let h = plan.g * dt;
    let Workspace { tau, diagonal, drives, .. } = work;
    for link in &tree.links {
        for dof in link.dofs() {
            let armature = model.armature()[dof];
            tau[dof] = h * loads.drive(model, dof) + armature * state.v[dof];
            diagonal[dof] = armature;
            damping[dof] = 0.0;
        }
        if link.passive {
            passive::couples(&plan.step.at(&state.q, &state.v), link, (v_pass, dt), |dof, c| {
                // springs are taken at mid-step; stops at its end, where they must hold
                tau[dof] += h * (c.spring_force + c.stop_force);
                diagonal[dof] += h * c.d + h * h * c.k + h * dt * c.stop_k;
                damping[dof] += c.d;
            });
        }
    }
    drives.begin(&plan.step.at(&state.q, v_pass), loads, h);
    for drive in drives.unlimited() {
        damping[drive.dof] += drive.d;
    }
}

/// Momenta at mid-step from the link velocities that the sweep left, and the impulses that joints transmit.
/// Returns the power of drives and wrenches \[W], without that of dead loads if they count as potential energy, and of
/// springs, which do. Dampers only take: the power of those in drives and springs is left out, too.
pub(super) fn mirror(plan: &Plan<'_>, scratch: &mut Scratch, work: &Workspace) -> f64 {
    let Step { model, tree, loads, dt } = plan.step;
    let Plan { g, spinning, .. } = *plan;
    let h = g * dt;
    let mut power = 0.0;
    let Scratch { middle, bodies, ties, v_middle, .. } = scratch;
    ties.settle(&work.sweep.motions, h);
    let mut external = work.wrenches.descending();
    for body in &mut *bodies {
        body.transmitted = DVec3::ZERO;
    }
    for tie in ties.all() {
        bodies[tie.link as usize].transmitted -= tie.pull * h;
    }
    for (i, link) in tree.links.iter().enumerate().rev() {
        let (motion, central, body) = (&middle.links[i], &tree.central[i], &mut bodies[i]);
        let velocity = work.sweep.motions[i];
        body.p = body.inertia * velocity.angular;
        if spinning {
            let r = motion.rotation;
            body.p = r.transpose() * body.p;
            body.reaction = r * (body.p0 + (body.p - body.p0) / (2.0 * g) - body.free);
        }
        body.l = velocity.at(body.com).linear * central.mass;
        let wrench = -external.subtract_at(i, Force::ZERO);
        power += wrench.dot(velocity);
        body.transmitted += body.l - body.l0 - (loads.gravity * central.mass + wrench.linear) * h;

        let transmitted = body.transmitted;
        if let Some(p) = link.parent {
            bodies[p.index()].transmitted += transmitted;
        }
        for dof in link.dofs() {
            power += loads.drive(model, dof) * v_middle[dof];
        }
    }
    for drive in work.drives.all() {
        let v = v_middle[drive.dof];
        power += (drive.force - h * drive.k * v) * v;
    }
    if plan.dead { power - loads.dead_power(model, tree, middle, &work.sweep.motions) } else { power }
}
