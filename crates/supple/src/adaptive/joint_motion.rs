//! What a joint does now, seen from the link it carries: where that link stands in its parent, along which
//! directions it may move, and the acceleration it has when the joint does not accelerate.
//!
//! The theory has spatial accelerations, `c = v × S q̇`; here, as everywhere in the library, accelerations are those
//! of the body's own point (classical). Then no formula has a linear velocity in it, the bias of a link is
//! `−I⁻¹ (w × I w; w × (w × m c))`, and the offset w × v of theory, section 6, is gone. In turn c also holds the
//! centripetal w × (w × r). It comes from the library's kinematics, one piece of code for every kind of joint.

use glam::DVec3;

use crate::dynamics::kinematics::{Kinematics, LinkMotion, articulate};
use crate::model::{Link, LinkId, LinkJoint, Tree};
use crate::spatial::{Motion, Pose};

/// The directions S in which a joint moves its link, in that link's frame.
#[derive(Clone, Copy, Debug)]
pub enum Subspace {
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
    /// Any columns; the first so many count.
    General([Motion; 6], usize),
}

impl Subspace {
    /// Degrees of freedom.
    #[inline(always)]
    pub const fn dofs(&self) -> usize {
        match self {
            Self::Weld => 0,
            Self::Turn | Self::Slide | Self::Screw(_) => 1,
            Self::Ball => 3,
            Self::Free => 6,
            Self::General(_, dofs) => *dofs,
        }
    }

    #[inline(always)]
    fn new(link: &Link, screw: impl Fn(usize) -> Motion) -> Self {
        match link.joint {
            LinkJoint::Revolute => Self::Turn,
            LinkJoint::Prismatic => Self::Slide,
            LinkJoint::Helical { pitch } => Self::Screw(pitch),
            LinkJoint::Spherical => Self::Ball,
            LinkJoint::Free => Self::Free,
            LinkJoint::Compound { dofs, .. } => {
                let mut axes = [Motion::ZERO; 6];
                for (k, axis) in axes.iter_mut().enumerate().take(dofs as usize) {
                    *axis = screw(k);
                }
                Self::General(axes, dofs as usize)
            }
        }
    }
}

/// A joint between α, the link that carries it, and β, the link that it carries.
#[derive(Clone, Copy, Debug)]
pub struct JointMotion {
    /// Pose of β in α.
    pub alpha_from_beta: Pose,
    /// S, in β's frame.
    pub subspace: Subspace,
    /// c: `a_β = X a_α + S q̈ + c`, in β's frame, classical accelerations.
    pub c: Motion,
}

impl JointMotion {
    /// Two pieces of one link: one frame, no motion.
    pub const WELD: Self =
        Self { alpha_from_beta: Pose::IDENTITY, subspace: Subspace::Weld, c: Motion::ZERO };

    /// The joint of a link at the state of `kinematics`.
    #[inline(always)]
    pub fn of(tree: &Tree, kinematics: &Kinematics, link: LinkId) -> Self {
        let motion = &kinematics.links[link.index()];
        let link = &tree.links[link.index()];
        let world = LinkMotion::WORLD;
        let parent = link.parent.map_or(&world, |p| &kinematics.links[p.index()]);
        let to_alpha = parent.rotation.transpose();
        let to_beta = motion.rotation.transpose();
        let carried = parent.bias.at(motion.offset);
        let subspace = Subspace::new(link, |k| {
            let screw = kinematics.axis(link, motion, k).motion();
            Motion::new(to_beta * screw.angular, to_beta * screw.linear)
        });
        Self {
            alpha_from_beta: Pose {
                rotation: to_alpha * motion.rotation,
                translation: to_alpha * motion.offset,
            },
            subspace,
            c: Motion::new(
                to_beta * (motion.bias.angular - carried.angular),
                to_beta * (motion.bias.linear - carried.linear),
            ),
        }
    }

    /// The joint of a link from what is known next to it alone: q, v and the velocity of α in its own frame. Also
    /// gives the velocity of β in its own frame. Nothing else of the body is visited.
    pub fn local(tree: &Tree, link: LinkId, q: &[f64], v: &[f64], alpha_velocity: Motion) -> (Self, Motion) {
        let mut link = tree.links[link.index()];
        if let LinkJoint::Compound { screw, .. } = &mut link.joint {
            *screw = 0;
        }
        let mut screws = [Motion::ZERO; 6];
        let alpha = LinkMotion { velocity: alpha_velocity, ..LinkMotion::WORLD };
        let mut beta = LinkMotion::WORLD;
        articulate::<true, true>(tree, &link, &alpha, q, v, &mut screws, &mut beta);
        let to_beta = beta.rotation.transpose();
        let turned = |m: Motion| Motion::new(to_beta * m.angular, to_beta * m.linear);
        let joint = Self {
            alpha_from_beta: Pose { rotation: beta.rotation, translation: beta.offset },
            subspace: Subspace::new(&link, |k| turned(screws[k])),
            c: turned(beta.bias),
        };
        (joint, turned(beta.velocity))
    }

    /// The joint of a link at rest in a body at rest, from q alone.
    pub fn frozen(tree: &Tree, link: LinkId, q: &[f64]) -> Self {
        let mut still = Link { v: 0, ..tree.links[link.index()] };
        if let LinkJoint::Compound { screw, .. } = &mut still.joint {
            *screw = 0;
        }
        let mut screws = [Motion::ZERO; 6];
        let mut beta = LinkMotion::WORLD;
        articulate::<false, false>(tree, &still, &LinkMotion::WORLD, q, &[], &mut screws, &mut beta);
        let to_beta = beta.rotation.transpose();
        Self {
            alpha_from_beta: Pose { rotation: beta.rotation, translation: beta.offset },
            subspace: Subspace::new(&still, |k| {
                Motion::new(to_beta * screws[k].angular, to_beta * screws[k].linear)
            }),
            c: Motion::ZERO,
        }
    }

    /// Rotates a vector of α's frame into β's.
    #[inline(always)]
    pub fn into_beta(&self, x: DVec3) -> DVec3 {
        self.alpha_from_beta.rotation.transpose() * x
    }
}
