//! Motion metrics of a whole body, known for every node of its assembly tree.
//!
//! ```text
//!  acceleration   𝒜(C) = Σ q̈ᵀ A_J q̈ over the joints in C      before q̈ is known, by Φ, Ψ, b, p, η      section 4
//!  impulse        the same of the velocity jumps that impulses would cause                            section 8
//!  velocity       𝒱(C) = Σ q̇ᵀ V_J q̇                            by sums                                 section 9
//! ```
//!
//! Sums of what joints *have* are all that is needed when accelerations are known already ([`sum_up`], the direct way:
//! one articulated-body sweep over the whole body). [`BodyMetric`] is the way of the assembly tree.

use crate::dynamics::EquationOfMotion;
use crate::model::{LinkId, Tree};
use crate::spatial::Pose;
use crate::spatial::mat6::{self, Mat6, Vec6};

use super::join::{self, Factor, HandleMatrix, HandleVector, Joined, Shape};
use super::leaf::{InverseInertia, SingularLink};
use super::linear::Linear;
use super::metric::{self, MetricFactor};
use super::problem::Problem;
use super::tree::{AssemblyTree, Join, Node, NodeId, NodeKind};
use super::weights::Weights;

/// Sums over the joints inside every node: `of_link` has a number for the joint of each link, `of_node` gets one for
/// each node.
pub fn sum_up(assembly: &AssemblyTree, of_link: &[f64], of_node: &mut [f64]) {
    for (i, node) in assembly.nodes().iter().enumerate() {
        let own = node.joint().map_or(0.0, |link| of_link[link.index()]);
        let [a, b] = node.children().map(|c| c.map_or(0.0, |c| of_node[c.index()]));
        of_node[i] = own + (a + b);
    }
}

/// `xᵀ A_J x` of every joint, by link, for rates x (velocities, accelerations or jumps, by v).
pub fn of_joints(tree: &Tree, weights: &Weights, q: &[f64], rates: &[f64], of_link: &mut [f64]) {
    for (i, link) in tree.links.iter().enumerate() {
        of_link[i] = weights.norm(tree, LinkId::new(i), q, &rates[link.dofs()]);
    }
}

/// Coefficients Φ, Ψ, b, p, η of all nodes of one body.
#[derive(Clone, Debug)]
pub struct BodyMetric {
    leaves: Vec<InverseInertia>,
    /// By [`Node::slot`].
    joins: Vec<JoinCoefficients>,
    /// By node: forces on its handles.
    forces: Vec<HandleVector>,
}

/// What is known at a node that is not a leaf.
#[derive(Clone, Copy, Debug)]
pub struct JoinCoefficients {
    /// Φ.
    pub phi: HandleMatrix,
    /// Ψ.
    pub psi: HandleMatrix,
    /// b, p, η.
    pub linear: Linear<1>,
    factor: Factor,
    pose: Pose,
    g: Vec6,
    r: Vec6,
}

impl JoinCoefficients {
    const EMPTY: Self = Self {
        phi: HandleMatrix::ZERO,
        psi: HandleMatrix::ZERO,
        linear: Linear::ZERO,
        factor: Factor::EMPTY,
        pose: Pose::IDENTITY,
        g: [0.0; 6],
        r: [0.0; 6],
    };
}

impl BodyMetric {
    /// Room for a tree; an error where a link has no inverse inertia.
    pub fn new(tree: &Tree, assembly: &AssemblyTree) -> Result<Self, SingularLink> {
        Ok(Self {
            leaves: InverseInertia::of(tree)?,
            joins: vec![JoinCoefficients::EMPTY; assembly.joins()],
            forces: vec![[0.0; 12]; assembly.nodes().len()],
        })
    }

    /// Coefficients of the acceleration metric under the joint forces `tau`, with weights at q. Gives 𝒜 of the whole.
    pub fn accelerations(
        &mut self,
        of: &EquationOfMotion<'_>,
        assembly: &AssemblyTree,
        tau: &[f64],
        weights: &Weights,
        q: &[f64],
    ) -> f64 {
        self.assemble(&Problem::new(of, assembly, tau), weights, q)
    }

    /// η of a node: its metric if no force acted on its handles; that of the whole at the root.
    pub fn eta(&self, assembly: &AssemblyTree, id: NodeId) -> f64 {
        let node = assembly.node(id);
        match node.kind {
            NodeKind::Leaf { .. } => 0.0,
            _ => self.joins[node.slot as usize].linear.eta[0][0],
        }
    }

    /// Coefficients of a node, a leaf or not.
    pub fn coefficients(&self, problem: &Problem<'_>, id: NodeId) -> (HandleMatrix, HandleMatrix, Linear<1>) {
        let node = problem.assembly.node(id);
        match node.kind {
            NodeKind::Leaf { link, piece, pieces } => {
                let leaf = &self.leaves[link.index()];
                let phi = HandleMatrix::single(&leaf.phi(pieces));
                let b = problem.leaf_bias(leaf, link, piece, pieces).map(|b| [b]);
                (phi, HandleMatrix::ZERO, Linear::leaf(&b))
            }
            _ => {
                let join = &self.joins[node.slot as usize];
                (join.phi, join.psi, join.linear)
            }
        }
    }

