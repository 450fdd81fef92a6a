//! Shadows: what the light sees.

use glam::{DVec3, Mat3, Vec3};
use supple::view::Camera;

use super::Prop;
use super::lens::{Item, Lens};
use super::looks::Looks;
use super::raster::Raster;
use super::shade::Scenery;

/// Samples of the shadow map in each direction.
const SIDE: u32 = 2048;
/// Taps about a point, in samples: edges become soft.
const TAPS: [(f32, f32); 5] = [(0.0, 0.0), (0.9, 0.35), (-0.35, 0.9), (-0.9, -0.35), (0.35, -0.9)];

/// Depths as the light sees them.
#[derive(Debug, Default)]
pub(crate) struct Shadow {
    lens: Option<Lens>,
    raster: Raster,
}

/// The same from the coordinates of a camera.
#[derive(Debug)]
pub(crate) struct Seen<'a> {
    raster: &'a Raster,
    rotation: Mat3,
    translation: Vec3,
    /// Samples per metre.
    scale: f32,
}

impl Shadow {
    pub(crate) fn clear(&mut self) {
        self.lens = None;
    }

    /// Looks from the light at all that is seen from the camera, but for what is far behind.
    pub(crate) fn cast(
        &mut self,
        scenery: &Scenery,
        lens: &Lens,
        items: &[Item],
        props: &[Prop],
        looks: &Looks,
    ) {
        let Some((centre, radius)) = bounds(items) else { return };
        // in steps, so that edges of shadows do not flicker as things move
        let radius = 2f64.powf((2.0 * radius.log2()).ceil() / 2.0);
        let side = |direction: DVec3| {
            let grid = radius / 64.0;
            direction * ((direction.dot(lens.to_world(centre)) / grid).round() * grid)
        };
        let light = scenery.light;
        let (x, y) = light.any_orthonormal_pair();
        let centre = side(light) + side(x) + side(y);
        let camera = Camera::look_at(centre + light, centre, x).orthographic(2.2 * radius).pixels(SIDE, SIDE);
        if camera.check().is_err() {
            return;
        }
        let lens = Lens::new(&camera, 1);
        self.raster.draw(&lens, &lens.items(props, looks), looks);
        self.lens = Some(lens);
    }

    /// For shading in the coordinates of a camera.
    pub(crate) fn seen_by(&self, from: &Lens, camera: &Camera) -> Option<Seen<'_>> {
        let lens = self.lens.as_ref()?;
        let axis = |i: DVec3| lens.turned(from.world_axes() * i).as_vec3();
        Some(Seen {
            raster: &self.raster,
            rotation: Mat3::from_cols(axis(DVec3::X), axis(DVec3::Y), axis(DVec3::Z)),
            translation: lens.to_view(camera.position).as_vec3(),
            scale: lens.scale as f32,
        })
    }
}

impl Seen<'_> {
    /// How much light comes to a point with this normal, from 0 to 1.
    pub(crate) fn light(&self, point: Vec3, normal: Vec3) -> f32 {
        // a sample and a half off the surface, so that it does not shade itself
        let at = self.rotation * (point + normal * (1.5 / self.scale)) + self.translation;
        let [width, height] = self.raster.size;
        let (x, y) = (0.5 * width as f32 + self.scale * at.x, 0.5 * height as f32 - self.scale * at.y);
        let depth = -at.z + 1.0 / self.scale;
        let lit = TAPS.iter().filter(|(dx, dy)| {
            let (x, y) = (x + dx, y + dy);
            let inside = x >= 0.0 && y >= 0.0 && (x as usize) < width && (y as usize) < height;
            !inside || self.raster.depths[y as usize * width + x as usize] <= depth
        });
        lit.count() as f32 / TAPS.len() as f32
    }
}

/// A ball about items, but for those that are much farther than most.
fn bounds(items: &[Item]) -> Option<(DVec3, f64)> {
    let mut distances: Vec<f64> = items.iter().map(|item| item.centre.length()).collect();
    let middle = distances.len() / 2;
    let (_, median, _) =
        (!distances.is_empty()).then(|| distances.select_nth_unstable_by(middle, f64::total_cmp))?;
    let most = 2.5 * *median;
    let near = || items.iter().filter(|item| item.centre.length() <= most);
    let low = near().map(|item| item.centre - item.radius).reduce(DVec3::min)?;
    let high = near().map(|item| item.centre + item.radius).reduce(DVec3::max)?;
    Some((0.5 * (low + high), 0.5 * (high - low).length().max(1e-6)))
}
