//! Rotations: sine and cosine that are the same on every platform, exponential and logarithm of a quaternion.

use super::math;
use glam::{DMat3, DQuat, DVec3};

/// `(sin x, cos x)`, branch-free, the same bits on every platform, within 1 ulp or so for |x| < 1e5 rad.
///
/// The reduction to ±π/4 follows Cody and Waite, the polynomials are the minimax ones of fdlibm. Loops over
/// it vectorise. Beyond 1e5 rad the `libm` crate takes over.
#[inline(always)]
pub fn sin_cos(x: f64) -> (f64, f64) {
    if x.abs() < 1e5 { sin_cos_reduced(x) } else { sin_cos_of_large(x) }
}

/// Out of the way: inlined, it would cost those their registers who never ask for it.
#[cold]
#[inline(never)]
fn sin_cos_of_large(x: f64) -> (f64, f64) {
    libm::sincos(x)
}

/// [`sin_cos`] without its range check.
#[inline(always)]
fn sin_cos_reduced(x: f64) -> (f64, f64) {
    // 1.5·2^52: adding it rounds to an integer whose low bits then stand in the mantissa
    const ROUND: f64 = 6_755_399_441_055_744.0;
    // π/2 in three parts, the first two with trailing zeros so that n times them is exact
    const P1: f64 = 1.570_796_326_734_125_6;
    const P2: f64 = 6.077_100_506_303_966e-11;
    const P3: f64 = 2.022_266_248_795_950_6e-21;
    let shifted = x * std::f64::consts::FRAC_2_PI + ROUND;
    let n = shifted - ROUND;
    let quadrant = shifted.to_bits();
    let y = ((x - n * P1) - n * P2) - n * P3;
    let z = y * y;
    let s = y + y
        * z
        * (-1.666_666_666_666_663_2e-1
            + z * (8.333_333_333_322_49e-3
                + z * (-1.984_126_982_985_795e-4
                    + z * (2.755_731_370_707_006_8e-6
                        + z * (-2.505_076_025_340_686_3e-8 + z * 1.589_690_995_211_55e-10)))));
    let c = 1.0
        - (0.5 * z
            - z * z
                * (4.166_666_666_666_66e-2
                    + z * (-1.388_888_888_887_411e-3
                        + z * (2.480_158_728_947_673e-5
                            + z * (-2.755_731_435_139_066_3e-7
                                + z * (2.087_572_321_298_175e-9 - z * 1.135_964_755_778_819_5e-11))))));
    let odd = quadrant & 1 != 0;
    let (sin, cos) = if odd { (c, s) } else { (s, c) };
    let flip = |v: f64, q: u64| f64::from_bits(v.to_bits() ^ ((q & 2) << 62));
    (flip(sin, quadrant), flip(cos, quadrant.wrapping_add(1)))
}

/// The unit quaternion of a rotation vector \[rad].
#[inline]
pub fn exp(v: DVec3) -> DQuat {
    let half = 0.5 * v;
    let angle2 = half.length_squared();
    // sin(a)/a by its series where the quotient would lose digits; the next term is below 1e-17
    let (w, k) = if angle2 < 1e-4 {
        (
            1.0 - angle2 * (0.5 - angle2 * (1.0 / 24.0 - angle2 / 720.0)),
            1.0 - angle2 * (1.0 / 6.0 - angle2 * (1.0 / 120.0 - angle2 / 5040.0)),
        )
    } else {
        let angle = angle2.sqrt();
        let (s, c) = sin_cos(angle);
        (c, s / angle)
    };
    DQuat::from_xyzw(half.x * k, half.y * k, half.z * k, w)
}

/// Rotation by an angle about the x axis \[rad]. glam's own would take sine and cosine from the system.
pub fn about_x(angle: f64) -> DQuat {
    about(DVec3::X, angle)
}

/// Rotation by an angle about the y axis \[rad].
pub fn about_y(angle: f64) -> DQuat {
    about(DVec3::Y, angle)
}

/// Rotation by an angle about the z axis \[rad].
pub fn about_z(angle: f64) -> DQuat {
    about(DVec3::Z, angle)
}

/// Rotation by an angle about an axis of length one \[rad].
pub fn about(axis: DVec3, angle: f64) -> DQuat {
    let (s, c) = libm::sincos(0.5 * angle);
    let v = axis * s;
    DQuat::from_xyzw(v.x, v.y, v.z, c)
}

/// Rotation by a roll about x, then a pitch about y, then a yaw about z, the axes that stay, as in URDF \[rad].
pub fn from_yaw_pitch_roll(yaw: f64, pitch: f64, roll: f64) -> DQuat {
    about_z(yaw) * about_y(pitch) * about_x(roll)
}

