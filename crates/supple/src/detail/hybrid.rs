//! A body some of whose joints stand still, along its assembly tree: open nodes, rigid pieces, and the tree of rigid groups
//! that is stepped. Theory, section 5.
//!
//! ```text
//!  open node    has an active joint in it (and so have all nodes above it)
//!  piece        a largest node that is not open: it moves as one rigid body
//!  group        pieces that frozen joints hold together: one link of the reduced tree
//! ```
//!
//! Poses and inertias of pieces are kept from when they froze ([`RigidParts`]), so that the reduced tree is found from the
//! open nodes alone: the body is never visited.

use crate::dynamics::kinematics::link_pose;
use crate::model::{Link, LinkId, LinkJoint, Member, Members, Tree};
use crate::spatial::Pose;
use crate::util::SparseSet;

use super::assembly::rigid::RigidParts;
use super::assembly::tree::{AssemblyTree, Bottom, Handle, JoinJoint, NodeId, NodeKind};

/// A rigid piece.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// The node of the assembly tree.
    pub node: NodeId,
    /// The rigid group that it is part of; `None` is the world.
    pub group: Option<LinkId>,
    /// Frame of its top in the group's frame.
    pub pose: Pose,
}

/// A child of an open node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Child {
    /// Number of an open node.
    Open(u32),
    /// Number of a piece.
    Piece(u32),
}

/// A node with active joints in it.
#[derive(Clone, Copy, Debug)]
pub struct OpenNode {
    /// The node.
    pub node: NodeId,
    /// Its parts A and B; a base has no A.
    pub children: [Option<Child>; 2],
    /// The piece that carries its joint, and by which handle; `None` is the world.
    pub alpha: Option<(u32, Handle)>,
}

/// A body with some joints active.
#[derive(Clone, Debug, Default)]
pub struct Hybrid {
    /// The links whose joints are active; ascending once the hybrid is built.
    pub(super) active: SparseSet,
    open: SparseSet,
    nodes: Vec<OpenNode>,
    pieces: Vec<Piece>,
    tree: Tree,
    // --- scratch ---
    tasks: Vec<Task>,
    done: Vec<Done>,
    /// Where the next piece hangs.
    edge: Edge,
}

#[derive(Clone, Copy, Debug)]
enum Task {
    Visit(NodeId),
    /// A of this open node is done; its joint carries the next piece.
    Carry(NodeId),
    Finish(NodeId),
}

/// What is known of a part that is done: its outermost pieces.
#[derive(Clone, Copy, Debug)]
struct Done {
    child: Child,
    top: u32,
    bottom: (u32, Handle),
    /// What carries the joint of an open node whose A is done.
    alpha: Option<(u32, Handle)>,
}

/// A joint between a piece and the next one.
#[derive(Clone, Copy, Debug)]
struct Edge {
    alpha: Option<(u32, Handle)>,
    joint: JoinJoint,
}

impl Default for Edge {
    fn default() -> Self {
        Self { alpha: None, joint: JoinJoint::Weld(LinkId::new(0)) }
    }
}

impl Hybrid {
    /// No joint active, nothing built.
    pub fn new(full: &Tree, assembly: &AssemblyTree) -> Self {
        let mut hybrid = Self {
            active: SparseSet::new(full.links.len()),
            open: SparseSet::new(assembly.nodes().len()),
            ..Self::default()
        };
        hybrid.tree.elements.clone_from(&full.elements);
        hybrid.tree.members = Some(Members::default());
        hybrid
    }

    /// The active links.
    pub fn active(&self) -> &SparseSet {
        &self.active
    }

    /// Makes just these links active; [`Hybrid::mark`] and [`Hybrid::build`] come next.
    pub fn set_active(&mut self, links: impl IntoIterator<Item = LinkId>) {
        self.active.clear();
        for link in links {
            self.active.insert(link.0);
        }
    }

    /// Whether a node is open.
    #[inline]
    pub fn is_open(&self, node: NodeId) -> bool {
        self.open.contains(node.0)
    }

    /// Number of an open node.
    #[inline]
    pub fn open_number(&self, node: NodeId) -> Option<usize> {
        self.open.place(node.0)
    }

