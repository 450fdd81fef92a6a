//! Anderson mixing: the quasi-Newton steps of one matrix, combined so that the error along all of them is least.
//!
//! The steps `f = −A⁻¹ r` of the symmetric matrix of the start of the step gain a factor of the turn per step each, and in long
//! chains less. Their history tells the rest of the Jacobian: as GMRES, preconditioned by A, would find it, without a product
//! more. Lengths are energies, `fᵀ A f = −fᵀ r`, which need no product either. Walker & Ni, "Anderson acceleration for fixed-point
//! iterations", 2011.

/// Steps that are remembered.
const DEPTH: usize = 6;

/// The last steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mixing {
    /// Differences of impulses, steps and residuals between successive iterations; a ring.
    impulses: Vec<Vec<f64>>,
    steps: Vec<Vec<f64>>,
    residuals: Vec<Vec<f64>>,
    count: usize,
    next: usize,
    last: Option<()>,
    last_impulse: Vec<f64>,
    last_step: Vec<f64>,
    last_residual: Vec<f64>,
}

impl Mixing {
    /// Forgets all steps.
    pub(crate) fn forget(&mut self) {
        (self.count, self.next, self.last) = (0, 0, None);
    }

    /// Makes `step`, which would follow the iteration with these impulses and residuals, the better one.
    pub(crate) fn mix(&mut self, impulse: &[f64], residual: &[f64], step: &mut [f64]) {
        if self.last.is_some() {
            self.remember(impulse, residual, step);
        }
        self.last = Some(());
        self.last_impulse.clear();
        self.last_impulse.extend_from_slice(impulse);
        self.last_step.clear();
        self.last_step.extend_from_slice(step);
        self.last_residual.clear();
        self.last_residual.extend_from_slice(residual);
        let Some(weights) = self.weights(residual) else { return };
        for (i, w) in weights.iter().enumerate().take(self.count) {
            for ((s, dx), df) in step.iter_mut().zip(&self.impulses[i]).zip(&self.steps[i]) {
                *s -= w * (dx + df);
            }
        }
    }

    fn remember(&mut self, impulse: &[f64], residual: &[f64], step: &[f64]) {
        for list in [&mut self.impulses, &mut self.steps, &mut self.residuals] {
            list.resize_with(DEPTH, Vec::new);
        }
        let difference = |into: &mut Vec<f64>, now: &[f64], before: &[f64]| {
            into.clear();
            into.extend(now.iter().zip(before).map(|(a, b)| a - b));
        };
        difference(&mut self.impulses[self.next], impulse, &self.last_impulse);
        difference(&mut self.steps[self.next], step, &self.last_step);
        difference(&mut self.residuals[self.next], residual, &self.last_residual);
        self.next = (self.next + 1) % DEPTH;
        self.count = (self.count + 1).min(DEPTH);
    }

    /// How much of each remembered step to take back: least squares in the energy norm.
    fn weights(&self, residual: &[f64]) -> Option<[f64; DEPTH]> {
        let n = self.count;
        if n == 0 {
            return None;
        }
        let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(x, y)| x * y).sum() };
        let (mut g, mut b) = ([[0.0; DEPTH]; DEPTH], [0.0; DEPTH]);
        for i in 0..n {
            b[i] = -dot(&self.steps[i], residual);
            for j in 0..=i {
                g[i][j] = -dot(&self.steps[i], &self.residuals[j]);
            }
        }
        // Cholesky; what repeats earlier steps to rounding is left out
        for j in 0..n {
            let own = g[j][j];
            for k in 0..j {
                g[j][j] -= g[j][k] * g[j][k];
            }
            if !(g[j][j] > 1e-12 * own) {
                for i in j..n {
                    g[i][j] = 0.0;
                }
                continue;
            }
            g[j][j] = g[j][j].sqrt();
            for i in j + 1..n {
                for k in 0..j {
                    g[i][j] -= g[i][k] * g[j][k];
                }
                g[i][j] /= g[j][j];
            }
        }
        for i in 0..n {
            for k in 0..i {
                b[i] -= g[i][k] * b[k];
            }
            b[i] = if g[i][i] > 0.0 { b[i] / g[i][i] } else { 0.0 };
        }
        for i in (0..n).rev() {
            for k in i + 1..n {
                b[i] -= g[k][i] * b[k];
            }
            b[i] = if g[i][i] > 0.0 { b[i] / g[i][i] } else { 0.0 };
        }
        b.iter().all(|x| x.is_finite()).then_some(b)
    }
}