/// Yaw, pitch and roll of a unit quaternion \[rad]; where the pitch is a right angle, all of the turn about z is yaw.
pub fn yaw_pitch_roll(q: DQuat) -> (f64, f64, f64) {
    let m = DMat3::from_quat(q);
    let (x, y, z) = (m.x_axis, m.y_axis, m.z_axis);
    let level = (x.x * x.x + x.y * x.y).sqrt();
    let pitch = math::atan2(-x.z, level);
    if level < 1e-9 {
        return (math::atan2(-y.x, y.y), pitch, 0.0);
    }
    (math::atan2(x.y, x.x), pitch, math::atan2(y.z, z.z))
}

/// From one rotation to another on the shortest way, at a constant rate: the first where `share` is 0, the second where it is 1.
pub fn between(from: DQuat, to: DQuat, share: f64) -> DQuat {
    (from * exp(log(from.conjugate() * to) * share)).normalize()
}

/// The rotation matrix of a rotation vector \[rad].
#[inline]
pub fn exp_matrix(v: DVec3) -> DMat3 {
    DMat3::from_quat(exp(v))
}

/// The rotation vector of a unit quaternion \[rad], at most π long.
#[inline]
pub fn log(q: DQuat) -> DVec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let v = DVec3::new(q.x, q.y, q.z);
    let s2 = v.length_squared();
    if s2 < 1e-8 {
        // asin(s)/s · 2; the next term is below 1e-17
        return v * (2.0 + s2 * (1.0 / 3.0 + s2 * 0.15));
    }
    let s = s2.sqrt();
    v * (2.0 * math::atan2(s, q.w) / s)
}

/// `q * exp(v)`, brought back to unit length: one quaternion step with body rates `v` \[rad].
#[inline]
pub fn step(q: DQuat, v: DVec3) -> DQuat {
    (q * exp(v)).normalize()
}

/// `[v]×`, the matrix of the cross product: `skew(v) x = v × x`.
#[inline]
pub fn skew(v: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, v.z, -v.y), DVec3::new(-v.z, 0.0, v.x), DVec3::new(v.y, -v.x, 0.0))
}

/// How [`exp`] turns as its argument changes: the angular velocity of `exp(v)` is `exp_derivative(v) v̇`, in the axes in
/// which v is given.
pub fn exp_derivative(v: DVec3) -> DMat3 {
    let t2 = v.length_squared();
    // (1 − cos t)/t² and (t − sin t)/t³, by their series where the quotients would lose digits
    let (a, b) = if t2 < 0.04 {
        (
            0.5 - t2 * (1.0 / 24.0 - t2 * (1.0 / 720.0 - t2 * (1.0 / 40_320.0 - t2 / 3_628_800.0))),
            1.0 / 6.0 - t2 * (1.0 / 120.0 - t2 * (1.0 / 5040.0 - t2 * (1.0 / 362_880.0 - t2 / 39_916_800.0))),
        )
    } else {
        let t = t2.sqrt();
        let (s, c) = sin_cos(t);
        ((1.0 - c) / t2, (t - s) / (t2 * t))
    };
    let k = skew(v);
    DMat3::IDENTITY + k * a + k * k * b
}

/// How [`log`] changes as the rotation turns: `v̇ = log_derivative(v) ω` for v = log q, at most π long. The inverse of
/// [`exp_derivative`].
pub fn log_derivative(v: DVec3) -> DMat3 {
    let t2 = v.length_squared();
    // 1/t² − cot(t/2)/(2t), by its series where the difference would lose digits
    let b = if t2 < 0.04 {
        1.0 / 12.0 + t2 * (1.0 / 720.0 + t2 * (1.0 / 30_240.0 + t2 * (1.0 / 1_209_600.0 + t2 / 47_900_160.0)))
    } else {
        let t = t2.sqrt();
        let (s, c) = sin_cos(0.5 * t);
        1.0 / t2 - c / (2.0 * t * s)
    };
    let k = skew(v);
    DMat3::IDENTITY - k * 0.5 + k * k * b
}

/// The direction of a vector that is not zero, of any length: squares neither overflow nor vanish.
pub fn direction(v: DVec3) -> DVec3 {
    (v / v.abs().max_element()).normalize()
}

/// The direction of a vector of any length, or `fallback` for the zero vector.
pub fn direction_or(v: DVec3, fallback: DVec3) -> DVec3 {
    if v == DVec3::ZERO { fallback } else { direction(v) }
}

