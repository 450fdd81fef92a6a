//! Spatial vectors of six numbers in eight lanes, the last two zero: rows of contacts are read and written by the thousand.

use glam::DVec3;

use crate::spatial::Motion;

/// Angular, linear, two zeros.
pub(crate) type Vec8 = [f64; 8];

pub(crate) const ZERO: Vec8 = [0.0; 8];

#[inline(always)]
pub(crate) fn of(angular: DVec3, linear: DVec3) -> Vec8 {
    [angular.x, angular.y, angular.z, linear.x, linear.y, linear.z, 0.0, 0.0]
}

#[inline(always)]
pub(crate) fn motion(v: &Vec8) -> Motion {
    Motion::new(DVec3::new(v[0], v[1], v[2]), DVec3::new(v[3], v[4], v[5]))
}

#[inline(always)]
pub(crate) fn dot(a: &Vec8, b: &Vec8) -> f64 {
    sum(&std::array::from_fn(|i| a[i] * b[i]))
}

#[inline(always)]
pub(crate) fn sum(p: &Vec8) -> f64 {
    ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]))
}

/// `a += x b`.
#[inline(always)]
pub(crate) fn add(a: &mut Vec8, b: &Vec8, x: f64) {
    for i in 0..8 {
        a[i] += x * b[i];
    }
}
