//! What an island consists of: the nodes that its constraints push, and between which of them its joints are.

use crate::bodies::Node;
use crate::util::Ix;

use super::Frame;

/// A place in the lists of an island that have one entry for each of its nodes.
pub(crate) type NodeIx = Ix<Node>;

/// A constraint as the solver sees it. Side 0 is the parent's (or leader's), side 1 the child's (or follower's).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Joint {
    /// Place in the world's list of constraints.
    constraint: u32,
    /// Nodes of the island; `None` for what is fixed to the world.
    pub(super) ends: [Option<NodeIx>; 2],
    /// The sides of the joint in the frames of the nodes, or in the world.
    pub(super) frames: [Frame; 2],
    /// First of its rows, and how many.
    first: u32,
    rows: u32,
    /// Which of its limits are lower stops, a bit per row.
    pub(super) low_sides: u16,
    /// How fast its direction turns as the child moves sideways \[1/m].
    pub(super) bend: f64,
    pub(super) kind: JointKind,
}

/// What the rows of a joint are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JointKind {
    /// The joint holds a point and nothing else, and nothing acts on it: its rows are the axes of the parent's side.
    Point,
    /// What the joint model says.
    General,
}

impl Joint {
    /// The joint of a constraint, given by its place in the world's list, between `ends` that have their sides at `frames`. Its rows are
    /// so many from the `first` on.
    pub(crate) fn new(
        constraint: u32,
        ends: [Option<NodeIx>; 2],
        frames: [Frame; 2],
        first: u32,
        rows: u32,
    ) -> Self {
        Self { constraint, ends, frames, first, rows, low_sides: 0, bend: 0.0, kind: JointKind::General }
    }

    /// Place in the world's list of constraints.
    #[inline(always)]
    pub(crate) fn constraint(&self) -> usize {
        self.constraint as usize
    }

    /// Nodes of the island; `None` for what is fixed to the world.
    pub(crate) fn ends(&self) -> [Option<NodeIx>; 2] {
        self.ends
    }

    /// Its rows among those of the island.
    #[inline(always)]
    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.rows) as usize
    }

    /// First of its rows.
    #[inline(always)]
    pub(super) fn first(&self) -> usize {
        self.first as usize
    }

    /// How many rows it has.
    #[inline(always)]
    pub(crate) fn rows(&self) -> usize {
        self.rows as usize
    }

    /// The sides that push a node, each with its node.
    #[inline(always)]
    pub(super) fn pushed(&self) -> impl Iterator<Item = (usize, NodeIx)> {
        self.ends.into_iter().enumerate().filter_map(|(side, end)| Some((side, end?)))
    }
}

/// The nodes and joints of an island.
#[derive(Clone, Debug, Default)]
pub(crate) struct Topology {
    pub(super) nodes: Vec<Node>,
    pub(super) joints: Vec<Joint>,
    /// Whether some node is a port.
    has_ports: bool,
}

impl Topology {
    /// These nodes and joints.
    pub(super) fn new(nodes: Vec<Node>, joints: Vec<Joint>) -> Self {
        let has_ports = nodes.iter().any(|node| matches!(node, Node::Port { .. }));
        Self { nodes, joints, has_ports }
    }

    /// How many rows all joints have.
    pub(super) fn rows(&self) -> usize {
        self.joints.iter().map(Joint::rows).sum()
    }

    /// Whether some node is a port.
    #[inline(always)]
    pub(super) fn has_ports(&self) -> bool {
        self.has_ports
    }

    /// Whether some node is a port of the articulation at `place`.
    pub(super) fn holds(&self, place: usize) -> bool {
        let is_held =
            |node: &Node| matches!(node, Node::Port { articulation, .. } if *articulation as usize == place);
        self.nodes.iter().any(is_held)
    }

    /// Whether a node is a single body.
    pub(super) fn is_single(&self, node: NodeIx) -> bool {
        matches!(self.nodes[node], Node::Single { .. })
    }

    /// The articulation of a node that is a port.
    #[inline(always)]
    pub(super) fn articulation(&self, node: usize) -> Option<u32> {
        match self.nodes[node] {
            Node::Port { articulation, .. } => Some(articulation),
            Node::Single { .. } => None,
        }
    }

    /// Both ends of a joint if they belong to one articulation.
    #[inline(always)]
    pub(super) fn shared_ends(&self, joint: &Joint) -> Option<[NodeIx; 2]> {
        let (Some(a), Some(b)) = (joint.ends[0], joint.ends[1]) else { return None };
        let articulation = self.articulation(a.get());
        (articulation.is_some() && articulation == self.articulation(b.get())).then_some([a, b])
    }
}
