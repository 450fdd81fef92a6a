//! The broad phase: pairs of collider sets whose boxes overlap. Parry's hierarchy has a box for each volume (rigid group); only volumes of collider sets that
//! left their boxes are looked at, and then the boxes of the collider sets in them.

use glam::DVec3;
use parry3d_f64::bounding_volume::BoundingVolume;
use parry3d_f64::partitioning::{Bvh, BvhWorkspace};
use parry3d_f64::utils::hashmap::HashMap;

use super::body_colliders::BodyColliders;
use super::pair::Pair;
use super::volume;

/// The hierarchy is put in order when so many of its leaves moved, as a multiple of their number.
const ORDER: usize = 4;

/// Boxes of collider sets, and pairs of colliders whose boxes overlap.
#[derive(Clone, Default)]
pub(crate) struct BroadPhase {
    tree: Bvh,
    work: Workspace,
    /// Collider sets without end, which no box holds.
    endless: Vec<u32>,
    /// Places of pairs.
    places: HashMap<[u32; 4], u32>,
    pub(crate) pairs: Vec<Pair>,
    /// Collider sets that took more room.
    moved: Vec<u32>,
    /// Their volumes now, and before.
    leads: Vec<u32>,
    leads_before: Vec<u32>,
    found: Vec<(u32, u32)>,
    leaves: usize,
    /// Whether leaves came or went since the hierarchy was last put right as a whole.
    fresh: bool,
    /// Colliders of pairs that are gone and touched.
    pub(crate) parted: Vec<[u32; 2]>,
    /// Collider sets of pairs that are gone and held something while one slept, and what.
    lost: Vec<([u32; 2], DVec3)>,
    since_order: usize,
}

/// Scratch memory of the hierarchy.
#[derive(Default)]
struct Workspace(BvhWorkspace);

impl Clone for Workspace {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl BroadPhase {
    /// Forgets a collider set that is gone.
    pub(crate) fn forget(&mut self, collider_set: u32) {
        self.drop_volume(collider_set);
        self.endless.retain(|s| *s != collider_set);
        self.remove_pairs(|pair| pair.collider_sets.contains(&collider_set));
    }

    /// Forgets the volume of a collider set that leads no more.
    pub(crate) fn drop_volume(&mut self, lead: u32) {
        if self.tree.leaf_node(lead).is_some() {
            self.tree.remove(lead);
            self.leaves -= 1;
            self.fresh = true;
        }
    }

    /// How many volumes there are.
    pub(crate) fn volumes(&self) -> usize {
        self.leaves
    }

    /// Updates the boxes of the collider sets in `moved`, and the pairs. `may_touch` says of two colliders (collider sets, parts) whether they
    /// may touch, and whether one of them only senses.
    pub(crate) fn update(
        &mut self,
        collider_sets: &[BodyColliders],
        moved: impl Iterator<Item = u32>,
        may_touch: impl Fn([u32; 2], [u32; 2]) -> Option<bool>,
    ) {
        self.moved.clear();
        self.moved.extend(moved);
        if self.moved.is_empty() && self.leads.is_empty() {
            return;
        }
        self.remove_pairs(|pair| {
            let [a, b] = pair.collider_sets.map(|s| &collider_sets[s as usize]);
            (a.left || b.left) && (a.group == b.group || !overlap(a, b))
        });
        self.insert(collider_sets);
        self.find(collider_sets);
        let mut found = std::mem::take(&mut self.found);
        found.sort_unstable();
        found.dedup();
        for (a, b) in found.drain(..) {
            let both = [a, b];
            let [first, second] = both.map(|s| &collider_sets[s as usize]);
            for i in 0..first.parts.len() as u32 {
                for j in 0..second.parts.len() as u32 {
                    let key = [a, b, i, j];
                    if self.places.contains_key(&key) {
                        continue;
                    }
                    if let Some(sensor) = may_touch(both, [i, j]) {
                        let colliders = [first.parts[i as usize].collider, second.parts[j as usize].collider];
                        self.places.insert(key, self.pairs.len() as u32);
                        self.pairs.push(Pair::new(both, [i, j], colliders, sensor));
                    }
                }
            }
        }
        self.found = found;
    }

