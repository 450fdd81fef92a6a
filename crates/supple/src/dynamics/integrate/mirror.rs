//! The default integrator: momenta projected on the joints at mid-step, mirrored there, and projected again at
//! the end. Theory, section 15.3 (the step), 15.4 (why it holds), 15.6 (`accurate`).
//!
//! ```text
//!  q, v ─► body momenta P₀ (link axes), l₀                 velocities only
//!  pose at q ⊕ g dt v          ↓                           tension K from the last transmitted forces
//!  sweep: I + (g dt)² K − g dt [L]×   ↑↓  → v_g            unsymmetric only where bodies turn out of plane
//!  mirror: P₀ + (P_g − P₀)/g,  l₀ + (l_g − l₀)/g
//!  pose at q' = q ⊕ dt v_g     ↓
//!  sweep: I                    ↑↓  → v'
//!  floating base: centre of mass and momenta made exact;  energy cap
//! ```
//!
//! With g = 1/2 and no loads the first sweep projects the momenta on what the joints allow at mid-step, and the
//! mirror image has the same kinetic energy, whatever the middle pose is; the second projection can only lower
//! it. K makes tension implicit, the skew block [L]× the turning of spinning bodies.

use glam::{DMat3, DVec3};

use crate::State;
use crate::model::{LinkJoint, Model, Tree};
use crate::spatial::{ArticulatedInertia, Force, Motion, Sym3, UnsymmetricInertia};

use super::super::articulated::{eliminate, substitute};
use super::super::kinematics::Kinematics;
use super::super::{energy, momentum, passive};
use super::gyration::gyration;
use super::position;
use super::tension;
use super::{Loads, StepReport, Workspace};

/// Which of the two momentum integrators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Default,
    Accurate,
}

/// Passes in the middle at most, for bodies with joints.
const PASSES: u32 = 3;
/// Passes in the middle at most for a single body, whose passes are cheap.
const PASSES_ONE_BODY: u32 = 10;
/// No further pass when velocities times dt changed by less than this \[rad or m].
const CLOSE_ENOUGH: f64 = 0.1;
/// The same for a single body.
const CLOSE_ENOUGH_ONE_BODY: f64 = 1e-6;
/// Sine of the angle between spin and angular momentum, times the turn in a step \[rad], below which a body counts
/// as turning in a plane: then world momenta and a symmetric sweep give the same answer to rounding.
const IN_PLANE: f64 = 1e-9;

/// What the step knows of one link.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Gyro {
    /// Angular momentum about the centre of mass at the start, link axes.
    p0: DVec3,
    /// Linear momentum at the start.
    l0: DVec3,
    /// Angular momentum at mid-step (link axes), or mirrored.
    p: DVec3,
    /// Linear momentum at mid-step, or mirrored.
    l: DVec3,
    /// P_f: mean of the momentum that a free body would have over the step, link axes.
    free: DVec3,
    /// d: what the joints' reactions changed of the mean momentum, world axes.
    reaction: DVec3,
}

/// Scratch of the momentum integrators.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Poses and velocities at the start, and the q they belong to.
    start: Kinematics,
    start_q: Vec<f64>,
    /// Poses and velocities in the middle, then at the end.
    middle: Kinematics,
    end: Kinematics,
    links: Vec<Gyro>,
    k: Vec<Sym3>,
    own: Vec<DVec3>,
    q: Vec<f64>,
    v_middle: Vec<f64>,
    v_pass: Vec<f64>,
    v_end: Vec<f64>,
    /// Transmitted impulses, then forces.
    transmitted: Vec<DVec3>,
    /// Joint terms: spring impulse and dampers of the step.
    damping: Vec<f64>,
}

/// Sums over the body at the start of a step.
struct Totals {
    kinetic: f64,
    potential: f64,
}

