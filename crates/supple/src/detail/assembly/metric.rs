//! The acceleration metric of a part as a function of the forces on its handles.
//!
//! Redon, Galoppo & Lin 2005, section 4, theorems 1 and 2: `𝒜(C) = Σ q̈ᵀ A_J q̈ = fᵀ Ψ f + fᵀ p + η` over the joints in
//! C, known before any of the accelerations is. Theory, section 4, with y, G from Ψ as x, M from Φ, in the
//! letters of [`super::join`] (`W = Tᵀ diag(w) T` taken apart, `ŷ = T y`, `G ← T G Tᵀ`):
//!
//! ```text
//! Ψᶜ = diag(Ψᴬ, Ψᴮ) − hᵀ ŷ − ŷᵀ h + hᵀ G h + (U x)ᵀ A_J U x          h = w ∘ x̂
//! ```

use crate::spatial::mat6::{self, Mat6, product, transposed};

use super::join::{Factor, HandleMatrix, Joined, columns, keep_handles};
use super::tree::Bottom;

/// What the metric of loads needs of a join besides [`Factor`].
#[derive(Clone, Copy, Debug)]
pub struct MetricFactor {
    /// ŷ, columns of the top, then of the bottom of C.
    pub y: [[f64; 12]; 6],
    /// G.
    pub g: Mat6,
    /// A_J, the weight of the joint, in its first d rows and columns.
    pub a: Mat6,
}

impl MetricFactor {
    /// Nothing yet.
    pub const EMPTY: Self = Self { y: [[0.0; 12]; 6], g: mat6::ZERO, a: mat6::ZERO };
}

/// Joins B to A: `a`, Ψ of A, becomes Ψ of the whole. `weight` is A_J in its first rows and columns.
#[inline(always)]
pub fn join(
    of: Joined<'_>,
    weight: &Mat6,
    a: &mut HandleMatrix,
    b: &HandleMatrix,
    metric: &mut MetricFactor,
) {
    match of.shape.bottom {
        Bottom::None => join_columns::<6>(of, weight, a, b, metric),
        _ => join_columns::<12>(of, weight, a, b, metric),
    }
}

/// Joins a whole body with the world.
pub fn join_base(factor: &Factor, weight: &Mat6, b: &HandleMatrix, metric: &mut MetricFactor) {
    metric.a = *weight;
    metric.g = both_sides(&factor.t, &b.top());
}

#[inline(always)]
fn join_columns<const N: usize>(
    of: Joined<'_>,
    weight: &Mat6,
    a: &mut HandleMatrix,
    b: &HandleMatrix,
    metric: &mut MetricFactor,
) {
    let Joined { shape, alpha_from_beta, factor } = of;
    let mut rows = [[0.0; 24]; 6];
    columns::<N>(shape, alpha_from_beta, a, b, &mut rows);
    let sum: Mat6 = std::array::from_fn(|i| std::array::from_fn(|j| rows[i][j]));
    let y: [[f64; 12]; 6] = std::array::from_fn(|i| std::array::from_fn(|j| rows[i][12 + j]));
    metric.a = *weight;
    metric.g = both_sides(&factor.t, &sum);
    metric.y = product(&factor.t, &y);

    // what Ψ gains is x̂ᵀ z and its transpose, z = w ∘ (G h / 2 − ŷ) + A_J U x / 2
    let mut h = [[0.0; N]; 6];
    for k in 0..6 {
        for j in 0..N {
            h[k][j] = factor.w[k] * factor.x[k][j];
        }
    }
    let mut z = product(&metric.g, &h);
    for k in 0..6 {
        for j in 0..N {
            z[k][j] = factor.w[k] * (0.5 * z[k][j] - metric.y[k][j]);
        }
    }
    let (d, c) = (factor.dofs, 6 - factor.dofs);
    for k in 0..d {
        for l in 0..d {
            let half = 0.5 * weight[k][l];
            for j in 0..N {
                z[c + k][j] += half * factor.x[c + l][j];
            }
        }
    }
    keep_handles(shape, a, b);
    for i in 0..N {
        add_both::<N>(i, &factor.x, &z, &mut a.0[i]);
    }
}

/// Row i of `xᵀ z + zᵀ x`: symmetric to the last bit.
#[inline(never)]
fn add_both<const N: usize>(i: usize, x: &[[f64; 12]; 6], z: &[[f64; N]; 6], row: &mut [f64; 12]) {
    let mut sum: [f64; N] = std::array::from_fn(|j| row[j]);
    for (x, z) in x.iter().zip(z) {
        for j in 0..N {
            sum[j] += x[i] * z[j] + z[i] * x[j];
        }
    }
    row[..N].copy_from_slice(&sum);
}

/// `T G Tᵀ` for a symmetric G.
#[inline(always)]
fn both_sides(t: &Mat6, g: &Mat6) -> Mat6 {
    product(t, &transposed(&product(t, g)))
}
