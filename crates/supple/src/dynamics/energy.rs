//! Energies: kinetic, of gravity, of joint springs and soft stops.

use glam::DVec3;

use crate::model::{Model, Tree};

use super::kinematics::Kinematics;
use super::passive;

/// Kinetic energy \[J], with that of the armatures.
pub fn kinetic(tree: &Tree, kinematics: &Kinematics, armature: &[f64], v: &[f64]) -> f64 {
    let mut twice = 0.0;
    for (link, motion) in tree.links.iter().zip(&kinematics.links) {
        twice += link.inertia.rotated(motion.rotation).twice_kinetic_energy(motion.velocity);
        for dof in link.dofs() {
            twice += armature[dof] * v[dof] * v[dof];
        }
    }
    0.5 * twice
}

/// Energy in the field of gravity \[J], zero at the world's origin.
pub fn gravitational(tree: &Tree, kinematics: &Kinematics, gravity: DVec3) -> f64 {
    let weighted = |link: &crate::model::Link, motion: &super::kinematics::LinkMotion| {
        gravity.dot(motion.position * link.inertia.mass + motion.rotation * link.inertia.moment)
    };
    -tree.links.iter().zip(&kinematics.links).map(|(l, m)| weighted(l, m)).sum::<f64>()
}

/// Energy stored in joint springs and soft stops \[J].
pub fn elastic(model: &Model, tree: &Tree, q: &[f64]) -> f64 {
    if !model.has_passive() {
        return 0.0;
    }
    tree.links.iter().filter(|l| l.passive).map(|l| passive::elastic_energy(model, tree, l, q)).sum()
}