pub(super) fn step(
    mode: Mode,
    model: &Model,
    tree: &Tree,
    state: &mut State,
    loads: &Loads,
    dt: f64,
    work: &mut Workspace,
) -> StepReport {
    let n = tree.links.len();
    if n == 0 {
        return StepReport { sweeps: 0, substeps: 1, capped: false };
    }
    let mut scratch = std::mem::take(&mut work.mirror);
    scratch.resize(model, n);
    work.tau.resize(model.nv(), 0.0);
    work.diagonal.resize(model.nv(), 0.0);
    work.sweep.resize(tree);
    if state.memory.transmitted.len() != model.joints().len() {
        state.memory = super::Memory::new(model.joints().len());
    }

    // --- at the start ---
    let same_place = scratch.start.links.len() == n && scratch.start_q == state.q;
    if same_place {
        scratch.start.set_velocities(tree, &state.v);
    } else {
        scratch.start.update(tree, &state.q, &state.v);
    }
    let (start, spinning) = momenta(tree, &mut scratch, dt);
    let before = Totals {
        kinetic: start + armature_energy(model, tree, &state.v),
        potential: energy::gravitational(tree, &scratch.start, loads.gravity)
            + energy::elastic(model, tree, &state.q),
    };
    let floating = n > 0 && tree.links[0].joint == LinkJoint::Free && tree.links[0].parent.is_none() && {
        tree.links[1..].iter().all(|l| l.parent.is_some())
    };
    let momentum_before = floating.then(|| momentum::momentum(tree, &scratch.start));
    let stiff = tension::stiffness(
        tree,
        &scratch.start,
        &state.memory.transmitted,
        dt,
        &mut scratch.k,
        &mut scratch.own,
    );
    let g = match mode {
        Mode::Default => 0.5 + stiff / (1.0 + stiff) / 6.0,
        Mode::Accurate => 0.5,
    };

    // --- middle: at most a few passes ---
    let mut report = StepReport { sweeps: 0, substeps: 1, capped: false };
    let (passes, close_enough) = match (mode, n) {
        (_, 1) => (PASSES_ONE_BODY, CLOSE_ENOUGH_ONE_BODY),
        (Mode::Default, _) => (PASSES, CLOSE_ENOUGH),
        (Mode::Accurate, _) => (2, 0.0),
    };
    scratch.v_pass.copy_from_slice(&state.v);
    let mut last_change = f64::INFINITY;
    let mut work_done = 0.0;
    for pass in 0..passes {
        middle_pass(model, tree, state, loads, g, dt, pass == 0, mode, spinning, &mut scratch, work);
        report.sweeps += 1;
        let change = dt * largest_difference(tree, &work.qdd, &scratch.v_pass);
        if change > last_change && n > 1 {
            // it does not converge: the pass before was better
            break;
        }
        scratch.v_middle.copy_from_slice(&work.qdd);
        work_done = dt * mirror(tree, loads, g, dt, spinning, &mut scratch, work);
        last_change = change;
        scratch.v_pass.copy_from_slice(&work.qdd);
        if change < close_enough {
            break;
        }
    }

    // --- end ---
    scratch.q.copy_from_slice(&state.q);
    position::advance(tree, &state.q, &scratch.v_middle, dt, &mut scratch.q);
    std::mem::swap(&mut scratch.q, &mut state.q);
    scratch.end.update(tree, &state.q, &scratch.v_middle);
    remember(tree, g, dt, spinning, &mut scratch, state);
    close(model, tree, g, dt, spinning, state, &mut scratch, work);
    report.sweeps += 1;
    state.v.copy_from_slice(&work.qdd);
    let Scratch { end, k, .. } = &mut scratch;
    for (motion, v) in end.links.iter_mut().zip(&work.sweep.motions) {
        motion.velocity = *v;
    }
    for (i, link) in tree.links.iter().enumerate() {
        let w = end.links[i].velocity.angular;
        state.memory.allowance[link.id.index()] = w.dot(k[i] * w) * (g * dt) * (g * dt);
    }

    // --- floating base: what is conserved is conserved exactly ---
    let mut rigid_energy = 0.0;
    let mut rigid = Motion::ZERO;
    if let Some(before) = momentum_before {
        (rigid_energy, rigid) = restore_momentum(tree, loads, &before, dt, state, &mut scratch, work);
    }

    // --- energy cap ---
    let end = &scratch.end;
    let kinetic = energy::kinetic(tree, end, model.armature(), &state.v);
    let potential = energy::gravitational(tree, end, loads.gravity) + energy::elastic(model, tree, &state.q);
    let allowed = before.kinetic + before.potential + work_done - potential;
    if kinetic > allowed {
        let (internal, left) = (kinetic - rigid_energy, (allowed - rigid_energy).max(0.0));
        if internal > 0.0 {
            let scale = (left / internal).min(1.0).sqrt();
            scale_velocities(tree, end, floating.then_some(rigid), scale, &mut state.v);
            report.capped = true;
        }
    }
    std::mem::swap(&mut scratch.start, &mut scratch.end);
    scratch.start_q.copy_from_slice(&state.q);
    work.mirror = scratch;
    report
}

