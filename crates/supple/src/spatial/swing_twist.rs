//! A rotation as a turn about z followed by a tilt of z: what joints about an axis ask for.

use std::f64::consts::PI;

use glam::{DQuat, DVec3};

use super::math;
use super::rotation;

/// The rotation about z nearest to `q`; none when z is upside down and all are equally near.
pub fn twist(q: DQuat) -> DQuat {
    let d = rotation::direction_or(DVec3::new(0.0, q.z, q.w), DVec3::Z);
    DQuat::from_xyzw(0.0, 0.0, d.y, d.z)
}

/// The angle of [`twist`] in (−π, π] \[rad].
pub fn twist_angle(q: DQuat) -> f64 {
    wrapped(2.0 * math::atan2(q.z, q.w))
}

/// The rotation vector that tilts z to where `q` takes it, perpendicular to z and at most π long \[rad]:
/// `q = exp(swing(q)) twist(q)`.
pub fn swing(q: DQuat) -> DVec3 {
    rotation::log(q * twist(q).conjugate())
}

/// An angle within (−3π, 3π] as one in (−π, π] \[rad].
pub fn wrapped(angle: f64) -> f64 {
    if angle > PI {
        angle - 2.0 * PI
    } else if angle <= -PI {
        angle + 2.0 * PI
    } else {
        angle
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swing_after_twist_is_the_rotation() {
        for i in 0..200 {
            let t = f64::from(i);
            let q = DQuat::from_xyzw((1.3 * t).sin(), (0.7 * t).cos(), (2.9 * t).sin(), (1.9 * t).cos())
                .normalize();
            let again = rotation::exp(swing(q)) * twist(q);
            assert!(again.dot(q).abs() > 1.0 - 1e-14);
            assert!(swing(q).z.abs() < 1e-15);
            let about_z = rotation::exp(DVec3::Z * twist_angle(q));
            assert!(about_z.dot(twist(q)).abs() > 1.0 - 1e-15);
        }
    }

    #[test]
    fn half_turns_have_an_angle_and_a_tilt() {
        assert_eq!(twist_angle(DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0)), PI);
        assert_eq!(twist_angle(DQuat::from_xyzw(0.0, 0.0, -1.0, 0.0)), PI);
        let upside_down = DQuat::from_xyzw(0.6, 0.8, 0.0, 0.0);
        assert_eq!(twist(upside_down), DQuat::IDENTITY);
        assert!((swing(upside_down) - DVec3::new(0.6, 0.8, 0.0) * PI).length() < 1e-15);
    }
}
