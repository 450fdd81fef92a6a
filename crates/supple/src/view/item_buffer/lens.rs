use glam::{DMat3, DVec3};

use crate::spatial::Pose;
use crate::view::{Camera, Item, Level, Projection};

/// Farthest from the image's corner that a coordinate may be \[pixels]. Chosen far outside of any image, and with squares that stay finite: what is
/// in the plane of the camera has none.
const FARTHEST: f64 = 1e12;

/// A camera as the inner loops want it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lens {
    /// Rows: right and down in pixels (per unit of x/z, or per metre), ahead \[m].
    axes: DMat3,
    position: DVec3,
    /// Pixels per unit of x/z, or per metre.
    scale: f64,
    /// Middle of the image \[pixels].
    middle: [f64; 2],
    pub(super) size: [u32; 2],
    pub(super) near: f64,
    pub(super) perspective: bool,
    /// Lengths of the normals of the planes through the eye and the sides of the image.
    slant: [f64; 2],
}

impl Lens {
    /// That of a camera, for an image with one pixel for `coarseness`² of its own.
    pub(super) fn new(camera: &Camera, coarseness: u32) -> Self {
        let scale = camera.scale() / f64::from(coarseness);
        let axes = DMat3::from_diagonal(DVec3::new(scale, -scale, 1.0)) * camera.axes();
        let middle = camera.viewport.map(|n| 0.5 * f64::from(n) / f64::from(coarseness));
        let perspective = matches!(camera.projection, Projection::Perspective { .. });
        let slant = if perspective { middle.map(|m| (m * m + scale * scale).sqrt()) } else { [scale, scale] };
        let size = camera.viewport.map(|n| n.div_ceil(coarseness));
        Self { axes, position: camera.position, scale, middle, size, near: camera.near, perspective, slant }
    }

    /// Takes points of a mesh to what [`Lens::corner`] takes.
    pub(super) fn pose(&self, world_from_mesh: &Pose) -> Pose {
        Pose {
            rotation: self.axes * world_from_mesh.rotation,
            translation: self.axes * (world_from_mesh.translation - self.position),
        }
    }

    /// Where a point in front of the near plane is in the image, and its depth.
    #[inline(always)]
    pub(super) fn corner<const PERSPECTIVE: bool>(&self, p: DVec3) -> DVec3 {
        let [x, y] = self.middle;
        if PERSPECTIVE {
            let inverse = 1.0 / p.z;
            let bound = |x: f64| x.clamp(-FARTHEST, FARTHEST);
            DVec3::new(bound(x + p.x * inverse), bound(y + p.y * inverse), inverse)
        } else {
            DVec3::new(x + p.x, y + p.y, -p.z)
        }
    }

    /// The surface of an item that is at [`Lens::pose`], as fine as it is seen.
    pub(super) fn level<'a>(&self, pose: &Pose, item: &Item<'a>) -> &'a Level {
        let nearest = pose.point(item.mesh.centre()).z - item.mesh.radius();
        item.mesh.level(if self.perspective { self.scale / nearest.max(self.near) } else { self.scale })
    }

    /// Whether a ball can be seen.
    pub(super) fn sees(&self, centre: DVec3, radius: f64) -> bool {
        if centre.z + radius < self.near {
            return false;
        }
        let depth = if self.perspective { centre.z } else { 1.0 };
        let inside = |x: f64, middle: f64, slant: f64| x.abs() - middle * depth <= radius * slant;
        inside(centre.x, self.middle[0], self.slant[0]) && inside(centre.y, self.middle[1], self.slant[1])
    }
}
