//! Continuous collision: what is small and fast stops where it would pass through.
//!
//! Contacts are looked for as far ahead as bodies move in a step, which keeps most from passing through each other. A body with a
//! continuous collider is also cast along its way, against all colliders where they were at the start of the step: what deflected
//! it within the step, or a contact that the sweeps did not hold, then does not put it on the other side.

use glam::DVec3;

use crate::constraint::Frame;
use crate::world::{BodyRef, QueryFilter, SingleId, World};

/// A body is stopped so far before what it would hit, as a share of its way.
const BEFORE: f64 = 1e-6;
/// Ways shorter than this share of a shape's thickness cannot pass through anything that the shape would not touch.
const SHORT: f64 = 0.5;

impl World {
    /// Puts bodies with continuous colliders back to where they would first hit something on the way of this step.
    pub(super) fn stop_at_hits(&mut self) {
        let fast: Vec<(SingleId, usize)> = self
            .contacts
            .colliders
            .iter()
            .filter(|(_, worn)| worn.collider.is_continuous && !worn.collider.is_sensor)
            .filter_map(|(id, worn)| match worn.body {
                BodyRef::Single(body) => Some((body, id.index())),
                _ => None,
            })
            .collect();
        for (id, collider) in fast {
            if let Some(position) = self.hit_on_way(id, collider) {
                self.singles.at_mut(id.index()).moving.at.position = position;
            }
        }
    }

    /// Where the centre of a body must stop; `None` if the way of its collider is free.
    fn hit_on_way(&self, id: SingleId, collider: usize) -> Option<DVec3> {
        let place = self.singles.iter().position(|(other, _)| other == id)?;
        let start = self.saved.get(place)?.0.at;
        let body = self.singles.at(id.index());
        let way = body.centre() - start.position;
        let worn = self.contacts.colliders.at(collider);
        let thickness = worn.collider.shape.parry().ccd_thickness();
        if body.is_asleep() || way.length() <= SHORT * thickness {
            return None;
        }
        let origin = Frame { position: start.position - start.rotation * body.com(), ..start };
        let groups = worn.collider.groups;
        let filter = QueryFilter::new().without(id).groups(groups.member, groups.touches);
        let from = origin * worn.collider.frame;
        let hit = self.cast_shape(&worn.collider.shape, from, way, &filter).ok()??;
        // what it touches already is for contacts to hold
        let inside = hit.fraction <= BEFORE || hit.normal.dot(way) >= 0.0;
        (!inside && hit.fraction < 1.0).then(|| start.position + way * (hit.fraction - BEFORE))
    }
}
