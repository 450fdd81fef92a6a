//! Ports: the places of an articulation where constraints push.
//!
//! All ports look alike: an impulse goes in as a [`Force`], the velocity jump comes out as a [`Motion`].

use crate::spatial::{Force, Motion};

/// A place of an articulation where a constraint pushes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Port {
    /// A link, by its number in the tree: impulse and velocity in world axes at its origin.
    Link(u32),
    /// A degree of freedom, by its index in v: its joint impulse and its rate, kept in `angular.x`. One whose joint
    /// is frozen in the tree does not answer.
    Dof(u32),
}

impl Port {
    /// How many numbers an impulse or a velocity has here.
    pub const fn dimension(self) -> usize {
        match self {
            Self::Link(_) => 6,
            Self::Dof(_) => 1,
        }
    }

    /// The impulse of a degree of freedom.
    #[inline(always)]
    pub const fn joint_impulse(tau: f64) -> Force {
        Force::new(glam::DVec3::new(tau, 0.0, 0.0), glam::DVec3::ZERO)
    }

    /// The velocity of a degree of freedom.
    #[inline(always)]
    pub const fn joint_rate(rate: f64) -> Motion {
        Motion::new(glam::DVec3::new(rate, 0.0, 0.0), glam::DVec3::ZERO)
    }
}
