//! Forward dynamics by the articulated-body algorithm: accelerations from forces in O(n).
//!
//! Featherstone 2008, table 7.1, in world axes at the links' own origins (see [`super::kinematics`]): no inertia
//! is ever rotated on its way to the parent, only moved.

use glam::DVec3;

use crate::model::Tree;
use crate::spatial::{ArticulatedInertia, Motion};

use super::articulated::{Sweep, eliminate, substitute};
use super::kinematics::Kinematics;
use super::wrench::Wrenches;

/// Joint accelerations `qdd` for the state that `kinematics` was computed at.
///
/// `diagonal` is added to the joint inertia (armature, implicit terms); `tau` are joint forces, dual to v;
/// gravity enters as an acceleration of the world. The link motions left in `sweep` are
/// what the joint accelerations add to the bias.
pub fn accelerations(
    tree: &Tree,
    kinematics: &Kinematics,
    gravity: DVec3,
    diagonal: &[f64],
    tau: &[f64],
    wrenches: &Wrenches,
    sweep: &mut Sweep,
    qdd: &mut [f64],
) {
    sweep.resize(tree);
    let mut external = wrenches.descending();
    eliminate::<ArticulatedInertia>(tree, kinematics, diagonal, tau, sweep, |i| {
        let motion = &kinematics.links[i];
        let inertia = tree.links[i].inertia.rotated(motion.rotation);
        // the force that no joint acceleration at all would take, relative to free fall
        let bias = Motion::new(motion.bias.angular, motion.bias.linear - gravity);
        let force = inertia.momentum(bias) + inertia.velocity_force(motion.velocity.angular);
        (external.add_at(i, inertia.articulated()), external.subtract_at(i, force))
    });
    substitute(tree, kinematics, sweep, qdd);
}
