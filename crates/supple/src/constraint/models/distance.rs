use glam::DVec3;

use crate::constraint::{Coordinates, Frame, JointModel, Rows};
use crate::spatial::rotation;

/// The two joint points stay at a distance, as if tied by a light rod. Points that coincide are taken apart along z.
///
/// No coordinates: a sphere has none that are good everywhere. For length zero use a [`Ball`](super::Ball).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// Length of the rod, positive \[m].
    pub length: f64,
}

/// The two joint points stay within a distance, as if tied by a light rope that may be slack.
///
/// Coordinate: the distance \[m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rope {
    /// Length of the rope \[m].
    pub longest: f64,
}

/// The direction of the rod or rope, from the parent's point to the child's.
fn outward(position: DVec3) -> DVec3 {
    rotation::direction_or(position, DVec3::Z)
}

/// How fast that direction turns \[1/m].
fn bend(joint: Frame) -> f64 {
    let length = joint.position.length();
    if length > 0.0 { 1.0 / length } else { 0.0 }
}

impl JointModel for Distance {
    fn name(&self) -> &'static str {
        "distance"
    }

    fn length(&self) -> Option<f64> {
        Some(self.length)
    }

    fn nearest(&self, joint: Frame) -> Frame {
        Frame { position: outward(joint.position) * self.length, ..joint }
    }

    fn held(&self, joint: Frame, rows: &mut Rows) {
        rows.hold(DVec3::ZERO, outward(joint.position));
    }

    fn bend(&self, joint: Frame) -> f64 {
        bend(joint)
    }
}

impl JointModel for Rope {
    fn name(&self) -> &'static str {
        "rope"
    }

    fn length(&self) -> Option<f64> {
        Some(self.longest)
    }

    fn nearest(&self, joint: Frame) -> Frame {
        if joint.position.length() <= self.longest {
            return joint;
        }
        Frame { position: outward(joint.position) * self.longest, ..joint }
    }

    fn held(&self, joint: Frame, rows: &mut Rows) {
        rows.limit(DVec3::ZERO, outward(joint.position), joint.position.length() - self.longest);
    }

    fn bend(&self, joint: Frame) -> f64 {
        bend(joint)
    }

    fn coordinates(&self, joint: Frame, coordinates: &mut Coordinates) {
        coordinates.push(joint.position.length(), DVec3::ZERO, outward(joint.position));
    }
}
