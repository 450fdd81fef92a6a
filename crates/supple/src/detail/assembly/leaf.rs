//! Leaves of the assembly tree: single links, whose inverse inertia in their own frame never changes.

use glam::DVec3;

use crate::model::{JointId, LinkId, Tree};
use crate::spatial::{Force, Motion, Sym3};

use crate::spatial::mat6::{Mat6, inverse_rigid};

/// A link that has no inverse inertia, so that the assembly tree cannot serve its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the link that joint {} carries has no inertia about some axis: divide and conquer needs mass and rotational inertia in every link",
    joint.0
)]
pub struct SingularLink {
    /// Its joint.
    pub joint: JointId,
}

/// Inverse inertia of a link about its centre of mass, link frame: ten numbers.
#[derive(Clone, Copy, Debug)]
pub struct InverseInertia {
    /// 1/m \[1/kg].
    pub inverse_mass: f64,
    /// Centre of mass \[m].
    pub com: DVec3,
    /// Inverse of the rotational inertia about it \[1/(kg·m²)].
    pub inverse_inertia: Sym3,
}

impl InverseInertia {
    /// Of all links of a tree.
    pub fn of(tree: &Tree) -> Result<Vec<Self>, SingularLink> {
        let one = |i: usize| {
            let central = &tree.central[i];
            let singular = SingularLink { joint: tree.links[i].id };
            Ok(Self {
                inverse_mass: Some(1.0 / central.mass)
                    .filter(|m| m.is_finite() && *m > 0.0)
                    .ok_or(singular)?,
                com: central.com,
                inverse_inertia: inverse(central.inertia).ok_or(singular)?,
            })
        };
        (0..tree.links.len()).map(one).collect()
    }

    /// Φ of one of `pieces` equal shares of the link.
    #[inline(always)]
    pub fn phi(&self, pieces: u32) -> Mat6 {
        let k = f64::from(pieces);
        inverse_rigid(self.inverse_mass * k, self.com, self.inverse_inertia * k)
    }

    /// Acceleration of the link's origin under a force about it, link frame.
    #[inline(always)]
    pub fn acceleration(&self, f: Force) -> Motion {
        let angular = self.inverse_inertia * (f.angular - self.com.cross(f.linear));
        Motion::new(angular, f.linear * self.inverse_mass + self.com.cross(angular))
    }

    /// b of one of `pieces` equal shares of link `i` that turns with `w` (link axes), `force` acting on it.
    #[inline(always)]
    pub fn bias(&self, tree: &Tree, link: LinkId, pieces: u32, w: DVec3, force: Force) -> Motion {
        let gyroscopic = tree.links[link.index()].inertia.velocity_force(w);
        self.acceleration(force * f64::from(pieces) - gyroscopic)
    }
}

/// Inverse of a positive definite matrix of any scale.
fn inverse(m: Sym3) -> Option<Sym3> {
    // the determinant of a small one would be lost
    let scale = m.trace();
    let inverse = (m * (1.0 / scale)).inverse_positive()? * (1.0 / scale);
    inverse.is_finite().then_some(inverse)
}
