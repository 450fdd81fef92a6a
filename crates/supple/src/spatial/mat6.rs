//! 6×6 matrices and rows of spatial quantities as plain arrays, angular part first.
//!
//! A matrix stands row by row, and every operation here and in the join is a sum of multiples of rows: loops of
//! fixed length over columns, which compile to vector instructions without any of their own.

use glam::{DMat3, DVec3};

use crate::spatial::{Force, Motion, Pose, RigidInertia, Sym3};

/// Six numbers: a motion or a force.
pub type Vec6 = [f64; 6];
/// A 6×6 matrix, row by row.
pub type Mat6 = [[f64; 6]; 6];

/// The zero matrix.
pub const ZERO: Mat6 = [[0.0; 6]; 6];
/// The unit matrix.
pub const IDENTITY: Mat6 = {
    let mut m = ZERO;
    let mut i = 0;
    while i < 6 {
        m[i][i] = 1.0;
        i += 1;
    }
    m
};

/// `y += s x`.
#[inline(always)]
pub(crate) fn add_scaled<const N: usize>(y: &mut [f64; N], s: f64, x: &[f64; N]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += s * x;
    }
}

/// The transposed matrix.
#[inline(always)]
pub fn transposed(m: &Mat6) -> Mat6 {
    let mut t = ZERO;
    for i in 0..6 {
        for j in 0..6 {
            t[j][i] = m[i][j];
        }
    }
    t
}

/// `row += Σ_k coefficients_k rows_k`. Not inlined: left to itself the compiler unrolls the columns and vectorises
/// over the rows of whatever loop calls this, with scattered stores that cost twice the time.
#[inline(never)]
pub(crate) fn combine<const K: usize, const N: usize>(
    coefficients: &[f64; K],
    rows: &[[f64; N]; K],
    row: &mut [f64; N],
) {
    let mut sum = *row;
    for (c, x) in coefficients.iter().zip(rows) {
        for j in 0..N {
            sum[j] += c * x[j];
        }
    }
    *row = sum;
}

/// `a b` for a block of columns b.
#[inline(always)]
pub(crate) fn product<const I: usize, const K: usize, const N: usize>(
    a: &[[f64; K]; I],
    b: &[[f64; N]; K],
) -> [[f64; N]; I] {
    let mut out = [[0.0; N]; I];
    for (a, out) in a.iter().zip(&mut out) {
        combine(a, b, out);
    }
    out
}

/// `m v`.
#[inline(always)]
pub(crate) fn times(m: &Mat6, v: &Vec6) -> Vec6 {
    let dot =
        |r: &Vec6| ((r[0] * v[0] + r[1] * v[1]) + (r[2] * v[2] + r[3] * v[3])) + (r[4] * v[4] + r[5] * v[5]);
    [dot(&m[0]), dot(&m[1]), dot(&m[2]), dot(&m[3]), dot(&m[4]), dot(&m[5])]
}

/// Column i.
#[inline(always)]
pub(crate) fn column<const K: usize, const N: usize>(m: &[[f64; N]; K], i: usize) -> [f64; K] {
    let mut out = [0.0; K];
    for (x, row) in out.iter_mut().zip(m) {
        *x = row[i];
    }
    out
}

/// `aᵀ b`.
#[inline(always)]
pub(crate) fn transposed_product<const M: usize, const N: usize>(
    a: &[[f64; M]; 6],
    b: &[[f64; N]; 6],
) -> [[f64; N]; M] {
    let mut out = [[0.0; N]; M];
    for i in 0..M {
        combine(&column(a, i), b, &mut out[i]);
    }
    out
}

/// Takes columns of motions from the parent to the child frame: `X = [[Rᵀ, 0], [−Rᵀ p̂, Rᵀ]]` from the left, over the
/// first N columns of six rows.
#[inline(always)]
pub(crate) fn to_child<const N: usize, const M: usize>(
    parent_from_child: &Pose,
    m: &[[f64; M]],
) -> [[f64; N]; 6] {
    let (r, p) = (&parent_from_child.rotation, parent_from_child.translation);
    let [a, b, c, d, e, f] = m else { unreachable!("six rows") };
    let mut linear = [[0.0; N]; 3];
    for j in 0..N {
        linear[0][j] = d[j] + (b[j] * p.z - c[j] * p.y);
        linear[1][j] = e[j] + (c[j] * p.x - a[j] * p.z);
        linear[2][j] = f[j] + (a[j] * p.y - b[j] * p.x);
    }
    let mut out = [[0.0; N]; 6];
    for i in 0..3 {
        let axis = r.col(i);
        for j in 0..N {
            out[i][j] = axis.x * a[j] + axis.y * b[j] + axis.z * c[j];
            out[3 + i][j] = axis.x * linear[0][j] + axis.y * linear[1][j] + axis.z * linear[2][j];
        }
    }
    out
}

/// `X m Xᵀ` with the same X, for a symmetric m whose product `X m` is at hand.
#[inline(always)]
pub(crate) fn congruence(parent_from_child: &Pose, x_m: &Mat6) -> Mat6 {
    to_child(parent_from_child, &transposed(x_m))
}

