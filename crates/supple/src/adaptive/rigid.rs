//! A part whose joints all stand still, as one rigid body. Theory, section 5.
//!
//! Valid while the part is rigid; merging two parts is O(1), splitting one again costs nothing.

use crate::model::{LinkId, Tree};
use crate::spatial::{Pose, RigidInertia};

use super::assembly_tree::{Bottom, Handle};
use super::join::Shape;

/// Poses and inertia of a rigid part, frame of its top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rigid {
    /// Pose of the top of its part B (the theory's pB); of a leaf the identity.
    pub top_from_beta: Pose,
    /// Pose of its bottom (the theory's pbt); the identity where it has none.
    pub top_from_bottom: Pose,
    /// Inertia of all its links.
    pub inertia: RigidInertia,
}

impl Rigid {
    /// One of `pieces` equal shares of a link.
    pub fn leaf(tree: &Tree, link: LinkId, pieces: u32) -> Self {
        let whole = &tree.links[link.index()].inertia;
        let share = 1.0 / f64::from(pieces);
        Self {
            top_from_beta: Pose::IDENTITY,
            top_from_bottom: Pose::IDENTITY,
            inertia: RigidInertia {
                mass: whole.mass * share,
                moment: whole.moment * share,
                inertia: whole.inertia * share,
            },
        }
    }

    /// A and B joined by a joint that stands at `alpha_from_beta`.
    pub fn join(shape: Shape, alpha_from_beta: &Pose, a: &Self, b: &Self) -> Self {
        let top_from_beta = match shape.alpha {
            Handle::Top => *alpha_from_beta,
            Handle::Bottom => a.top_from_bottom * *alpha_from_beta,
        };
        Self {
            top_from_beta,
            top_from_bottom: match shape.bottom {
                Bottom::None => Pose::IDENTITY,
                Bottom::OfA => a.top_from_bottom,
                Bottom::TopOfB => top_from_beta,
                Bottom::OfB => top_from_beta * b.top_from_bottom,
            },
            inertia: a.inertia + b.inertia.transformed(&top_from_beta),
        }
    }
}
