use std::ops::{Add, AddAssign, Mul, Sub};

use super::math;
use glam::{DMat3, DVec3};

/// A symmetric 3×3 matrix, six numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Sym3 {
    pub xx: f64,
    pub xy: f64,
    pub xz: f64,
    pub yy: f64,
    pub yz: f64,
    pub zz: f64,
}

impl Sym3 {
    /// The zero matrix.
    pub const ZERO: Self = Self { xx: 0.0, xy: 0.0, xz: 0.0, yy: 0.0, yz: 0.0, zz: 0.0 };

    /// A matrix from `[xx, xy, xz, yy, yz, zz]`.
    pub const fn new(m: [f64; 6]) -> Self {
        Self { xx: m[0], xy: m[1], xz: m[2], yy: m[3], yz: m[4], zz: m[5] }
    }

    /// The six numbers `[xx, xy, xz, yy, yz, zz]`.
    pub const fn to_array(self) -> [f64; 6] {
        [self.xx, self.xy, self.xz, self.yy, self.yz, self.zz]
    }

    /// A diagonal matrix.
    #[inline(always)]
    pub const fn diagonal(d: DVec3) -> Self {
        Self { xx: d.x, xy: 0.0, xz: 0.0, yy: d.y, yz: 0.0, zz: d.z }
    }

    /// `v vᵀ`.
    #[inline(always)]
    pub fn outer(v: DVec3) -> Self {
        Self { xx: v.x * v.x, xy: v.x * v.y, xz: v.x * v.z, yy: v.y * v.y, yz: v.y * v.z, zz: v.z * v.z }
    }

    /// `|v|² 1 − v vᵀ`: the inertia of a unit point mass at `v`.
    #[inline(always)]
    pub fn point_mass(v: DVec3) -> Self {
        let (xx, yy, zz) = (v.x * v.x, v.y * v.y, v.z * v.z);
        Self { xx: yy + zz, xy: -v.x * v.y, xz: -v.x * v.z, yy: xx + zz, yz: -v.y * v.z, zz: xx + yy }
    }

    /// The symmetric part of a matrix.
    pub fn symmetric_part(m: DMat3) -> Self {
        Self {
            xx: m.x_axis.x,
            xy: 0.5 * (m.x_axis.y + m.y_axis.x),
            xz: 0.5 * (m.x_axis.z + m.z_axis.x),
            yy: m.y_axis.y,
            yz: 0.5 * (m.y_axis.z + m.z_axis.y),
            zz: m.z_axis.z,
        }
    }

    /// As a full matrix.
    #[inline(always)]
    pub fn to_mat3(self) -> DMat3 {
        DMat3::from_cols(
            DVec3::new(self.xx, self.xy, self.xz),
            DVec3::new(self.xy, self.yy, self.yz),
            DVec3::new(self.xz, self.yz, self.zz),
        )
    }

    /// `R self Rᵀ`: the same tensor in other axes.
    #[inline(always)]
    pub fn rotated(self, r: DMat3) -> Self {
        let x = r.x_axis * self.xx + r.y_axis * self.xy + r.z_axis * self.xz;
        let y = r.x_axis * self.xy + r.y_axis * self.yy + r.z_axis * self.yz;
        let z = r.x_axis * self.xz + r.y_axis * self.yz + r.z_axis * self.zz;
        // self' = x r_xᵀ + y r_yᵀ + z r_zᵀ, of which only the upper triangle is formed
        let (a, b, c) = (r.x_axis, r.y_axis, r.z_axis);
        Self {
            xx: x.x * a.x + y.x * b.x + z.x * c.x,
            xy: x.x * a.y + y.x * b.y + z.x * c.y,
            xz: x.x * a.z + y.x * b.z + z.x * c.z,
            yy: x.y * a.y + y.y * b.y + z.y * c.y,
            yz: x.y * a.z + y.y * b.z + z.y * c.z,
            zz: x.z * a.z + y.z * b.z + z.z * c.z,
        }
    }

    /// Trace.
    #[inline(always)]
    pub fn trace(self) -> f64 {
        self.xx + self.yy + self.zz
    }

