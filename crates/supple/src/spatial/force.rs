use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use glam::DVec3;

use super::Motion;

/// A spatial force vector: a wrench, an impulse or a momentum, about a body's frame origin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Force {
    /// Angular part: moment \[N·m], or angular momentum or impulse \[N·m·s].
    pub angular: DVec3,
    /// Linear part: force \[N], or linear momentum or impulse \[N·s].
    pub linear: DVec3,
}

impl Force {
    /// The zero force.
    pub const ZERO: Self = Self { angular: DVec3::ZERO, linear: DVec3::ZERO };

    /// A force from its two parts.
    #[inline(always)]
    pub const fn new(angular: DVec3, linear: DVec3) -> Self {
        Self { angular, linear }
    }

    /// The force about a point from which the present origin is `offset` away \[m].
    #[inline(always)]
    pub fn about(self, offset: DVec3) -> Self {
        Self { angular: self.angular + offset.cross(self.linear), linear: self.linear }
    }

    /// Power of the force on a motion at the same point \[W].
    #[inline(always)]
    pub fn dot(self, v: Motion) -> f64 {
        self.angular.dot(v.angular) + self.linear.dot(v.linear)
    }

    /// The six numbers, angular first.
    pub fn to_array(self) -> [f64; 6] {
        let (a, l) = (self.angular, self.linear);
        [a.x, a.y, a.z, l.x, l.y, l.z]
    }

    /// A force from six numbers, angular first.
    pub fn from_array(x: [f64; 6]) -> Self {
        Self { angular: DVec3::new(x[0], x[1], x[2]), linear: DVec3::new(x[3], x[4], x[5]) }
    }

    /// Whether all six numbers are finite.
    pub fn is_finite(self) -> bool {
        self.angular.is_finite() && self.linear.is_finite()
    }
}

impl Add for Force {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self { angular: self.angular + b.angular, linear: self.linear + b.linear }
    }
}

impl AddAssign for Force {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl Sub for Force {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self { angular: self.angular - b.angular, linear: self.linear - b.linear }
    }
}

impl SubAssign for Force {
    #[inline(always)]
    fn sub_assign(&mut self, b: Self) {
        *self = *self - b;
    }
}

impl Neg for Force {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { angular: -self.angular, linear: -self.linear }
    }
}

impl Mul<f64> for Force {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: f64) -> Self {
        Self { angular: self.angular * s, linear: self.linear * s }
    }
}
