use glam::DVec3;

/// A corner of a triangle in the image.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Corner {
    /// To the right and down from the image's upper left corner \[pixels].
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) depth: f64,
    /// The first column and row whose centres are not before it.
    pub(super) column: i32,
    pub(super) row: i32,
}

impl Corner {
    #[inline(always)]
    pub(super) fn new(at: DVec3) -> Self {
        Self { x: at.x, y: at.y, depth: at.z, column: first_centre(at.x), row: first_centre(at.y) }
    }
}

/// The first pixel whose centre is not before `x`.
#[inline(always)]
pub(super) fn first_centre(x: f64) -> i32 {
    (x - 0.5).ceil() as i32
}
