//! Volumes of the broad phase: one box for all collider sets of a rigid group, which collide as one. The first of them, by its number, leads
//! the others; the hierarchy knows the group by its leader.

use parry3d_f64::bounding_volume::{Aabb, BoundingVolume};

use super::body_colliders::{BodyColliders, Group};

/// No collider set follows.
const LAST: u32 = u32::MAX;

/// A collider set's place in its volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Who leads the volume.
    pub(crate) lead: u32,
    /// Who follows in it.
    next: u32,
    /// The rigid group when volumes were last formed.
    group: Group,
}

impl Place {
    /// Alone in a volume of its own.
    pub(crate) fn alone(collider_set: u32, group: Group) -> Self {
        Self { lead: collider_set, next: LAST, group }
    }

    /// Whether the collider set has come into another group.
    pub(crate) fn is_old(&self, group: Group) -> bool {
        self.group != group
    }
}

/// Collider sets of the volume that `lead` leads, in the order of their numbers.
pub(crate) fn members(collider_sets: &[BodyColliders], lead: u32) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(lead), |collider_set| {
        Some(collider_sets[*collider_set as usize].place.next).filter(|s| *s != LAST)
    })
}

/// The box around all that `of` says of the members of a volume.
pub(crate) fn room(
    collider_sets: &[BodyColliders],
    lead: u32,
    of: impl Fn(&BodyColliders) -> bool,
) -> Option<Aabb> {
    let rooms = members(collider_sets, lead)
        .map(|s| &collider_sets[s as usize])
        .filter(|collider_set| of(collider_set))
        .map(|collider_set| collider_set.room);
    rooms.reduce(|a, b| a.merged(&b))
}

/// Forms the volumes of the collider sets `own` of one articulation anew, by their groups. Those that come into another volume have to be looked
/// at again, and so have those that are fixed to the world now, or no longer; `gone` is told who leads no more.
pub(crate) fn form(collider_sets: &mut [BodyColliders], own: &mut [u32], mut gone: impl FnMut(u32)) {
    own.sort_unstable_by_key(|s| {
        (collider_sets[*s as usize].is_endless(), collider_sets[*s as usize].group, *s)
    });
    for i in 0..own.len() {
        let (collider_set, group) = (own[i], collider_sets[own[i] as usize].group);
        // what has no end has no box either
        let joins =
            |s: u32| collider_sets[s as usize].group == group && !collider_sets[s as usize].is_endless();
        let mut place = Place::alone(collider_set, group);
        if joins(collider_set) {
            if i > 0 && joins(own[i - 1]) {
                place.lead = collider_sets[own[i - 1] as usize].place.lead;
            }
            place.next = own.get(i + 1).copied().filter(|s| joins(*s)).unwrap_or(LAST);
        }
        let it = &mut collider_sets[collider_set as usize];
        let fixed = |group: Group| group == Group::World;
        it.left |= it.place.lead != place.lead || fixed(it.place.group) != fixed(group);
        if it.place.lead == collider_set && place.lead != collider_set {
            gone(collider_set);
        }
        it.place = place;
    }
}
