//! Forward dynamics by the articulated-body algorithm: accelerations from forces in O(n).
//!
//! Featherstone 2008, table 7.1, in world axes at the links' own origins (see [`super::kinematics`]): no inertia
//! is ever rotated on its way to the parent, only moved.

use crate::spatial::{ArticulatedInertia, Force, Motion};

use super::EquationOfMotion;
use super::articulated::{Sweep, eliminate, substitute};
use super::wrench::Descending;

/// Joint accelerations `qdd` under the joint forces `tau`, dual to v. Gravity enters as an acceleration of the world. The link motions
/// left in `sweep` are what the joint accelerations add to the bias.
pub fn accelerations(of: &EquationOfMotion<'_>, tau: &[f64], sweep: &mut Sweep, qdd: &mut [f64]) {
    let EquationOfMotion { tree, kinematics, diagonal, wrenches, .. } = *of;
    sweep.resize(tree);
    let mut external = wrenches.descending();
    // a sweep of its own for implicit springs: the usual one does not carry them along
    if wrenches.added().is_empty() {
        eliminate::<ArticulatedInertia>(tree, kinematics, diagonal, tau, sweep, |i| {
            leaf(of, &mut external, i)
        });
    } else {
        let mut springs = wrenches.descending_added();
        eliminate::<ArticulatedInertia>(tree, kinematics, diagonal, tau, sweep, |i| {
            let (inertia, force) = leaf(of, &mut external, i);
            (springs.add_at(i, inertia), force)
        });
    }
    substitute(tree, kinematics, sweep, qdd);
}

/// What a link brings to the sweep: its inertia, and the force that no joint acceleration at all would take, relative to
/// free fall.
#[inline(always)]
fn leaf(of: &EquationOfMotion<'_>, external: &mut Descending<'_>, i: usize) -> (ArticulatedInertia, Force) {
    let motion = &of.kinematics.links[i];
    let inertia = of.tree.links[i].inertia.rotated(motion.rotation);
    let bias = Motion::new(motion.bias.angular, motion.bias.linear - of.gravity);
    let force = inertia.momentum(bias) + inertia.velocity_force(motion.velocity.angular);
    (inertia.articulated(), external.subtract_at(i, force))
}
