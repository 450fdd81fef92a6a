//! What is linear or quadratic in the loads of a part: b, p and η. Theory, sections 3 and 4.
//!
//! Several **columns** of loads go through a join at once, since Φ, Ψ and the elimination do not depend on them: one
//! for an actual load, seven for the features of a rigid part ([`super::tensors`]). η then is a symmetric matrix
//! over the columns: with weights z of the columns, b z, p z and zᵀ η z are those of the sum.

use super::join::{Factor, HandleVector, Joined, Shape, kept, of_handle, solve_free};
use super::metric::MetricFactor;
use crate::spatial::Pose;
use crate::spatial::mat6::{Mat6, add_scaled, column, combine, product, times, to_child, transposed_product};

/// b, p and η of a part for L columns of loads.
#[derive(Clone, Copy, Debug)]
pub struct Linear<const L: usize> {
    /// b: accelerations of the handles when no force acts on them, each in its link's frame.
    pub b: [[f64; L]; 12],
    /// p.
    pub p: [[f64; L]; 12],
    /// η.
    pub eta: [[f64; L]; L],
}

impl<const L: usize> Linear<L> {
    /// No loads.
    pub const ZERO: Self = Self { b: [[0.0; L]; 12], p: [[0.0; L]; 12], eta: [[0.0; L]; L] };

    /// Of a leaf with these accelerations: its metric is zero.
    #[inline(always)]
    pub fn leaf(b: &[[f64; L]; 6]) -> Self {
        let mut linear = Self::ZERO;
        linear.b[..6].copy_from_slice(b);
        linear
    }

    /// Joins B to A under the joint's own acceleration c and joint forces Q (one row for each degree of freedom).
    /// `self`, of A, becomes that of the whole.
    #[inline(always)]
    pub fn join(
        &mut self,
        of: Joined<'_>,
        metric: &MetricFactor,
        c: &[[f64; L]; 6],
        q: &[[f64; L]],
        b: &Self,
    ) -> Loaded<L> {
        let Joined { shape, alpha_from_beta, factor } = of;
        let beta = beta(shape, alpha_from_beta, c, &self.b, &b.b);
        let loaded = Loaded::new(factor, &beta, q);
        self.b = kept(shape, &self.b, &b.b);
        loaded.handle_bias(factor, shape.has_bottom(), q, &mut self.b);
        let mut pi = to_child(alpha_from_beta, &of_handle(shape.alpha, &self.p));
        subtract(&mut pi, &b.p);
        self.p = kept(shape, &self.p, &b.p);
        loaded.metric(factor, metric, &pi, Some((shape, &mut self.p)), &mut self.eta);
        for (row, b) in self.eta.iter_mut().zip(&b.eta) {
            add_scaled(row, 1.0, b);
        }
        loaded
    }

    /// Joins a whole body, `self`, with the world, which accelerates with `world` (seen at the base link, joint's own
    /// acceleration included): only η is left of it.
    pub fn join_base(
        &self,
        world: &[[f64; L]; 6],
        q: &[[f64; L]],
        factor: &Factor,
        metric: &MetricFactor,
    ) -> (Loaded<L>, [[f64; L]; L]) {
        let (mut beta, mut pi) = (*world, [[0.0; L]; 6]);
        subtract(&mut beta, &self.b);
        subtract(&mut pi, &self.p);
        let loaded = Loaded::new(factor, &beta, q);
        let mut eta = self.eta;
        loaded.metric(factor, metric, &pi, None, &mut eta);
        (loaded, eta)
    }
}

impl Linear<1> {
    /// `f · p + η`: what Ψ leaves to be added to the metric.
    #[inline]
    pub fn metric(&self, handles: usize, f: &HandleVector) -> f64 {
        (0..6 * handles).map(|i| f[i] * self.p[i][0]).sum::<f64>() + self.eta[0][0]
    }
}

/// `X bᴬ_α − bᴮ_β + c`.
#[inline(always)]
pub(crate) fn beta<const L: usize>(
    shape: Shape,
    alpha_from_beta: &Pose,
    c: &[[f64; L]; 6],
    b_a: &[[f64; L]; 12],
    b_b: &[[f64; L]; 12],
) -> [[f64; L]; 6] {
    let mut beta = to_child(alpha_from_beta, &of_handle(shape.alpha, b_a));
    for i in 0..6 {
        for l in 0..L {
            beta[i][l] += c[i][l] - b_b[i][l];
        }
    }
    beta
}

/// `m v`, column by column.
#[inline(always)]
fn transform<const L: usize>(m: &Mat6, v: &[[f64; L]; 6]) -> [[f64; L]; 6] {
    if L == 1 {
        // the same sum as a product of rows, which the compiler would gather from all over the matrix
        times(m, &v.map(|row| row[0])).map(|x| [x; L])
    } else {
        product(m, v)
    }
}

/// `v += xᵀ z` over the handles there are.
#[inline(always)]
fn add_columns<const L: usize>(
    x: &[[f64; 12]; 6],
    has_bottom: bool,
    z: &[[f64; L]; 6],
    v: &mut [[f64; L]; 12],
) {
    let n = if has_bottom { 12 } else { 6 };
    if L == 1 {
        // one number for each row: the rows of x are what runs along
        let flat = v.as_flattened_mut();
        for (x, z) in x.iter().zip(z) {
            for i in 0..n {
                flat[i] += x[i] * z[0];
            }
        }
    } else {
        for i in 0..n {
            combine(&column(x, i), z, &mut v[i]);
        }
    }
}

