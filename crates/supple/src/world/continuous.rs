//! Continuous collision: what is small and fast stops where it would pass through.
//!
//! Contacts are looked for as far ahead as bodies move in a step, which keeps most from passing through each other. A body with a
//! continuous collider is also cast along its way, against all colliders where they are at the end of the step: what deflected
//! it within the step, or a contact that the sweeps did not hold, then does not put it on the other side. One that turns while it goes is
//! looked at along its way, turning, in steps that its distance from others and its speed allow.

use glam::DVec3;
use parry3d_f64::bounding_volume::{Aabb, BoundingVolume};
use parry3d_f64::math::Pose3;
use parry3d_f64::query::{self, Contact};
use parry3d_f64::shape::SharedShape;

use crate::constraint::Frame;
use crate::contact::Collider;
use crate::shape::to_parry;
use crate::world::{BodyRef, QueryFilter, SingleBody, SingleId, World};

/// A body is stopped so far before what it would hit, as a share of its way.
const BEFORE: f64 = 1e-6;
/// Ways shorter than this share of a shape's thickness cannot pass through anything that the shape would not touch.
const SHORT: f64 = 0.5;
/// A body that turns is stopped where it is deeper by this share of a shape's thickness than it was: contacts leave less.
const DEEPER: f64 = 0.1;
/// Looks along the way of a body that turns at most: for more its points go farther than a thousand times its thickness.
const MOST_LOOKS: f64 = 2000.0;
/// Halvings between the last place where it was free and the first where it was not.
const HALVINGS: usize = 6;

/// A collider near the way of a body, and how deep the body may be in it \[m], as a distance.
struct Obstacle {
    shape: SharedShape,
    pose: Pose3,
    least: f64,
}

impl World {
    /// Puts bodies with continuous colliders back to where they would first hit something on the way of this step of `dt` \[s].
    pub(super) fn stop_at_hits(&mut self, dt: f64) {
        let fast: Vec<(SingleId, usize)> = self
            .contacts
            .registry
            .colliders
            .iter()
            .filter(|(_, attached)| attached.collider.is_continuous && !attached.collider.is_sensor)
            .filter_map(|(id, attached)| match attached.body {
                BodyRef::Single(body) => Some((body, id.index())),
                _ => None,
            })
            .collect();
        for (id, collider) in fast {
            if let Some(at) = self.hit_on_way(id, collider, dt) {
                self.singles.at_mut(id.index()).moving.at = at;
            }
        }
    }

    /// Where a body must stop; `None` if the way of its collider is free.
    fn hit_on_way(&self, id: SingleId, collider: usize, dt: f64) -> Option<Frame> {
        let place = self.singles.iter().position(|(other, _)| other == id)?;
        let start = self.saved.get(place)?.0.at;
        let body = self.singles.at(id.index());
        if body.is_asleep() {
            return None;
        }
        let way = body.centre() - start.position;
        let attached = self.contacts.registry.colliders.at(collider);
        let short = SHORT * attached.collider.shape.parry().ccd_thickness();
        // what is joined to others turns as they let it
        let joined = self.island_of[0].get(id.index()).copied().flatten().is_some();
        if !joined && dt * turning(body, &attached.collider) > short {
            return self.hit_on_turn(id, collider, start, dt);
        }
        if way.length() <= short {
            return None;
        }
        let origin = Frame { position: start.position - start.rotation * body.com(), ..start };
        let groups = attached.collider.groups;
        let filter = QueryFilter::new().without(id).groups(groups.member, groups.touches);
        let from = origin * attached.collider.frame;
        let hit = self.cast_shape(&attached.collider.shape, from, way, &filter).ok()??;
        // what it touches already is for contacts to hold
        let inside = hit.fraction <= BEFORE || hit.normal.dot(way) >= 0.0;
        let stop = start.position + way * (hit.fraction - BEFORE);
        (!inside && hit.fraction < 1.0).then_some(Frame { position: stop, ..body.moving.at })
    }

