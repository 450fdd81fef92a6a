use std::sync::atomic::{AtomicU64, Ordering};

use glam::DVec3;

use crate::contact::Shape;
use crate::contact::shape::is_closed;

mod surface;

/// The surface of a shape as triangles, in the shape's own frame: what is drawn of a body. Made once, drawn many times.
///
/// ```
/// # use supple::contact::Shape;
/// # use supple::view::Mesh;
/// let ball = Mesh::of(&Shape::sphere(0.5)?, 16);
/// assert!(ball.is_closed() && (ball.radius() - 0.5).abs() < 1e-12);
/// # Ok::<(), supple::contact::ShapeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Mesh {
    corners: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    lower: DVec3,
    upper: DVec3,
    radius: f64,
    closed: bool,
    number: u64,
}

impl Mesh {
    /// The surface of a shape. What is round has so many `sides` around its axis (from 3 to 256, 16 is usual) and half as many from pole
    /// to pole, with corners on the surface: seen along its axis, a 16-sided cylinder is 2.6 % smaller than a round one. A half-space is
    /// a square of 20 km.
    pub fn of(shape: &Shape, sides: u32) -> Self {
        let (corners, triangles) = surface::of(shape, sides.clamp(3, 256));
        let lower = corners.iter().copied().reduce(DVec3::min).unwrap_or_default();
        let upper = corners.iter().copied().reduce(DVec3::max).unwrap_or_default();
        let centre = 0.5 * (lower + upper);
        let radius = corners.iter().map(|c| c.distance(centre)).fold(0.0, f64::max);
        let closed = is_closed(&corners, &triangles);
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self { corners, triangles, lower, upper, radius, closed, number }
    }

    /// Corners of the triangles \[m].
    pub fn corners(&self) -> &[DVec3] {
        &self.corners
    }

    /// Three corners each, counter-clockwise seen from outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Whether it has an inside. Of closed surfaces only the front is drawn, of others both sides.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Least and greatest coordinates \[m].
    pub fn bounds(&self) -> [DVec3; 2] {
        [self.lower, self.upper]
    }

    /// Centre of a sphere that holds it.
    pub fn centre(&self) -> DVec3 {
        0.5 * (self.lower + self.upper)
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
