//! Faure's displacement constraints: `A λ = b`, `A = J M⁻¹ Jᵀ`, with b the displacements that would close the joints, by conjugate
//! gradients that may stop early. A is never formed: a product is impulses on bodies, their responses, and speeds of rows.
//!
//! What is solved is `A' y = L⁻¹ b`, `A' = L⁻¹ A L⁻ᵀ`, `λ = L⁻ᵀ y`, with `L Lᵀ` the diagonal blocks of A, one per joint: each joint
//! is measured by how readily its own bodies answer, be it in m or in rad, light or heavy.

use crate::bodies::{Articulations, Node};
use crate::spatial::{Force, Motion};

use super::MAX_ROWS;
use super::island::{FIXED, Island, Joint};
use super::krylov::{Enough, Krylov, Method};
use super::matrix::compliance;

/// Memory of the iterations.
#[derive(Clone, Debug, Default)]
pub(crate) struct Displacement {
    krylov: Krylov,
    answer: Vec<f64>,
    /// Impulses on the nodes, and what they answer.
    impulses: Vec<Force>,
    motions: Vec<Motion>,
    /// The factors L, joint after joint, row after row.
    factors: Vec<[f64; MAX_ROWS]>,
    scaled: Vec<f64>,
}

/// A pivot of a joint's own rows that is so small, relative to its diagonal, is that of a row that repeats others.
const REPEATS: f64 = 1e-10;

