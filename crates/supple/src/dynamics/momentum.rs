//! Centre of mass, momenta, centroidal momentum.

use glam::DVec3;

use crate::model::Tree;
use crate::spatial::{Force, RigidInertia};

use super::kinematics::Kinematics;

/// Mass and momentum of a whole body. The armatures' momenta, which belong to no link, are left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Momentum {
    /// Total mass \[kg].
    pub mass: f64,
    /// Centre of mass in the world \[m].
    pub com: DVec3,
    /// Linear momentum \[N·s].
    pub linear: DVec3,
    /// Angular momentum about the centre of mass \[N·m·s]: with `linear`, the centroidal momentum.
    pub angular_about_com: DVec3,
    /// Angular momentum about the world's origin \[N·m·s].
    pub angular_about_origin: DVec3,
}

impl Momentum {
    /// Velocity of the centre of mass \[m/s].
    pub fn com_velocity(&self) -> DVec3 {
        if self.mass > 0.0 { self.linear / self.mass } else { DVec3::ZERO }
    }
}

/// Momenta at the state of `kinematics`.
pub fn momentum(tree: &Tree, kinematics: &Kinematics) -> Momentum {
    let (mut mass, mut moment, mut total) = (0.0, DVec3::ZERO, Force::ZERO);
    for (link, motion) in tree.links.iter().zip(&kinematics.links) {
        let inertia = link.inertia.rotated(motion.rotation);
        mass += inertia.mass;
        moment += motion.position * inertia.mass + inertia.moment;
        total += inertia.momentum(motion.velocity).about(motion.position);
    }
    let com = if mass > 0.0 { moment / mass } else { DVec3::ZERO };
    Momentum {
        mass,
        com,
        linear: total.linear,
        angular_about_com: total.angular - com.cross(total.linear),
        angular_about_origin: total.angular,
    }
}

/// Centre of mass in the world \[m].
pub fn centre_of_mass(tree: &Tree, kinematics: &Kinematics) -> DVec3 {
    let (mut mass, mut moment) = (0.0, DVec3::ZERO);
    for (link, motion) in tree.links.iter().zip(&kinematics.links) {
        mass += link.inertia.mass;
        moment += motion.position * link.inertia.mass + motion.rotation * link.inertia.moment;
    }
    if mass > 0.0 { moment / mass } else { DVec3::ZERO }
}

/// Inertia of the whole body, all joints locked at the present pose, world axes about `point` \[m].
pub fn locked_inertia(tree: &Tree, kinematics: &Kinematics, point: DVec3) -> RigidInertia {
    tree.links.iter().zip(&kinematics.links).fold(RigidInertia::ZERO, |sum, (link, motion)| {
        sum + link.inertia.rotated(motion.rotation).about(motion.position - point)
    })
}
