//! How much of an image a ball or a convex body covers: exactly, cut at the edges of the image and at the camera.

use std::f64::consts::{FRAC_PI_2, PI};

use glam::{DMat3, DVec2, DVec3};

use super::camera::{Camera, Projection};
use crate::spatial::math;

/// Nodes and weights of Gauss and Legendre's rule with 16 points, by symmetry half of them.
const GAUSS: [(f64, f64); 8] = [
    (0.095_012_509_837_637_44, 0.189_450_610_455_068_5),
    (0.281_603_550_779_258_9, 0.182_603_415_044_923_6),
    (0.458_016_777_657_227_4, 0.169_156_519_395_002_54),
    (0.617_876_244_402_643_7, 0.149_595_988_816_576_73),
    (0.755_404_408_355_003, 0.124_628_971_255_533_87),
    (0.865_631_202_387_831_7, 0.095_158_511_682_492_78),
    (0.944_575_023_073_232_6, 0.062_253_523_938_647_89),
    (0.989_400_934_991_649_9, 0.027_152_459_411_754_095),
];

/// Corners of a box by the signs of their coordinates, and its edges by the numbers of their corners.
const EDGES: [[usize; 2]; 12] =
    [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]];
/// Most corners of the outline of a box that the near plane has cut.
const MOST_POINTS: usize = 20;

/// A camera, ready to tell areas: its image as a rectangle about the origin of the plane at distance one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Image {
    axes: DMat3,
    eye: DVec3,
    near: f64,
    perspective: bool,
    /// Pixels per unit.
    scale: f64,
    /// Half of its width and height, units.
    half: DVec2,
}

impl Image {
    pub(crate) fn of(camera: &Camera) -> Self {
        let scale = camera.scale();
        Self {
            axes: camera.axes(),
            eye: camera.position,
            near: camera.near,
            perspective: matches!(camera.projection, Projection::Perspective { .. }),
            scale,
            half: 0.5 * DVec2::from(camera.viewport.map(f64::from)) / scale,
        }
    }

    /// All its pixels.
    pub(crate) fn whole(&self) -> f64 {
        4.0 * self.half.x * self.half.y * self.scale * self.scale
    }

    /// Whether any of a ball may be in the image: some balls beyond its corners count, too.
    pub(crate) fn sees(&self, center: DVec3, radius: f64) -> bool {
        let c = self.axes * (center - self.eye);
        let DVec2 { x, y } = self.half;
        if self.perspective {
            // beyond none of the planes through the eye and the edges
            let (right, up) = (radius * (1.0 + x * x).sqrt(), radius * (1.0 + y * y).sqrt());
            c.z + radius > 0.0 && c.x.abs() - x * c.z <= right && c.y.abs() - y * c.z <= up
        } else {
            c.z + radius > self.near && c.x.abs() <= x + radius && c.y.abs() <= y + radius
        }
    }

    /// Pixels that a ball covers.
    pub(crate) fn of_ball(&self, center: DVec3, radius: f64) -> f64 {
        let c = self.axes * (center - self.eye);
        let area = if self.perspective { self.seen_ball(c, radius) } else { self.flat_ball(c, radius) };
        area * self.scale * self.scale
    }

    /// Pixels that a ball would cover if the camera looked at it, no more than there are.
    pub(crate) fn of_ball_looked_at(&self, center: DVec3, radius: f64) -> f64 {
        let away = match self.perspective {
            true => (center - self.eye).length_squared() - radius * radius,
            false => 1.0,
        };
        let disk = PI * radius * radius * self.scale * self.scale;
        if away * self.whole() <= disk { self.whole() } else { disk / away }
    }

    /// A ball without perspective: a disk, or what the near plane leaves of it.
    fn flat_ball(&self, c: DVec3, radius: f64) -> f64 {
        let behind = (self.near - c.z).max(0.0);
        let squared = radius * radius - behind * behind;
        if squared <= 0.0 {
            return 0.0;
        }
        let (r, half) = (squared.sqrt(), self.half);
        if c.x.abs() + r <= half.x && c.y.abs() + r <= half.y {
            return PI * squared;
        }
        let mut breaks = Breaks::new(-half.x, half.x);
        breaks.add(c.x - r);
        breaks.add(c.x + r);
        for y in [-half.y, half.y] {
            let across = squared - (y - c.y) * (y - c.y);
            if across > 0.0 {
                breaks.add(c.x - across.sqrt());
                breaks.add(c.x + across.sqrt());
            }
        }
        breaks.integrate(half.y, |x| {
            let across = squared - (x - c.x) * (x - c.x);
            (across > 0.0).then(|| (c.y - across.sqrt(), c.y + across.sqrt()))
        })
    }