/// The matrix A of an island over the rows that are `on`, with the softness that they have in a step of `dt` \[s].
pub(super) struct Operator<'a, F> {
    pub(super) articulations: &'a Articulations,
    pub(super) dt: f64,
    pub(super) on: F,
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
        let Displacement { krylov, impulses, motions, factors, scaled, .. } = &mut memory;
        let stiffest = self.own_factors(articulations, dt, factors);
        let mut b = std::mem::take(&mut self.residuals);
        self.unscale(factors, &mut b);
        scaled.resize(b.len(), 0.0);
        // what is left of b is at most this times as long as what is left of L⁻¹ b
        let tolerance = tolerance / stiffest.max(f64::MIN_POSITIVE).sqrt();
        let a = Operator { articulations, dt, on: |k: usize| !self.off[k] };
        let taken = krylov.solve(method, &b, &mut x, Enough { products: most, tolerance }, |x, y| {
            scaled.copy_from_slice(x);
            self.unscale_transposed(factors, scaled);
            self.times_a(&a, scaled, y, impulses, motions);
            self.unscale(factors, y);
        });
        self.unscale_transposed(factors, &mut x);
        self.residuals = b;
        self.residuals.copy_from_slice(&x);
        memory.answer = x;
        self.displacement = memory;
        taken
    }

    /// The factors L of the diagonal blocks of A; the greatest of their traces. Rows that are off or repeat others have none, and their
    /// unknowns stay zero.
    fn own_factors(&self, articulations: &Articulations, dt: f64, factors: &mut Vec<[f64; MAX_ROWS]>) -> f64 {
        factors.clear();
        factors.resize(self.lines.len(), [0.0; MAX_ROWS]);
        let mut stiffest = 0.0f64;
        for joint in &self.joints {
            let l = &mut factors[joint.range()];
            let mut trace = 0.0;
            for (i, k) in joint.range().enumerate().filter(|(_, k)| !self.off[*k]) {
                for (j, m) in joint.range().enumerate().take(i + 1).filter(|(_, m)| !self.off[*m]) {
                    l[i][j] = self.entry(articulations, joint, k, m);
                }
                l[i][i] += compliance(self.lines[k].ask, dt) / dt;
                trace += l[i][i];
                // Cholesky, row by row
                let own = l[i][i];
                for j in 0..=i {
                    let sum: f64 = (0..j).map(|c| l[i][c] * l[j][c]).sum();
                    l[i][j] -= sum;
                    if j < i {
                        l[i][j] = if l[j][j] > 0.0 { l[i][j] / l[j][j] } else { 0.0 };
                    }
                }
                l[i][i] = if l[i][i] > REPEATS * own { l[i][i].sqrt() } else { 0.0 };
            }
            stiffest = stiffest.max(trace);
        }
        stiffest
    }

    /// An entry of A between rows `k` and `m` of one joint.
    pub(super) fn entry(&self, articulations: &Articulations, joint: &Joint, k: usize, m: usize) -> f64 {
        let [a, b] = joint.ends.map(|end| end as usize);
        let (own, other) = (&self.lines[k].push, &self.lines[m].push);
        let mut sum = own[0].dot(self.answers[m][0]) + own[1].dot(self.answers[m][1]);
        if joint.ends.iter().all(|end| *end != FIXED) && self.share(a, b) {
            sum += own[0].dot(self.respond(articulations, a, b, other[1]));
            sum += own[1].dot(self.respond(articulations, b, a, other[0]));
        }
        sum
    }

    /// `x ← L⁻¹ x`.
    fn unscale(&self, factors: &[[f64; MAX_ROWS]], x: &mut [f64]) {
        for joint in &self.joints {
            let (l, x) = (&factors[joint.range()], &mut x[joint.range()]);
            for i in 0..x.len() {
                let sum: f64 = (0..i).map(|c| l[i][c] * x[c]).sum();
                x[i] = if l[i][i] > 0.0 { (x[i] - sum) / l[i][i] } else { 0.0 };
            }
        }
    }

    /// `x ← L⁻ᵀ x`.
    fn unscale_transposed(&self, factors: &[[f64; MAX_ROWS]], x: &mut [f64]) {
        for joint in &self.joints {
            let (l, x) = (&factors[joint.range()], &mut x[joint.range()]);
            for i in (0..x.len()).rev() {
                let sum: f64 = (i + 1..x.len()).map(|c| l[c][i] * x[c]).sum();
                x[i] = if l[i][i] > 0.0 { (x[i] - sum) / l[i][i] } else { 0.0 };
            }
        }
    }

    /// `y = A λ`.
    pub(super) fn multiply(&mut self, articulations: &Articulations, dt: f64, y: &mut [f64]) {
        let mut memory = std::mem::take(&mut self.displacement);
        let Displacement { impulses, motions, .. } = &mut memory;
        self.times_a(&Operator { articulations, dt, on: |_| true }, &self.lambda, y, impulses, motions);
        self.displacement = memory;
    }

    /// `y = A x`.
    pub(super) fn times_a(
        &self,
        a: &Operator<'_, impl Fn(usize) -> bool>,
        x: &[f64],
        y: &mut [f64],
        impulses: &mut Vec<Force>,
        motions: &mut Vec<Motion>,
    ) {
        let Operator { articulations, dt, on } = a;
        impulses.clear();
        impulses.resize(self.nodes.len(), Force::ZERO);
        for joint in &self.joints {
            for (side, end) in joint.ends.iter().enumerate().filter(|(_, end)| **end != FIXED) {
                let sum = &mut impulses[*end as usize];
                for k in joint.range().filter(|k| on(*k)) {
                    *sum += self.lines[k].push[side] * x[k];
                }
            }
        }
        self.respond_all(articulations, impulses, motions);
        for joint in &self.joints {
            for k in joint.range() {
                y[k] = 0.0;
                if !on(k) {
                    continue;
                }
                let line = &self.lines[k];
                for (side, end) in joint.ends.iter().enumerate().filter(|(_, end)| **end != FIXED) {
                    y[k] += line.push[side].dot(motions[*end as usize]);
                }
                let soft = compliance(line.ask, *dt);
                if soft > 0.0 {
                    y[k] += soft / dt * x[k];
                }
            }
        }
    }

    /// What all nodes answer to impulses on all nodes.
    pub(crate) fn respond_all(
        &self,
        articulations: &Articulations,
        impulses: &[Force],
        motions: &mut Vec<Motion>,
    ) {
        motions.clear();
        motions.resize(self.nodes.len(), Motion::ZERO);
        let mut i = 0;
        while i < self.nodes.len() {
            match self.nodes[i] {
                Node::Single { .. } => {
                    motions[i] = self.respond(articulations, i, i, impulses[i]);
                    i += 1;
                }
                Node::Port { articulation, .. } => {
                    // the ports of one articulation stand together, in their order
                    let end = i + articulations.at(articulation as usize).ports.list.len();
                    let owner = articulations.at(articulation as usize);
                    owner.respond_at_all(&impulses[i..end], &mut motions[i..end]);
                    i = end;
                }
            }
        }
    }
}