/// A rotation that takes z to the unit vector `axis`: the shortest one, identity for z itself, half a turn about
/// y for −z. Directions near ±z keep all their digits.
pub fn from_z_to(axis: DVec3) -> DQuat {
    let sideways = (axis.x * axis.x + axis.y * axis.y).sqrt();
    if axis.z >= 0.0 {
        return DQuat::from_xyzw(-axis.y, axis.x, 0.0, 1.0 + axis.z).normalize();
    }
    if sideways == 0.0 {
        return DQuat::from_xyzw(0.0, 1.0, 0.0, 0.0);
    }
    // tan of half the angle is (1 − z) / sideways: here 1 + z would lose digits
    let k = (1.0 - axis.z) / sideways;
    DQuat::from_xyzw(-axis.y * k, axis.x * k, 0.0, sideways).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One unit in the last place of values near one; the reduction and two polynomials stay within two.
    const TWO_ULP: f64 = 4.5e-16;

    #[test]
    fn sin_cos_agrees_with_the_standard_library() {
        for i in -200_000..200_000 {
            let x = f64::from(i) * 0.000_731_7 + f64::from(i % 977) * 97.3;
            let (s, c) = sin_cos(x);
            assert!((s - x.sin()).abs() <= TWO_ULP && (c - x.cos()).abs() <= TWO_ULP, "{x}: {s} {c}");
        }
        assert_eq!(sin_cos(0.0), (0.0, 1.0));
        assert!(sin_cos(f64::NAN).0.is_nan());
        let (s, c) = sin_cos(1e9);
        let (exact_s, exact_c) = 1e9f64.sin_cos();
        assert!((s - exact_s).abs() <= TWO_ULP && (c - exact_c).abs() <= TWO_ULP, "{s} {c}");
    }

    #[test]
    fn log_inverts_exp_and_exp_is_unit() {
        for i in 0..2000 {
            let t = f64::from(i) * 0.0015;
            let v = DVec3::new(0.36, -0.48, 0.8) * t * if i % 2 == 0 { 1.0 } else { 1e-4 };
            let q = exp(v);
            assert!((q.length() - 1.0).abs() < 1e-15);
            assert!((log(q) - v).length() < 2e-15 * (1.0 + v.length()), "{v} {}", log(q));
        }
    }

    /// Beside glam's, which may have other last digits.
    #[test]
    fn rotations_by_angles_are_those_of_glam() {
        let near = |a: DQuat, b: DQuat| (a - b).length().min((a + b).length()) < 2e-15;
        for i in 0..500 {
            let [a, b, c] = [0.731, 0.577, 0.913].map(|k| (f64::from(i) * k) % 6.2 - 3.1);
            let axis = DVec3::new(a, b, c).normalize();
            assert!(near(about(axis, a), DQuat::from_axis_angle(axis, a)));
            assert!(near(about_x(a), DQuat::from_rotation_x(a)));
            let both = from_yaw_pitch_roll(a, 0.5 * b, c);
            assert!(near(both, DQuat::from_euler(glam::EulerRot::ZYX, a, 0.5 * b, c)));
            let (yaw, pitch, roll) = yaw_pitch_roll(both);
            // near a pitch of a right angle rounding is divided by its cosine, 0.02 at least here
            let again = from_yaw_pitch_roll(yaw, pitch, roll);
            assert!(log(again.conjugate() * both).length() < 1e-13, "{a} {b} {c}");
            let (from, to) = (both, about(axis, b));
            // where two ways are nearly as short, rounding chooses
            if from.dot(to).abs() > 0.1 {
                let same = near(between(from, to, 0.3), from.slerp(to, 0.3));
                assert!(same, "{a} {b} {c}: {} {}", between(from, to, 0.3), from.slerp(to, 0.3));
            }
        }
        for pitch in [0.5, -0.5].map(|x| x * std::f64::consts::PI) {
            let upright = from_yaw_pitch_roll(0.4, pitch, 0.3);
            let (yaw, up, roll) = yaw_pitch_roll(upright);
            assert!(
                log(from_yaw_pitch_roll(yaw, up, roll).conjugate() * upright).length() < 1e-7 && roll == 0.0
            );
        }
    }

    /// Central differences of exp; 1e-9 is their error for steps of 1e-5.
    #[test]
    fn exp_and_log_have_their_derivatives() {
        for i in 0..300 {
            let t = std::f64::consts::PI * f64::from(i) / 300.0;
            let v = DVec3::new(0.36, -0.48, 0.8) * t * if i % 3 == 0 { 1e-3 } else { 1.0 };
            let rate = DVec3::new(0.3, 0.9, -0.2);
            let h = 1e-5;
            let turn = log(exp(v + rate * h) * exp(v - rate * h).conjugate()) / (2.0 * h);
            assert!((exp_derivative(v) * rate - turn).length() < 1e-9, "{v}");
            let one = log_derivative(v) * exp_derivative(v) - DMat3::IDENTITY;
            assert!(one.to_cols_array().iter().all(|x| x.abs() < 2e-14), "{v}: {one}");
        }
    }
}
