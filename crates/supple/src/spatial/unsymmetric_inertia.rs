use std::ops::AddAssign;

use glam::{DMat3, DVec3};

use super::articulated_inertia::transpose_mul;
use super::{ArticulatedInertia, Force, Motion};

/// Articulated inertia `[A H; G M]` without symmetry: the implicit gyroscopic term of the default
/// integrator adds a skew block to the angular part, and elimination spreads it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UnsymmetricInertia {
    /// A: moment per angular motion.
    pub angular: DMat3,
    /// H: moment per linear motion.
    pub upper: DMat3,
    /// G: force per angular motion.
    pub lower: DMat3,
    /// M: force per linear motion.
    pub linear: DMat3,
}

impl UnsymmetricInertia {
    /// A symmetric inertia plus a skew angular block: `[A + [l]×, H; Hᵀ, M]`.
    #[inline(always)]
    pub fn with_skew(i: &ArticulatedInertia, l: DVec3) -> Self {
        let mut angular = i.angular.to_mat3();
        angular.x_axis += DVec3::new(0.0, l.z, -l.y);
        angular.y_axis += DVec3::new(-l.z, 0.0, l.x);
        angular.z_axis += DVec3::new(l.y, -l.x, 0.0);
        Self { angular, upper: i.coupling, lower: i.coupling.transpose(), linear: i.linear.to_mat3() }
    }

    /// Force for a motion.
    #[inline(always)]
    pub fn force(&self, a: Motion) -> Force {
        Force {
            angular: self.angular * a.angular + self.upper * a.linear,
            linear: self.lower * a.angular + self.linear * a.linear,
        }
    }

    /// `selfᵀ s`.
    #[inline(always)]
    pub fn transposed_force(&self, s: Motion) -> Force {
        Force {
            angular: transpose_mul(&self.angular, s.angular) + transpose_mul(&self.lower, s.linear),
            linear: transpose_mul(&self.upper, s.angular) + transpose_mul(&self.linear, s.linear),
        }
    }

    /// `self − u wᵀ / d`.
    #[inline(always)]
    pub fn eliminate(&mut self, u: Force, w: Force, d_inv: f64) {
        let (wn, wf) = (w.angular * d_inv, w.linear * d_inv);
        subtract_outer(&mut self.angular, u.angular, wn);
        subtract_outer(&mut self.upper, u.angular, wf);
        subtract_outer(&mut self.lower, u.linear, wn);
        subtract_outer(&mut self.linear, u.linear, wf);
    }

    /// The inertia about a point from which the present origin is `r` away \[m], axes unchanged.
    #[inline(always)]
    pub fn about(&self, r: DVec3) -> Self {
        let upper = self.upper + cross_mul(r, &self.linear);
        let lower = self.lower - mul_cross(&self.linear, r);
        let angular = self.angular - mul_cross(&self.upper, r) + cross_mul(r, &lower);
        Self { angular, upper, lower, linear: self.linear }
    }
}

/// `m −= a bᵀ`.
#[inline(always)]
fn subtract_outer(m: &mut DMat3, a: DVec3, b: DVec3) {
    m.x_axis -= a * b.x;
    m.y_axis -= a * b.y;
    m.z_axis -= a * b.z;
}

/// `[r]× m`.
#[inline(always)]
fn cross_mul(r: DVec3, m: &DMat3) -> DMat3 {
    DMat3::from_cols(r.cross(m.x_axis), r.cross(m.y_axis), r.cross(m.z_axis))
}

/// `m [r]×`.
#[inline(always)]
fn mul_cross(m: &DMat3, r: DVec3) -> DMat3 {
    let (x, y, z) = (m.x_axis, m.y_axis, m.z_axis);
    DMat3::from_cols(y * r.z - z * r.y, z * r.x - x * r.z, x * r.y - y * r.x)
}

impl AddAssign for UnsymmetricInertia {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        self.angular += b.angular;
        self.upper += b.upper;
        self.lower += b.lower;
        self.linear += b.linear;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_is_a_congruence() {
        let m = |k: f64| DMat3::from_cols_array(&std::array::from_fn(|i| (k * (i as f64 + 1.0)).sin()));
        let i = UnsymmetricInertia { angular: m(1.0), upper: m(2.0), lower: m(3.0), linear: m(4.0) };
        let r = DVec3::new(0.3, -1.2, 0.7);
        let at_parent = Motion::new(DVec3::new(1.0, 2.0, -3.0), DVec3::new(0.5, -0.25, 0.125));
        let expected = i.force(at_parent.at(r)).about(r);
        let got = i.about(r).force(at_parent);
        for (a, b) in expected.to_array().iter().zip(got.to_array()) {
            assert!((a - b).abs() < 1e-13, "{expected:?} {got:?}");
        }
    }
}