    /// A ball in perspective: the rays to it fill a cone `(d·c)² ≥ k d²`, `d·c > 0`, k = c² − r², of which `d = (x, y, 1)` is in the image.
    fn seen_ball(&self, c: DVec3, radius: f64) -> f64 {
        let (rr, half) = (radius * radius, self.half);
        let k = c.length_squared() - rr;
        if k <= 0.0 {
            // it holds the eye
            return 4.0 * half.x * half.y;
        }
        if c.z <= -radius {
            return 0.0;
        }
        let ahead = c.z * c.z - rr;
        if c.z > 0.0 && ahead > 0.0 {
            // an ellipse; where it begins and ends along x, and along y
            let reach = |along: f64| {
                let (mid, width) = (along * c.z / ahead, radius * (along * along + ahead).sqrt() / ahead);
                (mid - width, mid + width)
            };
            let ((x0, x1), (y0, y1)) = (reach(c.x), reach(c.y));
            if x1 <= -half.x || x0 >= half.x || y1 <= -half.y || y0 >= half.y {
                return 0.0;
            }
            if x0 >= -half.x && x1 <= half.x && y0 >= -half.y && y1 <= half.y {
                return PI * rr * k.sqrt() / (ahead * ahead.sqrt());
            }
        }
        // the coefficient of y²; where it is zero a rounding will do
        let a = match c.y * c.y - k {
            a if a.abs() < 1e-12 * k => 1e-12 * k,
            a => a,
        };
        let m = |x: f64| c.x * x + c.z;
        let mut breaks = Breaks::new(-half.x, half.x);
        // where the slice along y begins to be, and where it meets the lower and the upper edge
        breaks.add_roots(c.x * c.x + a, 2.0 * c.x * c.z, c.z * c.z + a);
        if c.x != 0.0 {
            breaks.add(-c.z / c.x);
        }
        for y in [-half.y, half.y] {
            let n = c.y * y + c.z;
            breaks.add_roots(c.x * c.x - k, 2.0 * c.x * n, n * n - k * (1.0 + y * y));
        }
        breaks.integrate(half.y, |x| {
            let m = m(x);
            let under = k * (m * m + a * (1.0 + x * x));
            let root = under.max(0.0).sqrt();
            let ends = ((-c.y * m - root) / a, (-c.y * m + root) / a);
            if a < 0.0 {
                // between the two, on the nappe ahead
                (under > 0.0 && m > 0.0).then_some((ends.1, ends.0))
            } else if c.y > 0.0 {
                Some((ends.1, f64::INFINITY))
            } else {
                Some((f64::NEG_INFINITY, ends.0))
            }
        })
    }

    /// Pixels that a box covers: `axes` are half its edges, in the world.
    pub(crate) fn of_box(&self, center: DVec3, axes: &DMat3) -> f64 {
        let c = self.axes * (center - self.eye);
        let half = self.axes * *axes;
        let mut corners = [DVec3::ZERO; 8];
        for (i, corner) in corners.iter_mut().enumerate() {
            let sign = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
            *corner = c + sign(0) * half.x_axis + sign(1) * half.y_axis + sign(2) * half.z_axis;
        }
        let mut points = Polygon::default();
        let project = |p: DVec3| if self.perspective { p.truncate() / p.z } else { p.truncate() };
        for corner in corners.iter().filter(|p| p.z >= self.near) {
            points.push(project(*corner));
        }
        if points.count < 8 {
            for [i, j] in EDGES {
                let (p, q) = (corners[i], corners[j]);
                if (p.z < self.near) != (q.z < self.near) {
                    let mut at = p.lerp(q, (self.near - p.z) / (q.z - p.z));
                    at.z = self.near;
                    points.push(project(at));
                }
            }
        }
        points.hull().clipped(self.half).area() * self.scale * self.scale
    }
}

/// Where the bounds of a region of the plane change their kind along x.
struct Breaks {
    x: [f64; 9],
    count: usize,
    ends: (f64, f64),
}

impl Breaks {
    fn new(from: f64, to: f64) -> Self {
        let mut x = [0.0; 9];
        (x[0], x[1]) = (from, to);
        Self { x, count: 2, ends: (from, to) }
    }

