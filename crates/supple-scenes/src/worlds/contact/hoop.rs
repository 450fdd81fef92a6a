//! Rings of six bent pieces, none of them convex, jointed end to end.

use std::f64::consts::TAU;
use supple::spatial::rotation;

use glam::DVec3;
use supple::constraint::{Ball, Frame};
use supple::contact::{Collider, Shape};
use supple::world::{SingleBody, SingleId};

use crate::{Capsule, SceneError, Stage};
use supple::spatial::math;

/// Pieces of a ring, and straight parts of a piece.
pub(crate) const PIECES: usize = 6;
const PARTS: usize = 3;

/// A ring to make copies of.
pub(crate) struct Hoop {
    /// From the middle of the ring to the middle of its rod, and the rod's radius \[m].
    pub(crate) radius: f64,
    pub(crate) thick: f64,
    /// A piece, its frame in its own middle; all six are the same.
    piece: Collider,
    inertia: supple::RigidInertia,
}

impl Hoop {
    /// A ring of this density \[kg/m³]. `dress` says what its pieces are made of.
    pub(crate) fn new(
        radius: f64,
        thick: f64,
        density: f64,
        dress: impl Fn(Collider) -> Collider,
    ) -> Result<Self, SceneError> {
        let parts = (0..PARTS)
            .map(|k| Ok((Frame::IDENTITY, Shape::capsule(part(k, radius), part(k + 1, radius), thick)?)));
        let piece = dress(Collider::new(Shape::compound(parts.collect::<Result<Vec<_>, SceneError>>()?)?));
        let inertia = piece.inertia(density)?;
        Ok(Self { radius, thick, piece, inertia })
    }

    /// Adds a ring about z of a frame; its pieces.
    pub(crate) fn add(&self, stage: &mut Stage, name: &str, at: Frame) -> Result<Vec<SingleId>, SceneError> {
        let turn = |k: usize| rotation::about_z(k as f64 * TAU / PIECES as f64);
        let mut pieces = Vec::with_capacity(PIECES);
        for k in 0..PIECES {
            let frame = at * Frame::new(turn(k) * middle(self.radius), turn(k));
            let id = stage.world.add_body(SingleBody::new(format!("{name} {k}"), self.inertia).at(frame))?;
            stage.world.add_collider(id, self.piece.clone())?;
            for k in 0..PARTS {
                let [from, to] = [k, k + 1].map(|corner| part(corner, self.radius));
                stage.shapes.push(Capsule { body: id.into(), from, to, radius: self.thick });
            }
            pieces.push(id);
        }
        for k in 0..PIECES {
            let end = at.point(turn(k) * corner(PARTS, self.radius));
            stage.world.join(Ball, pieces[k], pieces[(k + 1) % PIECES], Frame::at(end))?;
        }
        Ok(pieces)
    }
}

/// Corners of the bent rod that a piece is, from one end to the other.
fn corner(k: usize, radius: f64) -> DVec3 {
    let angle = k as f64 / PARTS as f64 * TAU / PIECES as f64;
    let (sin, cos) = math::sin_cos(angle);
    DVec3::new(cos, sin, 0.0) * radius
}

/// Where a piece has its frame.
fn middle(radius: f64) -> DVec3 {
    0.5 * (corner(0, radius) + corner(PARTS, radius))
}

/// The same corners in the frame of the piece.
fn part(k: usize, radius: f64) -> DVec3 {
    corner(k, radius) - middle(radius)
}
