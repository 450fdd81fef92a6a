use glam::DVec3;

use super::Ball;
use crate::constraint::{Coordinates, Frame, JointModel, Rows};

/// The child's joint point stays on the parent's z axis, rotation is free: a ball in a tube.
///
/// Coordinates: travel along z \[m], then the three components of the rotation vector \[rad].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PointOnLine;

impl JointModel for PointOnLine {
    fn name(&self) -> &'static str {
        "point-on-line"
    }

    fn nearest(&self, joint: Frame) -> Frame {
        Frame { position: DVec3::Z * joint.position.z, ..joint }
    }

    fn held(&self, _: Frame, rows: &mut Rows) {
        rows.hold(DVec3::ZERO, DVec3::X);
        rows.hold(DVec3::ZERO, DVec3::Y);
    }

    fn coordinates(&self, joint: Frame, coordinates: &mut Coordinates) {
        coordinates.push(joint.position.z, DVec3::ZERO, DVec3::Z);
        Ball.coordinates(joint, coordinates);
    }
}
