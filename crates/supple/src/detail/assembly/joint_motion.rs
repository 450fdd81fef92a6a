//! What a joint does now, seen from the link it carries: where that link stands in its parent, along which
//! directions it may move, and the acceleration it has when the joint does not accelerate.
//!
//! The theory has spatial accelerations, `c = v × S q̇`; here, as everywhere in the library, accelerations are those
//! of the body's own point (classical). Then no formula has a linear velocity in it, the bias of a link is
//! `−I⁻¹ (w × I w; w × (w × m c))`, and the offset w × v of theory, section 6, is gone. In turn c also holds the
//! centripetal w × (w × r). It comes from the library's kinematics, one piece of code for every kind of joint.

use glam::DMat3;

use crate::dynamics::kinematics::{Joints, Kinematics, LinkMotion};
use crate::model::{Link, LinkId, LinkJoint, Tree};
use crate::spatial::{Motion, Pose};

/// The directions S in which a joint moves its link, in that link's frame.
#[derive(Clone, Copy, Debug)]
pub enum Subspace<'a> {
    /// None: two pieces of one link.
    Weld,
    /// Turns about z.
    Turn,
    /// Slides along z.
    Slide,
    /// Turns about z and slides along it by this much \[m/rad].
    Screw(f64),
    /// Turns about any axis.
    Ball,
    /// Moves freely.
    Free,
    /// Any directions.
    General {
        /// The columns of S at the link's origin, in some axes.
        axes: &'a [Motion],
        /// The link's axes in those.
        rotation: &'a DMat3,
    },
}

impl<'a> Subspace<'a> {
    /// Degrees of freedom.
    #[inline(always)]
    pub const fn dofs(&self) -> usize {
        match self {
            Self::Weld => 0,
            Self::Turn | Self::Slide | Self::Screw(_) => 1,
            Self::Ball => 3,
            Self::Free => 6,
            Self::General { axes, .. } => axes.len(),
        }
    }

    #[inline(always)]
    fn new(link: &Link, screws: &'a [Motion], rotation: &'a DMat3) -> Self {
        match link.joint {
            LinkJoint::Revolute => Self::Turn,
            LinkJoint::Prismatic => Self::Slide,
            LinkJoint::Helical { pitch } => Self::Screw(pitch),
            LinkJoint::Spherical => Self::Ball,
            LinkJoint::Free => Self::Free,
            LinkJoint::Compound { screw, dofs, .. } => {
                Self::General { axes: &screws[screw as usize..(screw + dofs) as usize], rotation }
            }
        }
    }
}

/// Room for what a [`JointMotion`] computed on its own refers to.
#[derive(Clone, Copy, Debug)]
pub struct JointScratch {
    screws: [Motion; 6],
    beta: LinkMotion,
}

impl Default for JointScratch {
    fn default() -> Self {
        Self { screws: [Motion::ZERO; 6], beta: LinkMotion::WORLD }
    }
}

/// A joint between α, the link that carries it, and β, the link that it carries.
#[derive(Clone, Copy, Debug)]
pub struct JointMotion<'a> {
    /// Pose of β in α.
    pub alpha_from_beta: Pose,
    /// S, in β's frame.
    pub subspace: Subspace<'a>,
    /// c: `a_β = X a_α + S q̈ + c`, in β's frame, classical accelerations.
    pub c: Motion,
}

impl<'a> JointMotion<'a> {
    /// Two pieces of one link: one frame, no motion.
    pub const WELD: Self =
        Self { alpha_from_beta: Pose::IDENTITY, subspace: Subspace::Weld, c: Motion::ZERO };

    /// The joint of a link at the state of `kinematics`.
    #[inline(always)]
    pub fn of(tree: &Tree, kinematics: &'a Kinematics, link: LinkId) -> Self {
        let motion = &kinematics.links[link.index()];
        let link = &tree.links[link.index()];
        let parent = link.parent.map_or(&LinkMotion::WORLD, |p| &kinematics.links[p.index()]);
        let to_alpha = parent.rotation.transpose();
        let to_beta = motion.rotation.transpose();
        let carried = parent.bias.at(motion.offset);
        Self {
            alpha_from_beta: Pose {
                rotation: to_alpha * motion.rotation,
                translation: to_alpha * motion.offset,
            },
            subspace: Subspace::new(link, &kinematics.screws, &motion.rotation),
            c: Motion::new(
                to_beta * (motion.bias.angular - carried.angular),
                to_beta * (motion.bias.linear - carried.linear),
            ),
        }
    }

    /// The joint of a link from what is known next to it alone: q, v and the velocity of α in its own frame. Also
    /// gives the velocity of β in its own frame. Nothing else of the body is visited.
    pub fn local(
        tree: &Tree,
        link: LinkId,
        q: &[f64],
        v: &[f64],
        alpha_velocity: Motion,
        scratch: &'a mut JointScratch,
    ) -> (Self, Motion) {
        Self::next_to::<true>(tree, link, q, v, alpha_velocity, scratch)
    }

    /// The joint of a link at rest in a body at rest, from q alone.
    pub fn at_rest(tree: &Tree, link: LinkId, q: &[f64], scratch: &'a mut JointScratch) -> Self {
        Self::next_to::<false>(tree, link, q, &[], Motion::ZERO, scratch).0
    }

    #[inline(always)]
    fn next_to<const MOVING: bool>(
        tree: &Tree,
        link: LinkId,
        q: &[f64],
        v: &[f64],
        alpha_velocity: Motion,
        scratch: &'a mut JointScratch,
    ) -> (Self, Motion) {
        let mut link = tree.links[link.index()];
        if let LinkJoint::Compound { screw, .. } = &mut link.joint {
            *screw = 0;
        }
        let JointScratch { screws, beta } = scratch;
        *beta = LinkMotion::WORLD;
        let alpha = LinkMotion { velocity: alpha_velocity, ..LinkMotion::WORLD };
        Joints { tree, q, v }.articulate::<MOVING, MOVING>(&link, &alpha, screws, beta);
        let to_beta = beta.rotation.transpose();
        let turned = |m: Motion| Motion::new(to_beta * m.angular, to_beta * m.linear);
        let joint = Self {
            alpha_from_beta: beta.pose(),
            subspace: Subspace::new(&link, screws, &beta.rotation),
            c: turned(beta.bias),
        };
        (joint, turned(beta.velocity))
    }
}
