//! Forward dynamics by divide and conquer: accelerations from forces in O(n), in O(log n) with enough threads.
//!
//! Featherstone's algorithm as in Redon, Galoppo & Lin 2005, section 3: Φ and b of ever larger parts up the assembly
//! tree (main pass), joint accelerations and handle forces down (back-substitution). On one thread it costs several
//! times what the articulated-body algorithm does; here it is the yardstick, the way to use many threads on one huge
//! body, and the arithmetic that motion metrics are made of.
//!
//! Only what substitution needs is kept for each join. Φ and b of parts live on a stack no deeper than the tree.

use crate::dynamics::EquationOfMotion;
use crate::model::{LinkId, Tree};
use crate::spatial::Pose;
use crate::spatial::mat6::Vec6;

use super::join::{self, Factor, HandleMatrix, HandleVector, Joined, Shape};
use super::leaf::{InverseInertia, SingularLink};
use super::linear::{self, Loaded};
use super::problem::Problem;
use super::tree::{AssemblyTree, Join, NodeId, NodeKind};

/// Below this many nodes a part is not shared among threads \[nodes]. Chosen, not measured against others; results do not depend on it.
const SERIAL: usize = 1024;

/// Working memory of the algorithm for one tree.
#[derive(Clone, Debug)]
pub struct Dca {
    leaves: Vec<InverseInertia>,
    /// By [`super::Node::slot`].
    records: Vec<Record>,
    parts: Vec<Part>,
    forces: Vec<HandleVector>,
}

/// What the main pass leaves at a join.
#[derive(Clone, Copy, Debug)]
struct Record {
    factor: Factor,
    pose: Pose,
    g: Vec6,
    r: Vec6,
    /// Result of the substitution.
    qdd: Vec6,
}

impl Record {
    const EMPTY: Self =
        Self { factor: Factor::EMPTY, pose: Pose::IDENTITY, g: [0.0; 6], r: [0.0; 6], qdd: [0.0; 6] };
}

/// Φ and b of a part.
#[derive(Clone, Copy, Debug)]
struct Part {
    phi: HandleMatrix,
    b: [[f64; 1]; 12],
}

impl Part {
    const EMPTY: Self = Self { phi: HandleMatrix::ZERO, b: [[0.0]; 12] };
}

/// The two passes.
struct Passes<'a> {
    problem: Problem<'a>,
    leaves: &'a [InverseInertia],
}

impl Dca {
    /// Room for a tree; an error where a link has no inverse inertia.
    pub fn new(tree: &Tree, assembly: &AssemblyTree) -> Result<Self, SingularLink> {
        Ok(Self {
            leaves: InverseInertia::of(tree)?,
            records: vec![Record::EMPTY; assembly.joins()],
            parts: Vec::new(),
            forces: Vec::new(),
        })
    }

    /// Joint accelerations `qdd` under the joint forces `tau`: those of [`crate::dynamics::aba::accelerations`] up to rounding.
    pub fn accelerations(
        &mut self,
        of: &EquationOfMotion<'_>,
        assembly: &AssemblyTree,
        tau: &[f64],
        qdd: &mut [f64],
    ) {
        let Self { leaves, records, parts, forces } = self;
        let passes = Passes { problem: Problem::new(of, assembly, tau), leaves };
        let all = 0..assembly.nodes().len();
        passes.up(all.clone(), records, parts);
        forces.clear();
        passes.down(all, records, forces);
        passes.collect(records, qdd);
    }

    /// Joint accelerations on as many threads as there are: arguments and bits as of [`Dca::accelerations`].
    pub fn accelerations_parallel(
        &mut self,
        of: &EquationOfMotion<'_>,
        assembly: &AssemblyTree,
        tau: &[f64],
        qdd: &mut [f64],
    ) {
        let Self { leaves, records, .. } = self;
        let passes = Passes { problem: Problem::new(of, assembly, tau), leaves };
        if let Some(root) = assembly.root() {
            passes.up_parallel(root, records);
            passes.down_parallel(root, records, [0.0; 12]);
            passes.collect(records, qdd);
        }
    }
}

