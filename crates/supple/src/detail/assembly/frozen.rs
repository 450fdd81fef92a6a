//! What the metric needs of a rigid part: computed when it becomes rigid, valid until one of its joints moves.
//!
//! Φ and Ψ of the part with its joints free to give way, and its linear coefficients as functions of its velocity:
//! constant, since each is in the frame of a link of the part. Theory, sections 6 and 12.

use std::ops::Range;

use crate::model::{LinkId, Tree};
use crate::spatial::Force;
use crate::spatial::mat6::{self, Mat6};

use super::join::{self, Factor, HandleMatrix, Joined, Shape};
use super::joint_motion::{JointMotion, JointScratch};
use super::leaf::{InverseInertia, SingularLink};
use super::metric::{self, MetricFactor};
use super::rigid::RigidParts;
use super::tensors::{FEATURES, Tensors, turn};
use super::tree::{AssemblyTree, Join, JoinJoint, Node, NodeId, NodeKind};
use super::weights::Weights;

/// What is known of a rigid part.
#[derive(Clone, Copy, Debug)]
pub struct Frozen {
    /// Φ.
    pub phi: HandleMatrix,
    /// Ψ.
    pub psi: HandleMatrix,
    /// TB, TP, TE.
    pub tensors: Tensors,
}

/// What does not change while parts freeze and thaw, but for q.
#[derive(Clone, Copy, Debug)]
pub struct Freezer<'a> {
    /// The body.
    pub tree: &'a Tree,
    /// Its assembly tree.
    pub assembly: &'a AssemblyTree,
    /// Inverse inertias of its links.
    pub leaves: &'a [InverseInertia],
    /// Poses of its parts, those that freeze now included.
    pub rigid: &'a RigidParts,
    /// Weights of the metric.
    pub weights: &'a Weights,
    /// Added to the joint inertia, by v: armature, implicit terms.
    pub diagonal: &'a [f64],
    /// Joint positions.
    pub q: &'a [f64],
    /// Joint forces that stay as they are while joints stand still, by v: springs and motors at q.
    pub tau: &'a [f64],
    /// Forces fixed in the frames of links, ascending by link, link axes.
    pub wrenches: &'a [(u32, Force)],
}

impl Frozen {
    /// No part.
    pub const EMPTY: Self = Self { phi: HandleMatrix::ZERO, psi: HandleMatrix::ZERO, tensors: Tensors::ZERO };
}

impl Freezer<'_> {
    /// A leaf.
    pub fn leaf(&self, link: LinkId, piece: u32, pieces: u32) -> Frozen {
        let leaf = &self.leaves[link.index()];
        let constant = self.constant(link, piece);
        Frozen {
            phi: HandleMatrix::single(&leaf.phi(pieces)),
            psi: HandleMatrix::ZERO,
            tensors: Tensors::of_leaf(self.tree, leaf, link, pieces, constant),
        }
    }

    /// The force on a leaf that is fixed in its frame.
    #[inline]
    fn constant(&self, link: LinkId, piece: u32) -> Force {
        let mut constant = Force::ZERO;
        if piece == 0 && !self.wrenches.is_empty() {
            let first = self.wrenches.partition_point(|(l, _)| *l < link.0);
            for (_, f) in self.wrenches[first..].iter().take_while(|(l, _)| *l == link.0) {
                constant += *f;
            }
        }
        constant
    }

    /// Joins B to A, at the present position of their joint, to the node `id`; `a` becomes the whole.
    pub fn join(&self, id: NodeId, join: &Join, a: &mut Frozen, b: &Frozen) {
        let mut scratch = JointScratch::default();
        let (joint, dofs, weight) = self.joint(join, &mut scratch);
        let shape = Shape::of(join);
        let (mut factor, mut metric) = (Factor::EMPTY, MetricFactor::EMPTY);
        join::join(shape, &joint, &self.diagonal[dofs.clone()], &mut a.phi, &b.phi, &mut factor);
        let of = Joined { shape, alpha_from_beta: &joint.alpha_from_beta, factor: &factor };
        metric::join(of, &weight, &mut a.psi, &b.psi, &mut metric);
        let (top_from_beta, _) = self.rigid.poses(self.assembly, id);
        let beta_from_top = turn(&top_from_beta.rotation.transpose());
        let of_b = b.tensors.turned(&beta_from_top, self.assembly.node(join.b).handles());
        a.tensors.join_rigid(of, &metric, &beta_from_top, &self.tau[dofs], &of_b);
    }
}

