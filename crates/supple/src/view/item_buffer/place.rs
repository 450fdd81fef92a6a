use glam::DVec3;

use super::Item;
use super::corner::first_centre;
use super::lens::Lens;
use super::rect::{LANES, Rect};
use crate::spatial::Pose;

/// More than the rounding of coordinates \[pixels], which have up to five digits before the point, and sixteen in all: a rectangle is never too
/// small. Where it is too large, it costs a row or a column.
const ROUNDING: f64 = 1e-6;
/// Edges of a box, by the bits of its corners.
const EDGES: [[usize; 2]; 12] =
    [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]];

/// Where an item is in the image, and its sprite in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    mesh: u64,
    pose: Pose,
    pub(super) id: u32,
    /// All pixels that it can reach.
    pub(super) rect: Rect,
    /// Whether the near plane may cut it.
    pub(super) cut: bool,
    pub(super) at: usize,
    pub(super) room: usize,
}

impl Place {
    pub(super) fn new(lens: &Lens, item: &Item<'_>) -> Self {
        let (rect, cut) = reach(lens, item);
        Self { mesh: item.mesh.number(), pose: item.pose, id: item.id, rect, cut, at: 0, room: 0 }
    }

    /// Whether an item is the same as when this was made.
    pub(super) fn is_of(&self, item: &Item<'_>) -> bool {
        self.mesh == item.mesh.number() && self.id == item.id && self.pose == item.pose
    }

    /// Takes room from `end` on, unless there is enough. Some is left over, for something that comes nearer.
    pub(super) fn move_to(&mut self, end: &mut usize) {
        let area = self.rect.area();
        if self.room < area {
            (self.at, self.room) = (*end, (area + area / 4).next_multiple_of(16));
            *end += self.room;
        }
    }
}

/// The rectangle of what a mesh's box can cover, and whether the near plane cuts the box.
fn reach(lens: &Lens, item: &Item<'_>) -> (Rect, bool) {
    let pose = lens.pose(&item.pose);
    if !lens.sees(pose.point(item.mesh.centre()), item.mesh.radius()) {
        return (Rect::default(), false);
    }
    let bounds = lens.level(&pose, item).bounds();
    let corner = |k: usize| DVec3::new(bounds[k & 1].x, bounds[k >> 1 & 1].y, bounds[k >> 2].z);
    let corners: [DVec3; 8] = std::array::from_fn(|k| pose.point(corner(k)));
    let (mut lower, mut upper) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let mut add = |p: DVec3| {
        let c = if lens.perspective { lens.corner::<true>(p) } else { lens.corner::<false>(p) };
        (lower, upper) = (lower.min(c), upper.max(c));
    };
    let mut cut = false;
    for c in corners {
        if c.z >= lens.near {
            add(c);
        } else {
            cut = true;
        }
    }
    if cut {
        for [a, b] in EDGES.map(|e| e.map(|k| corners[k])) {
            if (a.z >= lens.near) != (b.z >= lens.near) {
                let t = (lens.near - a.z) / (b.z - a.z);
                let p = a + t * (b - a);
                add(p.with_z(lens.near));
            }
        }
    }
    let range = |lower: f64, upper: f64, most: u32| {
        let pixel = |x| first_centre(x).clamp(0, most as i32) as u32;
        (pixel(lower - ROUNDING), pixel(upper + ROUNDING))
    };
    let (x0, x1) = range(lower.x, upper.x, lens.size[0]);
    let (y0, y1) = range(lower.y, upper.y, lens.size[1]);
    let rect = Rect { x0, x1, y0, y1 };
    let is_empty = rect.is_empty();
    // whole lanes, but at the right edge of the image
    let rect = Rect { x0: x0 - x0 % LANES, x1: x1.next_multiple_of(LANES).min(lens.size[0]), ..rect };
    (if is_empty { Rect::default() } else { rect }, cut)
}
