use glam::{DQuat, DVec3};

use crate::constraint::{Coordinates, Frame, JointModel, Rows};

/// Slides along those of the three axes that are free; rotation is held.
///
/// Coordinates: the travel along each free axis \[m], in the order x, y, z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prismatic {
    /// Whether the child slides along x, y, z.
    pub free: [bool; 3],
}

impl Prismatic {
    /// Slides along z only: a drawer, a piston.
    pub const Z: Self = Self { free: [false, false, true] };
    /// Slides along x and y: a table on rails.
    pub const XY: Self = Self { free: [true, true, false] };
    /// Goes anywhere without turning.
    pub const XYZ: Self = Self { free: [true; 3] };
}

impl JointModel for Prismatic {
    fn name(&self) -> &'static str {
        "prismatic"
    }

    fn slides(&self) -> Option<[bool; 3]> {
        Some(self.free)
    }

    fn nearest(&self, joint: Frame) -> Frame {
        let mut position = joint.position;
        for i in 0..3 {
            if !self.free[i] {
                position[i] = 0.0;
            }
        }
        Frame { position, rotation: DQuat::IDENTITY }
    }

    fn held(&self, _: Frame, rows: &mut Rows) {
        for (axis, free) in DVec3::AXES.into_iter().zip(self.free) {
            if !free {
                rows.hold(DVec3::ZERO, axis);
            }
        }
        rows.hold_rotation();
    }

    fn coordinates(&self, joint: Frame, coordinates: &mut Coordinates) {
        for (axis, free) in DVec3::AXES.into_iter().zip(self.free) {
            if free {
                coordinates.push(joint.position.dot(axis), DVec3::ZERO, axis);
            }
        }
    }
}
