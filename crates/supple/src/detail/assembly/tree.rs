//! The assembly tree: in which order joints join the links of a body to ever larger parts.
//!
//! A **part** is a connected set of links. It feels the rest of the body only at its **handles**: the links that
//! have a joint leading out of it. The link nearest to the root, the **top**, always is one; the assembly order is
//! such that there is at most one more, the **bottom**. Theory, section 2; the paper has one handle per *joint*,
//! which neither bounds their number nor the depth of the tree.
//!
//! ```text
//!          Pair                     several bodies on one world: side by side
//!         ╱    ╲
//!      Base    Base                 base joint: the world (A side) and a whole body (B side), no handles
//!        │       │
//!      Join     ...                 joint or weld between a link α of A and the top β of B
//!     ╱    ╲
//!   Join   Leaf                     one link, or one piece of a link that is split
//! ```
//!
//! A link that carries many others would use up one level for each of them, so it is split into **pieces**,
//! joined by welds, each with an equal share of its inertia (section 2.2). All pieces of a link have its frame.
//!
//! Nodes stand in post-order: children before parents, the nodes below a node in one run right before it.
//! Ascending loops go up, descending ones down; nothing recurses.

use std::ops::Range;

use crate::model::{LinkId, Tree};

use super::{chosen, heavy_path};

/// A node of an [`AssemblyTree`], counted in post-order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// From a position in the list of nodes.
    #[inline(always)]
    pub const fn new(index: usize) -> Self {
        Self(index as u32)
    }

    /// The position in the list of nodes.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One of the two places at which a part may feel the rest of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handle {
    /// The link nearest to the root.
    Top,
    /// The other link with joints leading out.
    Bottom,
}

/// Where the bottom handle of a joined part comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bottom {
    /// It has none.
    None,
    /// The bottom of A (the joint hangs B, which has no way out, on A).
    OfA,
    /// The top of B: the link the joint carries.
    TopOfB,
    /// The bottom of B.
    OfB,
}

/// What joins two parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinJoint {
    /// The joint of this link.
    Joint(LinkId),
    /// Nothing moves: two pieces of this link.
    Weld(LinkId),
}

/// Two parts joined to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Join {
    /// The part nearer to the root; its top is the top of the whole.
    pub a: NodeId,
    /// The part carried by the joint; β is its top.
    pub b: NodeId,
    /// The principal joint J.
    pub joint: JoinJoint,
    /// Which handle of A is α, the link that carries the joint.
    pub alpha: Handle,
    /// Where the bottom of the whole comes from.
    pub bottom: Bottom,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// One link, or one of the `pieces` of a link that is split. Forces on a link act on piece 0.
    Leaf {
        /// The link.
        link: LinkId,
        /// Which piece of it, from the root outward.
        piece: u32,
        /// How many pieces share its inertia equally.
        pieces: u32,
    },
    /// Two parts joined.
    Join(Join),
    /// A whole body, all that hangs on one root link, joined with the world by that link's joint.
    Base {
        /// The root link.
        link: LinkId,
        /// The whole body, with the root link as its only handle.
        b: NodeId,
    },
    /// Two sets of whole bodies side by side: no joint, no handles.
    Pair {
        /// One set.
        a: NodeId,
        /// The other.
        b: NodeId,
    },
}

/// A node of the assembly tree: a part of the body.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// How it is made.
    pub kind: NodeKind,
    /// The node that it is a child of.
    pub parent: Option<NodeId>,
    /// First of the nodes below it; they stand in one run before it.
    pub first: NodeId,
    /// How many nodes that are not leaves stand before it: its place in lists that leave out leaves.
    pub slot: u32,
    /// Link nearest to the root.
    pub top: LinkId,
    /// The other link with joints leading out. Of a split link it may be the same link, another piece.
    pub bottom: Option<LinkId>,
    /// Joints inside it, welds not counted.
    pub joints: u32,
    /// Longest way down to a leaf.
    pub height: u32,
}

impl Node {
    /// The children A and B.
    #[inline]
    pub fn children(&self) -> [Option<NodeId>; 2] {
        match self.kind {
            NodeKind::Leaf { .. } => [None, None],
            NodeKind::Join(Join { a, b, .. }) | NodeKind::Pair { a, b } => [Some(a), Some(b)],
            NodeKind::Base { b, .. } => [None, Some(b)],
        }
    }

    /// The link whose joint is the principal joint; `None` for leaves, welds and pairs.
    #[inline]
    pub fn joint(&self) -> Option<LinkId> {
        match self.kind {
            NodeKind::Join(Join { joint: JoinJoint::Joint(link), .. }) | NodeKind::Base { link, .. } => {
                Some(link)
            }
            _ => None,
        }
    }

    /// How many handles it has: 0, 1 or 2.
    #[inline]
    pub fn handles(&self) -> usize {
        match self.kind {
            NodeKind::Base { .. } | NodeKind::Pair { .. } => 0,
            _ => 1 + usize::from(self.bottom.is_some()),
        }
    }
}

