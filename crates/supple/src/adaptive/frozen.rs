//! All that is kept of a rigid part: computed when it becomes rigid, valid until one of its joints moves.
//!
//! Φ and Ψ of the part with its joints free to give way, its linear coefficients as functions of its velocity, its
//! poses and inertia: constant, since each is in the frame of a link of the part. Theory, sections 5, 6 and 12.

use crate::model::{LinkId, Tree};
use crate::spatial::{Force, Pose, RigidInertia, Sym3};

use super::assembly_tree::{AssemblyTree, Join, JoinJoint, Node, NodeId, NodeKind};
use super::join::{self, Factor, HandleMatrix, Shape};
use super::joint_motion::{JointMotion, JointScratch};
use super::leaf::{InverseInertia, SingularLink};
use super::mat6;
use super::metric::{self, MetricFactor};
use super::rigid::Rigid;
use super::tensors::{FEATURES, Tensors};
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
    /// Poses and inertia.
    pub rigid: Rigid,
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
    pub const EMPTY: Self = Self {
        phi: HandleMatrix::ZERO,
        psi: HandleMatrix::ZERO,
        tensors: Tensors::ZERO,
        rigid: Rigid {
            top_from_beta: Pose::IDENTITY,
            top_from_bottom: Pose::IDENTITY,
            inertia: RigidInertia::ZERO,
        },
    };
}

impl Freezer<'_> {
    /// A leaf.
    pub fn leaf(&self, link: LinkId, piece: u32, pieces: u32) -> Frozen {
        let leaf = &self.leaves[link.index()];
        let mut constant = Force::ZERO;
        if piece == 0 && !self.wrenches.is_empty() {
            let first = self.wrenches.partition_point(|(l, _)| *l < link.0);
            for (_, f) in self.wrenches[first..].iter().take_while(|(l, _)| *l == link.0) {
                constant += *f;
            }
        }
        Frozen {
            phi: HandleMatrix::single(&leaf.phi(pieces)),
            psi: HandleMatrix::ZERO,
            tensors: Tensors::of_leaf(self.tree, leaf, link, pieces, constant),
            rigid: Rigid::leaf(self.tree, link, pieces),
        }
    }

    /// Joins B to A, at the present position of their joint; `a` becomes the whole.
    pub fn join(&self, join: &Join, a: &mut Frozen, b: &Frozen) {
        let mut scratch = JointScratch::default();
        let (joint, dofs, weight) = match join.joint {
            JoinJoint::Joint(link) => (
                JointMotion::at_rest(self.tree, link, self.q, &mut scratch),
                self.tree.links[link.index()].dofs(),
                self.weights.of(self.tree, link, self.q),
            ),
            JoinJoint::Weld(_) => (JointMotion::WELD, 0..0, mat6::ZERO),
        };
        let shape = Shape::of(join);
        let pose = &joint.alpha_from_beta;
        let (mut factor, mut metric) = (Factor::EMPTY, MetricFactor::EMPTY);
        join::join(shape, &joint, &self.diagonal[dofs.clone()], &mut a.phi, &b.phi, &mut factor);
        metric::join(shape, pose, &factor, &weight, &mut a.psi, &b.psi, &mut metric);
        a.rigid = Rigid::join(shape, pose, &a.rigid, &b.rigid);
        let top_from_beta = &a.rigid.top_from_beta;
        let handles = self.assembly.node(join.b).handles();
        a.tensors.join_rigid(
            shape,
            pose,
            top_from_beta,
            &self.tau[dofs],
            &factor,
            &metric,
            &b.tensors,
            handles,
        );
    }
}

/// What is known of every part of a body that is, or once was, rigid; packed, symmetric halves left out.
///
/// Nothing is kept of leaves, which follow from their links. A part with two handles takes 386 numbers, one with
/// one handle 188.
#[derive(Clone, Debug, Default)]
pub struct FrozenParts {
    leaves: Vec<InverseInertia>,
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
            end += size(node.handles());
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
        match node.kind {
            NodeKind::Leaf { link, piece, pieces } => freezer.leaf(link, piece, pieces),
            _ => unpack(&self.numbers[self.begins[node.slot as usize]..], node.handles()),
        }
    }

    /// Freezes one node whose children are known.
    pub fn freeze(&mut self, freezer: &Freezer<'_>, id: NodeId) {
        let node = freezer.assembly.node(id);
        if let NodeKind::Join(join) = node.kind {
            let mut whole = self.get(freezer, join.a);
            freezer.join(&join, &mut whole, &self.get(freezer, join.b));
            self.set(node, &whole);
        }
    }

    /// Freezes all nodes; large bodies on all threads, with the same result to the last bit.
    pub fn freeze_all(&mut self, freezer: &Freezer<'_>) {
        if let Some(root) = freezer.assembly.root() {
            freeze_below(freezer, &self.begins, root, &mut self.numbers);
        }
    }

    fn set(&mut self, node: &Node, part: &Frozen) {
        pack(part, node.handles(), &mut self.numbers[self.begins[node.slot as usize]..]);
    }

    /// Memory in use \[bytes].
    pub fn bytes(&self) -> usize {
        size_of_val(&self.leaves[..]) + size_of_val(&self.numbers[..]) + size_of_val(&self.begins[..])
    }
}