impl Scratch {
    fn resize(&mut self, model: &Model, n: usize) {
        self.links.resize(n, Gyro::default());
        self.transmitted.resize(n, DVec3::ZERO);
        for list in [&mut self.v_middle, &mut self.v_pass, &mut self.v_end, &mut self.damping] {
            list.resize(model.nv(), 0.0);
        }
        self.q.resize(model.nq(), 0.0);
        self.start_q.resize(model.nq(), f64::NAN);
    }
}

/// Body momenta at the start; returns the kinetic energy of the links and whether any body turns out of plane.
fn momenta(tree: &Tree, scratch: &mut Scratch, dt: f64) -> (f64, bool) {
    let mut twice = 0.0;
    let mut spinning = false;
    for ((central, motion), gyro) in tree.central.iter().zip(&scratch.start.links).zip(&mut scratch.links) {
        let w = motion.rotation.transpose() * motion.velocity.angular;
        gyro.p0 = central.inertia * w;
        let v = motion.velocity.at(motion.rotation * central.com).linear;
        gyro.l0 = v * central.mass;
        twice += w.dot(gyro.p0) + v.dot(gyro.l0);
        let out_of_plane = dt * w.cross(gyro.p0).length();
        spinning |= out_of_plane > IN_PLANE * gyro.p0.length();
    }
    (0.5 * twice, spinning)
}

/// One sweep at `q ⊕ g dt v_pass`: leaves v_g in `work.qdd`, link velocities in `work.sweep.motions`.
fn middle_pass(
    model: &Model,
    tree: &Tree,
    state: &State,
    loads: &Loads,
    g: f64,
    dt: f64,
    first: bool,
    mode: Mode,
    spinning: bool,
    scratch: &mut Scratch,
    work: &mut Workspace,
) {
    let h = g * dt;
    let Scratch { start, middle, links, k, q, v_pass, damping, .. } = scratch;
    q.copy_from_slice(&state.q);
    position::advance(tree, &state.q, v_pass, h, q);
    middle.update(tree, q, v_pass);
    work.wrenches.set(model, middle, loads.wrenches);
    work.qdd.resize(model.nv(), 0.0);

    // joints: drives, springs, dampers, armature
    loads.drive(model, tree, &mut work.tau);
    for link in &tree.links {
        for dof in link.dofs() {
            let armature = model.armature()[dof];
            work.tau[dof] = h * work.tau[dof] + armature * state.v[dof];
            work.diagonal[dof] = armature;
            damping[dof] = 0.0;
        }
        if link.passive {
            passive::couples(model, tree, link, &state.q, &state.v, |dof, c| {
                work.tau[dof] += h * c.spring_force;
                work.diagonal[dof] += h * c.d + h * h * c.k;
                damping[dof] += c.d;
            });
        }
    }

    let mut external = work.wrenches.descending();
    let memory = &state.memory;
    // inertia and momentum of link i, about its origin
    let mut leaf = |i: usize| {
        let (motion, central, gyro) = (&middle.links[i], &tree.central[i], &mut links[i]);
        let id = tree.links[i].id.index();
        let ki = k[i] * (h * h);
        let w = motion.velocity.angular;
        let mut t = ki * w;
        if first && mode == Mode::Default {
            let energy = w.dot(t);
            let allowed = memory.allowance[id];
            if energy > allowed {
                t *= (allowed / energy).sqrt();
            }
        }
        let (angular, lm) = if spinning {
            let (free, lengthen) = gyration(&start.links[i].rotation, &motion.rotation, g, gyro.p0);
            gyro.free = free;
            let reaction = memory.reaction[id];
            let pm = if first {
                free + motion.rotation.transpose() * reaction
            } else {
                gyro.p0 + (gyro.p - gyro.p0) / (2.0 * g)
            };
            (motion.rotation * gyro.p0, motion.rotation * pm * lengthen)
        } else {
            (start.links[i].rotation * gyro.p0, DVec3::ZERO)
        };
        let linear = gyro.l0 + loads.gravity * (h * central.mass);
        let momentum = Force::new(angular + t, linear).about(motion.rotation * central.com);
        let wrench = external.subtract_at(i, Force::ZERO);
        let mut inertia = tree.links[i].inertia.rotated(motion.rotation).articulated();
        inertia.angular += ki;
        (inertia, wrench * h - momentum, lm * -h)
    };
    if spinning {
        eliminate::<UnsymmetricInertia, false>(
            tree,
            middle,
            &work.diagonal,
            &work.tau,
            &mut work.sweep,
            |i| {
                let (inertia, force, skew) = leaf(i);
                (UnsymmetricInertia::with_skew(&inertia, skew), force)
            },
        );
    } else {
        eliminate::<ArticulatedInertia, false>(
            tree,
            middle,
            &work.diagonal,
            &work.tau,
            &mut work.sweep,
            |i| {
                let (inertia, force, _) = leaf(i);
                (inertia, force)
            },
        );
    }
    substitute::<false>(tree, middle, Motion::ZERO, &mut work.sweep, &mut work.qdd);
}