    /// Coefficients of the metric of what a problem asks for, with weights at q: of accelerations, or, where nothing moves, of the velocity
    /// jumps under impulses (theory, section 8). Gives the metric of the whole.
    pub fn assemble(&mut self, problem: &Problem<'_>, weights: &Weights, q: &[f64]) -> f64 {
        let mut metric = MetricFactor::EMPTY;
        for node in problem.assembly.nodes() {
            let slot = node.slot as usize;
            match node.kind {
                NodeKind::Leaf { .. } => {}
                NodeKind::Join(join) => {
                    let weight = node.joint().map_or(mat6::ZERO, |link| weights.of(problem.tree, link, q));
                    self.join(problem, node, &join, &weight, &mut metric);
                }
                NodeKind::Base { link, b } => {
                    let (phi_b, psi_b, linear_b) = self.coefficients(problem, b);
                    let weight = weights.of(problem.tree, link, q);
                    let (joint, dofs) = problem.joint(link);
                    let c = &mut self.joins[slot];
                    join::join_base(&joint, &problem.diagonal[dofs.clone()], &phi_b, &mut c.factor);
                    metric::join_base(&c.factor, &weight, &psi_b, &mut metric);
                    let world = problem.world_acceleration(&joint).map(|a| [a]);
                    let tau = problem.tau[dofs].as_chunks().0;
                    let (loaded, eta) = linear_b.join_base(&world, tau, &c.factor, &metric);
                    c.linear = Linear { eta, ..Linear::ZERO };
                    (c.g, c.r) = (loaded.g.map(|[g]| g), loaded.r.map(|[r]| r));
                }
                NodeKind::Pair { a, b } => {
                    let [a, b] =
                        [a, b].map(|id| self.joins[problem.assembly.node(id).slot as usize].linear.eta[0][0]);
                    self.joins[slot].linear = Linear { eta: [[a + b]], ..Linear::ZERO };
                }
            }
        }
        self.joins.last().map_or(0.0, |root| root.linear.eta[0][0])
    }

    fn join(
        &mut self,
        problem: &Problem<'_>,
        node: &Node,
        join: &Join,
        weight: &Mat6,
        metric: &mut MetricFactor,
    ) {
        let (phi_a, psi_a, linear_a) = self.coefficients(problem, join.a);
        let (phi_b, psi_b, linear_b) = self.coefficients(problem, join.b);
        let (joint, dofs) = problem.join_joint(join);
        let shape = Shape::of(join);
        let c = &mut self.joins[node.slot as usize];
        (c.phi, c.psi, c.linear, c.pose) = (phi_a, psi_a, linear_a, joint.alpha_from_beta);
        join::join(shape, &joint, &problem.diagonal[dofs.clone()], &mut c.phi, &phi_b, &mut c.factor);
        let of = Joined { shape, alpha_from_beta: &c.pose, factor: &c.factor };
        metric::join(of, weight, &mut c.psi, &psi_b, metric);
        let own = joint.c.to_array().map(|c| [c]);
        let tau = problem.tau[dofs].as_chunks().0;
        let loaded = c.linear.join(of, metric, &own, tau, &linear_b);
        (c.g, c.r) = (loaded.g.map(|[g]| g), loaded.r.map(|[r]| r));
    }

    /// Goes all the way down: the metric that the coefficients predict for every node, from the forces on its
    /// handles, and the joint rates (accelerations or jumps, by v) themselves.
    pub fn predict(&mut self, tree: &Tree, assembly: &AssemblyTree, rates: &mut [f64], of_node: &mut [f64]) {
        for (i, node) in assembly.nodes().iter().enumerate().rev() {
            if matches!(node.kind, NodeKind::Leaf { .. }) {
                of_node[i] = 0.0;
                continue;
            }
            let c = &self.joins[node.slot as usize];
            let f = self.forces[i];
            let handles = node.handles();
            of_node[i] = match node.kind {
                NodeKind::Join(_) => c.psi.quadratic(handles, &f) + c.linear.metric(handles, &f),
                _ => c.linear.eta[0][0],
            };
            let solved = match node.kind {
                NodeKind::Join(join) => {
                    let of = Joined { shape: Shape::of(&join), alpha_from_beta: &c.pose, factor: &c.factor };
                    let (x, f_a, f_b) = join::substitute(of, &c.g, &c.r, &f);
                    (self.forces[join.a.index()], self.forces[join.b.index()]) = (f_a, f_b);
                    x
                }
                NodeKind::Base { b, .. } => {
                    let (x, f_b) = join::substitute_base(&c.factor, &c.g, &c.r);
                    self.forces[b.index()] = f_b;
                    x
                }
                _ => continue,
            };
            if let Some(link) = node.joint() {
                let dofs = tree.links[link.index()].dofs();
                let d = dofs.len();
                rates[dofs].copy_from_slice(&solved[..d]);
            }
        }
    }

    /// Forces on the handles of a node, after [`BodyMetric::predict`].
    pub fn handle_forces(&self, id: NodeId) -> &HandleVector {
        &self.forces[id.index()]
    }
}
