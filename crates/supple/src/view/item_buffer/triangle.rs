//! One triangle, row after row.

use super::corner::{Corner, first_centre};
use super::rect::Rect;

/// Depths in a rectangle of the image.
pub(super) struct Sprite<'a> {
    rect: Rect,
    depths: &'a mut [f32],
    /// Whether only triangles that run counter-clockwise are drawn.
    front: bool,
}

/// An edge of a triangle that goes down in the image. Both triangles of an edge have the same, to the bit, so that a pixel is on one side
/// of it or on the other: they leave no crack.
struct Edge {
    top: Corner,
    slope: f64,
}

impl Edge {
    #[inline(always)]
    fn new(top: Corner, bottom: Corner) -> Self {
        Self { top, slope: (bottom.x - top.x) / (bottom.y - top.y) }
    }

    /// First pixel that is not left of it, where rows have their centre.
    #[inline(always)]
    fn pixel(&self, y: f64) -> i32 {
        first_centre(self.top.x + (y - self.top.y) * self.slope)
    }
}

impl<'a> Sprite<'a> {
    pub(super) fn new(rect: Rect, depths: &'a mut [f32], front: bool) -> Self {
        Self { rect, depths, front }
    }

    /// Whether a triangle shows its front (where that matters) and there is a pixel between its least and greatest coordinates.
    #[inline(always)]
    pub(super) fn may_show(&self, [a, b, c]: [&Corner; 3]) -> bool {
        let area = area(a, b, c);
        let shown = (area < 0.0) | ((area > 0.0) & !self.front);
        let columns = (a.column != b.column) | (b.column != c.column);
        let rows = (a.row != b.row) | (b.row != c.row);
        shown & columns & rows
    }

    /// Draws a triangle: pixels whose centre is inside, on its left or on its upper edge.
    #[inline]
    pub(super) fn triangle(&mut self, [a, b, c]: [Corner; 3]) {
        let left = a.column.min(b.column).min(c.column).max(self.rect.x0 as i32);
        let right = a.column.max(b.column).max(c.column).min(self.rect.x1 as i32);
        let plane = Plane::new(&a, &b, &c);
        // from top to bottom, again without a branch
        let mut sorted = [Corner::default(); 3];
        sorted[usize::from(b.y < a.y) + usize::from(c.y < a.y)] = a;
        sorted[usize::from(a.y <= b.y) + usize::from(c.y < b.y)] = b;
        sorted[usize::from(a.y <= c.y) + usize::from(b.y <= c.y)] = c;
        let [top, middle, bottom] = sorted;
        let first = top.row.max(self.rect.y0 as i32);
        let last = bottom.row.min(self.rect.y1 as i32);
        let turn = middle.row.clamp(first, last.max(first));
        let long = Edge::new(top, bottom);
        let to_right = (bottom.x - top.x) * (middle.y - top.y) < (bottom.y - top.y) * (middle.x - top.x);
        for (rows, from, to) in [(first..turn, top, middle), (turn..last, middle, bottom)] {
            if rows.is_empty() {
                continue;
            }
            let short = Edge::new(from, to);
            for row in rows {
                let y = f64::from(row) + 0.5;
                let (one, other) = (long.pixel(y), short.pixel(y));
                let (x0, x1) = if to_right { (one, other) } else { (other, one) };
                let (x0, x1) = (x0.max(left), x1.min(right));
                if x0 < x1 {
                    self.span(row, x0, x1, &plane);
                }
            }
        }
    }

    #[inline(always)]
    fn span(&mut self, row: i32, x0: i32, x1: i32, plane: &Plane) {
        let start = (row - self.rect.y0 as i32) as usize * self.rect.width();
        let x = (x0 - self.rect.x0 as i32) as usize;
        let depths = &mut self.depths[start + x..][..(x1 - x0) as usize];
        let first = plane.at(f64::from(x0) + 0.5, f64::from(row) + 0.5);
        let (first, step) = (first as f32, plane.across as f32);
        for (k, depth) in depths.iter_mut().enumerate() {
            let d = (first + step * k as f32).max(plane.least).min(plane.greatest);
            *depth = if d > *depth { d } else { *depth };
        }
    }
}

/// Twice the area of a triangle, negative for what runs counter-clockwise, as y points down.
#[inline(always)]
fn area(a: &Corner, b: &Corner, c: &Corner) -> f64 {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}

/// Depth over the image, in which it is linear.
struct Plane {
    origin: Corner,
    across: f64,
    down: f64,
    least: f32,
    greatest: f32,
}

impl Plane {
    #[inline(always)]
    fn new(a: &Corner, b: &Corner, c: &Corner) -> Self {
        let inverse = 1.0 / area(a, b, c);
        let (u, v) = (b.depth - a.depth, c.depth - a.depth);
        Self {
            origin: *a,
            across: (u * (c.y - a.y) - v * (b.y - a.y)) * inverse,
            down: (v * (b.x - a.x) - u * (c.x - a.x)) * inverse,
            least: a.depth.min(b.depth).min(c.depth) as f32,
            greatest: a.depth.max(b.depth).max(c.depth) as f32,
        }
    }

    #[inline(always)]
    fn at(&self, x: f64, y: f64) -> f64 {
        self.origin.depth + (x - self.origin.x) * self.across + (y - self.origin.y) * self.down
    }
}