/// Momenta at mid-step from the link velocities that the sweep left, and the impulses that joints transmit.
/// Returns the power of drives and wrenches \[W].
fn mirror(
    tree: &Tree,
    loads: &Loads,
    g: f64,
    dt: f64,
    spinning: bool,
    scratch: &mut Scratch,
    work: &Workspace,
) -> f64 {
    let h = g * dt;
    let mut power = 0.0;
    let Scratch { start, middle, links, transmitted, v_middle, .. } = scratch;
    let mut external = work.wrenches.descending();
    transmitted.fill(DVec3::ZERO);
    for (i, link) in tree.links.iter().enumerate().rev() {
        let (motion, central, gyro) = (&middle.links[i], &tree.central[i], &mut links[i]);
        let velocity = work.sweep.motions[i];
        // in the plane the momenta stay in world axes, expressed in the axes of the start
        let axes = if spinning { &motion.rotation } else { &start.links[i].rotation };
        let in_link = motion.rotation.transpose() * velocity.angular;
        let world = motion.rotation * (central.inertia * in_link);
        gyro.p = axes.transpose() * world;
        gyro.l = velocity.at(motion.rotation * central.com).linear * central.mass;
        if spinning {
            gyro.reaction = motion.rotation * (gyro.p0 + (gyro.p - gyro.p0) / (2.0 * g) - gyro.free);
        }
        let wrench = -external.subtract_at(i, Force::ZERO);
        power += wrench.dot(velocity);
        let applied = loads.gravity * central.mass + wrench.linear;
        transmitted[i] += gyro.l - gyro.l0 - applied * h;
        if let Some(p) = link.parent {
            let sum = transmitted[i];
            transmitted[p.index()] += sum;
        }
        if !loads.tau.is_empty() {
            for dof in link.dofs() {
                power += loads.tau[dof] * v_middle[dof];
            }
        }
    }
    power
}

/// Keeps what the next step needs.
fn remember(tree: &Tree, g: f64, dt: f64, spinning: bool, scratch: &mut Scratch, state: &mut State) {
    for (i, link) in tree.links.iter().enumerate() {
        let (gyro, id) = (&scratch.links[i], link.id.index());
        state.memory.transmitted[id] = scratch.transmitted[i] / (g * dt);
        state.memory.reaction[id] = if spinning { gyro.reaction } else { DVec3::ZERO };
    }
}

/// The closing sweep: mirrored momenta projected on the joints at the new pose, dampers as backward Euler.
fn close(
    model: &Model,
    tree: &Tree,
    g: f64,
    dt: f64,
    spinning: bool,
    state: &State,
    scratch: &mut Scratch,
    work: &mut Workspace,
) {
    let Scratch { start, end, links, v_middle, damping, .. } = scratch;
    for link in &tree.links {
        for dof in link.dofs() {
            let armature = model.armature()[dof];
            let v0 = state.v[dof];
            work.tau[dof] = dt * damping[dof] * v_middle[dof] + armature * (v0 + (v_middle[dof] - v0) / g);
            work.diagonal[dof] = armature + dt * damping[dof];
        }
    }
    eliminate::<ArticulatedInertia, false>(tree, end, &work.diagonal, &work.tau, &mut work.sweep, |i| {
        let (motion, central, gyro) = (&end.links[i], &tree.central[i], &links[i]);
        let axes: &DMat3 = if spinning { &motion.rotation } else { &start.links[i].rotation };
        let angular = *axes * (gyro.p0 + (gyro.p - gyro.p0) / g);
        let linear = gyro.l0 + (gyro.l - gyro.l0) / g;
        let momentum = Force::new(angular, linear).about(motion.rotation * central.com);
        (tree.links[i].inertia.rotated(motion.rotation).articulated(), -momentum)
    });
    substitute::<false>(tree, end, Motion::ZERO, &mut work.sweep, &mut work.qdd);
}

