//! Floating bodies: the centre of mass goes where the momentum takes it, and total momenta are kept to rounding.
//! Also the scaling of velocities by which the energy cap acts.

use glam::DVec3;

use crate::State;
use crate::model::{LinkJoint, Tree};
use crate::spatial::{Force, Motion, Sym3};

use super::super::super::kinematics::Kinematics;
use super::super::{Loads, Workspace};
use super::{Plan, Scratch};

/// Mass and momenta of the whole body at the start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Total {
    mass: f64,
    pub(super) com: DVec3,
    linear: DVec3,
    /// About the centre of mass.
    pub(super) angular: DVec3,
}

/// The motion that the whole body would have with its joints locked and the same momenta.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rigid {
    /// Its energy: what no cap may take \[J].
    pub(super) energy: f64,
    /// At the root's origin, world axes.
    at_root: Motion,
    /// Angular velocity.
    pub(super) spin: DVec3,
    /// Angular momentum about the centre of mass.
    pub(super) angular: DVec3,
    /// Energy in the field of gravity \[J].
    pub(super) weight: f64,
}

/// Whether one free joint carries everything.
pub(super) fn is_floating(tree: &Tree) -> bool {
    let root = &tree.links[0];
    // springs or dampers between a floating base and the world exchange momentum with it
    root.joint == LinkJoint::Free
        && root.parent.is_none()
        && !root.passive
        && tree.links[1..].iter().all(|l| l.parent.is_some())
}

/// Momenta of the whole body at the start of the step.
pub(super) fn total(tree: &Tree, scratch: &Scratch, spinning: bool) -> Total {
    let (mut mass, mut moment, mut linear, mut about_origin) = (0.0, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
    for ((central, motion), body) in tree.central.iter().zip(&scratch.start.links).zip(&scratch.bodies) {
        let at = motion.position + body.com;
        mass += central.mass;
        moment += at * central.mass;
        linear += body.l0;
        let own = if spinning { motion.rotation * body.p0 } else { body.p0 };
        about_origin += own + at.cross(body.l0);
    }
    let com = moment / mass;
    Total { mass, com, linear, angular: about_origin - com.cross(linear) }
}

/// Puts the centre of mass where it belongs and adds the rigid motion that restores total momenta.
pub(super) fn restore(
    plan: &Plan,
    tree: &Tree,
    loads: &Loads,
    before: &Total,
    state: &mut State,
    scratch: &mut Scratch,
    work: &Workspace,
) -> Option<Rigid> {
    let root = &tree.links[0];
    let (iq, iv) = (root.q as usize, root.v as usize);
    let applied = applied(tree, loads, before, scratch, work);
    let linear = before.linear + (applied.linear + loads.gravity * before.mass) * plan.dt;
    let angular = before.angular + applied.angular * plan.dt;
    let com = before.com + (before.linear + linear) * (0.5 * plan.dt / before.mass);

    // centre of mass
    let Scratch { end, bodies, .. } = scratch;
    let mut moment = DVec3::ZERO;
    for (i, central) in tree.central.iter().enumerate() {
        moment += (end.links[i].position + bodies[i].com) * central.mass;
    }
    let shift = root.placement.rotation.transpose() * (com - moment / before.mass);
    for k in 0..3 {
        state.q[iq + k] += shift[k];
    }
    end.move_root(tree, &state.q);

    // momenta now, and the inertia of the body with its joints locked, about the centre of mass
    let (mut now_linear, mut now_angular, mut locked) = (DVec3::ZERO, DVec3::ZERO, Sym3::ZERO);
    for (i, central) in tree.central.iter().enumerate() {
        let (motion, velocity) = (&end.links[i], &work.sweep.motions[i]);
        let arm = motion.position + bodies[i].com - com;
        let l = velocity.at(bodies[i].com).linear * central.mass;
        let inertia = bodies[i].inertia;
        now_linear += l;
        now_angular += inertia * velocity.angular + arm.cross(l);
        locked += inertia + Sym3::point_mass(arm) * central.mass;
    }
    let inverse = locked.inverse_positive()?;
    let change = Motion::new(inverse * (angular - now_angular), (linear - now_linear) / before.mass);
    let to_root = end.links[0].position - com;
    add_to_root(tree, end, change.at(to_root), 1.0, &mut state.v[iv..iv + 6]);
    let rigid = Motion::new(inverse * angular, linear / before.mass);
    let energy = 0.5 * (rigid.angular.dot(angular) + rigid.linear.dot(linear));
    let weight = -before.mass * loads.gravity.dot(com);
    Some(Rigid { energy, at_root: rigid.at(to_root), spin: rigid.angular, angular, weight })
}

/// Force and moment, about the centre of mass at mid-step, of all loads but gravity.
fn applied(tree: &Tree, loads: &Loads, before: &Total, scratch: &Scratch, work: &Workspace) -> Force {
    let drives = loads.tau.get(tree.links[0].dofs()).filter(|tau| tau.iter().any(|x| *x != 0.0));
    if work.wrenches.is_empty() && drives.is_none() {
        return Force::ZERO;
    }
    let middle = &scratch.middle;
    let mut moment = DVec3::ZERO;
    for (central, motion) in tree.central.iter().zip(&middle.links) {
        moment += motion.pose().point(central.com) * central.mass;
    }
    let com = moment / before.mass;
    let mut sum = Force::ZERO;
    for &(link, wrench) in work.wrenches.entries() {
        sum += wrench.about(middle.links[link as usize].position - com);
    }
    if let Some(tau) = drives {
        let r = middle.links[0].rotation;
        let on_root = Force::new(r * DVec3::from_slice(&tau[..3]), r * DVec3::from_slice(&tau[3..]));
        sum += on_root.about(middle.links[0].position - com);
    }
    sum
}

/// Scales all velocities, or, of a floating body, those relative to its rigid motion.
pub(super) fn scale(tree: &Tree, end: &Kinematics, rigid: Option<Rigid>, scale: f64, v: &mut [f64]) {
    for link in &tree.links {
        for x in &mut v[link.dofs()] {
            *x *= scale;
        }
    }
    if let Some(rigid) = rigid {
        add_to_root(tree, end, rigid.at_root, 1.0 - scale, &mut v[tree.links[0].dofs()]);
    }
}

/// Adds `share` of a motion at the root's origin, world axes, to the velocity of the floating joint.
fn add_to_root(tree: &Tree, end: &Kinematics, motion: Motion, share: f64, v: &mut [f64]) {
    debug_assert!(tree.links[0].joint == LinkJoint::Free);
    let r = end.links[0].rotation.transpose();
    let (spin, slide) = (r * motion.angular * share, r * motion.linear * share);
    for k in 0..3 {
        v[k] += spin[k];
        v[k + 3] += slide[k];
    }
}
