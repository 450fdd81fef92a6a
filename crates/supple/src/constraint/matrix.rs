//! `A = J M⁻¹ Jᵀ` of an island: assembled from the responses of its bodies, factored, solved.

use crate::bodies::answers::FEW;
use crate::bodies::{Articulations, Node};

use super::MAX_ROWS;
use super::block_ldl::{Factor, Pattern, Place};
use super::island::Island;
use super::krylov::Method;
use super::measure::Ask;
use super::row_states::{Line, RowStates};
use super::topology::{Joint, Topology};

/// Added to the diagonal, relative to it: redundant rows leave pivots of rounding size. Impulses along them grow to the error over
/// this, and their rounding must not move the bodies: 1e-12 broke Bennett's linkage.
pub(super) const LEAST_DAMPING: f64 = 1e-10;

/// Products of conjugate gradients at most, per row, and how exact they are to be, where the matrix is not factored.
const PRODUCTS: u32 = 2;
const EXACT: f64 = 1e-9;

/// One side of a joint, by their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct JointSide {
    joint: u32,
    side: u8,
}

impl JointSide {
    /// The joint, and which of its sides.
    #[inline(always)]
    fn of(self, joints: &[Joint]) -> (&Joint, usize) {
        (&joints[self.joint as usize], self.side as usize)
    }
}

/// A product that goes into the matrix: of the rows of `a` with the answers to those of `b`.
#[derive(Clone, Copy, Debug)]
struct Product {
    a: JointSide,
    b: JointSide,
    place: Place,
}

/// The matrix of an island and its factor.
#[derive(Clone, Debug, Default)]
pub(super) struct Matrix {
    /// Whether it is factored; not so where an articulation has many ports.
    is_direct: bool,
    pattern: Pattern,
    products: Vec<Product>,
    factor: Factor,
    /// For which damping and step length the factor is; `None` if it is not.
    factored: Option<(f64, f64)>,
    /// For which rows that are off it is.
    factored_off: Vec<bool>,
    /// Step length for which the matrix is assembled.
    assembled: Option<f64>,
    scratch: Vec<f64>,
    factorizations: u32,
}

impl Matrix {
    /// The matrix of an island, without its numbers.
    pub(super) fn new(topology: &Topology) -> Self {
        let few = |node: &Node| !matches!(node, Node::Port { port, .. } if *port as usize >= FEW);
        let is_direct = topology.nodes.iter().all(few);
        let touched = if is_direct { touched(topology) } else { Vec::new() };
        let mut edges = Vec::new();
        for same in touched.chunk_by(|a, b| a.0 == b.0) {
            for (i, (_, b)) in same.iter().enumerate() {
                let others = same[..i].iter().filter(|(_, a)| a.joint != b.joint);
                edges.extend(others.map(|(_, a)| (a.joint, b.joint)));
            }
        }
        let sizes: Vec<u8> = topology.joints.iter().map(|joint| joint.rows() as u8).collect();
        let pattern = Pattern::new(&sizes, &edges);
        let mut products = Vec::new();
        for same in touched.chunk_by(|a, b| a.0 == b.0) {
            for (_, a) in same {
                for (_, b) in same.iter().filter(|(_, b)| b.joint <= a.joint) {
                    let place = pattern.place(a.joint as usize, b.joint as usize);
                    products.push(Product { a: *a, b: *b, place });
                }
            }
        }
        Self { is_direct, pattern, products, ..Self::default() }
    }

    /// The rows are other ones: nothing was done for them yet.
    pub(super) fn begin(&mut self) {
        self.forget();
        self.factorizations = 0;
    }

    /// The rows or what bodies answer to them changed.
    pub(super) fn forget(&mut self) {
        (self.factored, self.assembled) = (None, None);
    }

    /// Factorizations for the present rows.
    pub(super) fn factorizations(&self) -> u32 {
        self.factorizations
    }

