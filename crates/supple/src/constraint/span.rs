use glam::{DMat3, DQuat, DVec3};

use super::Rows;

/// At most three directions, orthonormal: those along which an impulse may act.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Span {
    basis: [DVec3; 3],
    count: usize,
}

impl Span {
    /// No direction.
    pub const NONE: Self = Self { basis: [DVec3::ZERO; 3], count: 0 };
    /// All of space.
    pub const ALL: Self = Self { basis: DVec3::AXES, count: 3 };

    /// What the directions span. Those that depend on earlier ones add nothing.
    pub fn new(directions: impl IntoIterator<Item = DVec3>) -> Self {
        /// Sine of the angle below which two directions are the same one.
        const SAME: f64 = 1e-6;
        let mut span = Self::default();
        for direction in directions {
            let mut left = direction;
            // twice is enough
            for _ in 0..2 {
                for b in &span.basis[..span.count] {
                    left -= *b * b.dot(left);
                }
            }
            if span.count < 3 && left.length() > SAME * direction.length() {
                span.basis[span.count] = left.normalize();
                span.count += 1;
            }
        }
        span
    }

    /// The linear and the angular directions that rows hold, in the axes that `rotation` turns theirs to. A row that has both
    /// counts as linear; a limit counts from where it is reached.
    pub fn of_rows(rows: &Rows, rotation: DQuat) -> (Self, Self) {
        let active = || rows.iter().filter(|r| r.excess.is_none_or(|e| e >= 0.0)).map(|r| r.direction);
        let linear = active().filter(|d| d.linear != DVec3::ZERO).map(|d| rotation * d.linear);
        let angular = active().filter(|d| d.linear == DVec3::ZERO).map(|d| rotation * d.angular);
        (Self::new(linear), Self::new(angular))
    }

    /// The directions as columns, zeros for those that are missing.
    pub(super) fn matrix(&self) -> DMat3 {
        DMat3::from_cols(self.basis[0], self.basis[1], self.basis[2])
    }

    /// Components along the directions; zeros for those that are missing.
    pub fn components(&self, v: DVec3) -> DVec3 {
        self.matrix().transpose() * v
    }

    /// The vector with these components.
    pub fn vector(&self, components: DVec3) -> DVec3 {
        self.matrix() * components
    }
}

impl std::ops::Deref for Span {
    type Target = [DVec3];
    fn deref(&self) -> &[DVec3] {
        &self.basis[..self.count]
    }
}
