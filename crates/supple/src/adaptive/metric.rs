//! The acceleration metric of a part as a function of the forces on its handles.
//!
//! Redon, Galoppo & Lin 2005, section 4, theorems 1 and 2: `𝒜(C) = Σ q̈ᵀ A_J q̈ = fᵀ Ψ f + fᵀ p + η` over the joints in
//! C, known before any of the accelerations is. Theory, section 4, with y, G from Ψ as x, M from Φ, in the
//! letters of [`super::join`] (`W = Tᵀ diag(w) T` taken apart, `ŷ = T y`, `G ← T G Tᵀ`):
//!
//! ```text
//! Ψᶜ = diag(Ψᴬ, Ψᴮ) − hᵀ ŷ − ŷᵀ h + hᵀ G h + (U x)ᵀ A_J U x          h = w ∘ x̂
//! ```

use crate::spatial::Pose;

use super::assembly_tree::Bottom;
use super::join::{Factor, HandleMatrix, Shape, columns, keep_handles};
use super::mat6::{self, Mat6, add_scaled, product, transposed};

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
    shape: Shape,
    alpha_from_beta: &Pose,
    factor: &Factor,
    weight: &Mat6,
    a: &mut HandleMatrix,
    b: &HandleMatrix,
    metric: &mut MetricFactor,
) {
    match shape.bottom {
        Bottom::None => join_columns::<6>(shape, alpha_from_beta, factor, weight, a, b, metric),
        _ => join_columns::<12>(shape, alpha_from_beta, factor, weight, a, b, metric),
    }
}

/// Joins a whole body with the world.
pub fn join_base(factor: &Factor, weight: &Mat6, b: &HandleMatrix, metric: &mut MetricFactor) {
    metric.a = *weight;
    metric.g = both_sides(&factor.t, &b.top());
}

#[inline(always)]
fn join_columns<const N: usize>(
    shape: Shape,
    alpha_from_beta: &Pose,
    factor: &Factor,
    weight: &Mat6,
    a: &mut HandleMatrix,
    b: &HandleMatrix,
    metric: &mut MetricFactor,
) {
    let mut rows = [[0.0; 24]; 6];
    columns::<N>(shape, alpha_from_beta, a, b, &mut rows);
    let sum: Mat6 = std::array::from_fn(|i| std::array::from_fn(|j| rows[i][j]));
    let y: [[f64; 12]; 6] = std::array::from_fn(|i| std::array::from_fn(|j| rows[i][12 + j]));
    metric.a = *weight;
    metric.g = both_sides(&factor.t, &sum);
    metric.y = product(&factor.t, &y);

    // half of what Ψ gains: hᵀ (G h / 2 − ŷ) + (U x)ᵀ A_J U x / 2; the rest is its transpose
    let mut h = [[0.0; N]; 6];
    for k in 0..6 {
        for j in 0..N {
            h[k][j] = factor.w[k] * factor.x[k][j];
        }
    }
    let mut z = product(&metric.g, &h);
    for k in 0..6 {
        for j in 0..N {
            z[k][j] = 0.5 * z[k][j] - metric.y[k][j];
        }
    }
    let mut half = [[0.0; N]; N];
    for k in 0..6 {
        for i in 0..N {
            add_scaled(&mut half[i], h[k][i], &z[k]);
        }
    }
    let (d, c) = (factor.dofs, 6 - factor.dofs);
    for k in 0..d {
        let mut a_x = [0.0; N];
        for l in 0..d {
            for j in 0..N {
                a_x[j] += 0.5 * weight[k][l] * factor.x[c + l][j];
            }
        }
        for i in 0..N {
            add_scaled(&mut half[i], factor.x[c + k][i], &a_x);
        }
    }
    keep_handles(shape, a, b);
    for i in 0..N {
        for j in 0..N {
            a.0[i][j] += half[i][j] + half[j][i];
        }
    }
}

/// `T G Tᵀ` for a symmetric G.
#[inline(always)]
fn both_sides(t: &Mat6, g: &Mat6) -> Mat6 {
    product(t, &transposed(&product(t, g)))
}
