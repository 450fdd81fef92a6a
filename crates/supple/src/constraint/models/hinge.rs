use glam::DVec3;

use crate::constraint::{Coordinates, Frame, JointModel, Rows};
use crate::spatial::swing_twist;

/// Turns about z, and nothing else.
///
/// Coordinate: the angle in (−π, π] \[rad].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hinge;

impl JointModel for Hinge {
    fn name(&self) -> &'static str {
        "hinge"
    }

    fn nearest(&self, joint: Frame) -> Frame {
        Frame { position: DVec3::ZERO, rotation: swing_twist::twist(joint.rotation) }
    }

    fn held(&self, _: Frame, rows: &mut Rows) {
        rows.hold_point();
        rows.hold(DVec3::X, DVec3::ZERO);
        rows.hold(DVec3::Y, DVec3::ZERO);
    }

    fn coordinates(&self, joint: Frame, coordinates: &mut Coordinates) {
        coordinates.push(swing_twist::twist_angle(joint.rotation), DVec3::Z, DVec3::ZERO);
    }
}