impl Passes<'_> {
    /// Main pass over a run of nodes. Leaves the part of the last one on the stack, if it has handles.
    fn up(&self, nodes: std::ops::Range<usize>, records: &mut [Record], parts: &mut Vec<Part>) {
        parts.clear();
        // places on the stack in use; those beyond keep their memory
        let mut used = 0;
        let mut records = records.iter_mut();
        for node in &self.problem.assembly.nodes()[nodes] {
            match node.kind {
                NodeKind::Leaf { link, piece, pieces } => {
                    if parts.len() == used {
                        parts.push(Part::EMPTY);
                    }
                    self.leaf(link, piece, pieces, &mut parts[used]);
                    used += 1;
                }
                NodeKind::Join(join) => {
                    let [a, b] = &mut parts[used - 2..used] else { unreachable!("two parts wait") };
                    if let Some(record) = records.next() {
                        self.join(&join, a, b, record);
                    }
                    used -= 1;
                }
                NodeKind::Base { link, .. } => {
                    if let Some(record) = records.next() {
                        self.base(link, &parts[used - 1], record);
                    }
                    used -= 1;
                }
                NodeKind::Pair { .. } => {
                    records.next();
                }
            }
        }
        parts.truncate(used);
    }

    fn up_parallel(&self, id: NodeId, records: &mut [Record]) -> Part {
        let below = self.problem.assembly.below(id);
        if below.len() <= SERIAL {
            let mut parts = Vec::new();
            self.up(below, records, &mut parts);
            return parts.first().copied().unwrap_or(Part::EMPTY);
        }
        let Some((record, below)) = records.split_last_mut() else { return Part::EMPTY };
        match self.problem.assembly.node(id).kind {
            NodeKind::Leaf { .. } => Part::EMPTY,
            NodeKind::Join(join) => {
                let (of_a, of_b) = self.split(join.a, join.b, below);
                let (mut a, b) =
                    rayon::join(|| self.up_parallel(join.a, of_a), || self.up_parallel(join.b, of_b));
                self.join(&join, &mut a, &b, record);
                a
            }
            NodeKind::Base { link, b } => {
                let b = self.up_parallel(b, below);
                self.base(link, &b, record);
                Part::EMPTY
            }
            NodeKind::Pair { a, b } => {
                let (of_a, of_b) = self.split(a, b, below);
                rayon::join(|| self.up_parallel(a, of_a), || self.up_parallel(b, of_b));
                Part::EMPTY
            }
        }
    }

    /// The records below A and those below B.
    fn split<'r>(
        &self,
        a: NodeId,
        b: NodeId,
        records: &'r mut [Record],
    ) -> (&'r mut [Record], &'r mut [Record]) {
        let slot = |id: NodeId| self.problem.assembly.node(self.problem.assembly.node(id).first).slot;
        records.split_at_mut((slot(b) - slot(a)) as usize)
    }

    #[inline(always)]
    fn leaf(&self, link: LinkId, piece: u32, pieces: u32, part: &mut Part) {
        let leaf = &self.leaves[link.index()];
        part.phi.set_top(&leaf.phi(pieces));
        let b = self.problem.leaf_bias(leaf, link, piece, pieces);
        for i in 0..6 {
            part.b[i] = [b[i]];
        }
    }

    #[inline(always)]
    fn join(&self, join: &Join, a: &mut Part, b: &Part, record: &mut Record) {
        let (joint, dofs) = self.problem.join_joint(join);
        let shape = Shape::of(join);
        let factor = &mut record.factor;
        join::join(shape, &joint, &self.problem.diagonal[dofs.clone()], &mut a.phi, &b.phi, factor);
        let c = joint.c.to_array().map(|c| [c]);
        let beta = linear::beta(shape, &joint.alpha_from_beta, &c, &a.b, &b.b);
        let q = self.problem.tau[dofs].as_chunks().0;
        let loaded = Loaded::new(factor, &beta, q);
        a.b = join::kept(shape, &a.b, &b.b);
        loaded.handle_bias(factor, shape.has_bottom(), q, &mut a.b);
        record.pose = joint.alpha_from_beta;
        record.g = loaded.g.map(|[g]| g);
        record.r = loaded.r.map(|[r]| r);
    }

    fn base(&self, link: LinkId, b: &Part, record: &mut Record) {
        let (joint, dofs) = self.problem.joint(link);
        join::join_base(&joint, &self.problem.diagonal[dofs.clone()], &b.phi, &mut record.factor);
        let mut beta = self.problem.world_acceleration(&joint);
        for i in 0..6 {
            beta[i] -= b.b[i][0];
        }
        let q = self.problem.tau[dofs].as_chunks().0;
        let loaded = Loaded::new(&record.factor, &beta.map(|b| [b]), q);
        record.g = loaded.g.map(|[g]| g);
        record.r = loaded.r.map(|[r]| r);
    }

    /// Back-substitution over a run of nodes, last first; the stack holds the forces on the handles of the last.
    fn down(&self, nodes: std::ops::Range<usize>, records: &mut [Record], forces: &mut Vec<HandleVector>) {
        let mut records = records.iter_mut().rev();
        for node in self.problem.assembly.nodes()[nodes].iter().rev() {
            match node.kind {
                NodeKind::Leaf { .. } => {
                    forces.pop();
                }
                NodeKind::Join(join) => {
                    let (Some(record), Some(f)) = (records.next(), forces.pop()) else { return };
                    let (f_a, f_b) = record.substitute(&join, &f);
                    forces.extend([f_a, f_b]);
                }
                NodeKind::Base { .. } => {
                    let Some(record) = records.next() else { return };
                    forces.push(record.substitute_base());
                }
                NodeKind::Pair { .. } => {
                    records.next();
                }
            }
        }
    }

    fn down_parallel(&self, id: NodeId, records: &mut [Record], f: HandleVector) {
        let below = self.problem.assembly.below(id);
        if below.len() <= SERIAL {
            let mut forces = Vec::new();
            if self.problem.assembly.node(id).handles() > 0 {
                forces.push(f);
            }
            self.down(below, records, &mut forces);
            return;
        }
        let Some((record, below)) = records.split_last_mut() else { return };
        match self.problem.assembly.node(id).kind {
            NodeKind::Leaf { .. } => {}
            NodeKind::Join(join) => {
                let (f_a, f_b) = record.substitute(&join, &f);
                let (of_a, of_b) = self.split(join.a, join.b, below);
                rayon::join(
                    || self.down_parallel(join.a, of_a, f_a),
                    || self.down_parallel(join.b, of_b, f_b),
                );
            }
            NodeKind::Base { b, .. } => {
                let f_b = record.substitute_base();
                self.down_parallel(b, below, f_b);
            }
            NodeKind::Pair { a, b } => {
                let (of_a, of_b) = self.split(a, b, below);
                rayon::join(|| self.down_parallel(a, of_a, f), || self.down_parallel(b, of_b, f));
            }
        }
    }

    /// Results by degree of freedom.
    fn collect(&self, records: &[Record], qdd: &mut [f64]) {
        for (i, link) in self.problem.tree.links.iter().enumerate() {
            let record = &records
                [self.problem.assembly.node(self.problem.assembly.joint_node(LinkId::new(i))).slot as usize];
            let dofs = link.dofs();
            let d = dofs.len();
            qdd[dofs].copy_from_slice(&record.qdd[..d]);
        }
    }
}

impl Record {
    #[inline(always)]
    fn substitute(&mut self, join: &Join, f: &HandleVector) -> (HandleVector, HandleVector) {
        let of = Joined { shape: Shape::of(join), alpha_from_beta: &self.pose, factor: &self.factor };
        let (qdd, f_a, f_b) = join::substitute(of, &self.g, &self.r, f);
        self.qdd = qdd;
        (f_a, f_b)
    }

    fn substitute_base(&mut self) -> HandleVector {
        let (qdd, f_b) = join::substitute_base(&self.factor, &self.g, &self.r);
        self.qdd = qdd;
        f_b
    }
}
