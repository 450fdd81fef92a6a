//! Floating bodies: the centre of mass goes where the momentum takes it, and total momenta are kept to rounding.
//! Also the scaling of velocities by which the energy cap acts.

use glam::DVec3;

use crate::dynamics::State;
use crate::model::{LinkJoint, Model, Tree};
use crate::spatial::{Force, Motion, Sym3};

use super::super::super::kinematics::Kinematics;
use super::super::{Loads, Step, Workspace};
use super::{Body, Plan, Scratch};

/// Mass and momenta of the whole body at the start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Total {
    mass: f64,
    com: DVec3,
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
}

/// Whether one free joint carries everything.
pub(super) fn is_floating(model: &Model, tree: &Tree, loads: &Loads) -> bool {
    let root = &tree.links[0];
    // springs, dampers, drives and armature between a floating base and the world exchange momentum with it
    root.joint == LinkJoint::Free
        && root.parent.is_none()
        && !root.passive
        && model.armature()[root.dofs()].iter().all(|a| *a == 0.0)
        && tree.links[1..].iter().all(|l| l.parent.is_some())
        && loads.springs.is_empty()
        && loads.actuators.iter().all(|a| a.joint != root.id)
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

/// Where a floating body's momenta take it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) mass: f64,
    pub(super) linear: DVec3,
    /// About the centre of mass.
    pub(super) angular: DVec3,
    pub(super) com: DVec3,
}

/// Momenta and centre of mass at the end of the step: what they were and what the loads add.
pub(super) fn target(plan: &Plan<'_>, before: &Total, scratch: &Scratch, work: &Workspace) -> Target {
    let Step { loads, dt, .. } = plan.step;
    let applied = applied(&plan.step, before, scratch, work);
    let linear = before.linear + (applied.linear + loads.gravity * before.mass) * dt;
    Target {
        mass: before.mass,
        linear,
        angular: before.angular + applied.angular * dt,
        com: before.com + (before.linear + linear) * (0.5 * dt / before.mass),
    }
}

/// The whole body with its joints locked at the poses of `poses`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Locked {
    pub(super) com: DVec3,
    /// Inverse of its inertia about the centre of mass.
    pub(super) inverse: Sym3,
}

impl Locked {
    pub(super) fn at(tree: &Tree, poses: &Kinematics, bodies: &[Body]) -> Option<Self> {
        // levers from the root, so that distance from the world's origin costs no digits
        let root = poses.links[0].position;
        let (mut mass, mut moment, mut inertia) = (0.0, DVec3::ZERO, Sym3::ZERO);
        for ((central, motion), body) in tree.central.iter().zip(&poses.links).zip(bodies) {
            let arm = motion.position - root + body.com;
            mass += central.mass;
            moment += arm * central.mass;
            inertia += body.inertia + Sym3::point_mass(arm) * central.mass;
        }
        let arm = moment / mass;
        let about_com = inertia + Sym3::point_mass(arm) * -mass;
        Some(Self { com: root + arm, inverse: about_com.inverse_positive()? })
    }
}

/// Puts the centre of mass where it belongs and adds the rigid motion that restores total momenta.
pub(super) fn restore(
    tree: &Tree,
    target: &Target,
    locked: &Locked,
    state: &mut State,
    scratch: &mut Scratch,
    work: &Workspace,
) -> Rigid {
    let root = &tree.links[0];
    let (iq, iv) = (root.q as usize, root.v as usize);
    let Target { mass, linear, angular, com } = *target;
    let Scratch { end, bodies, .. } = scratch;
    let shift = root.placement.rotation.transpose() * (com - locked.com);
    for k in 0..3 {
        state.q[iq + k] += shift[k];
    }
    end.move_root(tree, &state.q);

    let (mut now_linear, mut now_angular) = (DVec3::ZERO, DVec3::ZERO);
    for (i, central) in tree.central.iter().enumerate() {
        let velocity = &work.sweep.motions[i];
        let l = velocity.at(bodies[i].com).linear * central.mass;
        now_linear += l;
        let arm = end.links[i].position + bodies[i].com - com;
        now_angular += bodies[i].inertia * velocity.angular + arm.cross(l);
    }
    let change = Motion::new(locked.inverse * (angular - now_angular), (linear - now_linear) / mass);
    let to_root = end.links[0].position - com;
    add_to_root(tree, end, change.at(to_root), 1.0, &mut state.v[iv..iv + 6]);
    let rigid = Motion::new(locked.inverse * angular, linear / mass);
    let energy = 0.5 * (rigid.angular.dot(angular) + rigid.linear.dot(linear));
    Rigid { energy, at_root: rigid.at(to_root) }
}

/// Force and moment, about the centre of mass at mid-step, of all loads but gravity.
fn applied(step: &Step<'_>, before: &Total, scratch: &Scratch, work: &Workspace) -> Force {
    let Step { model, tree, loads, .. } = *step;
    if loads.is_none() {
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
    // drives of the floating joint itself
    let (root, iv) = (&middle.links[0], tree.links[0].v as usize);
    let tau = Force::from_array(std::array::from_fn(|k| loads.drive(model, iv + k)));
    let on_root = Force::new(root.rotation * tau.angular, root.rotation * tau.linear);
    sum + on_root.about(root.position - com)
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
