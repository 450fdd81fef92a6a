//! What acts on the parts of a body at one state, as seen by divide and conquer: leaves and joints in link frames.

use std::ops::Range;

use glam::DVec3;

use crate::dynamics::EquationOfMotion;
use crate::dynamics::kinematics::Kinematics;
use crate::model::{LinkId, Tree};
use crate::spatial::mat6::{Vec6, motion_to_child};
use crate::spatial::{Force, Motion};

use super::joint_motion::JointMotion;
use super::leaf::InverseInertia;
use super::tree::{AssemblyTree, Join, JoinJoint};

/// A body, its state and its loads.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The body.
    pub tree: &'a Tree,
    /// Its assembly tree.
    pub assembly: &'a AssemblyTree,
    /// Its state.
    pub kinematics: &'a Kinematics,
    /// Gravity \[m/s²].
    pub gravity: DVec3,
    /// Added to the joint inertia, by v: armature, implicit terms.
    pub diagonal: &'a [f64],
    /// Joint forces, by v.
    pub tau: &'a [f64],
    /// Forces on links, ascending by link, world axes about their origins.
    pub wrenches: &'a [(u32, Force)],
    /// Whether velocities count; they do not for impulses.
    pub moving: bool,
}

impl<'a> Problem<'a> {
    /// Which accelerations do the joint forces `tau` give?
    pub fn new(of: &EquationOfMotion<'a>, assembly: &'a AssemblyTree, tau: &'a [f64]) -> Self {
        let EquationOfMotion { tree, kinematics, gravity, diagonal, wrenches } = *of;
        let wrenches = wrenches.entries();
        Self { tree, assembly, kinematics, gravity, diagonal, tau, wrenches, moving: true }
    }

    /// Acceleration of one of `pieces` equal shares of a link, if nothing else held it, in its frame.
    #[inline(always)]
    pub(super) fn leaf_bias(&self, leaf: &InverseInertia, link: LinkId, piece: u32, pieces: u32) -> Vec6 {
        let motion = &self.kinematics.links[link.index()];
        let to_link = motion.rotation.transpose();
        let mut force = Force::ZERO;
        if piece == 0 && !self.wrenches.is_empty() {
            let first = self.wrenches.partition_point(|(l, _)| *l < link.0);
            for (_, f) in self.wrenches[first..].iter().take_while(|(l, _)| *l == link.0) {
                force += Force::new(to_link * f.angular, to_link * f.linear);
            }
        }
        let w = if self.moving { to_link * motion.velocity.angular } else { DVec3::ZERO };
        leaf.bias(self.tree, link, pieces, w, force).to_array()
    }

    /// The joint of a link, and its degrees of freedom.
    #[inline(always)]
    pub(super) fn joint(&self, link: LinkId) -> (JointMotion<'a>, Range<usize>) {
        let mut joint = JointMotion::of(self.tree, self.kinematics, link);
        if !self.moving {
            joint.c = Motion::ZERO;
        }
        (joint, self.tree.links[link.index()].dofs())
    }

    /// The joint or weld of a join, and its degrees of freedom.
    #[inline(always)]
    pub(super) fn join_joint(&self, join: &Join) -> (JointMotion<'a>, Range<usize>) {
        match join.joint {
            JoinJoint::Joint(link) => self.joint(link),
            JoinJoint::Weld(_) => (JointMotion::WELD, 0..0),
        }
    }

    /// Acceleration of a base link that its joint does not accelerate: gravity is an acceleration of the world, and
    /// enters nowhere else.
    #[inline(always)]
    pub(super) fn world_acceleration(&self, base: &JointMotion<'_>) -> Vec6 {
        let world = Motion::new(DVec3::ZERO, -self.gravity).to_array();
        let mut a = motion_to_child(&base.alpha_from_beta, &world);
        for (a, c) in a.iter_mut().zip(base.c.to_array()) {
            *a += c;
        }
        a
    }
}
