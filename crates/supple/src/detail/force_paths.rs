//! The force update region: paths from forced links and driven joints inside rigid pieces up to those pieces.
//!
//! Tensors know nothing of forces that change, and η is quadratic in loads, so b, p and η of the nodes on these paths
//! are found by the ordinary join, those beside the paths by their tensors (theory, section 6). What the joins need of Φ and Ψ
//! is constant while a piece is rigid and kept from update to update, so that a path costs little more than its loads.

use glam::DVec3;

use crate::model::LinkId;
use crate::spatial::mat6::Vec6;
use crate::spatial::{Force, Pose};
use crate::util::SparseSet;

use super::assembly::join::{self, Factor, Joined, Shape};
use super::assembly::joint_motion::JointScratch;
use super::assembly::linear::Linear;
use super::assembly::metric::{self, MetricFactor};
use super::assembly::part_cache::PartsAtHand;
use super::assembly::tensors::centripetal_acceleration;
use super::assembly::tree::{JoinJoint, NodeKind};
use super::assembly::{AssemblyTree, NodeId};
use super::hybrid::{Child, Hybrid};

/// What a join on a path keeps while it is rigid.
#[derive(Clone, Debug)]
struct KeptJoin {
    shape: Shape,
    pose: Pose,
    factor: Factor,
    metric: MetricFactor,
}

impl KeptJoin {
    fn joined(&self) -> Joined<'_> {
        Joined { shape: self.shape, alpha_from_beta: &self.pose, factor: &self.factor }
    }
}

/// A node on a path.
#[derive(Clone, Copy, Debug)]
struct OnPath {
    spin: DVec3,
    linear: Linear<1>,
    g: Vec6,
    r: Vec6,
    /// Number of what is kept of it; leaves keep nothing.
    kept: u32,
}

/// All paths of one body.
#[derive(Clone, Debug)]
pub(super) struct ForcePaths {
    /// Nodes of the present update, ascending once evaluated.
    nodes: SparseSet,
    on_path: Vec<OnPath>,
    /// Driven joints, and their forces now.
    driven: Vec<(LinkId, [f64; 6])>,
    /// Nodes of which something is kept.
    keeping: SparseSet,
    kept: Vec<KeptJoin>,
}

impl ForcePaths {
    /// No paths in a body with this assembly tree.
    pub(super) fn new(assembly: &AssemblyTree) -> Self {
        let nodes = assembly.nodes().len();
        Self {
            nodes: SparseSet::new(nodes),
            on_path: Vec::new(),
            driven: Vec::new(),
            keeping: SparseSet::new(nodes),
            kept: Vec::new(),
        }
    }

    /// Nodes on paths.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A node has been open since, or froze at another position.
    pub(super) fn forget(&mut self, node: NodeId) {
        if let Some(place) = self.keeping.swap_remove(node.0) {
            self.kept.swap_remove(place);
        }
    }

    /// Nothing kept holds any more.
    pub(super) fn forget_all(&mut self) {
        self.keeping.clear();
        self.kept.clear();
    }

    /// No paths yet in this update.
    pub(super) fn begin(&mut self) {
        // forces that wander leave what they needed behind
        if self.kept.len() > 64 + 4 * self.nodes.len() {
            self.forget_all();
        }
        self.nodes.clear();
        self.driven.clear();
    }

    /// The path from a node up to its piece; none if the node is open.
    pub(super) fn add(&mut self, assembly: &AssemblyTree, hybrid: &Hybrid, from: NodeId) {
        let mut at = Some(from);
        while let Some(node) = at.filter(|n| !hybrid.is_open(*n) && self.nodes.insert(n.0)) {
            at = assembly.node(node).parent;
        }
    }

    /// The path from a frozen joint with these forces.
    pub(super) fn add_driven(
        &mut self,
        assembly: &AssemblyTree,
        hybrid: &Hybrid,
        link: LinkId,
        forces: [f64; 6],
    ) {
        if self.driven.iter().any(|(l, _)| *l == link) {
            return;
        }
        self.driven.push((link, forces));
        self.add(assembly, hybrid, assembly.joint_node(link));
    }

    /// b, p and η of a node on a path.
    #[inline]
    pub(super) fn linear(&self, node: NodeId) -> Option<&Linear<1>> {
        Some(&self.on_path[self.nodes.place(node.0)?].linear)
    }

    /// What substitution needs of a join on a path.
    pub(super) fn solved(&self, node: NodeId) -> Option<(Joined<'_>, &Vec6, &Vec6)> {
        let on_path = &self.on_path[self.nodes.place(node.0)?];
        let kept = self.kept.get(on_path.kept as usize)?;
        Some((kept.joined(), &on_path.g, &on_path.r))
    }