/// The assembly tree of a [`Tree`]: never changes, and serves every body of that shape.
#[derive(Clone, Debug, Default)]
pub struct AssemblyTree {
    nodes: Vec<Node>,
    /// By link: the leaf of its first piece, and the node whose principal joint is the link's.
    leaf: Vec<NodeId>,
    joint_node: Vec<NodeId>,
    /// Bases and pairs.
    whole: Vec<NodeId>,
    joins: usize,
    depth: usize,
}

impl AssemblyTree {
    /// Builds the assembly tree in O(n log n), depth O(log n), for any tree or forest of links.
    pub fn build(tree: &Tree) -> Self {
        Self::from_unordered(heavy_path::assemble(tree), tree.links.len())
    }

    /// Any other assembly tree: `choose` gets the joints (by the links they carry, ascending) at which a part may
    /// be taken apart, and gives the place of one of them. Links are not split into pieces, so that the depth is
    /// what the choices make it. For tests and experiments; slower than [`AssemblyTree::build`].
    pub fn build_by_choice(tree: &Tree, choose: impl FnMut(&[LinkId]) -> usize) -> Self {
        Self::from_unordered(chosen::assemble(tree, choose), tree.links.len())
    }

    /// Brings nodes, children before parents, into post-order and fills in what follows from that.
    fn from_unordered(unordered: Vec<Node>, links: usize) -> Self {
        let mut place = vec![NodeId(0); unordered.len()];
        let mut nodes: Vec<Node> = Vec::with_capacity(unordered.len());
        let mut joins = 0;
        // (node, whether its children have been visited)
        let mut stack: Vec<(usize, bool)> =
            unordered.len().checked_sub(1).map(|root| (root, false)).into_iter().collect();
        while let Some((i, ready)) = stack.pop() {
            let mut node = unordered[i];
            if !ready {
                stack.push((i, true));
                let [a, b] = node.children();
                stack.extend([b, a].into_iter().flatten().map(|c| (c.index(), false)));
                continue;
            }
            let id = NodeId::new(nodes.len());
            place[i] = id;
            match &mut node.kind {
                NodeKind::Leaf { .. } => {}
                NodeKind::Join(Join { a, b, .. }) | NodeKind::Pair { a, b } => {
                    (*a, *b) = (place[a.index()], place[b.index()]);
                }
                NodeKind::Base { b, .. } => *b = place[b.index()],
            }
            node.first = id;
            node.slot = joins as u32;
            joins += usize::from(!matches!(node.kind, NodeKind::Leaf { .. }));
            for child in node.children().into_iter().flatten() {
                let below = &mut nodes[child.index()];
                below.parent = Some(id);
                node.first = node.first.min(below.first);
            }
            nodes.push(node);
        }
        let (mut leaf, mut joint_node) = (vec![NodeId(0); links], vec![NodeId(0); links]);
        for (i, node) in nodes.iter().enumerate() {
            if let NodeKind::Leaf { link, piece: 0, .. } = node.kind {
                leaf[link.index()] = NodeId::new(i);
            }
            if let Some(link) = node.joint() {
                joint_node[link.index()] = NodeId::new(i);
            }
        }
        let whole =
            |n: &&NodeId| matches!(nodes[n.index()].kind, NodeKind::Base { .. } | NodeKind::Pair { .. });
        let whole = (0..nodes.len()).map(NodeId::new).filter(|n| whole(&n)).collect();
        let bases = nodes.iter().filter(|n| matches!(n.kind, NodeKind::Base { .. }));
        let depth = bases.map(|n| n.height as usize - 1).max().unwrap_or(0);
        Self { leaf, joint_node, whole, joins, depth, nodes }
    }

    /// All nodes in post-order; the root is the last.
    #[inline(always)]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// One node.
    #[inline(always)]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Number of nodes that are not leaves.
    #[inline(always)]
    pub fn joins(&self) -> usize {
        self.joins
    }

    /// The root; `None` for a tree without links.
    pub fn root(&self) -> Option<NodeId> {
        self.nodes.len().checked_sub(1).map(NodeId::new)
    }

    /// The node itself and all nodes below it, as positions in [`AssemblyTree::nodes`].
    pub fn below(&self, id: NodeId) -> Range<usize> {
        self.node(id).first.index()..id.index() + 1
    }

    /// The leaf of a link; of a split link that of its first piece, on which forces act.
    #[inline(always)]
    pub fn leaf(&self, link: LinkId) -> NodeId {
        self.leaf[link.index()]
    }

    /// The node whose principal joint is the joint of this link.
    #[inline(always)]
    pub fn joint_node(&self, link: LinkId) -> NodeId {
        self.joint_node[link.index()]
    }

    /// The nodes without handles: whole bodies, and sets of them.
    pub fn whole(&self) -> &[NodeId] {
        &self.whole
    }

    /// Height of the tallest whole body, the base joint not counted: the depth of theory, section 2.2.
    pub fn depth(&self) -> usize {
        self.depth
    }
}
