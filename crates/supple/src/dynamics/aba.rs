//! Forward dynamics by the articulated-body algorithm: accelerations from forces in O(n).
//!
//! Featherstone 2008, table 7.1, in world axes at the links' own origins (see [`super::kinematics`]): no inertia
//! is ever rotated on its way to the parent, only moved.

use glam::DVec3;

use crate::model::Tree;
use crate::spatial::{ArticulatedInertia, Force, Motion};

use super::articulated::{Sweep, eliminate, substitute};
use super::kinematics::Kinematics;
use super::wrench::{Descending, Wrenches};

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
    // a sweep of its own for implicit springs: the usual one does not carry them along
    if wrenches.added().is_empty() {
        eliminate::<ArticulatedInertia>(tree, kinematics, diagonal, tau, sweep, |i| {
            leaf(tree, kinematics, gravity, &mut external, i)
        });
    } else {
        let mut springs = wrenches.descending_added();
        eliminate::<ArticulatedInertia>(tree, kinematics, diagonal, tau, sweep, |i| {
            let (inertia, force) = leaf(tree, kinematics, gravity, &mut external, i);
            (springs.add_at(i, inertia), force)
        });
    }
    substitute(tree, kinematics, sweep, qdd);
}

/// What a link brings to the sweep: its inertia, and the force that no joint acceleration at all would take, relative to
/// free fall.
#[inline(always)]
fn leaf(
    tree: &Tree,
    kinematics: &Kinematics,
    gravity: DVec3,
    external: &mut Descending<'_>,
    i: usize,
) -> (ArticulatedInertia, Force) {
    let motion = &kinematics.links[i];
    let inertia = tree.links[i].inertia.rotated(motion.rotation);
    let bias = Motion::new(motion.bias.angular, motion.bias.linear - gravity);
    let force = inertia.momentum(bias) + inertia.velocity_force(motion.velocity.angular);
    (inertia.articulated(), external.subtract_at(i, force))
}