/// What is known of every part of a body that is, or once was, rigid; packed, symmetric halves left out.
///
/// Nothing is kept of leaves, which follow from their links, nor of two leaves joined, half of all joins, which take one
/// join to follow. A part with two handles takes 352 numbers, one with one handle 166.
#[derive(Clone, Debug, Default)]
pub struct FrozenParts {
    pub(crate) leaves: Vec<InverseInertia>,
    numbers: Vec<f64>,
    /// By [`Node::slot`]: where its numbers begin.
    begins: Vec<usize>,
}

impl FrozenParts {
    /// Room for all parts of a body; an error where a link has no inverse inertia.
    pub fn new(tree: &Tree, assembly: &AssemblyTree) -> Result<Self, SingularLink> {
        let mut begins = Vec::with_capacity(assembly.joins());
        let mut end = 0;
        for node in assembly.nodes().iter().filter(|n| !matches!(n.kind, NodeKind::Leaf { .. })) {
            begins.push(end);
            end += size(node);
        }
        Ok(Self { leaves: InverseInertia::of(tree)?, numbers: vec![0.0; end], begins })
    }

    /// Inverse inertias of the links.
    pub fn leaves(&self) -> &[InverseInertia] {
        &self.leaves
    }

    /// What is kept of a node, or follows for a leaf.
    pub fn get(&self, freezer: &Freezer<'_>, id: NodeId) -> Frozen {
        let node = freezer.assembly.node(id);
        match self.kept(node) {
            Some(kept) => kept.unpack(),
            None => freezer.follow(id),
        }
    }

    /// Freezes one node whose children are known.
    pub fn freeze(&mut self, freezer: &Freezer<'_>, id: NodeId) {
        let node = freezer.assembly.node(id);
        if size(node) == 0 {
            return;
        }
        if let NodeKind::Join(join) = node.kind {
            let mut whole = self.get(freezer, join.a);
            freezer.join(id, &join, &mut whole, &self.get(freezer, join.b));
            pack(&whole, node, &mut self.numbers[self.begins[node.slot as usize]..]);
        }
    }

    /// Freezes all nodes; large bodies on all threads, with the same result to the last bit.
    pub fn freeze_all(&mut self, freezer: &Freezer<'_>) {
        if let Some(root) = freezer.assembly.root() {
            freeze_below(freezer, &self.begins, root, &mut self.numbers);
        }
    }

    #[inline(always)]
    fn kept(&self, node: &Node) -> Option<Kept<'_>> {
        let size = size(node);
        let begin = *self.begins.get(node.slot as usize)?;
        (size > 0).then(|| Kept { numbers: &self.numbers[begin..begin + size], handles: node.handles() })
    }

    /// Memory in use \[bytes].
    pub fn bytes(&self) -> usize {
        size_of_val(&self.leaves[..]) + size_of_val(&self.numbers[..]) + size_of_val(&self.begins[..])
    }
}

impl Freezer<'_> {
    /// What is not kept: of a leaf, or of two leaves joined.
    fn follow(&self, id: NodeId) -> Frozen {
        let leaf = |id: NodeId| match self.assembly.node(id).kind {
            NodeKind::Leaf { link, piece, pieces } => self.leaf(link, piece, pieces),
            _ => Frozen::EMPTY,
        };
        match self.assembly.node(id).kind {
            NodeKind::Join(join) => {
                let mut whole = leaf(join.a);
                self.join(id, &join, &mut whole, &leaf(join.b));
                whole
            }
            _ => leaf(id),
        }
    }

    /// The joint of a join, at rest, its degrees of freedom and its weight.
    pub(crate) fn joint<'s>(
        &self,
        join: &Join,
        scratch: &'s mut JointScratch,
    ) -> (JointMotion<'s>, Range<usize>, Mat6) {
        match join.joint {
            JoinJoint::Joint(link) => (
                JointMotion::at_rest(self.tree, link, self.q, scratch),
                self.tree.links[link.index()].dofs(),
                self.weights.of(self.tree, link, self.q),
            ),
            JoinJoint::Weld(_) => (JointMotion::WELD, 0..0, mat6::ZERO),
        }
    }
}

/// Below this many nodes a part is not shared among threads \[nodes]. Chosen: 128 joins take some 0.1 ms, beside which handing half of
/// them to another thread does not count. Results do not depend on it.
const SERIAL: usize = 256;

