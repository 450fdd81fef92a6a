//! How a spinning body's momentum turns in its own axes over a step (theory, section 15.3).

use glam::{DMat3, DVec3};

use crate::spatial::math;
use crate::spatial::rotation::sin_cos;

/// Half angles beyond this are treated as this: a body that turns by more in a step is not resolved \[rad]. Theory, section 15.3; their tangent,
/// by which the turning is taken implicitly, has its pole at 1.57.
const LARGEST_HALF_ANGLE: f64 = 1.2;

/// For a body that turns from `start` to `middle` in the share `g` of a step, with angular momentum `p0` in its
/// own axes at the start: the mean P_f of the momentum over the whole step if nothing else acted, in its own
/// axes, and the factor `tan(a)/a` by which the implicit term must be lengthened to turn it as far as the exact
/// rotation does (a: half of the whole turn).
///
/// These only steer the skew term, which does no work whatever its value; nine digits are plenty.
#[inline]
pub(super) fn gyration(start: &DMat3, middle: &DMat3, g: f64, p0: DVec3) -> (DVec3, f64) {
    // sine (as a vector along the axis, world axes) and cosine of the turn so far
    let sine = 0.5
        * (start.x_axis.cross(middle.x_axis)
            + start.y_axis.cross(middle.y_axis)
            + start.z_axis.cross(middle.z_axis));
    let s2 = sine.length_squared();
    let cosine = 0.5
        * (start.x_axis.dot(middle.x_axis)
            + start.y_axis.dot(middle.y_axis)
            + start.z_axis.dot(middle.z_axis)
            - 1.0);
    let angle_over_sine = if s2 < 1e-3 && cosine > 0.0 {
        1.0 + s2 * (1.0 / 6.0 + s2 * (3.0 / 40.0 + s2 * (15.0 / 336.0)))
    } else {
        let s = s2.sqrt();
        if s > 0.0 { math::atan2(s, cosine) / s } else { 1.0 }
    };
    // the whole turn as a rotation vector, in the body's axes
    let u = start.transpose() * sine * (angle_over_sine / g);
    let u2 = u.length_squared();
    // sin u/u, (1 − cos u)/u², tan(u/2)/(u/2)
    let (b, c, t) = if u2 < 1e-2 {
        (
            1.0 - u2 * (1.0 / 6.0 - u2 * (1.0 / 120.0 - u2 / 5040.0)),
            0.5 - u2 * (1.0 / 24.0 - u2 * (1.0 / 720.0 - u2 / 40320.0)),
            1.0 + u2 * (1.0 / 12.0 + u2 * (1.0 / 120.0 + u2 * (17.0 / 20160.0))),
        )
    } else {
        let angle = u2.sqrt();
        let (sin, cos) = sin_cos(angle);
        let half = (0.5 * angle).min(LARGEST_HALF_ANGLE);
        (sin / angle, (1.0 - cos) / u2, math::tan(half) / (0.5 * angle))
    };
    // exp(−u) p0
    let once = u.cross(p0);
    let turned = p0 - once * b + u.cross(once) * c;
    (0.5 * (p0 + turned), t)
}
