//! The depths of one item, in the rectangle that it can reach.

use std::cell::RefCell;

use glam::DVec3;

use super::Item;
use super::corner::Corner;
use super::lens::Lens;
use super::place::Place;
use super::triangle::Sprite;

/// Fewest items that a thread draws. Chosen: they take some 60 µs (1,600 capsules at 640 × 480 took 6.3 ms); the image does not depend on it.
const FEW: usize = 16;

/// What a thread needs to draw the item at hand.
#[derive(Default)]
struct Scratch {
    points: Vec<DVec3>,
    corners: Vec<Corner>,
    kept: Vec<[u32; 3]>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// What sprites are drawn of.
#[derive(Clone, Copy)]
pub(super) struct Drawing<'a> {
    pub(super) lens: &'a Lens,
    pub(super) items: &'a [Item<'a>],
    /// Where the sprite of each item is, in the image and in memory.
    pub(super) places: &'a [Place],
    /// Whether threads share the work.
    pub(super) parallel: bool,
}

impl Drawing<'_> {
    /// Draws the sprites of the items in `list`, which lie one behind the other in `sprites`, the memory from `first` on.
    pub(super) fn draw(self, list: &[u32], sprites: &mut [f32], first: usize) {
        let Self { lens, items, places, parallel } = self;
        if parallel && list.len() > FEW {
            let (left, right) = list.split_at(list.len() / 2);
            let middle = places[right[0] as usize].at;
            let (lower, upper) = sprites.split_at_mut(middle - first);
            rayon::join(|| self.draw(left, lower, first), || self.draw(right, upper, middle));
            return;
        }
        SCRATCH.with_borrow_mut(|scratch| {
            for i in list {
                let (place, item) = (&places[*i as usize], &items[*i as usize]);
                let memory = &mut sprites[place.at - first..][..place.rect.area()];
                memory.fill(f32::NEG_INFINITY);
                let mut sprite = Sprite::new(place.rect, memory, item.mesh.is_closed());
                match (lens.perspective, place.cut) {
                    (true, false) => whole::<true>(lens, item, scratch, &mut sprite),
                    (false, false) => whole::<false>(lens, item, scratch, &mut sprite),
                    (true, true) => cut::<true>(lens, item, scratch, &mut sprite),
                    (false, true) => cut::<false>(lens, item, scratch, &mut sprite),
                }
            }
        });
    }
}

/// An item that is in front of the near plane.
fn whole<const PERSPECTIVE: bool>(
    lens: &Lens,
    item: &Item<'_>,
    scratch: &mut Scratch,
    sprite: &mut Sprite<'_>,
) {
    let pose = lens.pose(&item.pose);
    let level = lens.level(&pose, item);
    let Scratch { corners, kept, .. } = scratch;
    let image = |c: &DVec3| Corner::new(lens.corner::<PERSPECTIVE>(pose.point(*c)));
    corners.clear();
    corners.extend(level.corners().iter().map(image));
    // Most triangles of things far away show their back or have no pixel. No branch on it: it could not be foreseen.
    let triangles = level.triangles();
    kept.resize(triangles.len().max(kept.len()), [0; 3]);
    let mut count = 0;
    for t in triangles {
        kept[count] = *t;
        count += usize::from(sprite.may_show(t.map(|c| &corners[c as usize])));
    }
    for t in &kept[..count] {
        sprite.triangle(t.map(|c| corners[c as usize]));
    }
}

/// An item through which the near plane may go.
fn cut<const PERSPECTIVE: bool>(
    lens: &Lens,
    item: &Item<'_>,
    scratch: &mut Scratch,
    sprite: &mut Sprite<'_>,
) {
    let pose = lens.pose(&item.pose);
    let level = lens.level(&pose, item);
    let points = &mut scratch.points;
    points.clear();
    points.extend(level.corners().iter().map(|c| pose.point(*c)));
    for t in level.triangles() {
        let (polygon, n) = beyond(t.map(|c| points[c as usize]), lens.near);
        let polygon = polygon.map(|p| Corner::new(lens.corner::<PERSPECTIVE>(p)));
        for k in 2..n {
            let triangle = [polygon[0], polygon[k - 1], polygon[k]];
            if sprite.may_show(triangle.each_ref()) {
                sprite.triangle(triangle);
            }
        }
    }
}

/// What of a triangle is beyond the near plane: up to four corners, and how many.
fn beyond(triangle: [DVec3; 3], near: f64) -> ([DVec3; 4], usize) {
    let mut polygon = [DVec3::Z; 4];
    let mut n = 0;
    let mut add = |p| {
        polygon[n] = p;
        n += 1;
    };
    for k in 0..3 {
        let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
        if a.z >= near {
            add(a);
        }
        if (a.z >= near) != (b.z >= near) {
            // from the near side always, so that both triangles of an edge get the same point
            let (a, b) = if a.z < near { (a, b) } else { (b, a) };
            add((a + ((near - a.z) / (b.z - a.z)) * (b - a)).with_z(near));
        }
    }
    (polygon, n)
}
