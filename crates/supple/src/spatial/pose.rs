use std::ops::Mul;

use glam::{DMat3, DQuat, DVec3};

use super::{Force, Motion};

/// Where one frame stands in another: `x_parent = rotation * x_child + translation`.
///
/// Names read `parent_from_child`, so that neighbours cancel in products.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Rotation matrix, child axes in parent axes.
    pub rotation: DMat3,
    /// Origin of the child in the parent \[m].
    pub translation: DVec3,
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Pose {
    /// The pose of a frame in itself.
    pub const IDENTITY: Self = Self { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

    /// A pose from translation \[m] and rotation; the quaternion is normalised.
    pub fn new(translation: DVec3, rotation: DQuat) -> Self {
        Self { rotation: DMat3::from_quat(rotation.normalize()), translation }
    }

    /// A pure translation \[m].
    pub const fn from_translation(translation: DVec3) -> Self {
        Self { rotation: DMat3::IDENTITY, translation }
    }

    /// A pose from coordinates \[m], axes as in the parent.
    pub const fn from_xyz(x: f64, y: f64, z: f64) -> Self {
        Self::from_translation(DVec3::new(x, y, z))
    }

    /// A pure rotation; the quaternion is normalised.
    pub fn from_rotation(rotation: DQuat) -> Self {
        Self::new(DVec3::ZERO, rotation)
    }

    /// The rotation as a unit quaternion.
    pub fn quat(&self) -> DQuat {
        DQuat::from_mat3(&self.rotation).normalize()
    }

    /// `child_from_parent`, if this is `parent_from_child`.
    #[inline]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self { rotation, translation: -(rotation * self.translation) }
    }

    /// A point of the child in the coordinates of the parent.
    #[inline(always)]
    pub fn point(&self, x: DVec3) -> DVec3 {
        self.rotation * x + self.translation
    }

    /// A motion at the child's origin, in child axes, taken to the parent's origin and axes.
    #[inline]
    pub fn motion(&self, v: Motion) -> Motion {
        Motion::new(self.rotation * v.angular, self.rotation * v.linear).at(-self.translation)
    }

    /// A force about the child's origin, in child axes, taken to the parent's origin and axes.
    #[inline]
    pub fn force(&self, f: Force) -> Force {
        Force::new(self.rotation * f.angular, self.rotation * f.linear).about(self.translation)
    }

    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.rotation.is_finite() && self.translation.is_finite()
    }
}

impl Mul for Pose {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Self { rotation: self.rotation * b.rotation, translation: self.point(b.translation) }
    }
}
