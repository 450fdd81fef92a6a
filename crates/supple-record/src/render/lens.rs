//! From the world to samples of an image.

use glam::{DMat3, DVec2, DVec3, Mat3, Vec3};
use rayon::prelude::*;
use supple::view::{Camera, Projection};

use super::Prop;
use super::looks::Looks;

/// How a camera sees: coordinates are to the right, up and ahead.
#[derive(Clone, Debug)]
pub(crate) struct Lens {
    camera: Camera,
    axes: DMat3,
    /// Samples per unit of x/z, y/z, or per metre.
    pub(crate) scale: f64,
    /// Samples of the image.
    pub(crate) size: [usize; 2],
    pub(crate) perspective: bool,
    pub(crate) near: f64,
    /// Half of the least thickness of things \[samples].
    thinnest: f64,
}

/// Things become no more than so many times as thick, to be seen.
const THICKER: f64 = 30.0;

/// Something that may be seen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    /// Takes points of the look to the camera's coordinates.
    pub(crate) rotation: Mat3,
    pub(crate) translation: Vec3,
    pub(crate) look: u32,
    pub(crate) level: u32,
    pub(crate) colour: Vec3,
    /// The ball about it.
    pub(crate) centre: DVec3,
    pub(crate) radius: f64,
    /// How far its surface is moved outwards \[m].
    pub(crate) grow: f32,
}

impl Lens {
    /// Of a camera, with so many samples per pixel in each direction.
    pub(crate) fn new(camera: &Camera, samples: u32) -> Self {
        let perspective = matches!(camera.projection, Projection::Perspective { .. });
        Self {
            camera: *camera,
            axes: camera.axes(),
            scale: camera.scale() * f64::from(samples),
            size: camera.viewport.map(|n| (n * samples) as usize),
            perspective,
            near: if perspective { camera.near } else { -1e9 },
            thinnest: 0.0,
        }
    }

    /// The same, with nothing thinner than this \[pixels].
    pub(crate) fn thinnest(mut self, pixels: f64) -> Self {
        let samples = self.size[0] as f64 / f64::from(self.camera.viewport[0]);
        self.thinnest = 0.5 * samples * pixels.max(0.0);
        self
    }

    /// A point of the world.
    pub(crate) fn to_view(&self, point: DVec3) -> DVec3 {
        self.axes * (point - self.camera.position)
    }

    /// A direction of the world.
    pub(crate) fn turned(&self, direction: DVec3) -> DVec3 {
        self.axes * direction
    }

    /// A point in the world.
    pub(crate) fn to_world(&self, view: DVec3) -> DVec3 {
        self.camera.position + self.axes.transpose() * view
    }

    /// Rotation from the camera's axes to those of the world.
    pub(crate) fn world_axes(&self) -> DMat3 {
        self.axes.transpose()
    }

    /// Where a point in front of the camera is among the samples.
    pub(crate) fn project(&self, view: DVec3) -> DVec2 {
        let scale = if self.perspective { self.scale / view.z } else { self.scale };
        let [width, height] = self.size.map(|n| 0.5 * n as f64);
        DVec2::new(width + scale * view.x, height - scale * view.y)
    }

    /// Greater where things are nearer, and linear in the image.
    pub(crate) fn depth(&self, ahead: f64) -> f64 {
        if self.perspective { 1.0 / ahead } else { -ahead }
    }

    /// How far ahead something of this depth is.
    pub(crate) fn ahead(&self, depth: f64) -> f64 {
        if self.perspective { 1.0 / depth } else { -depth }
    }

    /// The line of sight through a sample: where it begins, and where it goes, by one metre ahead.
    pub(crate) fn ray(&self, x: f64, y: f64) -> (DVec3, DVec3) {
        let [width, height] = self.size.map(|n| 0.5 * n as f64);
        let at = DVec3::new((x - width) / self.scale, (height - y) / self.scale, 0.0);
        if self.perspective { (DVec3::ZERO, at + DVec3::Z) } else { (at, DVec3::Z) }
    }

    /// What may be seen, at the level that it takes.
    pub(crate) fn items(&self, props: &[Prop], looks: &Looks) -> Vec<Item> {
        props.par_iter().with_min_len(256).filter_map(|prop| self.item(prop, looks)).collect()
    }

    fn item(&self, prop: &Prop, looks: &Looks) -> Option<Item> {
        let look = &looks.looks[prop.look as usize];
        let centre = self.to_view(prop.pose.point(look.mesh.centre()));
        let radius = look.mesh.radius();
        let nearest = centre.z - radius;
        let scale = if self.perspective { self.scale / nearest.max(self.near) } else { self.scale };
        if !self.sees(centre, radius) {
            return None;
        }
        let level = look.mesh.level(scale).index().min(look.levels.len() - 1) as u32;
        let [low, high] = look.mesh.finest().bounds();
        let thin = 0.5 * (high - low).min_element();
        let samples = if self.perspective { self.scale / centre.z.max(self.near) } else { self.scale };
        let grow = (self.thinnest / samples - thin).clamp(0.0, THICKER * thin.max(0.0));
        let rotation = self.axes * prop.pose.rotation;
        Some(Item {
            rotation: rotation.as_mat3(),
            translation: self.to_view(prop.pose.translation).as_vec3(),
            look: prop.look,
            level,
            colour: prop.colour,
            centre,
            radius,
            grow: grow as f32,
        })
    }

    /// Whether some of a ball may be in the image.
    fn sees(&self, centre: DVec3, radius: f64) -> bool {
        let half = DVec2::new(self.size[0] as f64, self.size[1] as f64) / (2.0 * self.scale);
        if self.perspective {
            let beside = |across: f64, half: f64| {
                (across.abs() - half * centre.z) > radius * (1.0 + half * half).sqrt()
            };
            centre.z > self.near - radius && !beside(centre.x, half.x) && !beside(centre.y, half.y)
        } else {
            centre.x.abs() - radius < half.x && centre.y.abs() - radius < half.y
        }
    }
}
