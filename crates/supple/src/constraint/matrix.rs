//! `A = J M⁻¹ Jᵀ` of an island: assembled from the responses of its bodies, factored, solved.

use glam::DVec3;

use crate::bodies::{Articulations, Node};
use crate::spatial::Motion;

use super::MAX_ROWS;
use super::island::{FIXED, Island, Joint, Line};
use super::krylov::Method;
use super::measure::Ask;

/// Added to the diagonal, relative to it: redundant rows leave pivots of rounding size. Impulses along them grow to the error over
/// this, and their rounding must not move the bodies: 1e-12 broke Bennett's linkage.
pub(crate) const LEAST_DAMPING: f64 = 1e-10;

/// Products of conjugate gradients at most, per row, and how exact they are to be, where the matrix is not factored.
const PRODUCTS: u32 = 2;
const EXACT: f64 = 1e-9;

/// A row is deaf when its bodies answer so little, relative to the row of the joint that they answer most.
const DEAF: f64 = 1e-11;

impl Island {
    /// What single bodies answer to the rows' impulses, and the diagonal of the matrix.
    pub(crate) fn answer(&mut self, articulations: &Articulations) {
        if !self.has_ports {
            self.answer_singly();
            return;
        }
        for i in 0..self.joints.len() {
            let joint = self.joints[i];
            for k in joint.range() {
                let push = self.lines[k].push;
                let mut answers = [Motion::ZERO; 2];
                let mut diagonal = 0.0;
                for (side, end) in joint.ends.iter().enumerate() {
                    if *end == FIXED {
                        continue;
                    }
                    let node = *end as usize;
                    answers[side] = self.respond(articulations, node, node, push[side]);
                    diagonal += push[side].dot(answers[side]);
                }
                if joint.ends.iter().all(|end| *end != FIXED) {
                    let [a, b] = joint.ends.map(|end| end as usize);
                    if self.share(a, b) {
                        diagonal += 2.0 * push[0].dot(self.respond(articulations, a, b, push[1]));
                    }
                }
                self.answers[k] = answers;
                self.lines[k].diagonal = diagonal;
            }
            self.forget_deaf_rows(&joint);
        }
    }

    /// Finds what bodies answer where all of them are single: each answers for itself, and every push.
    fn answer_singly(&mut self) {
        let Self { joints, lines, answers, bodies, inverse_inertias, tension, .. } = self;
        for joint in joints.iter() {
            let rows = lines[joint.range()].iter_mut().zip(&mut answers[joint.range()]);
            for (line, answers) in rows {
                line.diagonal = 0.0;
                *answers = [Motion::ZERO; 2];
                for (side, end) in joint.ends.iter().enumerate().filter(|(_, end)| **end != FIXED) {
                    let (node, push) = (*end as usize, line.push[side]);
                    answers[side] = match &tension[node] {
                        None => Motion::new(
                            inverse_inertias[node] * push.angular,
                            push.linear * bodies[node].inverse_mass,
                        ),
                        Some(t) => {
                            Motion::new(t.inverse_inertia_world * push.angular, t.inverse_mass * push.linear)
                        }
                    };
                    line.diagonal += push.dot(answers[side]);
                }
            }
        }
    }

    /// Rows that nothing answers but rounding, in comparison with the other rows of their kind, are as good as not there: a chain that
    /// moves in a plane cannot be pushed out of it.
    fn forget_deaf_rows(&mut self, joint: &Joint) {
        let slides = |line: &Line| line.push[1].linear != DVec3::ZERO;
        for kind in [true, false] {
            let of_kind = |line: &&mut Line| slides(line) == kind;
            let lines = &mut self.lines[joint.range()];
            let greatest = lines.iter_mut().filter(of_kind).fold(0.0f64, |g, line| g.max(line.diagonal));
            for line in lines.iter_mut().filter(of_kind) {
                if !(line.diagonal > DEAF * greatest) {
                    line.diagonal = 0.0;
                }
            }
        }
    }

