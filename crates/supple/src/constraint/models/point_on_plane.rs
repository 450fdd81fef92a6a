use glam::DVec3;

use super::Ball;
use crate::constraint::{Coordinates, Frame, JointModel, Rows};

/// The child's joint point stays on the parent's xy-plane, rotation is free: Faure's smooth surface contact.
///
/// Coordinates: travel along x and y \[m], then the three components of the rotation vector \[rad].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PointOnPlane;

impl JointModel for PointOnPlane {
    fn name(&self) -> &'static str {
        "point-on-plane"
    }

    fn nearest(&self, joint: Frame) -> Frame {
        Frame { position: DVec3 { z: 0.0, ..joint.position }, ..joint }
    }

    fn held(&self, _: Frame, rows: &mut Rows) {
        rows.hold(DVec3::ZERO, DVec3::Z);
    }

    fn coordinates(&self, joint: Frame, coordinates: &mut Coordinates) {
        coordinates.push(joint.position.x, DVec3::ZERO, DVec3::X);
        coordinates.push(joint.position.y, DVec3::ZERO, DVec3::Y);
        Ball.coordinates(joint, coordinates);
    }
}