    /// Spins from the pieces down, then b, p and η from the leaves up. `forces` act on links, ascending, link axes about their
    /// origins. If nothing is `moving`, what no force acts on has no loads at all.
    pub(super) fn evaluate(
        &mut self,
        rigid: &mut PartsAtHand<'_>,
        hybrid: &Hybrid,
        forces: &[(u32, Force)],
        moving: bool,
        spin_of_piece: impl Fn(u32) -> DVec3,
    ) {
        let freezer = rigid.freezer;
        let assembly = freezer.assembly;
        self.nodes.sort();
        self.driven.sort_unstable_by_key(|(link, _)| *link);
        let none =
            OnPath { spin: DVec3::ZERO, linear: Linear::ZERO, g: [0.0; 6], r: [0.0; 6], kept: u32::MAX };
        self.on_path.clear();
        self.on_path.resize(self.nodes.len(), none);
        for i in (0..self.nodes.len()).rev().filter(|_| moving) {
            let node = NodeId(self.nodes.members()[i]);
            let Some(above) = assembly.node(node).parent else { continue };
            let is_b = assembly.node(above).children()[1] == Some(node);
            self.on_path[i].spin = match (hybrid.open_number(above), self.nodes.place(above.0)) {
                (Some(open), _) => match hybrid.nodes()[open].children[usize::from(is_b)] {
                    Some(Child::Piece(piece)) => spin_of_piece(piece),
                    _ => DVec3::ZERO,
                },
                (None, Some(above_at)) => {
                    let spin = self.on_path[above_at].spin;
                    if is_b {
                        freezer.rigid.poses(assembly, above).0.rotation.transpose() * spin
                    } else {
                        spin
                    }
                }
                (None, None) => DVec3::ZERO,
            };
        }
        for i in 0..self.nodes.len() {
            let node = NodeId(self.nodes.members()[i]);
            match assembly.node(node).kind {
                NodeKind::Leaf { link, piece, pieces } => {
                    let mut force = Force::ZERO;
                    let first = forces.partition_point(|(l, _)| *l < link.0);
                    for (_, f) in forces[first..].iter().take_while(|(l, _)| *l == link.0 && piece == 0) {
                        force += *f;
                    }
                    let leaf = &freezer.leaves[link.index()];
                    let b = leaf.bias(freezer.tree, link, pieces, self.on_path[i].spin, force).to_array();
                    self.on_path[i].linear = Linear::leaf(&b.map(|b| [b]));
                }
                NodeKind::Join(_) => self.join(rigid, node, i, moving),
                _ => {}
            }
        }
    }

    /// b, p and η of a join on a path, the `i`-th of its nodes, whose parts are known.
    fn join(&mut self, rigid: &mut PartsAtHand<'_>, id: NodeId, i: usize, moving: bool) {
        let freezer = rigid.freezer;
        let NodeKind::Join(join) = freezer.assembly.node(id).kind else { return };
        let kept = self.keep(rigid, id);
        let spin = self.on_path[i].spin;
        let spin_b = freezer.rigid.poses(freezer.assembly, id).0.rotation.transpose() * spin;
        let mut linear = |child: NodeId, spin: DVec3| match self.nodes.place(child.0) {
            Some(at) => self.on_path[at].linear,
            None if moving => rigid.part(child).linear(spin),
            None => Linear::ZERO,
        };
        let (mut whole, b) = (linear(join.a, spin), linear(join.b, spin_b));
        let kept_join = &self.kept[kept];
        let c = centripetal_acceleration(&kept_join.pose, spin_b).map(|c| [c]);
        let tau = match join.joint {
            JoinJoint::Weld(_) => [0.0; 6],
            JoinJoint::Joint(_) if !moving => [0.0; 6],
            JoinJoint::Joint(link) => match self.driven.binary_search_by_key(&link, |(l, _)| *l) {
                Ok(at) => self.driven[at].1,
                Err(_) => {
                    let mut tau = [0.0; 6];
                    let dofs = freezer.tree.links[link.index()].dofs();
                    tau[..dofs.len()].copy_from_slice(&freezer.tau[dofs]);
                    tau
                }
            },
        };
        let q = tau[..kept_join.factor.dofs].as_chunks().0;
        let loaded = whole.join(kept_join.joined(), &kept_join.metric, &c, q, &b);
        let on_path = &mut self.on_path[i];
        on_path.linear = whole;
        (on_path.g, on_path.r) = (loaded.g.map(|[g]| g), loaded.r.map(|[r]| r));
        on_path.kept = kept as u32;
    }

    /// Number of what is kept of a join, which is found if it is not there.
    fn keep(&mut self, rigid: &mut PartsAtHand<'_>, id: NodeId) -> usize {
        let freezer = rigid.freezer;
        if let Some(place) = self.keeping.place(id.0) {
            return place;
        }
        let NodeKind::Join(join) = freezer.assembly.node(id).kind else { return 0 };
        let mut scratch = JointScratch::default();
        let (joint, dofs, weight) = freezer.joint(&join, &mut scratch);
        let a = rigid.part(join.a);
        let (mut phi, mut psi) = (a.phi, a.psi);
        let b = rigid.part(join.b);
        let shape = Shape::of(&join);
        let (mut factor, mut metric) = (Factor::EMPTY, MetricFactor::EMPTY);
        join::join(shape, &joint, &freezer.diagonal[dofs], &mut phi, &b.phi, &mut factor);
        let of = Joined { shape, alpha_from_beta: &joint.alpha_from_beta, factor: &factor };
        metric::join(of, &weight, &mut psi, &b.psi, &mut metric);
        self.keeping.insert(id.0);
        self.kept.push(KeptJoin { shape, pose: joint.alpha_from_beta, factor, metric });
        self.kept.len() - 1
    }
}
