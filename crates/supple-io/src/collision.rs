//! What touches: the colliders of a file, and which bodies of its model never do.

use std::collections::BTreeSet;

use glam::DVec3;
use supple::BodyId;
use supple::constraint::Frame;
use supple::contact::Collider;
use supple::world::{ArticulationId, BodyRef, QueryFilter, World, WorldError};

use crate::warning::Warnings;
use crate::{Format, Loaded, Loop};
use supple::spatial::math;

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

    /// Notes which bodies of the model overlap where it is loaded: they would be thrown apart, and were not meant to touch.
    pub(crate) fn ignore_overlaps(&mut self, warnings: &mut Warnings) {
        if self.colliders.is_empty() {
            return;
        }
        // a world that cannot be is refused when the user makes it
        let Ok(mut world) = self.world() else { return };
        world.refresh();
        let mut pairs = BTreeSet::new();
        for (_, collider, body) in world.colliders() {
            let BodyRef::Of(_, one) = body else { continue };
            let Ok(at) = world.frame(body) else { continue };
            let filter = QueryFilter { groups: collider.groups, ..QueryFilter::new().without(body) };
            let found = world.overlapping(&collider.shape, at * collider.frame, &filter).unwrap_or_default();
            for (_, other) in found.iter().filter_map(|id| world.collider(*id).ok()) {
                if let BodyRef::Of(_, other) = other {
                    pairs.insert([one.min(other), one.max(other)]);
                }
            }
        }
        if self.format == Format::Mjcf {
            self.set_apart(&pairs);
        }
        for pair in pairs {
            if self.are_joined(pair) || self.ignored.contains(&pair) {
                continue;
            }
            let [a, b] = pair.map(|body| &self.model.bodies()[body.index()].name);
            warnings.add(
                format!("{a:?} and {b:?}"),
                "bodies overlap where the model is loaded: they never touch each other",
            );
            self.ignored.push(pair);
        }
    }

    /// Bodies that stand still and overlap nothing that moves are of the world: all may touch them.
    fn set_apart(&mut self, overlaps: &BTreeSet<[BodyId; 2]>) {
        let first = self.simulation();
        let moves = |body: BodyId| self.model.bodies()[body.index()].link.is_some();
        let stuck = |body: BodyId| {
            overlaps.iter().any(|pair| pair.contains(&body) && pair.iter().any(|other| moves(*other)))
        };
        for one in &mut self.colliders {
            if let Some(body) = one.body.filter(|body| !moves(*body) && !stuck(*body)) {
                one.collider.frame = Frame::from(first.pose_of(body)) * one.collider.frame;
                one.body = None;
            }
        }
    }

    /// Whether a joint or a loop is between them, so that they do not touch anyway.
    fn are_joined(&self, pair: [BodyId; 2]) -> bool {
        let [a, b] = pair.map(|body| self.model.bodies()[body.index()].link);
        let above = |link: Option<supple::model::LinkId>| {
            link.and_then(|link| self.model.tree().links[link.index()].parent)
        };
        let closed = self.loops.iter().any(|each| match each {
            Loop::Connect { bodies, .. } | Loop::Weld { bodies, .. } => {
                pair.iter().all(|b| bodies.contains(b))
            }
            Loop::Joint { .. } => false,
        });
        closed || a == b || (a.is_some() && above(a) == b) || (b.is_some() && above(b) == a)
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