/// Below this many nodes a part is not shared among threads \[nodes].
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
    let own = numbers.len() - size(node.handles());
    let (below, numbers) = numbers.split_at_mut(own);
    let (of_a, of_b) = below.split_at_mut(of_b);
    let (mut whole, b) =
        rayon::join(|| freeze_below(freezer, begins, a, of_a), || freeze_below(freezer, begins, b, of_b));
    if let NodeKind::Join(join) = node.kind {
        freezer.join(&join, &mut whole, &b);
        pack(&whole, node.handles(), numbers);
    }
    whole
}

/// The same on one thread, by a stack no deeper than the tree.
fn freeze_serially(freezer: &Freezer<'_>, id: NodeId, numbers: &mut [f64]) -> Frozen {
    let mut parts: Vec<Frozen> = Vec::new();
    let mut numbers = numbers;
    for node in &freezer.assembly.nodes()[freezer.assembly.below(id)] {
        match node.kind {
            NodeKind::Leaf { link, piece, pieces } => parts.push(freezer.leaf(link, piece, pieces)),
            NodeKind::Join(join) => {
                let Some(b) = parts.pop() else { break };
                let Some(a) = parts.last_mut() else { break };
                freezer.join(&join, a, &b);
                let (own, rest) = numbers.split_at_mut(size(node.handles()));
                pack(a, node.handles(), own);
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

/// How many numbers a part with so many handles takes.
const fn size(handles: usize) -> usize {
    const TE: usize = FEATURES * (FEATURES + 1) / 2;
    match handles {
        0 => 0,
        1 => 2 * 21 + 2 * 6 * FEATURES + TE + 12 + 10,
        _ => 2 * (21 + 36 + 21) + 4 * 6 * FEATURES + TE + 24 + 10,
    }
}

/// Takes numbers from one end of a list to the other.
trait Transfer {
    fn number(&mut self, x: &mut f64);

    fn numbers(&mut self, x: &mut [f64]) {
        x.iter_mut().for_each(|x| self.number(x));
    }

    fn symmetric<const N: usize>(&mut self, m: &mut [[f64; N]; N], n: usize) {
        for i in 0..n {
            for j in 0..=i {
                self.number(&mut m[i][j]);
                m[j][i] = m[i][j];
            }
        }
    }

    fn pose(&mut self, pose: &mut Pose) {
        let mut columns = pose.rotation.to_cols_array();
        let mut translation = pose.translation.to_array();
        self.numbers(&mut columns);
        self.numbers(&mut translation);
        *pose = Pose { rotation: glam::DMat3::from_cols_array(&columns), translation: translation.into() };
    }

    fn part(&mut self, part: &mut Frozen, handles: usize) {
        self.symmetric(&mut part.phi.0, 6 * handles);
        self.symmetric(&mut part.psi.0, 6 * handles);
        for rows in [&mut part.tensors.b, &mut part.tensors.p] {
            rows[..6 * handles].iter_mut().for_each(|row| self.numbers(&mut row[..FEATURES]));
        }
        self.symmetric(&mut part.tensors.eta, FEATURES);
        self.pose(&mut part.rigid.top_from_beta);
        if handles > 1 {
            self.pose(&mut part.rigid.top_from_bottom);
        }
        let RigidInertia { mass, moment, inertia } = &mut part.rigid.inertia;
        self.number(mass);
        self.numbers(moment.as_mut());
        let mut six = inertia.to_array();
        self.numbers(&mut six);
        *inertia = Sym3::new(six);
    }
}

struct Writer<'a>(std::slice::IterMut<'a, f64>);

impl Transfer for Writer<'_> {
    #[inline(always)]
    fn number(&mut self, x: &mut f64) {
        if let Some(place) = self.0.next() {
            *place = *x;
        }
    }
}

struct Reader<'a>(std::slice::Iter<'a, f64>);

impl Transfer for Reader<'_> {
    #[inline(always)]
    fn number(&mut self, x: &mut f64) {
        if let Some(place) = self.0.next() {
            *x = *place;
        }
    }
}

fn pack(part: &Frozen, handles: usize, numbers: &mut [f64]) {
    let mut copy = *part;
    Writer(numbers[..size(handles)].iter_mut()).part(&mut copy, handles);
}

fn unpack(numbers: &[f64], handles: usize) -> Frozen {
    let mut part = Frozen::EMPTY;
    if handles > 0 {
        Reader(numbers[..size(handles)].iter()).part(&mut part, handles);
    }
    part
}
