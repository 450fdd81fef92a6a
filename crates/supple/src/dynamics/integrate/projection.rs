//! The momentum projection step with tension stiffness: one sweep, first order, slightly dissipative.
//!
//! Theory, section 10 (the step) and 15.7 (the stiffness). Body momenta, about the centres of mass and with the
//! loads of the step added, are carried to the new pose and projected there on what the joints allow:
//! `Î = I + dt² K / 2`, `p += dt² K / 4 · w`. What touches something takes this step instead of the default one, so total momenta of
//! floating bodies are made exact then, as they are there. And since a floating tree that is folded turns faster, its joints go no farther
//! than its energy does: by a share of their way where they would fold it to a pose at which its momenta alone mean more.

use glam::DVec3;

use crate::dynamics::State;
use crate::model::Tree;
use crate::spatial::{ArticulatedInertia, Force};

use super::super::afloat::Afloat;
use super::super::articulated::{eliminate, substitute};
use super::super::kinematics::Kinematics;
use super::super::passive;
use super::super::spring::Ties;
use super::tension::Tension;
use super::{Memory, Step, StepReport, Workspace, position};

/// Shares of their way that joints of floating trees go, until the momenta of the tree leave energy for them.
const WAYS: [f64; 5] = [1.0, 0.5, 0.25, 0.125, 0.0];
/// The energy of a tree that turns with all joints locked may be more than there was by this share: so far off is its angular velocity at
/// mid-step at half a radian per step.
const TURNING: f64 = 0.01;

pub(super) fn step(step: &Step<'_>, state: &mut State, work: &mut Workspace) -> StepReport {
    for way in WAYS {
        if let Some(report) = step_by(way, step, state, work) {
            return report;
        }
    }
    StepReport::default()
}