    /// Open nodes in post-order.
    pub fn nodes(&self) -> &[OpenNode] {
        &self.nodes
    }

    /// The pieces.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The tree of rigid groups.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Marks the nodes that are open, from the links that are active.
    pub fn mark(&mut self, assembly: &AssemblyTree) {
        self.active.sort();
        self.open.clear();
        for &link in self.active.members() {
            let mut at = Some(assembly.joint_node(LinkId(link)));
            while let Some(node) = at.filter(|n| self.open.insert(n.0)) {
                at = assembly.node(node).parent;
            }
        }
        // whole bodies are always told apart from the world
        for &node in assembly.whole() {
            self.open.insert(node.0);
        }
    }

    /// Builds nodes, pieces and the reduced tree for the nodes that are marked open. All others must be rigid in `rigid`
    /// at the positions q. Time linear in the open nodes.
    pub fn build(&mut self, full: &Tree, assembly: &AssemblyTree, rigid: &RigidParts, q: &[f64]) {
        self.nodes.clear();
        self.pieces.clear();
        self.done.clear();
        self.tree.links.clear();
        self.tree.links.resize(self.active.len(), Link::NONE);
        self.tree.members.get_or_insert_default().clear(full.links.len());
        self.tasks.clear();
        self.tasks.extend(assembly.root().map(Task::Visit));
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Visit(node) if self.is_open(node) => self.enter(assembly, node),
                Task::Visit(node) => self.add_piece(full, assembly, rigid, q, node),
                Task::Carry(node) => self.carry(assembly, node),
                Task::Finish(node) => self.finish(assembly, node),
            }
        }
        self.open.arrange(self.nodes.iter().map(|n| n.node.0));
        self.number_rows();
    }

    fn enter(&mut self, assembly: &AssemblyTree, node: NodeId) {
        self.tasks.push(Task::Finish(node));
        match assembly.node(node).kind {
            NodeKind::Join(join) => {
                self.tasks.extend([Task::Visit(join.b), Task::Carry(node), Task::Visit(join.a)]);
            }
            NodeKind::Base { link, b } => {
                self.edge = Edge { alpha: None, joint: JoinJoint::Joint(link) };
                self.tasks.push(Task::Visit(b));
            }
            NodeKind::Pair { a, b } => self.tasks.extend([Task::Visit(b), Task::Visit(a)]),
            NodeKind::Leaf { .. } => {}
        }
    }

    /// A of an open node is done: the first piece of B, its top, hangs on it.
    fn carry(&mut self, assembly: &AssemblyTree, node: NodeId) {
        let NodeKind::Join(join) = assembly.node(node).kind else { return };
        let Some(a) = self.done.last_mut() else { return };
        a.alpha = Some(match join.alpha {
            Handle::Top => (a.top, Handle::Top),
            Handle::Bottom => a.bottom,
        });
        self.edge = Edge { alpha: a.alpha, joint: join.joint };
    }

    fn finish(&mut self, assembly: &AssemblyTree, node: NodeId) {
        let number = Child::Open(self.nodes.len() as u32);
        let nowhere = Done { child: number, top: 0, bottom: (0, Handle::Top), alpha: None };
        let b = self.done.pop().unwrap_or(nowhere);
        let (children, alpha, done) = match assembly.node(node).kind {
            NodeKind::Join(join) => {
                let a = self.done.pop().unwrap_or(nowhere);
                let bottom = match join.bottom {
                    Bottom::None | Bottom::OfA => a.bottom,
                    Bottom::TopOfB => (b.top, Handle::Top),
                    Bottom::OfB => b.bottom,
                };
                (
                    [Some(a.child), Some(b.child)],
                    a.alpha,
                    Done { child: number, top: a.top, bottom, alpha: None },
                )
            }
            NodeKind::Pair { .. } => {
                let a = self.done.pop().unwrap_or(nowhere);
                ([Some(a.child), Some(b.child)], None, nowhere)
            }
            _ => ([None, Some(b.child)], None, nowhere),
        };
        self.nodes.push(OpenNode { node, children, alpha });
        self.done.push(done);
    }

    fn add_piece(
        &mut self,
        full: &Tree,
        assembly: &AssemblyTree,
        rigid: &RigidParts,
        q: &[f64],
        node: NodeId,
    ) {
        let number = self.pieces.len() as u32;
        let (carrier, at) = match self.edge.alpha {
            None => (None, Pose::IDENTITY),
            Some((piece, handle)) => {
                let piece = &self.pieces[piece as usize];
                let at = match handle {
                    Handle::Top => piece.pose,
                    Handle::Bottom => piece.pose * *rigid.poses(assembly, piece.node).1,
                };
                (piece.group, at)
            }
        };
        let inertia = rigid.get(full, assembly, node).inertia;
        let (group, pose) = match self.edge.joint {
            JoinJoint::Weld(_) => (carrier, at),
            JoinJoint::Joint(link) => {
                let joint = &full.links[link.index()];
                match self.active.place(link.0) {
                    Some(group) => {
                        self.tree.links[group] =
                            Link { parent: carrier, placement: at * joint.placement, inertia, ..*joint };
                        (Some(LinkId::new(group)), Pose::IDENTITY)
                    }
                    None => (carrier, at * link_pose(full, joint, q)),
                }
            }
        };
        let begins_group = matches!(self.edge.joint, JoinJoint::Joint(link) if self.active.contains(link.0));
        if let Some(group) = group.filter(|_| !begins_group) {
            self.tree.links[group.index()].inertia += inertia.transformed(&pose);
        }
        self.pieces.push(Piece { node, group, pose });
        let has_bottom = assembly.node(node).bottom.is_some();
        let bottom = (number, if has_bottom { Handle::Bottom } else { Handle::Top });
        self.done.push(Done { child: Child::Piece(number), top: number, bottom, alpha: None });
    }

    fn number_rows(&mut self) {
        let Tree { links, rows, screws, .. } = &mut self.tree;
        (*rows, *screws) = (0, 0);
        for link in links {
            link.row = *rows as u32;
            *rows += link.joint.dofs();
            if let LinkJoint::Compound { screw, dofs, .. } = &mut link.joint {
                *screw = *screws as u32;
                *screws += *dofs as usize;
            }
        }
        self.tree.connect();
    }

    /// The piece that a link of the full tree is in, and its pose in the frame of that piece's top: by a climb from its
    /// leaf.
    pub fn climb(&self, assembly: &AssemblyTree, rigid: &RigidParts, link: LinkId) -> Option<(u32, Pose)> {
        let (mut at, mut pose) = (assembly.leaf(link), Pose::IDENTITY);
        loop {
            let above = assembly.node(at).parent?;
            let is_b = assembly.node(above).children()[1] == Some(at);
            if let Some(open) = self.open.place(above.0) {
                let Some(Child::Piece(piece)) = self.nodes[open].children[usize::from(is_b)] else {
                    return None;
                };
                return Some((piece, pose));
            }
            if is_b {
                pose = *rigid.poses(assembly, above).0 * pose;
            }
            at = above;
        }
    }

    /// Where a link of the full tree is among the groups.
    pub fn member(&self, assembly: &AssemblyTree, rigid: &RigidParts, link: LinkId) -> Member {
        if let Some(group) = self.active.place(link.0) {
            // its joint carries the group
            return Member { group: Some(LinkId::new(group)), group_from_link: Pose::IDENTITY };
        }
        match self.climb(assembly, rigid, link) {
            Some((piece, pose)) => {
                let piece = &self.pieces[piece as usize];
                Member { group: piece.group, group_from_link: piece.pose * pose }
            }
            None => Member { group: None, group_from_link: Pose::IDENTITY },
        }
    }

    /// Makes it known to the reduced tree where a link of the full tree is.
    pub fn locate(&mut self, assembly: &AssemblyTree, rigid: &RigidParts, link: LinkId) {
        if self.tree.members.as_ref().is_some_and(|m| m.knows(link)) {
            return;
        }
        let member = self.member(assembly, rigid, link);
        self.tree.members.get_or_insert_default().insert(link, member);
    }
}
