//! A part whose joints all stand still, as one rigid body. Theory, section 5.
//!
//! Valid while the part is rigid; merging two parts is O(1), splitting one again costs nothing.

use crate::dynamics::kinematics::link_pose;
use crate::model::{LinkId, Tree};
use crate::spatial::{Pose, RigidInertia};

use super::join::Shape;
use super::tree::{AssemblyTree, Bottom, Handle, JoinJoint, NodeId, NodeKind};

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

/// Poses and inertias of all parts of a body that are, or once were, rigid. Leaves follow from their links, and what has no
/// handles is part of the world.
#[derive(Clone, Debug, Default)]
pub struct RigidParts {
    /// By [`super::Node::slot`].
    of: Vec<Rigid>,
}

impl RigidParts {
    /// All parts of a body at the positions q.
    pub fn new(tree: &Tree, assembly: &AssemblyTree, q: &[f64]) -> Self {
        let none = Rigid {
            top_from_beta: Pose::IDENTITY,
            top_from_bottom: Pose::IDENTITY,
            inertia: RigidInertia::ZERO,
        };
        let mut parts = Self { of: vec![none; assembly.joins()] };
        for i in 0..assembly.nodes().len() {
            parts.freeze(tree, assembly, q, NodeId::new(i));
        }
        parts
    }

    /// A part that is rigid.
    #[inline]
    pub fn get(&self, tree: &Tree, assembly: &AssemblyTree, id: NodeId) -> Rigid {
        let node = assembly.node(id);
        match node.kind {
            NodeKind::Leaf { link, pieces, .. } => Rigid::leaf(tree, link, pieces),
            _ => self.of[node.slot as usize],
        }
    }

    /// The poses of a node that is no leaf, inside its top: of the top of B, and of its bottom.
    #[inline]
    pub fn poses(&self, assembly: &AssemblyTree, id: NodeId) -> (&Pose, &Pose) {
        let rigid = &self.of[assembly.node(id).slot as usize];
        (&rigid.top_from_beta, &rigid.top_from_bottom)
    }

    /// A node whose children are rigid becomes rigid at the present position of its joint.
    pub fn freeze(&mut self, tree: &Tree, assembly: &AssemblyTree, q: &[f64], id: NodeId) {
        let node = assembly.node(id);
        let NodeKind::Join(join) = node.kind else { return };
        let pose = match join.joint {
            JoinJoint::Joint(link) => link_pose(tree, &tree.links[link.index()], q),
            JoinJoint::Weld(_) => Pose::IDENTITY,
        };
        let (a, b) = (self.get(tree, assembly, join.a), self.get(tree, assembly, join.b));
        self.of[node.slot as usize] = Rigid::join(Shape::of(&join), &pose, &a, &b);
    }
}
