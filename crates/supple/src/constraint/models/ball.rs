use glam::DVec3;

use crate::constraint::{Coordinates, Frame, JointModel, Rows};
use crate::spatial::rotation;

/// The two joint points coincide, rotation is free: a ball in its socket, Weinstein's point constraint, Faure's
/// "universal" joint. To a body that the mouse moves, it is the mouse.
///
/// Coordinates: the three components of the rotation vector \[rad].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ball;

impl JointModel for Ball {
    fn name(&self) -> &'static str {
        "ball"
    }

    fn is_point(&self) -> bool {
        true
    }

    fn nearest(&self, joint: Frame) -> Frame {
        Frame { position: DVec3::ZERO, ..joint }
    }

    fn held(&self, _: Frame, rows: &mut Rows) {
        rows.hold_point();
    }

    fn coordinates(&self, joint: Frame, coordinates: &mut Coordinates) {
        let v = rotation::log(joint.rotation);
        let rates = rotation::log_derivative(v);
        for i in 0..3 {
            coordinates.push(v[i], rates.row(i), DVec3::ZERO);
        }
    }
}
