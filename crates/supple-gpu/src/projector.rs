use glam::{DVec3, DVec4};
use supple::Pose;
use supple::view::{Camera, Item, Level, Projection};

/// Numbers of an item for the graphics processor: four rows that take a corner (x, y, z, 1) to clip space, as bits, and its id.
pub(crate) type Instance = [u32; 17];

/// Makes them.
pub(crate) struct Projector {
    camera: Camera,
    coarseness: f64,
    /// Pixels of the image.
    pub(crate) size: [u32; 2],
    /// Clip space per unit to the right and up, and where the line of sight goes through the image.
    scale: [f64; 2],
    shift: [f64; 2],
    /// What is farthest \[m].
    far: f64,
}

impl Projector {
    /// For an image with one pixel for `coarseness`² of the camera's.
    pub(crate) fn new(camera: &Camera, coarseness: u32, items: &[Item<'_>]) -> Self {
        let size = camera.viewport.map(|n| n.div_ceil(coarseness));
        // pixels of the camera that the image spans: more than it has, where they cannot be divided
        let span = size.map(|n| f64::from(n * coarseness));
        let scale = span.map(|n| 2.0 * camera.scale() / n);
        let right = f64::from(camera.viewport[0]) / span[0] - 1.0;
        let up = 1.0 - f64::from(camera.viewport[1]) / span[1];
        let ahead = camera.axes().row(2);
        let depth =
            |i: &Item<'_>| ahead.dot(i.pose.point(i.mesh.centre()) - camera.position) + i.mesh.radius();
        // space to spare, for the rounding of what is farthest
        let far = camera.near + 1.001 * (items.iter().map(depth).fold(0.0, f64::max) - camera.near).max(1.0);
        Self { camera: *camera, coarseness: f64::from(coarseness), size, scale, shift: [right, up], far }
    }

    /// The surface of an item, as fine as it is seen.
    pub(crate) fn level<'a>(&self, item: &Item<'a>) -> &'a Level {
        let centre = item.pose.point(item.mesh.centre());
        let pixels = self.camera.pixels_per_metre(centre, item.mesh.radius());
        item.mesh.level(pixels / self.coarseness)
    }

    /// The numbers of an item. Depth is 1 at the near plane and less beyond.
    pub(crate) fn instance(&self, item: &Item<'_>) -> Instance {
        let axes = self.camera.axes();
        let view = Pose {
            rotation: axes * item.pose.rotation,
            translation: axes * (item.pose.translation - self.camera.position),
        };
        let row = |axis: DVec3| (view.rotation.transpose() * axis).extend(view.translation.dot(axis));
        let [right, up, ahead] = [row(DVec3::X), row(DVec3::Y), row(DVec3::Z)];
        let (depth, w) = match self.camera.projection {
            Projection::Perspective { .. } => (DVec4::W * self.camera.near, ahead),
            Projection::Orthographic { .. } => {
                ((DVec4::W * self.far - ahead) / (self.far - self.camera.near), DVec4::W)
            }
        };
        let x = self.scale[0] * right + self.shift[0] * w;
        let y = self.scale[1] * up + self.shift[1] * w;
        let mut instance = [item.id; 17];
        for (to, row) in instance.chunks_mut(4).zip([x, y, depth, w]) {
            to.copy_from_slice(&row.as_vec4().to_array().map(f32::to_bits));
        }
        instance
    }
}