    /// Inverse; `None` when a leading minor of the matrix is not positive.
    pub fn inverse_positive(self) -> Option<Self> {
        let minor = self.xx * self.yy - self.xy * self.xy;
        let xx = self.yy * self.zz - self.yz * self.yz;
        let xy = self.xz * self.yz - self.xy * self.zz;
        let xz = self.xy * self.yz - self.xz * self.yy;
        let determinant = self.xx * xx + self.xy * xy + self.xz * xz;
        if !(self.xx > 0.0 && minor > 0.0 && determinant > 0.0) {
            return None;
        }
        let inv = 1.0 / determinant;
        let yy = self.xx * self.zz - self.xz * self.xz;
        let yz = self.xy * self.xz - self.xx * self.yz;
        Some(Self { xx: xx * inv, xy: xy * inv, xz: xz * inv, yy: yy * inv, yz: yz * inv, zz: minor * inv })
    }

    /// Eigenvalues in ascending order, by the trigonometric closed form.
    pub fn eigenvalues(self) -> [f64; 3] {
        let mean = self.trace() / 3.0;
        let off = self.xy * self.xy + self.xz * self.xz + self.yz * self.yz;
        let (dx, dy, dz) = (self.xx - mean, self.yy - mean, self.zz - mean);
        let p = ((dx * dx + dy * dy + dz * dz + 2.0 * off) / 6.0).sqrt();
        if p == 0.0 || !p.is_finite() {
            return [mean; 3];
        }
        let shifted = Self { xx: dx, yy: dy, zz: dz, ..self } * (1.0 / p);
        let r = (0.5 * shifted.to_mat3().determinant()).clamp(-1.0, 1.0);
        let phi = math::acos(r) / 3.0;
        let third = std::f64::consts::TAU / 3.0;
        let (hi, lo) = (mean + 2.0 * p * math::cos(phi), mean + 2.0 * p * math::cos(phi + third));
        [lo, 3.0 * mean - hi - lo, hi]
    }

    /// Whether all numbers are finite.
    pub fn is_finite(self) -> bool {
        self.to_array().iter().all(|x| x.is_finite())
    }
}

impl Mul<DVec3> for Sym3 {
    type Output = DVec3;
    #[inline(always)]
    fn mul(self, v: DVec3) -> DVec3 {
        DVec3::new(
            self.xx * v.x + self.xy * v.y + self.xz * v.z,
            self.xy * v.x + self.yy * v.y + self.yz * v.z,
            self.xz * v.x + self.yz * v.y + self.zz * v.z,
        )
    }
}

impl Mul<f64> for Sym3 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: f64) -> Self {
        Self {
            xx: self.xx * s,
            xy: self.xy * s,
            xz: self.xz * s,
            yy: self.yy * s,
            yz: self.yz * s,
            zz: self.zz * s,
        }
    }
}

impl Add for Sym3 {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self {
            xx: self.xx + b.xx,
            xy: self.xy + b.xy,
            xz: self.xz + b.xz,
            yy: self.yy + b.yy,
            yz: self.yz + b.yz,
            zz: self.zz + b.zz,
        }
    }
}

impl AddAssign for Sym3 {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl Sub for Sym3 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        self + b * -1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    #[test]
    fn rotated_is_r_s_rt_and_inverse_inverts() {
        let s = Sym3::new([4.0, 0.5, -0.25, 3.0, 0.75, 2.0]);
        let r = DMat3::from_quat(DQuat::from_xyzw(0.1, -0.7, 0.3, 0.4).normalize());
        let dense = r * s.to_mat3() * r.transpose();
        assert!((s.rotated(r).to_mat3() - dense).to_cols_array().iter().all(|x| x.abs() < 1e-15));
        let one = s.inverse_positive().unwrap().to_mat3() * s.to_mat3();
        assert!((one - DMat3::IDENTITY).to_cols_array().iter().all(|x| x.abs() < 1e-14));
    }

    #[test]
    fn eigenvalues_have_the_invariants_of_the_matrix() {
        let s = Sym3::new([4.0, 0.5, -0.25, 3.0, 0.75, 2.0]);
        let [a, b, c] = s.eigenvalues();
        assert!(a <= b && b <= c);
        assert!((a + b + c - s.trace()).abs() < 1e-14);
        assert!((a * b * c - s.to_mat3().determinant()).abs() < 1e-13);
    }
}
