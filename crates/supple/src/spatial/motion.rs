use std::ops::{Add, AddAssign, Mul, Neg, Sub};

use glam::DVec3;

/// A spatial motion vector: velocity or acceleration of a body at its frame origin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// Angular part \[rad/s or rad/s²].
    pub angular: DVec3,
    /// Linear part, of the body-fixed point at the origin \[m/s or m/s²].
    pub linear: DVec3,
}

impl Motion {
    /// The zero motion.
    pub const ZERO: Self = Self { angular: DVec3::ZERO, linear: DVec3::ZERO };

    /// A motion from its two parts.
    #[inline(always)]
    pub const fn new(angular: DVec3, linear: DVec3) -> Self {
        Self { angular, linear }
    }

    /// The rigid motion seen at a point `offset` away \[m].
    #[inline(always)]
    pub fn at(self, offset: DVec3) -> Self {
        Self { angular: self.angular, linear: self.linear + self.angular.cross(offset) }
    }

    /// The six numbers, angular first.
    pub fn to_array(self) -> [f64; 6] {
        let (a, l) = (self.angular, self.linear);
        [a.x, a.y, a.z, l.x, l.y, l.z]
    }

    /// A motion from six numbers, angular first.
    pub fn from_array(x: [f64; 6]) -> Self {
        Self { angular: DVec3::new(x[0], x[1], x[2]), linear: DVec3::new(x[3], x[4], x[5]) }
    }

    /// Whether all six numbers are finite.
    pub fn is_finite(self) -> bool {
        self.angular.is_finite() && self.linear.is_finite()
    }
}

impl Add for Motion {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self { angular: self.angular + b.angular, linear: self.linear + b.linear }
    }
}

impl AddAssign for Motion {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl Sub for Motion {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self { angular: self.angular - b.angular, linear: self.linear - b.linear }
    }
}

impl Neg for Motion {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { angular: -self.angular, linear: -self.linear }
    }
}

impl Mul<f64> for Motion {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: f64) -> Self {
        Self { angular: self.angular * s, linear: self.linear * s }
    }
}
