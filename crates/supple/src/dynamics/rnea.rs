//! Inverse dynamics by the recursive Newton–Euler algorithm: joint forces that cause given accelerations.
//!
//! Featherstone 2008, table 5.1, in the frames of [`super::kinematics`].

use crate::spatial::{Force, Motion};

use super::EquationOfMotion;

/// Working memory of [`joint_forces`].
#[derive(Clone, Debug, Default)]
pub struct Rnea {
    /// What the joint accelerations add to the bias of each link, world axes at its origin.
    pub accelerations: Vec<Motion>,
    /// Force transmitted through each link's joint onto the link, world axes about its origin.
    pub transmitted: Vec<Force>,
}

/// Joint forces `tau`, dual to v, that give the accelerations `qdd`.
pub fn joint_forces(of: &EquationOfMotion<'_>, qdd: &[f64], work: &mut Rnea, tau: &mut [f64]) {
    let EquationOfMotion { tree, kinematics, gravity, diagonal, wrenches } = *of;
    work.accelerations.resize(tree.links.len(), Motion::ZERO);
    work.transmitted.resize(tree.links.len(), Force::ZERO);
    for (i, link) in tree.links.iter().enumerate() {
        let motion = &kinematics.links[i];
        let mut a = match link.parent {
            Some(p) => work.accelerations[p.index()].at(motion.offset),
            None => Motion::ZERO,
        };
        for k in 0..link.joint.dofs() {
            a += kinematics.axis(link, motion, k).motion() * qdd[link.v as usize + k];
        }
        work.accelerations[i] = a;
        a += motion.bias;
        a.linear -= gravity;
        let inertia = link.inertia.rotated(motion.rotation);
        work.transmitted[i] = inertia.momentum(a) + inertia.velocity_force(motion.velocity.angular);
    }
    for &(link, wrench) in wrenches.entries() {
        work.transmitted[link as usize] -= wrench;
    }
    for (i, link) in tree.links.iter().enumerate().rev() {
        let motion = &kinematics.links[i];
        let f = work.transmitted[i];
        for k in 0..link.joint.dofs() {
            let dof = link.v as usize + k;
            tau[dof] = f.dot(kinematics.axis(link, motion, k).motion()) + diagonal[dof] * qdd[dof];
        }
        if let Some(p) = link.parent {
            work.transmitted[p.index()] += f.about(motion.offset);
        }
    }
}