    fn add(&mut self, x: f64) {
        if x > self.ends.0 && x < self.ends.1 {
            self.x[self.count] = x;
            self.count += 1;
        }
    }

    /// Roots of a x² + b x + c.
    fn add_roots(&mut self, a: f64, b: f64, c: f64) {
        let under = b * b - 4.0 * a * c;
        if under < 0.0 {
            return;
        }
        // without cancellation
        let q = -0.5 * (b + under.sqrt().copysign(b));
        self.add(q / a);
        self.add(c / q);
    }

    /// Area of the region whose slice along y at x is `slice(x)`, within −half … half. Bounds are smooth between breaks, at which they may be
    /// as steep as a root.
    fn integrate(mut self, half: f64, slice: impl Fn(f64) -> Option<(f64, f64)>) -> f64 {
        let breaks = &mut self.x[..self.count];
        breaks.sort_unstable_by(f64::total_cmp);
        let height = |x| match slice(x) {
            Some((low, high)) => (high.min(half) - low.max(-half)).max(0.0),
            None => 0.0,
        };
        let mut area = 0.0;
        for pair in breaks.windows(2) {
            let (mid, width) = (0.5 * (pair[0] + pair[1]), 0.5 * (pair[1] - pair[0]));
            if !(width > 0.0) {
                continue;
            }
            // x = mid + width sin t makes roots at the ends smooth
            for (node, weight) in GAUSS {
                let (sin, cos) = math::sin_cos(FRAC_PI_2 * node);
                area += FRAC_PI_2
                    * weight
                    * width
                    * cos
                    * (height(mid + width * sin) + height(mid - width * sin));
            }
        }
        area
    }
}

/// Points of the plane: of a convex polygon in order, once it is a hull.
#[derive(Clone, Copy)]
struct Polygon {
    points: [DVec2; MOST_POINTS + 4],
    count: usize,
}

impl Default for Polygon {
    fn default() -> Self {
        Self { points: [DVec2::ZERO; MOST_POINTS + 4], count: 0 }
    }
}

impl Polygon {
    fn push(&mut self, point: DVec2) {
        self.points[self.count] = point;
        self.count += 1;
    }

    /// Andrew's monotone chain.
    fn hull(mut self) -> Self {
        let points = &mut self.points[..self.count];
        points.sort_unstable_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
        let mut hull = Self::default();
        let mut wrap = |points: &mut dyn Iterator<Item = DVec2>| {
            let start = hull.count;
            for p in points {
                while hull.count >= start + 2 {
                    let (a, b) = (hull.points[hull.count - 2], hull.points[hull.count - 1]);
                    if (b - a).perp_dot(p - b) > 0.0 {
                        break;
                    }
                    hull.count -= 1;
                }
                hull.push(p);
            }
            // the last point begins the other half
            hull.count = hull.count.saturating_sub(1);
        };
        wrap(&mut points.iter().copied());
        wrap(&mut points.iter().rev().copied());
        hull
    }

    /// What is within the rectangle −half … half (Sutherland and Hodgman).
    fn clipped(mut self, half: DVec2) -> Self {
        let sides = [(DVec2::X, half.x), (DVec2::NEG_X, half.x), (DVec2::Y, half.y), (DVec2::NEG_Y, half.y)];
        for (normal, most) in sides {
            if self.points[..self.count].iter().all(|p| p.dot(normal) <= most) {
                continue;
            }
            let mut kept = Self::default();
            for i in 0..self.count {
                let (p, q) = (self.points[i], self.points[(i + 1) % self.count]);
                let (over_p, over_q) = (p.dot(normal) - most, q.dot(normal) - most);
                if over_p <= 0.0 {
                    kept.push(p);
                }
                if (over_p <= 0.0) != (over_q <= 0.0) {
                    kept.push(p.lerp(q, over_p / (over_p - over_q)));
                }
            }
            self = kept;
        }
        self
    }

    fn area(&self) -> f64 {
        let at = |i: usize| self.points[i % self.count];
        0.5 * (0..self.count).map(|i| at(i).perp_dot(at(i + 1))).sum::<f64>().abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shares of the image whose rays meet something, by counting 1000 × 1000 of them.
    fn counted(camera: &Camera, meets: impl Fn(DVec3, DVec3) -> bool) -> f64 {
        const N: usize = 1000;
        let image = Image::of(camera);
        let mut hits = 0;
        for i in 0..N * N {
            let at = |i: usize| (i as f64 + 0.5) / N as f64 * 2.0 - 1.0;
            let p = DVec2::new(at(i % N), at(i / N)) * image.half;
            let (from, way) = match camera.projection {
                Projection::Perspective { .. } => (DVec3::ZERO, p.extend(1.0)),
                Projection::Orthographic { .. } => (p.extend(0.0), DVec3::Z),
            };
            hits += usize::from(meets(from + image.near * way, way));
        }
        hits as f64 / (N * N) as f64 * image.whole()
    }

    fn numbers(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 33) as f64 / f64::from(1_u32 << 31)
    }

