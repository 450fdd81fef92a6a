//! A segment: the joints between two bodies of an articulation, seen from its two ends.
//!
//! Let V be the velocity jump of the upper end and f an impulse on the lower one. Then the lower end jumps by
//!
//! ```text
//! P V + G f          and the upper end feels  Pᵀ f
//! ```
//!
//! P is the propagator of motions (its transpose the extended force propagator: Chang & Khatib 2000, "Operational space
//! dynamics"), G the response of the lower end while the upper one is held. A segment grows downwards by one link's
//! offset X, then by one degree of freedom after the other, in the order in which velocities pass them:
//!
//! ```text
//! P ← X P,                   G ← X G Xᵀ
//! P ← (1 − S D⁻¹ Uᵀ) P,      G ← (1 − S D⁻¹ Uᵀ) G (1 − S D⁻¹ Uᵀ)ᵀ + S D⁻¹ Sᵀ
//! ```
//!
//! A segment that begins at the world has no use for P; G then is Λ, the response of the body itself.

use glam::DVec3;

use crate::adaptive::mat6::{IDENTITY, Mat6, Vec6, ZERO, add_scaled};

/// One degree of freedom on the way: S, U and 1/D of the sweep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) s: Vec6,
    pub(crate) u: Vec6,
    pub(crate) d_inv: f64,
}

/// P and G of some joints in a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    /// P: motion of the lower end per motion of the upper one; zero when the upper end is the world.
    pub(crate) p: Mat6,
    /// G: motion of the lower end per impulse on it, while the upper one is held. Symmetric.
    pub(crate) held: Mat6,
    grounded: bool,
}

impl Segment {
    /// No joint yet, below a body (or, if `grounded`, below the world).
    pub(crate) fn new(grounded: bool) -> Self {
        Self { p: if grounded { ZERO } else { IDENTITY }, held: ZERO, grounded }
    }

    /// Grows by an offset \[m].
    #[inline(always)]
    pub(crate) fn shift(&mut self, offset: DVec3) {
        if !self.grounded {
            shift_rows(&mut self.p, offset);
        }
        shift_rows(&mut self.held, offset);
        let r = offset;
        for [a, b, c, d, e, f] in &mut self.held {
            *d += *b * r.z - *c * r.y;
            *e += *c * r.x - *a * r.z;
            *f += *a * r.y - *b * r.x;
        }
    }

    /// Grows by a degree of freedom.
    #[inline(always)]
    pub(crate) fn give_way(&mut self, step: &Step) {
        let Step { s, u, d_inv } = step;
        if !self.grounded {
            let x = rows_times(&self.p, u);
            for (row, s) in self.p.iter_mut().zip(s) {
                add_scaled(row, -d_inv * s, &x);
            }
        }
        // G − d (S wᵀ + w Sᵀ) + (d + d² Uᵀw) S Sᵀ with w = G U is G − S yᵀ − y Sᵀ
        let w = rows_times(&self.held, u);
        let c = 0.5 * (d_inv + d_inv * d_inv * dot(u, &w));
        let mut y = [0.0; 6];
        for i in 0..6 {
            y[i] = d_inv * w[i] - c * s[i];
        }
        for i in 0..6 {
            for j in 0..6 {
                self.held[i][j] -= s[i] * y[j] + y[i] * s[j];
            }
        }
    }
}

/// `X m`: columns of motions seen at a point `r` away.
#[inline(always)]
fn shift_rows(m: &mut Mat6, r: DVec3) {
    let [a, b, c, d, e, f] = m;
    for j in 0..6 {
        d[j] += b[j] * r.z - c[j] * r.y;
        e[j] += c[j] * r.x - a[j] * r.z;
        f[j] += a[j] * r.y - b[j] * r.x;
    }
}

/// `mᵀ x` as a sum of rows, which compiles to vector instructions; `m x` when m is symmetric.
#[inline(always)]
pub(crate) fn rows_times(m: &Mat6, x: &Vec6) -> Vec6 {
    let mut y = [0.0; 6];
    for j in 0..6 {
        y[j] = ((m[0][j] * x[0] + m[1][j] * x[1]) + (m[2][j] * x[2] + m[3][j] * x[3]))
            + (m[4][j] * x[4] + m[5][j] * x[5]);
    }
    y
}

/// `a · b`.
#[inline(always)]
pub(crate) fn dot(a: &Vec6, b: &Vec6) -> f64 {
    ((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])) + (a[4] * b[4] + a[5] * b[5])
}
