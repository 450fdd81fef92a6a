//! What touches: the colliders of a file, and which bodies of its model never do.

use glam::DVec3;
use supple::BodyId;
use supple::constraint::Frame;
use supple::contact::Collider;
use supple::spatial::math;
use supple::world::{ArticulationId, BodyRef, Overlap, World, WorldError};

use crate::warning::Warnings;
use crate::{Format, Loaded};

/// A collider as the file names it.
#[derive(Clone, Debug)]
pub struct NamedCollider {
    /// What the file calls it; may be empty.
    pub name: String,
    /// The body of the model that wears it; none for the world.
    pub body: Option<BodyId>,
    /// Shape, place on the body or in the world, material.
    pub collider: Collider,
}

impl Loaded {
    /// Puts the colliders into a world that has the model as an articulation.
    pub(crate) fn put_colliders(&self, world: &mut World, model: ArticulationId) -> Result<(), WorldError> {
        let of = |body: BodyId| BodyRef::Of(model, body);
        for NamedCollider { body, collider, .. } in &self.colliders {
            world.add_collider(body.map_or(BodyRef::World, of), collider.clone())?;
        }
        // the root of an MJCF is the world itself
        let of = |body: BodyId| match self.format {
            Format::Mjcf if body.index() == 0 => BodyRef::World,
            _ => of(body),
        };
        self.ignored.iter().try_for_each(|[a, b]| world.ignore(of(*a), of(*b)))
    }

    /// Notes which bodies of the model overlap where it is loaded: they would be moved apart against their joints, and were not meant to
    /// touch. Free bodies, and what stands next to others, were: those touch.
    pub(crate) fn ignore_overlaps(&mut self, warnings: &mut Warnings) {
        if self.colliders.is_empty() {
            return;
        }
        // a world that cannot be is refused when the user makes it
        let Ok(mut world) = self.world() else { return };
        let Some(model) = world.articulations().map(|(id, _)| id).next() else { return };
        let Ok(overlaps) = world.overlaps(model, None) else { return };
        if self.format == Format::Mjcf {
            self.set_apart(&overlaps);
        }
        for Overlap { bodies, depth, .. } in world.ignore_overlaps(model, None).unwrap_or_default() {
            let [a, b] = bodies.map(|body| &self.model.bodies()[body.index()].name);
            warnings.add(
                format!("{a:?} and {b:?} ({:.3} mm)", 1e3 * depth),
                "bodies of one tree overlap so deep where the model is loaded: they never touch each other",
            );
            self.ignored.push(bodies);
        }
    }

    /// Bodies that stand still and overlap nothing that moves on them are of the world.
    fn set_apart(&mut self, overlaps: &[Overlap]) {
        let first = self.simulation();
        let moves = |body: BodyId| self.model.bodies()[body.index()].link.is_some();
        let stuck = |body: BodyId| {
            overlaps.iter().any(|o| o.bodies.contains(&body) && o.bodies.iter().any(|b| moves(*b)))
        };
        for one in &mut self.colliders {
            if let Some(body) = one.body.filter(|body| !moves(*body) && !stuck(*body)) {
                one.collider.frame = Frame::from(first.pose_of(body)) * one.collider.frame;
                one.body = None;
            }
        }
    }
}

/// Points on an ellipsoid, so many that its convex hull is as good as itself: radii \[m].
pub(crate) fn ellipsoid(radii: DVec3) -> Vec<DVec3> {
    const COUNT: usize = 256;
    // a spiral from pole to pole, by the golden angle
    let turn = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let mut points = Vec::with_capacity(COUNT);
    for i in 0..COUNT {
        let z = 1.0 - 2.0 * (i as f64 + 0.5) / COUNT as f64;
        let across = (1.0 - z * z).sqrt();
        let (y, x) = math::sin_cos(turn * i as f64);
        points.push(radii * DVec3::new(across * x, across * y, z));
    }
    points
}