#[inline(always)]
fn subtract<const L: usize>(a: &mut [[f64; L]; 6], b: &[[f64; L]; 12]) {
    for (a, b) in a.iter_mut().zip(b) {
        add_scaled(a, -1.0, b);
    }
}

/// What loads leave at a join: `f_J = Tᵀ (w ∘ x̂ f + g)`, `q̈ = r − U x f`; L columns of loads at once.
#[derive(Clone, Copy, Debug)]
pub struct Loaded<const L: usize> {
    /// T β.
    pub t_beta: [[f64; L]; 6],
    /// g; Tᵀ g is the theory's γ.
    pub g: [[f64; L]; 6],
    /// r in its last d rows.
    pub r: [[f64; L]; 6],
}

impl<const L: usize> Loaded<L> {
    /// Loads at a join: β in β's frame, joint forces Q, one row for each degree of freedom.
    #[inline(always)]
    pub fn new(factor: &Factor, beta: &[[f64; L]; 6], q: &[[f64; L]]) -> Self {
        let t_beta = transform(&factor.t, beta);
        let (d, c) = (factor.dofs, 6 - factor.dofs);
        let mut r = [[0.0; L]; 6];
        for i in 0..d {
            for l in 0..L {
                let mut sum = -t_beta[c + i][l];
                for j in 0..d {
                    sum += factor.sigma[i][j] * q[j][l];
                }
                r[c + i][l] = sum;
            }
        }
        if d == 1 {
            let k = 1.0 / (1.0 + factor.sigma[0][0] * factor.w[5]);
            for x in &mut r[5] {
                *x *= k;
            }
        } else {
            solve_free(&factor.sigma, &factor.w[c..], &mut r);
        }
        let mut g = [[0.0; L]; 6];
        for k in 0..6 {
            for l in 0..L {
                g[k][l] =
                    if k < c { factor.w[k] * t_beta[k][l] } else { q[k - c][l] - factor.w[k] * r[k][l] };
            }
        }
        Self { t_beta, g, r }
    }

    /// `(w ∘ x̂)ᵀ T β + (U x)ᵀ Q = xᵀ γ`, to be subtracted from the accelerations of the handles.
    #[inline(always)]
    pub fn handle_bias(&self, factor: &Factor, has_bottom: bool, q: &[[f64; L]], b: &mut [[f64; L]; 12]) {
        let c = 6 - factor.dofs;
        let mut z = [[0.0; L]; 6];
        for k in 0..6 {
            for l in 0..L {
                z[k][l] = -factor.w[k] * self.t_beta[k][l] - if k < c { 0.0 } else { q[k - c][l] };
            }
        }
        add_columns(&factor.x, has_bottom, &z, b);
    }

    /// p and η of the whole, in place of those of A (theory, section 4, in the letters of [`super::join`]):
    ///
    /// ```text
    /// pᶜ = [pᴬ; pᴮ] − 2 ŷᵀ g + (w ∘ x̂)ᵀ (2 G g − π) − 2 (U x)ᵀ A r        π = T (X pᴬ_α − pᴮ_β)
    /// ηᶜ = ηᴬ + ηᴮ + gᵀ G g − sym(gᵀ π) + rᵀ A r
    /// ```
    #[inline(always)]
    fn metric(
        &self,
        factor: &Factor,
        metric: &MetricFactor,
        pi: &[[f64; L]; 6],
        handles: Option<(Shape, &mut [[f64; L]; 12])>,
        eta: &mut [[f64; L]; L],
    ) {
        let c = 6 - factor.dofs;
        let t_pi = transform(&factor.t, pi);
        let g_g = transform(&metric.g, &self.g);
        // A r, in the last d rows
        let mut a_r = [[0.0; L]; 6];
        for i in 0..factor.dofs {
            for j in 0..factor.dofs {
                add_scaled(&mut a_r[c + i], metric.a[i][j], &self.r[c + j]);
            }
        }
        if let Some((shape, p)) = handles {
            let (mut z, mut minus_2g) = ([[0.0; L]; 6], [[0.0; L]; 6]);
            for k in 0..6 {
                for l in 0..L {
                    z[k][l] = factor.w[k] * (2.0 * g_g[k][l] - t_pi[k][l]) - 2.0 * a_r[k][l];
                    minus_2g[k][l] = -2.0 * self.g[k][l];
                }
            }
            add_columns(&factor.x, shape.has_bottom(), &z, p);
            add_columns(&metric.y, shape.has_bottom(), &minus_2g, p);
        }
        // gᵀ (G g − π) + rᵀ A r, and its transpose, halved
        let mut half = g_g;
        for (row, pi) in half.iter_mut().zip(&t_pi) {
            add_scaled(row, -1.0, pi);
        }
        let (gg, rr) = (transposed_product(&self.g, &half), transposed_product(&self.r, &a_r));
        for i in 0..L {
            for j in 0..L {
                eta[i][j] += 0.5 * (gg[i][j] + gg[j][i] + rr[i][j] + rr[j][i]);
            }
        }
    }
}
