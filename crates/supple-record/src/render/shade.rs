//! Colours of samples: light, shadow, sky, fog.

use glam::{DVec3, Vec3};
use rayon::prelude::*;
use supple::view::Camera;

use super::ground;
use super::lens::{Item, Lens};
use super::looks::Looks;
use super::raster::Raster;
use super::shadow;
use crate::Image;

/// Light from the sun, the sky and the ground.
const SUN: Vec3 = Vec3::new(1.02, 0.97, 0.88);
const SKY: Vec3 = Vec3::new(0.50, 0.55, 0.63);
const BOUNCE: Vec3 = Vec3::new(0.26, 0.25, 0.24);
/// Colours of the sky: overhead and at the horizon.
const ZENITH: Vec3 = Vec3::new(0.36, 0.52, 0.75);
const HORIZON: Vec3 = Vec3::new(0.80, 0.85, 0.90);

/// What a scene is in: stays as it is from image to image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scenery {
    /// To the light.
    pub(crate) light: DVec3,
    up: DVec3,
    /// Where fog has taken most of the contrast \[m].
    fog: f64,
    /// Edge of a tile of the ground \[m].
    tile: f64,
}

impl Scenery {
    /// For a scene that is first seen so: the light comes over the left shoulder.
    pub(crate) fn new(camera: &Camera, up: DVec3, lens: &Lens, items: &[Item]) -> Self {
        let axes = lens.world_axes();
        let level = |axis: DVec3| (axis - up * up.dot(axis)).normalize_or(up.any_orthonormal_vector());
        let (right, back) = (level(axes.x_axis), level(-axes.z_axis));
        let light = (1.0 * up - 0.5 * right + 0.55 * back).normalize();
        let mut spans: Vec<f64> = items.iter().map(|item| item.centre.length() + item.radius).collect();
        spans.sort_by(f64::total_cmp);
        let middle = spans.get(spans.len() / 2).copied().unwrap_or(10.0).max(camera.near);
        let far = spans.last().copied().unwrap_or(10.0);
        // tiles of 1, 2 or 5 and zeros
        let wanted = middle / 7.0;
        let power = 10f64.powf(wanted.log10().floor());
        let tile = [1.0, 2.0, 5.0].into_iter().rfind(|n| n * power <= wanted).unwrap_or(1.0) * power;
        Self { light, up, fog: (5.0 * middle).max(1.5 * far), tile }
    }

    /// In the coordinates of a camera.
    pub(crate) fn seen_by(&self, camera: &Camera) -> Self {
        let axes = camera.axes();
        Self { light: axes * self.light, up: axes * self.up, ..*self }
    }

    fn sky(&self, along: DVec3) -> Vec3 {
        let height = self.up.dot(along.normalize_or_zero()) as f32;
        HORIZON.lerp(ZENITH, height.max(0.0).sqrt() * 0.6)
    }

    /// What is left of a colour behind so much air.
    fn fogged(&self, colour: Vec3, distance: f64) -> Vec3 {
        let x = (distance / self.fog) as f32;
        HORIZON.lerp(colour, (-x * x).exp())
    }
}

/// All that it takes to know colours.
pub(crate) struct Stage<'a> {
    pub(crate) lens: &'a Lens,
    pub(crate) items: &'a [Item],
    pub(crate) looks: &'a Looks,
    pub(crate) raster: &'a Raster,
    pub(crate) shadow: Option<shadow::Seen<'a>>,
    pub(crate) scenery: Scenery,
    pub(crate) grounds: Vec<ground::Seen>,
    pub(crate) samples: u32,
}