    /// Makes the factor one of the matrix with the rows that are on, `damping` (relative) on its diagonal and springs implicit over
    /// `dt` \[s], if it is not yet.
    fn factorize(
        &mut self,
        topology: &Topology,
        rows: &RowStates,
        articulations: &Articulations,
        damping: f64,
        dt: f64,
    ) {
        if self.factored == Some((damping, dt)) && self.factored_off == rows.off {
            return;
        }
        if self.assembled != Some(dt) {
            self.assemble(topology, rows, articulations, dt);
            self.assembled = Some(dt);
        }
        self.factor.factor(&self.pattern, damping, &rows.off);
        self.factored = Some((damping, dt));
        self.factored_off.clone_from(&rows.off);
        self.factorizations += 1;
    }

    /// The matrix from the products of the rows, springs implicit over `dt` \[s].
    fn assemble(&mut self, topology: &Topology, rows: &RowStates, articulations: &Articulations, dt: f64) {
        let Self { pattern, products, factor, .. } = self;
        let (Topology { nodes, joints, .. }, RowStates { lines, answers, .. }) = (topology, rows);
        factor.clear(pattern);
        let mut block = [0.0; MAX_ROWS * MAX_ROWS];
        for product in products.iter() {
            let ((a, side_a), (b, side_b)) = (product.a.of(joints), product.b.of(joints));
            let (Some(to), Some(from)) = (a.ends[side_a], b.ends[side_b]) else { continue };
            let columns = b.rows();
            let block = &mut block[..a.rows() * columns];
            if to == from {
                let answers = &answers[b.range()];
                for (line, row) in lines[a.range()].iter().zip(block.chunks_exact_mut(columns)) {
                    for (value, answer) in row.iter_mut().zip(answers) {
                        *value = line.push[side_a].dot(answer[side_b]);
                    }
                }
            } else {
                let Node::Port { articulation, port: i } = nodes[to] else { continue };
                let Node::Port { port: j, .. } = nodes[from] else { continue };
                let owner = articulations.at(articulation as usize);
                for (column, line) in lines[b.range()].iter().enumerate() {
                    let answer = owner.respond(i as usize, j as usize, line.push[side_b]);
                    for (row, line) in lines[a.range()].iter().enumerate() {
                        block[row * columns + column] = line.push[side_a].dot(answer);
                    }
                }
            }
            factor.add(product.place, block);
        }
        for (j, joint) in joints.iter().enumerate() {
            let soft = |line: &Line| compliance(line.ask, dt);
            if lines[joint.range()].iter().any(|line| soft(line) > 0.0) {
                let rows = joint.rows();
                let block = factor.block_mut(pattern.place(j, j));
                for (row, line) in lines[joint.range()].iter().enumerate() {
                    block[row * rows + row] += soft(line) / dt;
                }
            }
        }
    }
}

/// Which sides of joints push the same single body or the same articulation: with their owners, sorted by these.
fn touched(topology: &Topology) -> Vec<(Node, JointSide)> {
    let mut touched = Vec::new();
    for (j, joint) in topology.joints.iter().enumerate() {
        for (side, node) in joint.pushed() {
            let owner = match topology.nodes[node] {
                Node::Port { articulation, .. } => Node::Port { articulation, port: 0 },
                single => single,
            };
            touched.push((owner, JointSide { joint: j as u32, side: side as u8 }));
        }
    }
    touched.sort_unstable();
    touched
}

impl Island {
    /// `residuals ← A⁻¹ residuals` for the rows that are on, with `damping` on the diagonal; the others become zero. Islands with many
    /// ports are solved by conjugate gradients, which need no damping.
    pub(super) fn solve(&mut self, articulations: &Articulations, damping: f64, dt: f64) {
        if !self.matrix.is_direct {
            let asked = self.rows.residuals.iter().fold(0.0f64, |most, r| most.max(r.abs()));
            let most = PRODUCTS * self.rows.lines.len() as u32;
            self.solve_iteratively(articulations, Method::Gradients, most, EXACT * asked, dt);
            return;
        }
        let Self { matrix, topology, rows, .. } = self;
        matrix.factorize(topology, rows, articulations, damping, dt);
        matrix.factor.solve(&matrix.pattern, &mut rows.residuals, &mut matrix.scratch);
    }
}

/// Displacement per impulse of a row that yields \[s/kg or the like]; 0 for one that does not.
pub(super) fn compliance(ask: Ask, dt: f64) -> f64 {
    match ask {
        Ask::Spring { stiffness, damping, .. } => 1.0 / (dt * stiffness + damping),
        _ => 0.0,
    }
}
