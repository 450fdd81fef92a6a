use std::sync::atomic::{AtomicU64, Ordering};

use glam::DVec3;

use crate::shape::Shape;
use crate::shape::is_closed;

mod surface;

/// Sides that something round has, by level. Each has about half again as many as the one before, and so twice the triangles.
const SIDES: [u32; 13] = [4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];
/// How far from the round surface a mesh may be in the image, if there is a finer one \[pixels]. Chosen below half a
/// pixel, where centres of pixels begin to fall on the wrong side of an edge.
const DEVIATION: f64 = 0.3;

/// The surface of a shape as triangles, in the shape's own frame: what is drawn of a body. Made once, drawn many times.
///
/// What is round has levels: the same with fewer sides, for when it is far away.
///
/// ```
/// # use supple::contact::Shape;
/// # use supple::view::Mesh;
/// let ball = Mesh::of(&Shape::sphere(0.5)?, 32);
/// assert!(ball.is_closed() && ball.radius() > 0.5);
/// // a ball of three pixels needs no 32 sides
/// assert!(ball.level(3.0).triangles().len() < 50 && ball.level(1000.0).triangles().len() > 500);
/// # Ok::<(), supple::contact::ShapeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Mesh {
    /// The finest first.
    levels: Vec<Level>,
    centre: DVec3,
    radius: f64,
    closed: bool,
    number: u64,
}

/// A surface as triangles.
#[derive(Clone, Debug)]
pub struct Level {
    index: usize,
    corners: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    bounds: [DVec3; 2],
    /// How far it is from what is round \[m].
    deviation: f64,
}

impl Level {
    /// Its place among those of the mesh; 0 is the finest.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Corners of the triangles \[m].
    pub fn corners(&self) -> &[DVec3] {
        &self.corners
    }

    /// Three corners each, counter-clockwise seen from outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Least and greatest coordinates \[m].
    pub fn bounds(&self) -> [DVec3; 2] {
        self.bounds
    }
}

impl Mesh {
    /// The surface of a shape. What is round has so many `sides` around its axis (from 4 to 256, 16 is usual) and half as many from pole
    /// to pole where it is seen closely, and the surface of what is round: on average over all directions it looks as large, its corners
    /// being outside and its faces inside. A half-space is a square of 20 km.
    pub fn of(shape: &Shape, sides: u32) -> Self {
        let sides = sides.clamp(SIDES[0], SIDES[SIDES.len() - 1]);
        let round = surface::round(shape);
        let coarser = SIDES.iter().rev().copied().filter(|n| *n < sides && round > 0.0);
        let level = |(index, sides)| {
            let (corners, triangles) = surface::of(shape, sides);
            let lower = corners.iter().copied().reduce(DVec3::min).unwrap_or_default();
            let upper = corners.iter().copied().reduce(DVec3::max).unwrap_or_default();
            let deviation = round * surface::deviation(sides);
            Level { index, corners, triangles, bounds: [lower, upper], deviation }
        };
        let levels: Vec<_> = std::iter::once(sides).chain(coarser).enumerate().map(level).collect();
        let [lower, upper] =
            levels.iter().map(|l| l.bounds).fold(levels[0].bounds, |a, b| [a[0].min(b[0]), a[1].max(b[1])]);
        let centre = 0.5 * (lower + upper);
        let corners = levels.iter().flat_map(|l| &l.corners);
        let radius = corners.map(|c| c.distance(centre)).fold(0.0, f64::max);
        let closed = levels.iter().all(|l| is_closed(&l.corners, &l.triangles));
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self { levels, centre, radius, closed, number }
    }

    /// The finest level.
    pub fn finest(&self) -> &Level {
        &self.levels[0]
    }

    /// The coarsest level that does where a metre is so many pixels: nowhere is it farther than a third of a pixel from what is round.
    pub fn level(&self, pixels: f64) -> &Level {
        let fine_enough = |l: &&Level| l.deviation * pixels <= DEVIATION;
        self.levels.iter().rev().find(fine_enough).unwrap_or(&self.levels[0])
    }

    /// Whether it has an inside. Of closed surfaces only the front is drawn, of others both sides.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Centre of a sphere that holds it at all levels.
    pub fn centre(&self) -> DVec3 {
        self.centre
    }

    /// Radius of that sphere \[m].
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// A number that no other mesh of this process has, but for clones, which are equal.
    pub fn number(&self) -> u64 {
        self.number
    }
}