/// A step in which the joints of floating trees go a share of their way; none, and the state as it was, if that folds a tree so far that it
/// has not the energy to turn with its momenta.
fn step_by(share: f64, step: &Step<'_>, state: &mut State, work: &mut Workspace) -> Option<StepReport> {
    let Step { model, tree, loads, dt } = *step;
    work.tau.resize(model.nv(), 0.0);
    work.diagonal.resize(model.nv(), 0.0);
    work.rates.resize(model.nv(), 0.0);
    work.sweep.resize(tree);
    if state.memory.transmitted.len() != model.joints().len() {
        state.memory = Memory::new(model.joints().len());
    }
    let mut scratch = std::mem::take(&mut work.projection);
    scratch.momenta.resize(tree.links.len(), Force::ZERO);

    // --- at the old pose: momenta with the loads of the step, stiffness ---
    if !std::mem::take(&mut work.seen) {
        work.kinematics.update(tree, &state.q, &state.v);
    }
    work.wrenches.set(model, tree, &work.kinematics, loads.wrenches);
    scratch.ties.set(model, tree, &work.kinematics, loads.springs);
    // a step of what touches something: no other makes up for what this one changes of a floating body's momenta
    let afloat = work.cap && !work.tied && loads.springs.is_empty() && loads.keep_momenta_afloat(model, tree);
    if afloat {
        scratch.start.clone_from(&state.q);
        scratch.afloat.note(model, tree, &work.kinematics);
        if share < 1.0 {
            scratch.way.clone_from(&state.v);
            scratch.afloat.shorten(tree, &work.kinematics, share, &mut scratch.way);
        }
        scratch.afloat.note_gyration(tree, &work.kinematics, dt);
        scratch.afloat.load(&work.kinematics, loads.gravity, work.wrenches.entries(), dt);
    } else {
        scratch.afloat.forget();
    }
    let way = if share < 1.0 { &scratch.way } else { &state.v };
    let mut external = work.wrenches.descending();
    let mut allowed = 0.0;
    scratch.tension.begin(tree.links.len(), dt);
    scratch.tension.pull(tree, &work.kinematics, &scratch.ties);
    for (i, central) in tree.central.iter().enumerate().rev() {
        let motion = &work.kinematics.links[i];
        let r = motion.rotation;
        let com = r * central.com;
        let wrench = -external.subtract_at(i, Force::ZERO);
        let w = motion.velocity.angular;
        let turning = r * (central.inertia * (r.transpose() * w));
        let moment = (wrench.angular - com.cross(wrench.linear)) * dt;
        let velocity = motion.velocity.at(com).linear;
        let push = loads.gravity * (dt * central.mass) + wrench.linear * dt;
        scratch.momenta[i] = Force::new(turning + moment, velocity * central.mass + push);
        // energy with the loads of the step; the moment's own part is small
        allowed += w.dot(0.5 * turning + moment) + velocity.dot(0.5 * central.mass * velocity + push);
        allowed += 0.5 * push.length_squared() / central.mass.max(f64::MIN_POSITIVE);
        let transmitted = state.memory.transmitted[tree.links[i].id.index()];
        scratch.tension.visit(tree, &work.kinematics, i, com, transmitted);
    }
    for link in &tree.links {
        for dof in link.dofs() {
            let armature = model.armature()[dof];
            work.tau[dof] = dt * loads.drive(model, dof) + armature * state.v[dof];
            work.diagonal[dof] = armature;
        }
        if link.passive {
            passive::couples(&step.at(&state.q, &state.v), link, (way, dt), |dof, c| {
                // the position is taken on before the force acts, so the spring sees q + dt v
                let k = c.k + c.stop_k;
                work.tau[dof] += dt * (c.spring_force + c.stop_force - dt * k * way[dof]);
                work.diagonal[dof] += dt * c.d + dt * dt * k;
            });
        }
    }
    work.drives.begin(&step.at(&state.q, &state.v), loads, dt);
    work.drives.advance(way, dt);

    // --- at the new pose: one sweep, and another where a drive meets a limit ---
    position::advance_in_place(tree, &mut state.q, way, dt);
    if afloat {
        scratch.afloat.gyrate(tree, &mut state.q);
        work.kinematics.update_poses(tree, &state.q);
        scratch.afloat.settle(tree, &work.kinematics, &mut state.q);
    }
    work.kinematics.update(tree, &state.q, &state.v);
    let kinematics = &work.kinematics;
    let Scratch { momenta, tension, ties, transmitted, afloat, .. } = &mut scratch;
    // springs pull where the step has taken their points, at the velocity that it will find
    ties.set(model, tree, kinematics, loads.springs);
    let Workspace { diagonal, tau, sweep, drives, rates, .. } = work;
    let mut sweeps = 0;
    loop {
        drives.add(tau, diagonal, |drive| (dt * drive.force, drive.diagonal(dt)));
        // a sweep of its own for springs: the usual one does not carry them along
        if ties.is_empty() {
            eliminate::<ArticulatedInertia>(tree, kinematics, diagonal, tau, sweep, |i| {
                leaf(tree, kinematics, momenta, tension, dt, i)
            });
        } else {
            let mut springs = ties.descending();
            eliminate::<ArticulatedInertia>(tree, kinematics, diagonal, tau, sweep, |i| {
                let bare = leaf(tree, kinematics, momenta, tension, dt, i);
                springs.add_at(i, bare, |t| t.c * dt + t.k * (dt * dt), |t| t.pull * dt)
            });
        }
        substitute(tree, kinematics, sweep, rates);
        sweeps += 1;
        if drives.are_cut(|dof| rates[dof]) {
            break;
        }
    }
    {
        let Workspace { kinematics, sweep, rates, .. } = work;
        afloat.restore(tree, kinematics, |i| sweep.motions[i], rates);
        for (i, motion) in sweep.motions.iter_mut().enumerate().take(tree.links.len()) {
            *motion += afloat.added(kinematics, i);
        }
    }
    // springs to the world do work of their own
    let capped = if work.cap && loads.springs.is_empty() {
        let Some(capped) = cap(step, &state.v, allowed, (afloat, share), work) else {
            state.q.clone_from(&scratch.start);
            work.projection = scratch;
            return None;
        };
        capped
    } else {
        false
    };
    let kinematics = &work.kinematics;
    for link in &tree.links {
        let dofs = link.dofs();
        state.v[dofs.clone()].copy_from_slice(&work.rates[dofs]);
    }

    // --- transmitted forces, for the next step's stiffness ---
    transmitted.clear();
    transmitted.resize(tree.links.len(), DVec3::ZERO);
    ties.still();
    ties.settle(&work.sweep.motions, dt);
    for tie in ties.all() {
        transmitted[tie.link as usize] -= tie.pull * dt;
    }
    for (i, link) in tree.links.iter().enumerate().rev() {
        let (motion, central) = (&kinematics.links[i], &tree.central[i]);
        let v = work.sweep.motions[i].at(motion.rotation * central.com).linear;
        transmitted[i] += v * central.mass - momenta[i].linear;
        let sum = transmitted[i];
        if let Some(p) = link.parent {
            transmitted[p.index()] += sum;
        }
        state.memory.transmitted[link.id.index()] = sum / dt;
    }
    work.projection = scratch;
    Some(StepReport { sweeps, substeps: 1, capped })
}

