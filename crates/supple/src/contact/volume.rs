//! Volumes of the broad phase: one box for all skins of a rigid group, which collide as one. The first of them, by its number, leads
//! the others; the hierarchy knows the group by its leader.

use parry3d_f64::bounding_volume::{Aabb, BoundingVolume};

use super::skin::{Group, Skin};

/// No skin follows.
const LAST: u32 = u32::MAX;

/// A skin's place in its volume.
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
    pub(crate) fn alone(skin: u32, group: Group) -> Self {
        Self { lead: skin, next: LAST, group }
    }

    /// Whether the skin has come into another group.
    pub(crate) fn is_old(&self, group: Group) -> bool {
        self.group != group
    }
}

/// Skins of the volume that `lead` leads, in the order of their numbers.
pub(crate) fn members(skins: &[Skin], lead: u32) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(lead), |skin| Some(skins[*skin as usize].place.next).filter(|s| *s != LAST))
}

/// The box around all that `of` says of the members of a volume.
pub(crate) fn room(skins: &[Skin], lead: u32, of: impl Fn(&Skin) -> bool) -> Option<Aabb> {
    let rooms =
        members(skins, lead).map(|s| &skins[s as usize]).filter(|skin| of(skin)).map(|skin| skin.room);
    rooms.reduce(|a, b| a.merged(&b))
}

/// Forms the volumes of the skins `own` of one articulation anew, by their groups. Those that come into another volume have to be looked
/// at again, and so have those that are fixed to the world now, or no longer; `gone` is told who leads no more.
pub(crate) fn form(skins: &mut [Skin], own: &mut [u32], mut gone: impl FnMut(u32)) {
    own.sort_unstable_by_key(|s| (skins[*s as usize].is_endless(), skins[*s as usize].group, *s));
    for i in 0..own.len() {
        let (skin, group) = (own[i], skins[own[i] as usize].group);
        // what has no end has no box either
        let joins = |s: u32| skins[s as usize].group == group && !skins[s as usize].is_endless();
        let mut place = Place::alone(skin, group);
        if joins(skin) {
            if i > 0 && joins(own[i - 1]) {
                place.lead = skins[own[i - 1] as usize].place.lead;
            }
            place.next = own.get(i + 1).copied().filter(|s| joins(*s)).unwrap_or(LAST);
        }
        let it = &mut skins[skin as usize];
        let fixed = |group: Group| group == Group::World;
        it.left |= it.place.lead != place.lead || fixed(it.place.group) != fixed(group);
        if it.place.lead == skin && place.lead != skin {
            gone(skin);
        }
        it.place = place;
    }
}
