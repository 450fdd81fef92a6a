//! Power of what the energy does not hold: drives and wrenches give it, dampers and friction take it.
//!
//! With it a balance can be drawn: over a step the [energy](super::energy) changes by the mean of the powers at both ends times the step, to
//! second order, and what is left over is the error of the integrator.

use crate::model::Model;

use super::actuator::Drives;
use super::integrate::{Axes, Load, Loads};
use super::kinematics::Kinematics;
use super::{BodyState, passive, spring};

/// Power \[W] that flows into a body at (q, v), whose `kinematics` are known: of joint forces and actuators, cut to effort limits; of wrenches;
/// and, negative, of the dampers of springs, and of dampers, dry friction and dampers of stops in the joints. `drives` is scratch.
pub fn power(
    model: &Model,
    kinematics: &Kinematics,
    loads: &Loads,
    (q, v): (&[f64], &[f64]),
    drives: &mut Drives,
) -> f64 {
    let tree = model.tree();
    let set: f64 = loads.driven.iter().map(|dof| loads.drive(model, *dof as usize) * v[*dof as usize]).sum();
    let body = BodyState { model, tree, q, v };
    drives.set(&body, loads);
    let driven: f64 =
        drives.all().iter().map(|drive| drive.joint_force(v[drive.dof], 0.0) * v[drive.dof]).sum();
    let wrenches: f64 = loads.wrenches.iter().map(|load| of_wrench(model, kinematics, load)).sum();
    let ties = loads.springs.iter().filter_map(|s| spring::Tie::new(model, tree, kinematics, s));
    let damped: f64 = ties.map(|tie| tie.velocity.dot(tie.c * tie.velocity)).sum();
    set + driven + wrenches - damped - dissipated(&body)
}

fn of_wrench(model: &Model, kinematics: &Kinematics, load: &Load) -> f64 {
    let info = &model.bodies()[load.body.index()];
    let Some(link) = info.link else { return 0.0 };
    let motion = &kinematics.links[link.index()];
    let velocity = motion.velocity.at(motion.rotation * info.link_from_body.translation);
    let (moment, force) = (load.wrench.angular, load.wrench.linear);
    match load.axes {
        Axes::World => moment.dot(velocity.angular) + force.dot(velocity.linear),
        Axes::Body => {
            let world_from_body = motion.rotation * info.link_from_body.rotation;
            (world_from_body * moment).dot(velocity.angular) + (world_from_body * force).dot(velocity.linear)
        }
    }
}

/// What dampers, dry friction and dampers of stops take in the joints \[W].
fn dissipated(body: &BodyState<'_>) -> f64 {
    if !body.model.has_passive() {
        return 0.0;
    }
    let mut sum = 0.0;
    for link in body.tree.links.iter().filter(|link| link.passive) {
        passive::couples(body, link, (body.v, 0.0), |dof, couple| {
            sum += couple.d * body.v[dof] * body.v[dof];
        });
    }
    sum
}
