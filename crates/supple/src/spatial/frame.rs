use std::ops::Mul;

use glam::{DMat3, DQuat, DVec3};

use crate::spatial::{Pose, rotation};

/// A frame {x, q} as in Weinstein et al. (section III): where a joint, or one side of it, is. Products read as in the paper:
/// `{x₁, q₁} {x₂, q₂} = {x₁ + q₁[x₂], q₁ q₂}`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Position \[m].
    pub position: DVec3,
    /// Orientation, a unit quaternion.
    pub rotation: DQuat,
}

impl Default for Frame {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Frame {
    /// The frame itself.
    pub const IDENTITY: Self = Self { position: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// A frame from position \[m] and orientation; the quaternion is normalised.
    pub fn new(position: DVec3, rotation: DQuat) -> Self {
        Self { position, rotation: rotation.normalize() }
    }

    /// A frame at a point \[m], axes as in the parent.
    pub const fn at(position: DVec3) -> Self {
        Self { position, rotation: DQuat::IDENTITY }
    }

    /// A frame at a point \[m] whose z axis is along `axis` (which must not be zero): hinges and sliders act along z.
    pub fn with_z(position: DVec3, axis: DVec3) -> Self {
        Self { position, rotation: rotation::from_z_to(rotation::direction(axis)) }
    }

    /// The inverse frame.
    #[inline]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.conjugate();
        Self { position: -(rotation * self.position), rotation }
    }

    /// A point of this frame in the coordinates of its parent.
    #[inline]
    pub fn point(&self, x: DVec3) -> DVec3 {
        self.position + self.rotation * x
    }

    /// The frame as a pose.
    pub fn pose(&self) -> Pose {
        Pose { rotation: DMat3::from_quat(self.rotation), translation: self.position }
    }

    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.position.is_finite() && self.rotation.is_finite()
    }
}

impl Mul for Frame {
    type Output = Self;
    #[inline]
    fn mul(self, b: Self) -> Self {
        Self { position: self.point(b.position), rotation: self.rotation * b.rotation }
    }
}

impl From<Pose> for Frame {
    fn from(pose: Pose) -> Self {
        Self { position: pose.translation, rotation: pose.quat() }
    }
}

impl From<Frame> for Pose {
    fn from(frame: Frame) -> Self {
        frame.pose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poses_and_frames_are_the_same_place() {
        let frame = Frame::new(DVec3::new(1.0, -2.0, 0.5), rotation::exp(DVec3::new(0.3, -0.7, 1.1)));
        let pose: Pose = frame.into();
        let x = DVec3::new(0.2, 0.4, -0.9);
        assert!((pose.point(x) - frame.point(x)).length() < 1e-15);
        let back = Frame::from(pose);
        assert!(back.position == frame.position && back.rotation.dot(frame.rotation).abs() > 1.0 - 1e-15);
    }
}
