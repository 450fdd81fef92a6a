use glam::{DQuat, DVec3};

use crate::constraint::{Coordinates, Frame, JointModel, Rows};
use crate::spatial::math;
use crate::spatial::{rotation, swing_twist};

/// Two crossed axes (Cardan): turns about the parent's x axis, then about the child's y axis, which stays perpendicular
/// to it. The two joint points coincide.
///
/// Coordinates: the two angles in that order, each in (−π, π] \[rad].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Universal;

impl Universal {
    /// The angles (a, b) for which `exp(a x) exp(b y)` is nearest to `q`.
    ///
    /// With α = a/2 and β = b/2, that product is (w, x, y, z) = (cα cβ, sα cβ, cα sβ, sα sβ), so its dot product with q
    /// is ½ [(w + z) cos(α − β) + (x − y) sin(α − β) + (w − z) cos(α + β) + (x + y) sin(α + β)]: sum and difference
    /// of the angles each have their own best value.
    fn angles(q: DQuat) -> (f64, f64) {
        let sum = math::atan2(q.x + q.y, q.w - q.z);
        let difference = math::atan2(q.x - q.y, q.w + q.z);
        (swing_twist::wrapped(sum + difference), swing_twist::wrapped(sum - difference))
    }
}

/// The child's y axis once the joint has turned about x.
fn second_axis(a: f64) -> DVec3 {
    let (s, c) = rotation::sin_cos(a);
    DVec3::new(0.0, c, s)
}

impl JointModel for Universal {
    fn name(&self) -> &'static str {
        "universal"
    }

    fn nearest(&self, joint: Frame) -> Frame {
        let (a, b) = Self::angles(joint.rotation);
        Frame { position: DVec3::ZERO, rotation: rotation::exp(DVec3::X * a) * rotation::exp(DVec3::Y * b) }
    }

    fn held(&self, joint: Frame, rows: &mut Rows) {
        rows.hold_point();
        let (a, _) = Self::angles(joint.rotation);
        rows.hold(DVec3::X.cross(second_axis(a)), DVec3::ZERO);
    }

    fn coordinates(&self, joint: Frame, coordinates: &mut Coordinates) {
        let (a, b) = Self::angles(joint.rotation);
        coordinates.push(a, DVec3::X, DVec3::ZERO);
        coordinates.push(b, second_axis(a), DVec3::ZERO);
    }
}