    #[test]
    fn areas_of_balls_are_those_of_counted_rays() {
        let mut seed = 7;
        let (mut cut, mut around) = (0, 0);
        for i in 0..60 {
            let mut next = |a: f64, b: f64| a + (b - a) * numbers(&mut seed);
            let mut camera = Camera::look_at(DVec3::ZERO, DVec3::Y, DVec3::Z).pixels(200, 100);
            camera.near = 1e-6;
            if i % 3 == 0 {
                camera = camera.orthographic(3.0);
            }
            let c = DVec3::new(next(-3.0, 3.0), next(-2.0, 2.0), next(-1.0, 4.0));
            let radius = next(0.1, 2.5);
            let image = Image::of(&camera);
            let center = camera.axes().transpose() * c;
            let exact = image.of_ball(center, radius);
            let meets = |from: DVec3, way: DVec3| {
                let to = c - from;
                let along = to.dot(way) / way.length();
                let off = to.length_squared() - along * along;
                let deep = radius * radius - off;
                deep >= 0.0 && along + deep.sqrt() >= 0.0
            };
            let rough = counted(&camera, meets);
            assert!(image.sees(center, radius) || exact == 0.0);
            cut += usize::from(exact > 0.0 && exact < image.whole());
            around += usize::from(c.z.abs() < radius && c.length() > radius && exact > 0.0);
            assert!((exact - rough).abs() < 2e-3 * image.whole(), "{c} {radius}: {exact} {rough}");
        }
        assert!(cut > 15 && around > 5, "{cut} {around}");
    }

    #[test]
    fn the_closed_form_of_an_ellipse_is_what_slices_add_up_to() {
        let camera = Camera::look_at(DVec3::ZERO, DVec3::Y, DVec3::Z).pixels(2000, 1000);
        let image = Image::of(&camera);
        let (c, r) = (DVec3::new(0.3, 0.2, 3.0), 0.4);
        let whole = image.seen_ball(c, r);
        // a hair of the ellipse is cut
        let ahead = c.z * c.z - r * r;
        let right = (c.x * c.z + r * (c.x * c.x + ahead).sqrt()) / ahead;
        let cut = Image { half: DVec2::new(right * (1.0 - 1e-12), image.half.y), ..image };
        assert!((cut.seen_ball(c, r) - whole).abs() < 1e-9 * whole);
    }

    #[test]
    fn areas_of_boxes_are_those_of_counted_rays() {
        let mut seed = 11;
        let mut cut = 0;
        for i in 0..40 {
            let mut next = |a: f64, b: f64| a + (b - a) * numbers(&mut seed);
            let mut camera = Camera::look_at(DVec3::ZERO, DVec3::Y, DVec3::Z).pixels(200, 100);
            if i % 3 == 0 {
                camera = camera.orthographic(3.0);
            }
            let c = DVec3::new(next(-3.0, 3.0), next(-2.0, 2.0), next(-1.0, 4.0));
            let turn =
                glam::DQuat::from_euler(glam::EulerRot::XYZ, next(0.0, 6.0), next(0.0, 6.0), next(0.0, 6.0));
            let half = DVec3::new(next(0.1, 1.5), next(0.1, 1.5), next(0.1, 1.5));
            let axes = DMat3::from_quat(turn);
            let image = Image::of(&camera);
            let to_world = camera.axes().transpose();
            let exact = image.of_box(to_world * c, &(to_world * axes * DMat3::from_diagonal(half)));
            let meets = |from: DVec3, way: DVec3| {
                let (o, d) = (axes.transpose() * (from - c), axes.transpose() * way);
                let (a, b) = ((-half - o) / d, (half - o) / d);
                a.min(b).max_element().max(0.0) <= a.max(b).min_element()
            };
            let rough = counted(&camera, meets);
            cut += usize::from(exact > 0.0 && exact < image.whole());
            assert!((exact - rough).abs() < 2e-3 * image.whole(), "{c} {half}: {exact} {rough}");
        }
        assert!(cut > 10, "{cut}");
    }
}