    /// Whether two nodes belong to one articulation.
    pub(super) fn share(&self, a: usize, b: usize) -> bool {
        let articulation = |node: usize| match self.nodes[node] {
            Node::Port { articulation, .. } => Some(articulation),
            Node::Single { .. } => None,
        };
        articulation(a).is_some() && articulation(a) == articulation(b)
    }

    /// Makes the factor one of the matrix with the rows that are on, `damping` (relative) on its diagonal and springs implicit over
    /// `dt` \[s], if it is not yet.
    fn factorize(&mut self, articulations: &Articulations, damping: f64, dt: f64) {
        if self.factored == Some((damping, dt)) && self.factored_off == self.off {
            return;
        }
        if self.assembled != Some(dt) {
            self.assemble(articulations, dt);
            self.assembled = Some(dt);
        }
        self.factor.factor(&self.pattern, damping, &self.off);
        self.factored = Some((damping, dt));
        self.factored_off.clone_from(&self.off);
        self.factorizations += 1;
    }

    /// The matrix from the products of the rows, springs implicit over `dt` \[s].
    fn assemble(&mut self, articulations: &Articulations, dt: f64) {
        let Self { pattern, products, joints, lines, answers, .. } = self;
        let mut factor = std::mem::take(&mut self.factor);
        factor.clear(pattern);
        let mut block = [0.0; MAX_ROWS * MAX_ROWS];
        for product in products.iter() {
            let (a, b) = (&joints[product.a.0 as usize], &joints[product.b.0 as usize]);
            let (side_a, side_b) = (product.a.1 as usize, product.b.1 as usize);
            let (to, from) = (a.ends[side_a] as usize, b.ends[side_b] as usize);
            let columns = b.rows as usize;
            let block = &mut block[..a.rows as usize * columns];
            if to == from {
                let answers = &answers[b.range()];
                for (line, row) in lines[a.range()].iter().zip(block.chunks_exact_mut(columns)) {
                    for (value, answer) in row.iter_mut().zip(answers) {
                        *value = line.push[side_a].dot(answer[side_b]);
                    }
                }
            } else {
                let Node::Port { articulation, port: i } = self.nodes[to] else { continue };
                let Node::Port { port: j, .. } = self.nodes[from] else { continue };
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
                let rows = joint.rows as usize;
                let block = factor.block_mut(pattern.place(j, j));
                for (row, line) in lines[joint.range()].iter().enumerate() {
                    block[row * rows + row] += soft(line) / dt;
                }
            }
        }
        self.factor = factor;
    }

    /// `residuals ← A⁻¹ residuals` for the rows that are on, with `damping` on the diagonal; the others become zero. Islands with many
    /// ports are solved by conjugate gradients, which need no damping.
    pub(crate) fn solve(&mut self, articulations: &Articulations, damping: f64, dt: f64) {
        if !self.is_direct {
            let asked = self.residuals.iter().fold(0.0f64, |most, r| most.max(r.abs()));
            let most = PRODUCTS * self.lines.len() as u32;
            self.solve_iteratively(articulations, Method::Gradients, most, EXACT * asked, dt);
            return;
        }
        self.factorize(articulations, damping, dt);
        self.factor.solve(&self.pattern, &mut self.residuals, &mut self.scratch);
    }
}

impl Line {
    /// How far a row that holds, or a stop, is from where it belongs \[m or rad]; of what drives or gives, 0.
    #[inline]
    pub(super) fn is_off_by(&self) -> f64 {
        match self.ask {
            Ask::Hold => self.value.abs(),
            Ask::Limit { .. } => self.value.max(0.0),
            _ => 0.0,
        }
    }

    /// Whether an impulse on the row changes anything.
    pub(crate) fn answers(&self) -> bool {
        self.diagonal > 0.0 || matches!(self.ask, Ask::Spring { .. })
    }
}

/// Displacement per impulse of a row that yields \[s/kg or the like]; 0 for one that does not.
pub(crate) fn compliance(ask: Ask, dt: f64) -> f64 {
    match ask {
        Ask::Spring { stiffness, damping, .. } => 1.0 / (dt * stiffness + damping),
        _ => 0.0,
    }
}
