//! A segment: the joints between two bodies of an articulation, seen from its two ends.
//!
//! Let V be the velocity jump of the upper end and f an impulse on the lower one. Then the lower end jumps by
//!
//! ```text
//! P V + G f          and the upper end feels  Pᵀ f
//! ```
//!
//! P is the propagator of motions (its transpose the extended force propagator: Chang & Khatib 2000, "Operational space
//! dynamics"), G the response of the lower end while the upper one is held. A segment grows upwards from its lower end,
//! by one degree of freedom after the other in the order of the elimination, then by the link's offset X:
//!
//! ```text
//! t = P S,    G ← G + t D⁻¹ tᵀ,    P ← P − t D⁻¹ Uᵀ,            P ← P X
//! ```
//!
//! So G is a sum of squares, and nothing cancels. Upwards, because then all of this is sums of rows of Pᵀ and G.

use glam::DVec3;

use crate::spatial::mat6::{Mat6, Vec6, add_scaled};
use crate::spatial::{Force, Motion};

use super::articulated::Row;
use super::kinematics::Axis;

/// Rows of six numbers and two zeros: whole vector registers.
type Wide = [f64; 8];

/// P and G of some joints in a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    p_transposed: [Wide; 6],
    parent_fixed: [Wide; 6],
}

/// The rate x of a degree of freedom of the lower end's joint, which a segment shows like the motion of its lower end:
/// x = g·V + h·f + C τ, with impulses τ on such degrees of freedom. The upper end feels g τ, the lower one moves by h τ.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rate {
    /// Its first port.
    pub(crate) port: u32,
    /// x per motion of the upper end.
    pub(crate) g: Vec6,
    /// x per impulse on the lower end, while the upper end is held.
    pub(crate) h: Vec6,
    /// x per impulse on the degrees of freedom of the same joint that are watched, while the upper end is held.
    pub(crate) c: [f64; 6],
}

impl Segment {
    /// No joint yet.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        let mut p_transposed = [[0.0; 8]; 6];
        for i in 0..6 {
            p_transposed[i][i] = 1.0;
        }
        Self { p_transposed, parent_fixed: [[0.0; 8]; 6] }
    }

    /// P.
    pub(crate) fn p(&self) -> Mat6 {
        std::array::from_fn(|i| std::array::from_fn(|j| self.p_transposed[j][i]))
    }

    /// Pᵀ.
    pub(crate) fn p_transposed(&self) -> Mat6 {
        self.p_transposed.map(narrow)
    }

    /// G.
    pub(crate) fn parent_fixed(&self) -> Mat6 {
        self.parent_fixed.map(narrow)
    }

    /// Grows by a link's offset \[m].
    #[inline(always)]
    pub(crate) fn shift(&mut self, r: DVec3, rates: &mut [Rate]) {
        let [a, b, c, d, e, f] = &mut self.p_transposed;
        for j in 0..8 {
            a[j] += r.y * f[j] - r.z * e[j];
            b[j] += r.z * d[j] - r.x * f[j];
            c[j] += r.x * e[j] - r.y * d[j];
        }
        for rate in rates {
            rate.g = Force::from_array(rate.g).about(r).to_array();
        }
    }

    /// Grows by a degree of freedom. If `own`, the last of the rates is its own and begins here.
    #[inline(always)]
    pub(crate) fn give_way(&mut self, axis: Axis, row: &Row, rates: &mut [Rate], own: bool) {
        let t = self.pass(axis, row);
        if !rates.is_empty() {
            show(rates, own, axis.motion(), row, &narrow(t));
        }
    }

    /// The degree of freedom's t.
    #[inline(always)]
    fn pass(&mut self, axis: Axis, row: &Row) -> Wide {
        let p = &self.p_transposed;
        let t: Wide = match axis {
            Axis::Angular(s) => sum(s, &p[0], &p[1], &p[2]),
            Axis::Linear(s) => sum(s, &p[3], &p[4], &p[5]),
            Axis::Screw(s) => {
                let mut t = sum(s.angular, &p[0], &p[1], &p[2]);
                add_scaled(&mut t, 1.0, &sum(s.linear, &p[3], &p[4], &p[5]));
                t
            }
        };
        let td = t.map(|x| x * row.d_inv);
        let u = row.u.to_array();
        for i in 0..6 {
            for j in 0..8 {
                self.p_transposed[i][j] -= u[i] * td[j];
            }
        }
        for i in 0..6 {
            for j in 0..8 {
                self.parent_fixed[i][j] += t[i] * td[j];
            }
        }
        t
    }
}

/// What a degree of freedom does to rates below it and, if `own`, to its own, the last.
#[inline(never)]
fn show(rates: &mut [Rate], own: bool, s: Motion, row: &Row, t: &Vec6) {
    let mut of_rates = [0.0; 6];
    for (x, rate) in of_rates.iter_mut().zip(rates.iter()) {
        *x = Force::from_array(rate.g).dot(s);
    }
    if own {
        of_rates[rates.len() - 1] = 1.0;
    }
    let u = row.u.to_array();
    for (rate, x) in rates.iter_mut().zip(of_rates) {
        let x = x * row.d_inv;
        add_scaled(&mut rate.h, x, t);
        add_scaled(&mut rate.c, x, &of_rates);
        add_scaled(&mut rate.g, -x, &u);
    }
}

#[inline(always)]
fn sum(s: DVec3, x: &Wide, y: &Wide, z: &Wide) -> Wide {
    let mut out = [0.0; 8];
    for j in 0..8 {
        out[j] = (s.x * x[j] + s.y * y[j]) + s.z * z[j];
    }
    out
}

#[inline(always)]
fn narrow(x: Wide) -> Vec6 {
    [x[0], x[1], x[2], x[3], x[4], x[5]]
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

/// `out = a b`. Rows are not inlined: left to itself the compiler vectorises over them, and gathers what is apart.
#[inline(always)]
pub(crate) fn product(a: &Mat6, b: &Mat6, out: &mut Mat6) {
    for (a, out) in a.iter().zip(out) {
        product_row(a, b, out);
    }
}

#[inline(never)]
fn product_row(a: &Vec6, b: &Mat6, out: &mut Vec6) {
    *out = rows_times(b, a);
}

/// `a · b`.
#[inline(always)]
pub(crate) fn dot(a: &Vec6, b: &Vec6) -> f64 {
    ((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])) + (a[4] * b[4] + a[5] * b[5])
}
