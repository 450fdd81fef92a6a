//! The momentum projection step with tension stiffness: one sweep, first order, slightly dissipative.
//!
//! Theory, section 10 (the step) and 15.7 (the stiffness). Body momenta, about the centres of mass and with the
//! loads of the step added, are carried to the new pose and projected there on what the joints allow:
//! `Î = I + dt² K / 2`, `p += dt² K / 4 · w`.

use glam::DVec3;

use crate::State;
use crate::model::{Model, Tree};
use crate::spatial::{ArticulatedInertia, Force};

use super::super::articulated::{eliminate, substitute};
use super::super::passive;
use super::super::spring::Ties;
use super::tension::Tension;
use super::{Loads, Memory, StepReport, Workspace, position};

pub(super) fn step(
    model: &Model,
    tree: &Tree,
    state: &mut State,
    loads: &Loads,
    dt: f64,
    work: &mut Workspace,
) -> StepReport {
    work.tau.resize(model.nv(), 0.0);
    work.diagonal.resize(model.nv(), 0.0);
    work.qdd.resize(model.nv(), 0.0);
    work.sweep.resize(tree);
    if state.memory.transmitted.len() != model.joints().len() {
        state.memory = Memory::new(model.joints().len());
    }
    let mut scratch = std::mem::take(&mut work.projection);
    scratch.momenta.resize(tree.links.len(), Force::ZERO);

    // --- at the old pose: momenta with the loads of the step, stiffness ---
    work.kinematics.update(tree, &state.q, &state.v);
    work.wrenches.set(model, tree, &work.kinematics, loads.wrenches);
    scratch.ties.set(model, tree, &work.kinematics, loads.springs);
    let mut external = work.wrenches.descending();
    let mut ties = scratch.ties.descending();
    scratch.tension.begin(tree.links.len());
    for (i, central) in tree.central.iter().enumerate().rev() {
        let motion = &work.kinematics.links[i];
        let r = motion.rotation;
        let com = r * central.com;
        let wrench = -external.subtract_at(i, Force::ZERO);
        let w = motion.velocity.angular;
        scratch.momenta[i] = Force::new(
            r * (central.inertia * (r.transpose() * w)) + (wrench.angular - com.cross(wrench.linear)) * dt,
            (motion.velocity.at(com).linear + loads.gravity * dt) * central.mass + wrench.linear * dt,
        );
        for tie in ties.at(i) {
            scratch.tension.pull(tree, &work.kinematics, i, tie.lever, tie.pull);
        }
        let transmitted = state.memory.transmitted[tree.links[i].id.index()];
        scratch.tension.visit(tree, &work.kinematics, i, com, transmitted, dt);
    }
    for link in &tree.links {
        for dof in link.dofs() {
            let armature = model.armature()[dof];
            work.tau[dof] = dt * loads.drive(model, dof) + armature * state.v[dof];
            work.diagonal[dof] = armature;
        }
        if link.passive {
            passive::couples(model, tree, link, &state.q, &state.v, (&state.v, dt), |dof, c| {
                // the position is taken on before the force acts, so the spring sees q + dt v
                let k = c.k + c.stop_k;
                work.tau[dof] += dt * (c.spring_force + c.stop_force - dt * k * state.v[dof]);
                work.diagonal[dof] += dt * c.d + dt * dt * k;
            });
        }
    }
    work.drives.set(model, tree, loads, &state.q, &state.v);
    for drive in work.drives.all() {
        work.tau[drive.dof] += dt * (drive.force - dt * drive.k * state.v[drive.dof]);
        work.diagonal[drive.dof] += drive.diagonal(dt);
    }

    // --- at the new pose: one sweep ---
    position::advance_in_place(tree, &mut state.q, &state.v, dt);
    work.kinematics.update(tree, &state.q, &state.v);
    let kinematics = &work.kinematics;
    let Scratch { momenta, tension, ties, transmitted } = &mut scratch;
    // springs pull where the step has taken their points, at the velocity that it will find
    ties.set(model, tree, kinematics, loads.springs);
    let mut springs = ties.descending();
    eliminate::<ArticulatedInertia>(tree, kinematics, &work.diagonal, &work.tau, &mut work.sweep, |i| {
        let motion = &kinematics.links[i];
        let stiff = tension.k[i] * (dt * dt);
        let mut p = momenta[i];
        p.angular += stiff * motion.velocity.angular * 0.25;
        let mut inertia = tree.links[i].inertia.rotated(motion.rotation).articulated();
        inertia.angular += stiff * 0.5;
        let mut force = -p.about(motion.rotation * tree.central[i].com);
        springs.add_at(i, &mut inertia, &mut force, |t| t.c * dt + t.k * (dt * dt), |t| t.pull * dt);
        (inertia, force)
    });
    substitute(tree, kinematics, &mut work.sweep, &mut work.qdd);
    for link in &tree.links {
        let dofs = link.dofs();
        state.v[dofs.clone()].copy_from_slice(&work.qdd[dofs]);
    }

    // --- transmitted forces, for the next step's stiffness ---
    transmitted.clear();
    transmitted.resize(tree.links.len(), DVec3::ZERO);
    ties.still();
    ties.settle(&work.sweep.motions, dt);
    let mut springs = ties.descending();
    for (i, link) in tree.links.iter().enumerate().rev() {
        let (motion, central) = (&kinematics.links[i], &tree.central[i]);
        let v = work.sweep.motions[i].at(motion.rotation * central.com).linear;
        transmitted[i] += v * central.mass - momenta[i].linear;
        for tie in springs.at(i) {
            transmitted[i] -= tie.pull * dt;
        }
        let sum = transmitted[i];
        if let Some(p) = link.parent {
            transmitted[p.index()] += sum;
        }
        state.memory.transmitted[link.id.index()] = sum / dt;
    }
    work.projection = scratch;
    StepReport { sweeps: 1, substeps: 1, capped: false }
}

/// Scratch of the projection step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    momenta: Vec<Force>,
    tension: Tension,
    ties: Ties,
    transmitted: Vec<DVec3>,
}