/// A motion of the parent frame seen in the child frame.
#[inline(always)]
pub(crate) fn motion_to_child(parent_from_child: &Pose, a: &Vec6) -> Vec6 {
    let m = Motion::from_array(*a).at(parent_from_child.translation);
    let rt = parent_from_child.rotation.transpose();
    Motion::new(rt * m.angular, rt * m.linear).to_array()
}

/// A force on the child, taken to the parent frame.
#[inline(always)]
pub(crate) fn force_to_parent(parent_from_child: &Pose, f: &Vec6) -> Vec6 {
    parent_from_child.force(Force::from_array(*f)).to_array()
}

/// Inverse of a symmetric positive definite matrix by LDLᵀ; `None` when it is not positive definite.
pub fn inverse_positive(m: &Mat6) -> Option<Mat6> {
    // rows of [m | 1] are eliminated downward, then upward
    let (mut m, mut inverse) = (*m, IDENTITY);
    for k in 0..6 {
        if !(m[k][k] > 0.0) {
            return None;
        }
        for i in k + 1..6 {
            let l = m[i][k] / m[k][k];
            let (pivot, unit) = (m[k], inverse[k]);
            add_scaled(&mut m[i], -l, &pivot);
            add_scaled(&mut inverse[i], -l, &unit);
        }
    }
    // m⁻¹ = L⁻ᵀ D⁻¹ L⁻¹, and `inverse` now is L⁻¹
    let l_inverse = inverse;
    for k in 0..6 {
        for x in &mut inverse[k] {
            *x /= m[k][k];
        }
    }
    Some(transposed_product(&l_inverse, &inverse))
}

/// The spatial inertia as a full matrix `[[I, ĥ], [ĥᵀ, m 1]]`, h the first moment.
pub fn from_rigid(body: &RigidInertia) -> Mat6 {
    blocks(body.inertia.to_mat3(), cross(body.moment), cross(-body.moment), DMat3::IDENTITY * body.mass)
}

/// Inverse of the spatial inertia of a body with this mass \[kg], centre of mass c \[m] and inverse J⁻¹ of its
/// rotational inertia about it: `[[J⁻¹, −J⁻¹ ĉ], [ĉ J⁻¹, 1/m − ĉ J⁻¹ ĉ]]`.
#[inline(always)]
pub(crate) fn inverse_rigid(inverse_mass: f64, c: DVec3, inverse_inertia: Sym3) -> Mat6 {
    let j = inverse_inertia.to_mat3();
    // J is symmetric, so the rows of J⁻¹ ĉ are those of J⁻¹ crossed with c
    let la = DMat3::from_cols(c.cross(j.x_axis), c.cross(j.y_axis), c.cross(j.z_axis));
    let lt = la.transpose();
    let (x, y, z) = (c.cross(lt.x_axis), c.cross(lt.y_axis), c.cross(lt.z_axis));
    let m = inverse_mass;
    // symmetric to the last bit
    let ll = Sym3::new([m + x.x, x.y, x.z, m + y.y, y.z, m + z.z]);
    blocks(j, lt, la, ll.to_mat3())
}

#[inline(always)]
fn blocks(aa: DMat3, al: DMat3, la: DMat3, ll: DMat3) -> Mat6 {
    let mut m = ZERO;
    for j in 0..3 {
        for i in 0..3 {
            m[i][j] = aa.col(j)[i];
            m[i][3 + j] = al.col(j)[i];
            m[3 + i][j] = la.col(j)[i];
            m[3 + i][3 + j] = ll.col(j)[i];
        }
    }
    m
}

/// `v̂`: the matrix of `v ×`.
#[inline(always)]
fn cross(v: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, v.z, -v.y), DVec3::new(-v.z, 0.0, v.x), DVec3::new(v.y, -v.x, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    fn largest_difference(a: &Mat6, b: &Mat6) -> f64 {
        a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn inverses_of_a_rigid_inertia_invert_it() {
        let body =
            RigidInertia::new(2.0, DVec3::new(0.1, -0.2, 0.3), Sym3::new([0.4, 0.02, -0.03, 0.5, 0.01, 0.3]));
        let m = from_rigid(&body);
        let inverse = inverse_positive(&m).unwrap();
        assert!(largest_difference(&product(&m, &inverse), &IDENTITY) < 1e-14);
        let closed = inverse_rigid(0.5, body.com(), body.inertia_com().inverse_positive().unwrap());
        assert!(largest_difference(&closed, &inverse) < 1e-14);
        assert_eq!(inverse_positive(&ZERO), None);
    }

    /// `X m Xᵀ` of an inverse inertia is the inverse of the inertia seen from the other frame.
    #[test]
    fn congruence_moves_an_inverse_inertia() {
        let body =
            RigidInertia::new(2.0, DVec3::new(0.1, -0.2, 0.3), Sym3::new([0.4, 0.02, -0.03, 0.5, 0.01, 0.3]));
        let pose = Pose::new(DVec3::new(-0.3, 0.7, 0.2), DQuat::from_xyzw(0.3, 0.1, -0.5, 0.8).normalize());
        let x_m = to_child(&pose, &inverse_positive(&from_rigid(&body)).unwrap());
        let moved = congruence(&pose, &x_m);
        let expected = inverse_positive(&from_rigid(&body.transformed(&pose.inverse()))).unwrap();
        assert!(largest_difference(&moved, &expected) < 1e-13);
    }
}
