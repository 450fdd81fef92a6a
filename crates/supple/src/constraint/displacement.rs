//! Faure's displacement constraints: `A λ = b`, `A = J M⁻¹ Jᵀ`, with b the displacements that would close the joints, by conjugate
//! gradients that may stop early. A is never formed: a product is impulses on bodies, their responses, and speeds of rows.
//!
//! What is solved is `A' y = L⁻¹ b`, `A' = L⁻¹ A L⁻ᵀ`, `λ = L⁻ᵀ y`, with `L Lᵀ` the diagonal blocks of A, one per joint: each joint
//! is measured by how readily its own bodies answer, be it in m or in rad, light or heavy.

use crate::bodies::Articulations;
use crate::spatial::{Force, Motion};

use super::MAX_ROWS;
use super::island::{Impulses, Island};
use super::krylov::{Enough, Krylov, Method};
use super::matrix::compliance;

/// Memory of the iterations.
#[derive(Clone, Debug, Default)]
pub(super) struct Displacement {
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
    /// Sets the residuals to the displacements that would close the joints, with only those rows on; the greatest error.
    pub(crate) fn open_rows(&mut self) -> f64 {
        self.rows.open()
    }

    /// Makes the residuals, which are displacements, the impulses that bring them about in one second, approximately, and collects these on
    /// the nodes; the products taken, of so many at most.
    pub(crate) fn displace_rows(
        &mut self,
        articulations: &Articulations,
        method: Method,
        most: u32,
        tolerance: f64,
    ) -> u32 {
        let taken = self.solve_iteratively(articulations, method, most, tolerance, 1.0);
        self.rows.lambda.copy_from_slice(&self.rows.residuals);
        self.collect(Impulses::Lambda);
        taken
    }

    /// `residuals ← A⁻¹ residuals` approximately, by at most `most` products, for the rows that are on; the products taken.
    pub(super) fn solve_iteratively(
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
        x.resize(self.rows.residuals.len(), 0.0);
        for (r, off) in self.rows.residuals.iter_mut().zip(&self.rows.off) {
            if *off {
                *r = 0.0;
            }
        }
        let Displacement { krylov, impulses, motions, factors, scaled, .. } = &mut memory;
        let stiffest = self.own_factors(articulations, dt, factors);
        let mut b = std::mem::take(&mut self.rows.residuals);
        self.unscale(factors, &mut b);
        scaled.resize(b.len(), 0.0);
        // what is left of b is at most this times as long as what is left of L⁻¹ b
        let tolerance = tolerance / stiffest.max(f64::MIN_POSITIVE).sqrt();
        let a = Operator { articulations, dt, on: |k: usize| !self.rows.off[k] };
        let taken = krylov.solve(method, &b, &mut x, Enough { products: most, tolerance }, |x, y| {
            scaled.copy_from_slice(x);
            self.unscale_transposed(factors, scaled);
            self.times_a(&a, scaled, y, impulses, motions);
            self.unscale(factors, y);
        });
        self.unscale_transposed(factors, &mut x);
        self.rows.residuals = b;
        self.rows.residuals.copy_from_slice(&x);
        memory.answer = x;
        self.displacement = memory;
        taken
    }

    /// The factors L of the diagonal blocks of A; the greatest of their traces. Rows that are off or repeat others have none, and their
    /// unknowns stay zero.
    fn own_factors(&self, articulations: &Articulations, dt: f64, factors: &mut Vec<[f64; MAX_ROWS]>) -> f64 {
        factors.clear();
        factors.resize(self.rows.lines.len(), [0.0; MAX_ROWS]);
        let mut stiffest = 0.0f64;
        for joint in &self.topology.joints {
            let l = &mut factors[joint.range()];
            let mut trace = 0.0;
            for (i, k) in joint.range().enumerate().filter(|(_, k)| !self.rows.off[*k]) {
                for (j, m) in joint.range().enumerate().take(i + 1).filter(|(_, m)| !self.rows.off[*m]) {
                    l[i][j] = self.entry(articulations, joint, k, m);
                }
                l[i][i] += compliance(self.rows.lines[k].ask, dt) / dt;
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

    /// `x ← L⁻¹ x`.
    fn unscale(&self, factors: &[[f64; MAX_ROWS]], x: &mut [f64]) {
        for joint in &self.topology.joints {
            let (l, x) = (&factors[joint.range()], &mut x[joint.range()]);
            for i in 0..x.len() {
                let sum: f64 = (0..i).map(|c| l[i][c] * x[c]).sum();
                x[i] = if l[i][i] > 0.0 { (x[i] - sum) / l[i][i] } else { 0.0 };
            }
        }
    }

    /// `x ← L⁻ᵀ x`.
    fn unscale_transposed(&self, factors: &[[f64; MAX_ROWS]], x: &mut [f64]) {
        for joint in &self.topology.joints {
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
        self.times_a(&Operator { articulations, dt, on: |_| true }, &self.rows.lambda, y, impulses, motions);
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
        impulses.resize(self.topology.nodes.len(), Force::ZERO);
        for joint in &self.topology.joints {
            for (side, node) in joint.pushed() {
                let sum = &mut impulses[node];
                for k in joint.range().filter(|k| on(*k)) {
                    *sum += self.rows.lines[k].push[side] * x[k];
                }
            }
        }
        self.respond_all(articulations, impulses, motions);
        for joint in &self.topology.joints {
            for k in joint.range() {
                y[k] = 0.0;
                if !on(k) {
                    continue;
                }
                let line = &self.rows.lines[k];
                for (side, node) in joint.pushed() {
                    y[k] += line.push[side].dot(motions[node]);
                }
                let soft = compliance(line.ask, *dt);
                if soft > 0.0 {
                    y[k] += soft / dt * x[k];
                }
            }
        }
    }
}