/// Freezes a node and all nodes below it, whose numbers are those given. An empty part for what has no handles.
fn freeze_below(freezer: &Freezer<'_>, begins: &[usize], id: NodeId, numbers: &mut [f64]) -> Frozen {
    let assembly = freezer.assembly;
    let node = assembly.node(id);
    if assembly.below(id).len() <= SERIAL {
        return freeze_serially(freezer, id, numbers);
    }
    let (of_b, (a, b)) = match node.kind {
        NodeKind::Leaf { link, piece, pieces } => return freezer.leaf(link, piece, pieces),
        NodeKind::Base { b, .. } => {
            freeze_below(freezer, begins, b, numbers);
            return Frozen::EMPTY;
        }
        NodeKind::Join(Join { a, b, .. }) | NodeKind::Pair { a, b } => {
            // numbers stand in post-order: those below A, those below B, those of the node
            let (below, of_b) = (node.first, assembly.node(b).first);
            let begin = |id: NodeId| begins[assembly.node(id).slot as usize];
            (begin(of_b) - begin(below), (a, b))
        }
    };
    let own = numbers.len() - size(node);
    let (below, numbers) = numbers.split_at_mut(own);
    let (of_a, of_b) = below.split_at_mut(of_b);
    let (mut whole, b) =
        rayon::join(|| freeze_below(freezer, begins, a, of_a), || freeze_below(freezer, begins, b, of_b));
    if let NodeKind::Join(join) = node.kind {
        freezer.join(id, &join, &mut whole, &b);
        pack(&whole, node, numbers);
    }
    whole
}

/// Freezes a node and all nodes below it on one thread, by a stack no deeper than the tree.
fn freeze_serially(freezer: &Freezer<'_>, id: NodeId, numbers: &mut [f64]) -> Frozen {
    let mut parts: Vec<Frozen> = Vec::new();
    let mut numbers = numbers;
    for i in freezer.assembly.below(id) {
        let node = &freezer.assembly.nodes()[i];
        match node.kind {
            NodeKind::Leaf { link, piece, pieces } => parts.push(freezer.leaf(link, piece, pieces)),
            NodeKind::Join(join) => {
                let Some(b) = parts.pop() else { break };
                let Some(a) = parts.last_mut() else { break };
                freezer.join(NodeId::new(i), &join, a, &b);
                let (own, rest) = numbers.split_at_mut(size(node));
                pack(a, node, own);
                numbers = rest;
            }
            NodeKind::Base { .. } => {
                parts.pop();
            }
            NodeKind::Pair { .. } => {}
        }
    }
    parts.pop().unwrap_or(Frozen::EMPTY)
}

/// How many numbers are kept of a node: Φ, Ψ, TB, TP, TE; none of leaves and of two leaves joined.
fn size(node: &Node) -> usize {
    let n = match node.kind {
        NodeKind::Join(_) if node.height > 1 => 6 * node.handles(),
        _ => return 0,
    };
    n * (n + 1) + 2 * n * FEATURES + FEATURES * (FEATURES + 1) / 2
}

/// The numbers of a part: lower triangles of Φ and Ψ, row by row, then rows of TB and TP, then the triangle of TE.
#[derive(Clone, Copy)]
struct Kept<'a> {
    numbers: &'a [f64],
    handles: usize,
}

impl Kept<'_> {
    fn unpack(self) -> Frozen {
        let n = 6 * self.handles;
        let triangle = n * (n + 1) / 2;
        let (phi, rest) = self.numbers.split_at(triangle);
        let (psi, rest) = rest.split_at(triangle);
        let (b, rest) = rest.split_at(n * FEATURES);
        let (p, eta) = rest.split_at(n * FEATURES);
        let mut part = Frozen::EMPTY;
        read_triangle(phi, n, &mut part.phi.0);
        read_triangle(psi, n, &mut part.psi.0);
        for (rows, numbers) in [(&mut part.tensors.b, b), (&mut part.tensors.p, p)] {
            for (row, numbers) in rows.iter_mut().zip(numbers.as_chunks::<FEATURES>().0) {
                row[..FEATURES].copy_from_slice(numbers);
            }
        }
        read_triangle(eta, FEATURES, &mut part.tensors.eta);
        part
    }
}

#[inline(always)]
fn read_triangle<const N: usize>(numbers: &[f64], n: usize, m: &mut [[f64; N]; N]) {
    let mut at = 0;
    for i in 0..n {
        m[i][..=i].copy_from_slice(&numbers[at..at + i + 1]);
        at += i + 1;
    }
    for i in 0..n {
        for j in 0..i {
            m[j][i] = m[i][j];
        }
    }
}

fn pack(part: &Frozen, node: &Node, numbers: &mut [f64]) {
    if size(node) == 0 {
        return;
    }
    let n = 6 * node.handles();
    let mut at = 0;
    let mut write = |x: &[f64]| {
        numbers[at..at + x.len()].copy_from_slice(x);
        at += x.len();
    };
    for m in [&part.phi, &part.psi] {
        (0..n).for_each(|i| write(&m.0[i][..=i]));
    }
    for rows in [&part.tensors.b, &part.tensors.p] {
        rows[..n].iter().for_each(|row| write(&row[..FEATURES]));
    }
    (0..FEATURES).for_each(|i| write(&part.tensors.eta[i][..=i]));
}