    /// Where a body that turns on its way from `start` must stop; `None` if the way of its collider is free.
    fn hit_on_turn(&self, id: SingleId, collider: usize, start: Frame, dt: f64) -> Option<Frame> {
        let body = self.singles.at(id.index());
        let attached = &self.contacts.registry.colliders.at(collider).collider;
        let (shape, axes) = (attached.shape.parry(), attached.frame * attached.shape.axes());
        let mut obstacles = self.obstacles(id, collider, start);
        if obstacles.is_empty() {
            return None;
        }
        let way = body.centre() - start.position;
        let (com, mut moving) = (body.com(), body.moving);
        moving.at = start;
        // at a share of the step
        let at = |share: f64| {
            let rotation = moving.glide(share * dt).rotation;
            Frame { position: start.position + way * share, rotation }
        };
        let pose = |at: Frame| to_parry(Frame { position: at.position - at.rotation * com, ..at } * axes);
        let thickness = shape.ccd_thickness();
        let (turn, first) = (dt * turning(body, attached), pose(start));
        let far = way.length() + turn;
        for it in &mut obstacles {
            it.least = it.contact(&first, shape, far).map_or(far, |c| c.dist).min(0.0) - DEEPER * thickness;
        }
        // whether all have room, and what share of the step can be gone from there
        let room_at = |share: f64| {
            let pose = pose(at(share));
            obstacles.iter().fold((true, 1.0), |(free, most): (bool, f64), it| {
                let Some(contact) = it.contact(&pose, shape, far) else { return (free, most) };
                // a convex one is behind a plane
                let closes = if it.shape.is_convex() { contact.normal1.dot(way).abs() } else { way.length() };
                let room = contact.dist - it.least;
                (free && room >= 0.0, most.min(room.max(SHORT * thickness) / (closes + turn)))
            })
        };
        let (mut free, mut next) = (0.0, room_at(0.0).1);
        while free < 1.0 {
            let mut hit = f64::min(1.0, free + next.max(1.0 / MOST_LOOKS));
            let (is_free, more) = room_at(hit);
            if is_free {
                (free, next) = (hit, more);
                continue;
            }
            for _ in 0..HALVINGS {
                let middle = 0.5 * (free + hit);
                if room_at(middle).0 { free = middle } else { hit = middle }
            }
            return Some(at(free));
        }
        None
    }

    /// What a collider of a body may meet on its way, however it turns.
    fn obstacles(&self, id: SingleId, collider: usize, start: Frame) -> Vec<Obstacle> {
        let body = self.singles.at(id.index());
        let way = body.centre() - start.position;
        let attached = &self.contacts.registry.colliders.at(collider).collider;
        let ball = attached.shape.parry().compute_local_bounding_sphere();
        let centre = (attached.frame * attached.shape.axes()).point(ball.center);
        let reach = DVec3::splat((centre - body.com()).length() + ball.radius);
        let begin = Aabb::new(start.position - reach, start.position + reach);
        let swept = begin.merged(&begin.translated(way));
        let filter = QueryFilter::new().without(id).groups(attached.groups.member, attached.groups.touches);
        let mut obstacles = Vec::new();
        for collider_set in
            self.contacts.registry.collider_sets.iter().filter(|collider_set| !collider_set.parts.is_empty())
        {
            let at = self.frame_of(collider_set);
            for part in &collider_set.parts {
                let pose = to_parry(at * part.frame);
                let near = collider_set.is_endless() || part.shape.compute_aabb(&pose).intersects(&swept);
                if near && self.seen_by(&filter, part).is_some() {
                    obstacles.push(Obstacle { shape: part.shape.clone(), pose, least: 0.0 });
                }
            }
        }
        obstacles
    }
}

impl Obstacle {
    /// Where a shape is nearest to it, if within `most` \[m].
    fn contact(&self, pose: &Pose3, shape: &SharedShape, most: f64) -> Option<Contact> {
        query::contact(&self.pose, &*self.shape.0, pose, &*shape.0, most).ok().flatten()
    }
}

/// Fastest speed by which turning brings a body's collider elsewhere \[m/s].
fn turning(body: &SingleBody, attached: &Collider) -> f64 {
    let omega = body.frame().rotation.conjugate() * body.omega();
    let axes = attached.frame * attached.shape.axes();
    if let Some(capsule) = attached.shape.parry().as_capsule() {
        // what is round stays where it is by turning about its axis
        let speed = |end: DVec3| omega.cross(axes.point(end) - body.com()).length();
        return speed(capsule.segment.a).max(speed(capsule.segment.b));
    }
    let bounds = attached.shape.parry().compute_aabb(&to_parry(axes));
    let (w, h) = (omega.abs(), (bounds.mins - body.com()).abs().max((bounds.maxs - body.com()).abs()));
    DVec3::new(w.y * h.z + w.z * h.y, w.z * h.x + w.x * h.z, w.x * h.y + w.y * h.x).length()
}
