//! What queries find.

use glam::DVec3;

use crate::world::{BodyRef, ColliderId};

/// Where a ray meets a collider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The collider.
    pub collider: ColliderId,
    /// Its body.
    pub body: BodyRef,
    /// From the origin of the ray \[m]; zero if that is inside.
    pub distance: f64,
    /// Where \[m].
    pub point: DVec3,
    /// Of the surface, against the ray.
    pub normal: DVec3,
}

/// The point of a collider that is nearest to another point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointHit {
    /// The collider.
    pub collider: ColliderId,
    /// Its body.
    pub body: BodyRef,
    /// The nearest point of its surface \[m]; of a compound, of the surface of one of its parts.
    pub point: DVec3,
    /// Whether the point asked about is inside. Meshes and height fields have no inside.
    pub is_inside: bool,
    /// Between the two points \[m]; positive inside too.
    pub distance: f64,
}

/// Where a moving shape meets a collider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeHit {
    /// The collider.
    pub collider: ColliderId,
    /// Its body.
    pub body: BodyRef,
    /// Share of the motion until they touch; zero if they overlap from the start.
    pub fraction: f64,
    /// Where they touch \[m].
    pub point: DVec3,
    /// Of the collider's surface, towards the shape that moves.
    pub normal: DVec3,
}
