//! The ground: a half-space with a pattern, without end.

use glam::{DVec3, Vec3};
use supple::Pose;
use supple::view::Camera;

/// Colours of the tiles.
const LIGHT: Vec3 = Vec3::new(0.62, 0.63, 0.65);
const DARK: Vec3 = Vec3::new(0.44, 0.46, 0.50);

/// A half-space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground {
    pose: Pose,
}

/// A half-space in the coordinates of a camera.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) normal: DVec3,
    /// How far above the plane the camera is \[m].
    above: f64,
    /// Axes of the pattern, and where the camera is in it.
    axes: [DVec3; 2],
    at: [f64; 2],
}

impl Ground {
    pub(crate) fn new(pose: Pose) -> Self {
        Self { pose }
    }

    /// As a camera sees it; `None` from within.
    pub(crate) fn seen_by(&self, camera: &Camera) -> Option<Seen> {
        let axes = self.pose.rotation;
        let from = camera.position - self.pose.translation;
        let above = axes.z_axis.dot(from);
        let turned = |axis: DVec3| camera.axes() * axis;
        (above > 0.0 && above.is_finite()).then(|| Seen {
            normal: turned(axes.z_axis),
            above,
            axes: [turned(axes.x_axis), turned(axes.y_axis)],
            at: [axes.x_axis.dot(from), axes.y_axis.dot(from)],
        })
    }
}

impl Seen {
    /// How far ahead the line of sight meets it.
    pub(crate) fn meets(&self, from: DVec3, along: DVec3) -> Option<f64> {
        let down = -self.normal.dot(along);
        let ahead = (self.above + self.normal.dot(from)) / down;
        (down > 1e-9 && ahead > 0.0).then_some(ahead)
    }

    /// Its colour at a point, with tiles of this size, where a sample is so large; tiles smaller than samples are mixed.
    pub(crate) fn colour(&self, point: DVec3, tile: f64, sample: f64) -> Vec3 {
        let place = |i: usize| ((self.at[i] + self.axes[i].dot(point)) / tile).floor();
        let odd = (place(0) + place(1)).rem_euclid(2.0) >= 1.0;
        let contrast = (1.5 - 2.0 * sample / tile).clamp(0.0, 1.0) as f32;
        let middle = 0.5 * (LIGHT + DARK);
        middle.lerp(if odd { DARK } else { LIGHT }, contrast)
    }
}