/// Takes velocities down to the kinetic energy that is `allowed`, with the work of joint forces: carrying momenta of bodies that turn to
/// another pose may raise it. Momenta of floating bodies stay. Whether it did; none if a floating tree has not the energy to turn with its
/// momenta at that pose, and joints may go less than this share of their way.
fn cap(
    step: &Step<'_>,
    before: &[f64],
    mut allowed: f64,
    (afloat, share): (&Afloat, f64),
    work: &mut Workspace,
) -> Option<bool> {
    let Step { model, tree, .. } = *step;
    let mut energy = 0.0;
    for (i, central) in tree.central.iter().enumerate() {
        let (motion, r) = (work.sweep.motions[i], work.kinematics.links[i].rotation);
        let w = r.transpose() * motion.angular;
        energy += 0.5 * w.dot(central.inertia * w);
        energy += 0.5 * central.mass * motion.at(r * central.com).linear.length_squared();
    }
    for dof in tree.links.iter().flat_map(crate::model::Link::dofs) {
        let (armature, v) = (model.armature()[dof], work.rates[dof]);
        energy += 0.5 * armature * v * v;
        allowed += 0.5 * armature * before[dof] * before[dof];
        // what springs, stops and drives do; dampers only take
        let given = work.tau[dof] - armature * before[dof];
        allowed += (given * v).max(0.0);
    }
    if !(energy > allowed && energy > 0.0) {
        return Some(false);
    }
    let rigid = afloat.rigid_energy();
    if share > 0.0 && rigid > (1.0 + TURNING) * allowed {
        return None;
    }
    let relative = energy - rigid;
    let scale = if relative > 0.0 { ((allowed - rigid).max(0.0) / relative).sqrt() } else { 1.0 };
    let Workspace { kinematics, sweep, rates, .. } = work;
    afloat.scale(tree, kinematics, scale, rates);
    for (i, motion) in sweep.motions.iter_mut().enumerate().take(tree.links.len()) {
        *motion = afloat.scale_motion(kinematics, i, scale, *motion);
    }
    Some(true)
}

/// What a link brings to the sweep: its inertia with its tension stiffness, and its momentum.
#[inline(always)]
fn leaf(
    tree: &Tree,
    kinematics: &Kinematics,
    momenta: &[Force],
    tension: &Tension,
    dt: f64,
    i: usize,
) -> (ArticulatedInertia, Force) {
    let motion = &kinematics.links[i];
    let stiff = tension.k[i] * (dt * dt);
    let mut p = momenta[i];
    p.angular += stiff * motion.velocity.angular * 0.25;
    let mut inertia = tree.links[i].inertia.rotated(motion.rotation).articulated();
    inertia.angular += stiff * 0.5;
    (inertia, -p.about(motion.rotation * tree.central[i].com))
}

/// Scratch of the projection step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Positions at the start of the step, and velocities by which they go on where that is not all the way.
    start: Vec<f64>,
    way: Vec<f64>,
    momenta: Vec<Force>,
    tension: Tension,
    ties: Ties,
    transmitted: Vec<DVec3>,
    afloat: Afloat,
}