impl Stage<'_> {
    /// Colours all pixels.
    pub(crate) fn shade(&self, image: &mut Image) {
        let row = 3 * image.size[0] as usize;
        image.pixels.par_chunks_mut(row).enumerate().for_each(|(y, pixels)| {
            for (x, pixel) in pixels.chunks_exact_mut(3).enumerate() {
                pixel.copy_from_slice(&self.pixel(x, y));
            }
        });
    }

    fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        let n = self.samples as usize;
        let mut sum = Vec3::ZERO;
        for i in 0..n * n {
            sum += self.sample(x * n + i % n, y * n + i / n);
        }
        (sum / (n * n) as f32).to_array().map(encode)
    }

    fn sample(&self, x: usize, y: usize) -> Vec3 {
        let sample = y * self.lens.size[0] + x;
        let (from, along) = self.lens.ray(x as f64 + 0.5, y as f64 + 0.5);
        let face = self.raster.face(sample);
        let nearest = face.map_or(f64::INFINITY, |_| self.lens.ahead(f64::from(self.raster.depths[sample])));
        let meets = |ground: &ground::Seen| ground.meets(from, along);
        let ground = self.grounds.iter().filter_map(|g| meets(g).map(|ahead| (ahead, g)));
        let ground = ground.min_by(|a, b| a.0.total_cmp(&b.0)).filter(|(ahead, _)| *ahead < nearest);
        if let Some((ahead, ground)) = ground {
            let point = from + ahead * along;
            let size = if self.lens.perspective { ahead } else { 1.0 } / self.lens.scale;
            // seen from the side, a sample is longer
            let size = size / ground.normal.dot(along.normalize()).abs().max(1e-3).sqrt();
            let colour = ground.colour(point, self.scenery.tile, size);
            let normal = ground.normal.as_vec3();
            return self.scenery.fogged(self.lit(colour, point.as_vec3(), normal, 0.0), point.length());
        }
        let Some(face) = face else { return self.scenery.sky(along) };
        let point = (from + nearest * along).as_vec3();
        let item = &self.items[face.item as usize];
        let towards = -along.normalize().as_vec3();
        let normal = self.normal(item, face.triangle, point);
        let normal = if normal.dot(towards) < 0.0 { -normal } else { normal };
        let rim = (1.0 - normal.dot(towards)).clamp(0.0, 1.0).powi(3);
        self.scenery.fogged(self.lit(item.colour, point, normal, rim), f64::from(point.length()))
    }

    /// The colour of a surface in this light.
    fn lit(&self, colour: Vec3, point: Vec3, normal: Vec3, rim: f32) -> Vec3 {
        let facing = normal.dot(self.scenery.light.as_vec3()).max(0.0);
        let sun = match &self.shadow {
            Some(shadow) if facing > 0.0 => facing * shadow.light(point, normal),
            _ => facing,
        };
        let above = 0.5 + 0.5 * normal.dot(self.scenery.up.as_vec3());
        colour * (sun * SUN + BOUNCE.lerp(SKY, above)) + 0.12 * rim * SKY
    }

    /// The normal at a point of a triangle, between those of its corners.
    fn normal(&self, item: &Item, triangle: u32, point: Vec3) -> Vec3 {
        let surface = &self.looks.looks[item.look as usize].levels[item.level as usize];
        let corners = surface.triangles[triangle as usize];
        let [a, b, c] = corners.map(|i| surface.positions[i as usize]);
        let p = item.rotation.transpose() * (point - item.translation);
        let face = (b - a).cross(c - a);
        let size = face.length_squared();
        let share_b = (p - a).cross(c - a).dot(face) / size;
        let share_c = (b - a).cross(p - a).dot(face) / size;
        let [na, nb, nc] = corners.map(|i| surface.normals[i as usize]);
        let mixed = na * (1.0 - share_b - share_c) + nb * share_b + nc * share_c;
        item.rotation * mixed.normalize_or(na)
    }
}

/// Light as a number of a file (sRGB).
fn encode(light: f32) -> u8 {
    let light = light.clamp(0.0, 1.0);
    let value = if light <= 0.003_130_8 { 12.92 * light } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 };
    (255.0 * value + 0.5) as u8
}
