use glam::DVec3;

use crate::constraint::{Coordinates, Frame, JointModel, Rows};
use crate::spatial::swing_twist;

/// Slides along z and turns about it: a ring on a rod.
///
/// Coordinates: travel \[m], then angle in (−π, π] \[rad].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cylindrical;

impl JointModel for Cylindrical {
    fn name(&self) -> &'static str {
        "cylindrical"
    }

    fn nearest(&self, joint: Frame) -> Frame {
        Frame { position: DVec3::Z * joint.position.z, rotation: swing_twist::twist(joint.rotation) }
    }

    fn held(&self, _: Frame, rows: &mut Rows) {
        for axis in [DVec3::X, DVec3::Y] {
            rows.hold(DVec3::ZERO, axis);
        }
        for axis in [DVec3::X, DVec3::Y] {
            rows.hold(axis, DVec3::ZERO);
        }
    }

    fn coordinates(&self, joint: Frame, coordinates: &mut Coordinates) {
        coordinates.push(joint.position.z, DVec3::ZERO, DVec3::Z);
        coordinates.push(swing_twist::twist_angle(joint.rotation), DVec3::Z, DVec3::ZERO);
    }
}
