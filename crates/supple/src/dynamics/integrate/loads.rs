use glam::DVec3;

use crate::model::{BodyId, LinkId, Model, Tree};
use crate::spatial::{Force, Motion};

use super::super::actuator::Actuator;
use super::super::kinematics::Kinematics;
use super::super::spring::Spring;

/// In which axes a wrench is given. Moments are about the body's origin either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Axes {
    /// Axes of the body: a thruster.
    #[default]
    Body,
    /// Axes of the world: wind.
    World,
}

/// A wrench on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// The body.
    pub body: BodyId,
    /// Moment about the body's origin \[N·m] and force \[N].
    pub wrench: Force,
    /// Axes in which it is given.
    pub axes: Axes,
}

/// What acts on an articulated body from outside during a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Loads<'a> {
    /// Acceleration of gravity \[m/s²].
    pub gravity: DVec3,
    /// Joint forces of drives, dual to v \[N·m or N]; cut to the effort limits. May be empty: none.
    pub tau: &'a [f64],
    /// Degrees of freedom that `tau` may drive.
    pub driven: &'a [u32],
    /// Wrenches on bodies.
    pub wrenches: &'a [Load],
    /// Springs between bodies and the world.
    pub springs: &'a [Spring],
    /// Drives of joints; their forces add to `tau`, and the sum is cut to the effort limits.
    pub actuators: &'a [Actuator],
}

impl Loads<'_> {
    /// The drive's force at one degree of freedom, cut to its effort limit \[N·m or N].
    #[inline(always)]
    pub(crate) fn drive(&self, model: &Model, dof: usize) -> f64 {
        let limit = model.effort_limits()[dof];
        self.tau.get(dof).map_or(0.0, |tau| tau.clamp(-limit, limit))
    }

    /// Calls `each` with the links whose bodies carry wrenches or springs.
    pub(crate) fn for_each_link(&self, model: &Model, mut each: impl FnMut(LinkId)) {
        let of_body = |body: BodyId| model.bodies()[body.index()].link;
        self.wrenches.iter().filter_map(|load| of_body(load.body)).for_each(&mut each);
        self.springs.iter().filter_map(|spring| of_body(spring.body)).for_each(each);
    }

    /// Forces of constant direction in the world, with their bodies: dead loads, which have a potential as weight has.
    fn dead(&self) -> impl Iterator<Item = (BodyId, DVec3)> {
        self.wrenches.iter().filter(|l| l.axes == Axes::World).map(|l| (l.body, l.wrench.linear))
    }

    /// Whether there are dead loads.
    pub(crate) fn has_dead(&self) -> bool {
        self.dead().next().is_some()
    }

    /// Potential energy of the dead loads \[J]: minus force times position.
    pub(crate) fn dead_potential(&self, model: &Model, tree: &Tree, poses: &Kinematics) -> f64 {
        let at = |body: BodyId| {
            let (group, offset) = body_in_tree(model, tree, body)?;
            Some(poses.links[group].pose().point(offset))
        };
        -self.dead().filter_map(|(body, force)| Some(force.dot(at(body)?))).sum::<f64>()
    }

    /// Power of the dead loads where links are at `poses` and move with `motions` \[W].
    pub(crate) fn dead_power(
        &self,
        model: &Model,
        tree: &Tree,
        poses: &Kinematics,
        motions: &[Motion],
    ) -> f64 {
        let velocity = |body: BodyId| {
            let (group, offset) = body_in_tree(model, tree, body)?;
            Some(motions[group].at(poses.links[group].rotation * offset).linear)
        };
        self.dead().filter_map(|(body, force)| Some(force.dot(velocity(body)?))).sum()
    }

    /// Whether no drive of a floating base exchanges momentum with the world.
    pub(crate) fn keep_momenta_afloat(&self, model: &Model, tree: &Tree) -> bool {
        tree.links.iter().filter(|link| link.floats()).all(|link| {
            self.actuators.iter().all(|a| a.joint != link.id)
                && link.dofs().all(|dof| self.drive(model, dof) == 0.0)
        })
    }

    /// Whether nothing but gravity acts.
    pub(crate) fn is_none(&self) -> bool {
        self.wrenches.is_empty() && self.driven.iter().all(|dof| self.tau[*dof as usize] == 0.0)
    }
}

/// The link of `tree` that a body moves with, and where the body's origin is in that link's frame \[m]; `None` if it
/// is fixed to the world.
fn body_in_tree(model: &Model, tree: &Tree, body: BodyId) -> Option<(usize, DVec3)> {
    let info = &model.bodies()[body.index()];
    let member = tree.member(info.link?);
    Some((member.group?.index(), member.group_from_link.point(info.link_from_body.translation)))
}
