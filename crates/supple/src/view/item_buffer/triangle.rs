//! One triangle, row after row.

use super::corner::Corner;
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
    /// Where it begins, from the centre of the first pixel.
    x: f64,
    y: f64,
    slope: f64,
}

impl Edge {
    #[inline(always)]
    fn new(top: Corner, bottom: Corner) -> Self {
        Self { x: top.x - 0.5, y: top.y - 0.5, slope: (bottom.x - top.x) / (bottom.y - top.y) }
    }

    /// First pixel of a row that is not left of it.
    #[inline(always)]
    fn pixel(&self, row: f64) -> f64 {
        (self.x + (row - self.y) * self.slope).ceil()
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
        let (left, right) = (f64::from(left), f64::from(right));
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
                let y = f64::from(row);
                let (one, other) = (long.pixel(y), short.pixel(y));
                let (x0, x1) = if to_right { (one, other) } else { (other, one) };
                let (x0, x1) = (greater(x0, left), lesser(x1, right));
                if x0 < x1 {
                    self.span(row, x0, x1, &plane);
                }
            }
        }
    }

    /// Draws pixels of a row; columns are whole numbers.
    #[inline(always)]
    fn span(&mut self, row: i32, x0: f64, x1: f64, plane: &Plane) {
        let start = (row - self.rect.y0 as i32) as usize * self.rect.width();
        let (first, last) = (whole(x0) - self.rect.x0 as usize, whole(x1) - self.rect.x0 as usize);
        let depths = &mut self.depths[start + first..start + last];
        let (first, step) = (plane.at(x0, f64::from(row)) as f32, plane.across as f32);
        let mut k = 0.0;
        for depth in depths {
            let d = lesser(greater(first + step * k, plane.least), plane.greatest);
            *depth = greater(*depth, d);
            k += 1.0;
        }
    }
}

/// The greater of two that are numbers, in one instruction: `max` also has to find what is not.
#[inline(always)]
fn greater<T: PartialOrd>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

/// The lesser of two.
#[inline(always)]
fn lesser<T: PartialOrd>(a: T, b: T) -> T {
    if a < b { a } else { b }
}

/// A whole number from 0 to 2³¹ as such, without a look at whether it is one: the last bits of 2⁵² + x are x.
#[inline(always)]
fn whole(x: f64) -> usize {
    (x + 4_503_599_627_370_496.0).to_bits() as u32 as usize
}

/// Twice the area of a triangle, negative for what runs counter-clockwise, as y points down.
#[inline(always)]
fn area(a: &Corner, b: &Corner, c: &Corner) -> f64 {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}

/// Depth over the image, in which it is linear.
struct Plane {
    /// Of a corner, from the centre of the first pixel.
    x: f64,
    y: f64,
    depth: f64,
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
            x: a.x - 0.5,
            y: a.y - 0.5,
            depth: a.depth,
            across: (u * (c.y - a.y) - v * (b.y - a.y)) * inverse,
            down: (v * (b.x - a.x) - u * (c.x - a.x)) * inverse,
            least: lesser(a.depth, lesser(b.depth, c.depth)) as f32,
            greatest: greater(a.depth, greater(b.depth, c.depth)) as f32,
        }
    }

    /// At the centre of a pixel.
    #[inline(always)]
    fn at(&self, x: f64, y: f64) -> f64 {
        self.depth + (x - self.x) * self.across + (y - self.y) * self.down
    }
}