/// Puts the centre of mass of a floating body where its momentum takes it, and adds the rigid motion that
/// restores total momenta. Returns the energy and the motion (at the root's origin) of the rigid part.
fn restore_momentum(
    tree: &Tree,
    loads: &Loads,
    before: &momentum::Momentum,
    dt: f64,
    state: &mut State,
    scratch: &mut Scratch,
    work: &Workspace,
) -> (f64, Motion) {
    // what the loads change
    let root = &tree.links[0];
    let (iq, iv) = (root.q as usize, root.v as usize);
    let middle = &scratch.middle;
    let middle_com = momentum::centre_of_mass(tree, middle);
    let mut applied = Force::ZERO;
    for &(link, wrench) in work.wrenches.entries() {
        applied += wrench.about(middle.links[link as usize].position - middle_com);
    }
    // forces at the floating joint itself: drives, springs, dampers
    if let Some(tau) = loads.tau.get(iv..iv + 6) {
        let r = middle.links[0].rotation;
        let on_root = Force::new(r * DVec3::from_slice(&tau[..3]), r * DVec3::from_slice(&tau[3..]));
        applied += on_root.about(middle.links[0].position - middle_com);
    }
    if root.passive {
        return (0.0, Motion::ZERO);
    }
    let linear = before.linear + (applied.linear + loads.gravity * before.mass) * dt;
    let angular = before.angular_about_com + applied.angular * dt;
    let com = before.com + (before.linear + linear) * (0.5 * dt / before.mass);

    let end = &mut scratch.end;
    let now = momentum::momentum(tree, end);
    let shift = com - now.com;
    let in_joint = root.placement.rotation.transpose() * shift;
    for k in 0..3 {
        state.q[iq + k] += in_joint[k];
    }
    for motion in &mut end.links {
        motion.position += shift;
    }
    end.links[0].offset += shift;
    let locked = momentum::locked_inertia(tree, end, com);
    let Some(inverse) = locked.inertia.inverse_positive() else { return (0.0, Motion::ZERO) };
    let to_root = end.links[0].position - com;
    let change =
        Motion::new(inverse * (angular - now.angular_about_com), (linear - now.linear) / before.mass);
    for motion in &mut end.links {
        motion.velocity += change.at(motion.position - com);
    }
    let r = end.links[0].rotation.transpose();
    let at_root = change.at(to_root);
    let (spin, slide) = (r * at_root.angular, r * at_root.linear);
    for k in 0..3 {
        state.v[iv + k] += spin[k];
        state.v[iv + 3 + k] += slide[k];
    }
    let rigid = Motion::new(inverse * angular, linear / before.mass);
    let energy = 0.5 * (rigid.angular.dot(angular) + rigid.linear.dot(linear));
    (energy, rigid.at(to_root))
}

/// Scales all velocities, or, of a floating body, those relative to its rigid motion (given at the root's origin).
fn scale_velocities(tree: &Tree, end: &Kinematics, rigid: Option<Motion>, scale: f64, v: &mut [f64]) {
    for link in &tree.links {
        for x in &mut v[link.dofs()] {
            *x *= scale;
        }
    }
    if let Some(rigid) = rigid {
        let r = end.links[0].rotation.transpose();
        let iv = tree.links[0].v as usize;
        let (spin, slide) = (r * rigid.angular, r * rigid.linear);
        for k in 0..3 {
            v[iv + k] += (1.0 - scale) * spin[k];
            v[iv + 3 + k] += (1.0 - scale) * slide[k];
        }
    }
}

fn armature_energy(model: &Model, tree: &Tree, v: &[f64]) -> f64 {
    let mut twice = 0.0;
    for link in &tree.links {
        for dof in link.dofs() {
            twice += model.armature()[dof] * v[dof] * v[dof];
        }
    }
    0.5 * twice
}

fn largest_difference(tree: &Tree, a: &[f64], b: &[f64]) -> f64 {
    let mut largest = 0.0f64;
    for link in &tree.links {
        for dof in link.dofs() {
            largest = largest.max((a[dof] - b[dof]).abs());
        }
    }
    largest
}
