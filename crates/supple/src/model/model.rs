use std::collections::HashMap;

use crate::spatial::{Pose, RigidInertia};

use super::{BodyId, Dof, JointId, JointKind, LinkId, Tree};

/// A body of a finished model.
#[derive(Clone, Debug)]
pub struct BodyInfo {
    /// Unique name.
    pub name: String,
    /// Body that carries it; `None` is the world.
    pub parent: Option<BodyId>,
    /// Link it is part of; `None`: it is fixed to the world.
    pub link: Option<LinkId>,
    /// Its frame in the link's frame, or in the world.
    pub link_from_body: Pose,
    /// Frame of its joint in the parent body's frame, as given.
    pub placement: Pose,
    /// Its frame in the outboard frame of its joint, as given.
    pub frame: Pose,
    /// Its own inertia, in its own frame.
    pub inertia: RigidInertia,
}

/// A joint of a finished model.
#[derive(Clone, Debug)]
pub struct JointInfo {
    /// Unique name.
    pub name: String,
    /// What it lets its body do.
    pub kind: JointKind,
    /// First of its entries in q, and how many.
    pub q: usize,
    /// How many entries it has in q.
    pub nq: usize,
    /// First of its entries in v.
    pub v: usize,
    /// How many entries it has in v: its degrees of freedom.
    pub nv: usize,
    /// Link it carries; `None` if it is fixed.
    pub link: Option<LinkId>,
}

/// Springs, dampers and stops of one degree of freedom, as the time step reads them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passive {
    pub(crate) damping: f64,
    pub(crate) friction: f64,
    pub(crate) stiffness: f64,
    /// Stops; infinite where there are none.
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    pub(crate) stop_stiffness: f64,
    pub(crate) stop_damping: f64,
}

impl Passive {
    fn new(dof: &Dof) -> Self {
        let limit = dof.limit;
        Self {
            damping: dof.damping,
            friction: dof.friction,
            stiffness: dof.stiffness,
            lower: limit.map_or(f64::NEG_INFINITY, |l| l.lower),
            upper: limit.map_or(f64::INFINITY, |l| l.upper),
            stop_stiffness: limit.and_then(|l| l.stiffness).unwrap_or(0.0),
            stop_damping: limit.and_then(|l| l.damping).unwrap_or(0.0),
        }
    }
}

/// Frequency at which a soft stop without a stiffness of its own would oscillate \[Hz].
const LIMIT_FREQUENCY: f64 = 10.0;

/// An articulated body: made by [`ModelBuilder::finish`](super::ModelBuilder::finish), then never changed.
#[derive(Clone, Debug)]
pub struct Model {
    pub(super) bodies: Vec<BodyInfo>,
    pub(super) joints: Vec<JointInfo>,
    pub(super) body_names: HashMap<String, BodyId>,
    pub(super) joint_names: HashMap<String, JointId>,
    pub(super) tree: Tree,
    pub(super) dofs: Vec<Dof>,
    pub(super) armature: Vec<f64>,
    pub(super) effort_limits: Vec<f64>,
    pub(super) rest: Vec<f64>,
    pub(super) neutral: Vec<f64>,
    pub(super) passive: Vec<Passive>,
    pub(super) has_armature: bool,
    pub(super) has_passive: bool,
    pub(super) has_massless_links: bool,
}

impl Model {
    /// Bodies, in the order in which they were given.
    pub fn bodies(&self) -> &[BodyInfo] {
        &self.bodies
    }

    /// Joints; joint `i` carries body `i`.
    pub fn joints(&self) -> &[JointInfo] {
        &self.joints
    }

    /// The body with this name.
    pub fn body(&self, name: &str) -> Option<BodyId> {
        self.body_names.get(name).copied()
    }

    /// The joint with this name.
    pub fn joint(&self, name: &str) -> Option<JointId> {
        self.joint_names.get(name).copied()
    }

    /// The moving links.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// How many numbers describe a position.
    pub fn nq(&self) -> usize {
        self.neutral.len()
    }

    /// Degrees of freedom.
    pub fn nv(&self) -> usize {
        self.dofs.len()
    }

    /// How many joints move.
    pub fn moving_joints(&self) -> usize {
        self.tree.links.len()
    }

    /// What each degree of freedom has besides geometry.
    pub fn dofs(&self) -> &[Dof] {
        &self.dofs
    }

    /// Armature of each degree of freedom \[kg·m² or kg].
    pub fn armature(&self) -> &[f64] {
        &self.armature
    }

    /// Whether any degree of freedom has armature.
    pub fn has_armature(&self) -> bool {
        self.has_armature
    }

    /// Greatest drive force of each degree of freedom \[N·m or N]; infinite where there is no bound.
    pub fn effort_limits(&self) -> &[f64] {
        &self.effort_limits
    }

    /// Position at which the joint springs are at rest.
    pub fn rest(&self) -> &[f64] {
        &self.rest
    }

    /// Position at which all joint frames coincide.
    pub fn neutral(&self) -> &[f64] {
        &self.neutral
    }

    /// Springs, dampers and stops, one entry per degree of freedom.
    pub(crate) fn passive(&self) -> &[Passive] {
        &self.passive
    }

    /// Gives soft stops without numbers of their own a stiffness for the inertia that their degree of freedom has `carried`, by v.
    pub(crate) fn choose_stops(&mut self, carried: &[f64]) {
        for (dof, inertia) in self.dofs.iter_mut().zip(carried) {
            let Some(limit) = &mut dof.limit else { continue };
            let omega = std::f64::consts::TAU * LIMIT_FREQUENCY;
            let stiffness = *limit.stiffness.get_or_insert(inertia * omega * omega);
            limit.damping.get_or_insert(2.0 * (stiffness * inertia).sqrt());
        }
    }

    /// Notes springs, dampers and stops as the time step reads them, once the stops are known.
    pub(crate) fn note_passive(&mut self) {
        self.passive = self.dofs.iter().map(Passive::new).collect();
        for joint in self.joints.iter().filter(|j| j.kind == JointKind::Spherical) {
            // the angle of a rotation is bounded from above only
            self.passive[joint.v].lower = f64::NEG_INFINITY;
        }
    }

    /// Whether any joint has springs, dampers, friction or limits.
    pub fn has_passive(&self) -> bool {
        self.has_passive
    }

    /// Whether some moving link has no mass of its own.
    pub fn has_massless_links(&self) -> bool {
        self.has_massless_links
    }

    /// Total mass of the moving bodies \[kg].
    pub fn moving_mass(&self) -> f64 {
        self.tree.links.iter().map(|l| l.inertia.mass).sum()
    }

    /// The joint that a degree of freedom belongs to.
    pub fn joint_of_dof(&self, dof: usize) -> Option<JointId> {
        // joints stand in the order of their degrees of freedom
        let after = self.joints.partition_point(|j| j.v <= dof);
        let holds = |i: &usize| (self.joints[*i].v..self.joints[*i].v + self.joints[*i].nv).contains(&dof);
        (0..after).rev().find(|i| self.joints[*i].nv > 0).filter(holds).map(JointId::new)
    }

    /// The link whose joint a degree of freedom belongs to.
    pub fn link_of_dof(&self, dof: usize) -> Option<LinkId> {
        self.joints[self.joint_of_dof(dof)?.index()].link
    }
}
