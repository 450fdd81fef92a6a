use glam::DVec3;

use crate::constraint::{Coordinates, Frame, JointModel, Rows};
use crate::spatial::swing_twist;

/// The child's xy-plane stays in the parent's: slides along x and y, turns about z. Faure's plane-to-plane joint, and
/// the magnets of Weinstein et al.
///
/// Coordinates: travel along x and y \[m], then angle in (−π, π] \[rad].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlaneToPlane;

impl JointModel for PlaneToPlane {
    fn name(&self) -> &'static str {
        "plane-to-plane"
    }

    fn nearest(&self, joint: Frame) -> Frame {
        Frame { position: DVec3 { z: 0.0, ..joint.position }, rotation: swing_twist::twist(joint.rotation) }
    }

    fn held(&self, _: Frame, rows: &mut Rows) {
        rows.hold(DVec3::ZERO, DVec3::Z);
        rows.hold(DVec3::X, DVec3::ZERO);
        rows.hold(DVec3::Y, DVec3::ZERO);
    }

    fn coordinates(&self, joint: Frame, coordinates: &mut Coordinates) {
        coordinates.push(joint.position.x, DVec3::ZERO, DVec3::X);
        coordinates.push(joint.position.y, DVec3::ZERO, DVec3::Y);
        coordinates.push(swing_twist::twist_angle(joint.rotation), DVec3::Z, DVec3::ZERO);
    }
}