    fn insert(&mut self, collider_sets: &[BodyColliders]) {
        std::mem::swap(&mut self.leads, &mut self.leads_before);
        self.leads.clear();
        for collider_set in &self.moved {
            let it = &collider_sets[*collider_set as usize];
            if !it.is_endless() {
                self.leads.push(it.place.lead);
            } else if !self.endless.contains(collider_set) {
                self.endless.push(*collider_set);
            }
        }
        self.leads.sort_unstable();
        self.leads.dedup();
        for lead in &self.leads {
            let known = self.tree.leaf_node(*lead).is_some();
            self.fresh |= !known;
            self.leaves += usize::from(!known);
            if let Some(room) = volume::room(collider_sets, *lead, |_| true) {
                self.tree.insert_or_update_partially(room, *lead, 0.0);
            }
        }
        self.since_order += self.leads.len();
        let few = self.leads.len() + self.leads_before.len() < self.leaves / 8;
        let fresh = std::mem::take(&mut self.fresh);
        if self.since_order > ORDER * self.leaves {
            self.since_order = 0;
            self.tree.refit(&mut self.work.0);
            self.tree.optimize_incremental(&mut self.work.0);
            self.tree.refit(&mut self.work.0);
        } else if few && !fresh {
            self.tree.refit_partial(&self.leads_before, &self.leads);
        } else {
            self.tree.refit(&mut self.work.0);
        }
    }

    fn find(&mut self, collider_sets: &[BodyColliders]) {
        let Self { tree, endless, moved, leads, found, .. } = self;
        let collider_set = |s: u32| &collider_sets[s as usize];
        found.clear();
        for own in moved.iter() {
            if collider_set(*own).is_endless() {
                let others = (0..collider_sets.len() as u32).filter(|s| !collider_set(*s).parts.is_empty());
                found.extend(others.filter(|s| s != own).map(|s| ordered(*own, s)));
            } else {
                found.extend(endless.iter().map(|other| ordered(*own, *other)));
            }
        }
        found.retain(|(a, b)| overlap(collider_set(*a), collider_set(*b)));
        for lead in leads.iter() {
            let Some(room) = volume::room(collider_sets, *lead, |collider_set| collider_set.left) else {
                continue;
            };
            for other in tree.intersect_aabb(&room).filter(|other| other != lead) {
                for own in volume::members(collider_sets, *lead).filter(|s| collider_set(*s).left) {
                    let near = |s: &u32| collider_set(own).room.intersects(&collider_set(*s).room);
                    found.extend(volume::members(collider_sets, other).filter(near).map(|s| ordered(own, s)));
                }
            }
        }
        found.retain(|(a, b)| collider_set(*a).group != collider_set(*b).group);
    }

    fn remove_pairs(&mut self, gone: impl Fn(&Pair) -> bool) {
        let mut i = 0;
        while i < self.pairs.len() {
            if gone(&self.pairs[i]) {
                if self.pairs[i].touched {
                    self.parted.push(self.pairs[i].colliders);
                }
                if self.pairs[i].asleep_impulse != DVec3::ZERO {
                    self.lost.push((self.pairs[i].collider_sets, self.pairs[i].asleep_impulse));
                }
                self.places.remove(&self.pairs[i].key());
                self.pairs.swap_remove(i);
                if let Some(pair) = self.pairs.get(i) {
                    self.places.insert(pair.key(), i as u32);
                }
            } else {
                i += 1;
            }
        }
    }

    /// Forgets pairs that may no longer touch.
    pub(crate) fn retain(&mut self, may_touch: impl Fn([u32; 2], [u32; 2]) -> Option<bool>) {
        self.remove_pairs(|pair| may_touch(pair.collider_sets, pair.parts) != Some(pair.sensor));
    }

    /// Collider sets of pairs that are gone and held something while one slept, and what; each is told once.
    pub(crate) fn take_lost(&mut self) -> Vec<([u32; 2], DVec3)> {
        std::mem::take(&mut self.lost)
    }

    /// The hierarchy, for queries.
    pub(crate) fn tree(&self) -> &Bvh {
        &self.tree
    }

    /// Collider sets without end.
    pub(crate) fn endless(&self) -> &[u32] {
        &self.endless
    }
}

fn ordered(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

/// Whether the boxes of two collider sets overlap; without end is a half-space, which a box is in or not.
fn overlap(a: &BodyColliders, b: &BodyColliders) -> bool {
    let below = |half: &BodyColliders, other: &BodyColliders| {
        half.parts.iter().any(|part| match part.shape.as_halfspace() {
            Some(space) => {
                let normal = part.pose.rotation * space.normal;
                let (centre, half) = (other.room.center(), other.room.half_extents());
                normal.dot(centre - part.pose.translation) - normal.abs().dot(half) <= 0.0
            }
            None => true,
        })
    };
    match (a.is_endless(), b.is_endless()) {
        (true, true) => false,
        (true, false) => below(a, b),
        (false, true) => below(b, a),
        (false, false) => a.room.intersects(&b.room),
    }
}
