//! Faure's displacement constraints: `A λ = b`, `A = J M⁻¹ Jᵀ`, with b the displacements that would close the joints, by conjugate
//! gradients that may stop early. A is never formed: a product is impulses on bodies, their responses, and speeds of rows.

use crate::spatial::{Force, Motion};
use crate::world::Articulations;

use super::island::{FIXED, Island, Node};
use super::krylov::{Krylov, Method};
use super::matrix::compliance;

/// Memory of the iterations.
#[derive(Clone, Debug, Default)]
pub(crate) struct Displacement {
    krylov: Krylov,
    answer: Vec<f64>,
    /// Impulses on the nodes, and what they answer.
    impulses: Vec<Force>,
    motions: Vec<Motion>,
}

impl Island {
    /// `residuals ← A⁻¹ residuals` approximately, by at most `most` products, for the rows that are on; the products taken.
    pub(crate) fn solve_iteratively(
        &mut self,
        articulations: &Articulations,
        method: Method,
        most: u32,
        tolerance: f64,
        dt: f64,
    ) -> u32 {
        let mut memory = std::mem::take(&mut self.displacement);
        let mut x = std::mem::take(&mut memory.answer);
        x.clear();
        x.resize(self.residuals.len(), 0.0);
        for (r, off) in self.residuals.iter_mut().zip(&self.off) {
            if *off {
                *r = 0.0;
            }
        }
        let Displacement { krylov, impulses, motions, .. } = &mut memory;
        let b = std::mem::take(&mut self.residuals);
        let taken = krylov.solve(method, &b, &mut x, most, tolerance, |x, y| {
            self.times_a(articulations, dt, x, y, impulses, motions);
        });
        self.residuals = b;
        self.residuals.copy_from_slice(&x);
        memory.answer = x;
        self.displacement = memory;
        taken
    }

    /// `y = A λ` over the rows that are on.
    pub(super) fn multiply(&mut self, articulations: &Articulations, dt: f64, y: &mut [f64]) {
        let mut memory = std::mem::take(&mut self.displacement);
        self.times_a(articulations, dt, &self.lambda, y, &mut memory.impulses, &mut memory.motions);
        self.displacement = memory;
    }

    /// `y = A x` over the rows that are on.
    fn times_a(
        &self,
        articulations: &Articulations,
        dt: f64,
        x: &[f64],
        y: &mut [f64],
        impulses: &mut Vec<Force>,
        motions: &mut Vec<Motion>,
    ) {
        impulses.clear();
        impulses.resize(self.nodes.len(), Force::ZERO);
        for joint in &self.joints {
            for (side, end) in joint.ends.iter().enumerate().filter(|(_, end)| **end != FIXED) {
                let sum = &mut impulses[*end as usize];
                for k in joint.range().filter(|k| !self.off[*k]) {
                    *sum += self.lines[k].push[side] * x[k];
                }
            }
        }
        self.respond_all(articulations, impulses, motions);
        for joint in &self.joints {
            for k in joint.range() {
                y[k] = 0.0;
                if self.off[k] {
                    continue;
                }
                let line = &self.lines[k];
                for (side, end) in joint.ends.iter().enumerate().filter(|(_, end)| **end != FIXED) {
                    y[k] += line.push[side].dot(motions[*end as usize]);
                }
                let soft = compliance(line.ask, dt);
                if soft > 0.0 {
                    y[k] += soft / dt * x[k];
                }
            }
        }
    }

    /// What all nodes answer to impulses on all nodes.
    pub(crate) fn respond_all(&self, articulations: &Articulations, impulses: &[Force], motions: &mut Vec<Motion>) {
        motions.clear();
        motions.extend((0..self.nodes.len()).map(|i| match self.nodes[i] {
            Node::Single { .. } => self.respond(articulations, i, i, impulses[i]),
            Node::Port { articulation, .. } => {
                let same = |j: &usize| {
                    matches!(self.nodes[*j], Node::Port { articulation: other, .. } if other == articulation)
                };
                let of = (0..self.nodes.len()).filter(same);
                of.fold(Motion::ZERO, |sum, j| sum + self.respond(articulations, i, j, impulses[j]))
            }
        }));
    }
}
