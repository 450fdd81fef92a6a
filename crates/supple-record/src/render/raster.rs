//! The nearest triangle at every sample.

use glam::{DVec2, DVec3, Vec3};
use rayon::prelude::*;

use super::lens::{Item, Lens};
use super::looks::Looks;

/// Rows of samples that a thread draws at a time.
const ROWS: usize = 16;
/// What samples show where nothing is.
pub(crate) const NOTHING: u32 = u32::MAX;

/// A triangle in the image.
#[derive(Clone, Copy, Debug)]
struct Flat {
    corners: [DVec2; 3],
    depths: [f64; 3],
    /// Samples from and to, the last not included.
    low: [u32; 2],
    high: [u32; 2],
    face: Face,
}

/// A triangle of an item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face {
    pub(crate) item: u32,
    pub(crate) triangle: u32,
}

/// Depths and faces of samples, row after row from the top.
#[derive(Debug, Default)]
pub(crate) struct Raster {
    pub(crate) size: [usize; 2],
    pub(crate) depths: Vec<f32>,
    /// Places in `faces`.
    pub(crate) shown: Vec<u32>,
    flats: Vec<Flat>,
    bands: Vec<Vec<u32>>,
}

impl Raster {
    /// Draws items.
    pub(crate) fn draw(&mut self, lens: &Lens, items: &[Item], looks: &Looks) {
        self.size = lens.size;
        let [width, height] = self.size;
        self.depths.clear();
        self.depths.resize(width * height, f32::NEG_INFINITY);
        self.shown.clear();
        self.shown.resize(width * height, NOTHING);
        self.flats.clear();
        let flats = items.par_iter().enumerate().with_min_len(32);
        self.flats.par_extend(flats.flat_map_iter(|(i, item)| flatten(i as u32, item, lens, looks)));
        self.bands.resize(height.div_ceil(ROWS), Vec::new());
        self.bands.iter_mut().for_each(Vec::clear);
        for (i, flat) in self.flats.iter().enumerate() {
            let (first, last) = (flat.low[1] as usize / ROWS, (flat.high[1] as usize - 1) / ROWS);
            self.bands[first..=last].iter_mut().for_each(|band| band.push(i as u32));
        }
        let Self { depths, shown, flats, bands, .. } = self;
        let rows = depths.par_chunks_mut(ROWS * width).zip(shown.par_chunks_mut(ROWS * width));
        rows.zip(bands.par_iter()).enumerate().for_each(|(b, ((depths, shown), band))| {
            for &i in band {
                fill(&flats[i as usize], i, b * ROWS, width, depths, shown);
            }
        });
    }

    /// The face at a sample.
    pub(crate) fn face(&self, sample: usize) -> Option<Face> {
        self.flats.get(self.shown[sample] as usize).map(|flat| flat.face)
    }
}

/// Triangles of an item that cover some sample, cut at the near plane.
fn flatten(number: u32, item: &Item, lens: &Lens, looks: &Looks) -> Vec<Flat> {
    let look = &looks.looks[item.look as usize];
    let surface = &look.levels[item.level as usize];
    let corner =
        |(p, n): (&Vec3, &Vec3)| (item.rotation * (*p + *n * item.grow) + item.translation).as_dvec3();
    let view: Vec<DVec3> = surface.positions.iter().zip(&surface.normals).map(corner).collect();
    let mut flats = Vec::new();
    for (t, triangle) in surface.triangles.iter().enumerate() {
        let corners = triangle.map(|c| view[c as usize]);
        let face = Face { item: number, triangle: t as u32 };
        let mut add = |corners: [DVec3; 3]| flats.extend(flat(corners, lens, look.mesh.is_closed(), face));
        if corners.iter().all(|c| c.z >= lens.near) {
            add(corners);
        } else {
            let (cut, count) = cut(corners, lens.near);
            (2..count).for_each(|i| add([cut[0], cut[i - 1], cut[i]]));
        }
    }
    flats
}

/// The part of a triangle that is not nearer than this: up to four corners.
fn cut(corners: [DVec3; 3], near: f64) -> ([DVec3; 4], usize) {
    let (mut kept, mut count) = ([DVec3::ZERO; 4], 0);
    for i in 0..3 {
        let (a, b) = (corners[i], corners[(i + 1) % 3]);
        if a.z >= near {
            kept[count] = a;
            count += 1;
        }
        if (a.z >= near) != (b.z >= near) {
            kept[count] = a + (b - a) * ((near - a.z) / (b.z - a.z));
            kept[count].z = near;
            count += 1;
        }
    }
    (kept, count)
}

/// A triangle in the image; `None` where it shows its back, or covers no sample.
fn flat(view: [DVec3; 3], lens: &Lens, closed: bool, face: Face) -> Option<Flat> {
    let mut corners = view.map(|c| lens.project(c));
    let mut depths = view.map(|c| lens.depth(c.z));
    let area = (corners[1] - corners[0]).perp_dot(corners[2] - corners[0]);
    // counter-clockwise, with y down
    if area == 0.0 || !area.is_finite() || (closed && area > 0.0) {
        return None;
    }
    if area < 0.0 {
        corners.swap(1, 2);
        depths.swap(1, 2);
    }
    let [low, high] =
        [corners[0].min(corners[1]).min(corners[2]), corners[0].max(corners[1]).max(corners[2])];
    // samples are in the middle of their squares
    let first = |x: f64| (x - 0.5).ceil().max(0.0) as u32;
    let end = |x: f64, most: usize| ((x - 0.5).floor() + 1.0).clamp(0.0, most as f64) as u32;
    let low = [first(low.x), first(low.y)];
    let high = [end(high.x, lens.size[0]), end(high.y, lens.size[1])];
    (low[0] < high[0] && low[1] < high[1]).then_some(Flat { corners, depths, low, high, face })
}

/// Draws a triangle into the rows of a band; of equal depths the first triangle is seen.
fn fill(flat: &Flat, number: u32, row: usize, width: usize, depths: &mut [f32], shown: &mut [u32]) {
    let [a, b, c] = flat.corners;
    let area = (b - a).perp_dot(c - a);
    // shares of b and c, and the depth, are linear in the image
    let share = |from: DVec2, to: DVec2| {
        let along = (to - from) / area;
        move |p: DVec2| along.perp_dot(p - from)
    };
    let (of_b, of_c) = (share(c, a), share(a, b));
    let first = (flat.low[1] as usize).max(row);
    let last = (flat.high[1] as usize).min(row + depths.len() / width);
    for y in first..last {
        let begin = (y - row) * width;
        let at = |x: usize| DVec2::new(x as f64 + 0.5, y as f64 + 0.5);
        let p = at(flat.low[0] as usize);
        let (mut share_b, mut share_c) = (of_b(p), of_c(p));
        let step = DVec2::X + p;
        let (step_b, step_c) = (of_b(step) - share_b, of_c(step) - share_c);
        for x in flat.low[0] as usize..flat.high[0] as usize {
            if share_b >= 0.0 && share_c >= 0.0 && share_b + share_c <= 1.0 {
                let depth = flat.depths[0]
                    + share_b * (flat.depths[1] - flat.depths[0])
                    + share_c * (flat.depths[2] - flat.depths[0]);
                let depth = depth as f32;
                if depth > depths[begin + x] {
                    depths[begin + x] = depth;
                    shown[begin + x] = number;
                }
            }
            share_b += step_b;
            share_c += step_c;
        }
    }
}
