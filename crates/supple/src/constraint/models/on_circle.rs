use glam::DVec3;

use super::Ball;
use crate::constraint::{Coordinates, Frame, JointModel, Rows};
use crate::spatial::math;
use crate::spatial::rotation;

/// The child's joint point stays on a circle in the parent's xy-plane, rotation is free: Faure's particle on a circle, a
/// bead on a ring. A point on the axis of the circle is taken to its +x side.
///
/// Coordinates: travel along the circle in (−π r, π r], counted from +x towards +y \[m], then the three components of
/// the rotation vector \[rad].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnCircle {
    /// Radius of the circle, positive \[m].
    pub radius: f64,
}

/// The direction from the centre of the circle towards a point, in its plane.
fn outward(position: DVec3) -> DVec3 {
    rotation::direction_or(DVec3 { z: 0.0, ..position }, DVec3::X)
}

impl JointModel for OnCircle {
    fn name(&self) -> &'static str {
        "on-circle"
    }

    fn radius(&self) -> Option<f64> {
        Some(self.radius)
    }

    fn nearest(&self, joint: Frame) -> Frame {
        Frame { position: outward(joint.position) * self.radius, ..joint }
    }

    fn held(&self, joint: Frame, rows: &mut Rows) {
        rows.hold(DVec3::ZERO, outward(joint.position));
        rows.hold(DVec3::ZERO, DVec3::Z);
    }

    fn coordinates(&self, joint: Frame, coordinates: &mut Coordinates) {
        let out = outward(joint.position);
        let travel = self.radius * math::atan2(out.y, out.x);
        coordinates.push(travel, DVec3::ZERO, DVec3::Z.cross(out));
        Ball.coordinates(joint, coordinates);
    }
}
