//! What touches what in a world: collider sets at the present pose, pairs, manifolds, and their rows.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use glam::DVec3;
use rayon::prelude::*;

use crate::bodies::Node;
use crate::constraint::Frame;
use crate::constraint::island::Island;
use crate::contact::body_colliders::{BodyColliders, Group};
use crate::contact::broad_phase::BroadPhase;
use crate::contact::narrow_phase;
use crate::contact::solver::ContactSolver;
use crate::contact::volume;
use crate::contact::{ContactHooks, Side};
use crate::dynamics::port::Port;
use crate::model::BodyId;
use crate::spatial::Motion;
use crate::util::clock::Stopwatch;
use crate::world::colliders::{Attached, Ordered, both};
use crate::world::kin::Kin;
use crate::world::rows::Waiting;
use crate::world::{
    AnyConstraint, Articulated, Articulations, BodyRef, ColliderId, ColliderMark, Event, Moving, SingleBody,
    SingleId, Slots, World,
};

/// Colliders of a world, and where they touch.
#[derive(Clone, Default)]
pub(crate) struct Contacts {
    pub(super) registry: ColliderRegistry,
    pub(super) detection: Detection,
    pub(super) problem: ContactProblem,
    pub(super) user: UserMotion,
    pub(super) sleepers: Sleepers,
    /// Sweeps of the last step.
    pub(super) sweeps: u32,
    /// Times of the last step.
    pub(super) times: super::Times,
}

/// The colliders, the bodies that they are attached to, and who may touch whom.
#[derive(Clone, Default)]
pub(crate) struct ColliderRegistry {
    pub(super) colliders: Slots<Attached, ColliderMark>,
    pub(super) collider_sets: Vec<BodyColliders>,
    /// Collider sets of bodies; the world has several.
    pub(super) collider_set_of: BTreeMap<Ordered, u32>,
    pub(super) free_collider_sets: Vec<u32>,
    /// Bodies that never touch.
    pub(super) ignored: BTreeSet<(Ordered, Ordered)>,
    /// Bodies that constraints join.
    joined: BTreeSet<(Ordered, Ordered)>,
    pub(super) hooks: Option<Arc<dyn ContactHooks>>,
    /// Whether there are colliders that no step has seen yet.
    pub(super) has_new: bool,
    /// Whether all pairs were filtered since the rules of who may touch whom last changed.
    pub(super) checked: bool,
}

/// Which colliders are near each other, and where.
#[derive(Clone, Default)]
pub(crate) struct Detection {
    pub(super) broad: BroadPhase,
    /// Whether the manifolds are those of the present pose.
    pub(super) detected: bool,
    /// For steps of at most this length \[s].
    pub(super) detected_for: f64,
    /// Whether there were colliders when rows were last made.
    pub(super) had_colliders: bool,
    /// Events of new colliders that are inside others.
    pub(super) inside: Vec<Event>,
    /// Scratch: collider sets that moved, and those of one articulation.
    pub(super) moved: Vec<u32>,
    own: Vec<u32>,
}

/// What contacts are solved for.
#[derive(Clone, Default)]
pub(crate) struct ContactProblem {
    pub(super) solver: ContactSolver,
    /// Manifolds without rows.
    pub(super) waiting: Waiting,
    /// By island: whether contacts push its bodies.
    pub(super) pushed: Vec<bool>,
    /// By place of a single body: its mover; by articulation its first one.
    pub(super) mover_of: Vec<u32>,
    pub(super) first_of: Vec<u32>,
}

/// How the user moves bodies, which contacts have to see.
#[derive(Clone, Default)]
pub(crate) struct UserMotion {
    /// Whether velocities may have changed since contacts were solved.
    pub(super) entry: bool,
    /// Single bodies that the user could change since the last step, and how they moved before.
    pub(super) handled: Vec<(SingleId, Motion)>,
    /// Kinematic bodies, in the present step.
    pub(super) kinematic: Vec<SingleId>,
    /// Kinematic bodies that are driven, how they moved before the step, and whether they were driven then.
    pub(super) driven: Vec<(SingleId, Moving, bool)>,
    /// Gravity of the last step: sleeping bodies wake when it changes.
    pub(super) gravity: DVec3,
}

/// Scratch of what falls asleep and wakes.
#[derive(Clone, Default)]
pub(crate) struct Sleepers {
    /// Changes of the contact impulses on sleeping bodies, and their sizes when these fell asleep.
    pub(super) disturbed: Vec<(Ordered, DVec3, f64)>,
    /// Units that fall asleep as one: single bodies, articulations, islands; and the roots of the groups that these and the world form.
    pub(super) units: Vec<super::fall_asleep::Unit>,
    pub(super) roots: Vec<u32>,
}

impl std::fmt::Debug for Contacts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Contacts").field("colliders", &self.registry.colliders.len()).finish_non_exhaustive()
    }
}

/// A point where two colliders touch, or are about to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The colliders.
    pub colliders: [ColliderId; 2],
    /// Their bodies.
    pub bodies: [BodyRef; 2],
    /// Where \[m].
    pub point: DVec3,
    /// From the first to the second.
    pub normal: DVec3,
    /// Distance \[m]; negative where they penetrate.
    pub separation: f64,
    /// Impulse of the first on the second in the last step \[N·s].
    pub impulse: DVec3,
}

/// What closes faster than this is an impact to articulations, which take their impact armature then \[m/s]; if one of the two moves faster than that as a
/// whole, by its kinetic energy: a thumb that falls on the floor is none.
const IMPACT: f64 = 0.5;
const IMPACT_RMS_SPEED: f64 = 0.1;

/// No mover.
pub(crate) const NONE: u32 = u32::MAX;

impl World {
    /// Points where colliders touch, or are about to, after the last step.
    pub fn contacts(&self) -> impl Iterator<Item = Contact> {
        let Contacts {
            registry: ColliderRegistry { colliders, collider_sets, .. },
            detection: Detection { broad, .. },
            ..
        } = &self.contacts;
        broad.pairs.iter().filter(|pair| !pair.sensor).flat_map(move |pair| {
            let collider_sets = [0, 1].map(|i| &collider_sets[pair.collider_sets[i] as usize]);
            let parts = [0, 1].map(|i| &collider_sets[i].parts[pair.parts[i] as usize]);
            pair.manifolds.iter().flat_map(move |manifold| {
                let first = manifold.subshape_pos1().map_or(parts[0].pose, |p| parts[0].pose * *p);
                let second = manifold.subshape_pos2().map_or(parts[1].pose, |p| parts[1].pose * *p);
                let normal = first.rotation * manifold.local_n1;
                manifold.points.iter().map(move |point| Contact {
                    colliders: parts.map(|part| colliders.id_at(part.collider as usize)),
                    bodies: collider_sets.map(|collider_set| collider_set.body),
                    point: 0.5 * (first * point.local_p1 + second * point.local_p2),
                    normal,
                    separation: point.dist,
                    impulse: point.data.impulse,
                })
            })
        })
    }

    /// Number of volumes in the broad phase: one for each rigid group of links, each single body, and each collider of the world itself.
    pub fn volumes(&self) -> usize {
        self.contacts.detection.broad.volumes()
    }

    /// Sets the hooks by which the user filters and changes contacts.
    pub fn set_contact_hooks(&mut self, hooks: Option<Arc<dyn ContactHooks>>) {
        self.contacts.registry.hooks = hooks;
        self.contacts.registry.checked = false;
        self.note_entry();
    }

    /// Whether there are any colliders.
    pub(super) fn has_colliders(&self) -> bool {
        self.contacts.registry.colliders.len() > 0
    }

    /// Whether the manifolds are those of the present pose, for a step of `dt` \[s].
    pub(super) fn has_contacts_for(&self, dt: f64) -> bool {
        self.contacts.detection.detected && dt <= self.contacts.detection.detected_for
    }

    /// Updates poses of collider sets, pairs and manifolds, for a step of `dt` \[s] to come.
    pub(super) fn detect(&mut self, dt: f64) {
        if !self.has_colliders() || self.has_contacts_for(dt) {
            return;
        }
        (self.contacts.detection.detected, self.contacts.detection.detected_for) = (true, dt);
        let started = Stopwatch::start();
        self.place_collider_sets(dt);
        if !self.contacts.registry.checked {
            self.note_joined();
        }
        self.find_pairs();
        let (searched, found) = (started.seconds(), Stopwatch::start());
        let Self { contacts, gravity, .. } = self;
        narrow_phase::update(
            &mut contacts.detection.broad.pairs,
            &contacts.registry.collider_sets,
            *gravity,
            dt,
        );
        contacts.times.broad += searched;
        contacts.times.narrow += found.seconds();
    }

    /// Updates the pairs of collider sets that moved.
    pub(super) fn find_pairs(&mut self) {
        let Self { contacts, articulations, singles, .. } = self;
        let Contacts {
            registry:
                ColliderRegistry {
                    colliders,
                    collider_sets,
                    collider_set_of,
                    ignored,
                    joined,
                    hooks,
                    checked,
                    ..
                },
            detection: Detection { broad, moved, .. },
            ..
        } = contacts;
        let hooks = hooks.as_deref();
        let rule = Rule {
            colliders,
            collider_sets,
            collider_set_of,
            ignored,
            joined,
            hooks,
            articulations,
            singles,
        };
        if !std::mem::replace(checked, true) {
            broad.retain(|collider_sets, parts| rule.may_touch(collider_sets, parts));
        }
        broad.update(collider_sets, moved.iter().copied(), |collider_sets, parts| {
            rule.may_touch(collider_sets, parts)
        });
        for collider_set in moved.iter() {
            collider_sets[*collider_set as usize].left = false;
        }
    }

    /// Moves collider sets with their bodies, and notes those that left their boxes.
    fn place_collider_sets(&mut self, dt: f64) {
        let Self { contacts, articulations, singles, gravity, .. } = self;
        let gravity = *gravity;
        contacts.registry.collider_sets.par_iter_mut().with_min_len(64).for_each(|collider_set| {
            if collider_set.parts.is_empty() {
                return;
            }
            let new = collider_set.changed;
            let (at, velocity, omega, still) = match collider_set.body {
                BodyRef::World => (Frame::IDENTITY, DVec3::ZERO, DVec3::ZERO, true),
                BodyRef::Single(id) => {
                    let body = singles.at(id.index());
                    collider_set.group = Group::Single(id.index() as u32);
                    let still = body.sleep.is_asleep() || body.is_at_rest();
                    (body.frame(), body.velocity_of_frame(), body.omega(), still)
                }
                BodyRef::Of(id, body) => {
                    let owner = articulations.at(id.index());
                    if collider_set.still && owner.sleep.is_asleep() && !new {
                        return;
                    }
                    let frame_in_group = find_group(collider_set, owner, id.index(), body);
                    match collider_set.group {
                        Group::Link(_, link) => {
                            let (group, motion) = owner.link(link);
                            let at = group * frame_in_group;
                            let velocity = motion.at(at.position - group.position).linear;
                            (at, velocity, motion.angular, owner.sleep.is_asleep())
                        }
                        _ => (frame_in_group, DVec3::ZERO, DVec3::ZERO, true),
                    }
                }
            };
            (collider_set.velocity, collider_set.omega, collider_set.fast_after_impact, collider_set.surge) =
                (velocity, omega, None, 0.0);
            let was_still = std::mem::replace(&mut collider_set.still, still);
            if still && was_still && !new {
                if at == collider_set.at {
                    return;
                }
                // put elsewhere by hand
                collider_set.still = false;
            }
            collider_set.place(at);
            if let Group::Single(place) = collider_set.group {
                collider_set.surge = collider_set.surge_of(singles.at(place as usize), dt, gravity);
            }
            collider_set.left = collider_set.spread(dt, gravity);
        });
        contacts.form_volumes();
        let Contacts {
            registry: ColliderRegistry { collider_sets, checked, .. },
            detection: Detection { moved, .. },
            ..
        } = contacts;
        moved.clear();
        for (i, collider_set) in collider_sets.iter_mut().enumerate() {
            // all, if some may touch now and could not before
            collider_set.left = (collider_set.left || !*checked) && !collider_set.parts.is_empty();
            if collider_set.left {
                moved.push(i as u32);
            }
        }
    }

    /// Collects the bodies that constraints join: they do not touch.
    pub(super) fn note_joined(&mut self) {
        let Self { contacts, constraints, .. } = self;
        contacts.registry.joined.clear();
        for (_, holder) in constraints.iter() {
            if let AnyConstraint::Joint(c) = &holder.constraint
                && !c.collides()
                && c.parent != BodyRef::World
                && c.child != BodyRef::World
            {
                contacts.registry.joined.insert(both(c.parent, c.child));
            }
        }
    }

    /// Assigns collider sets to rigid groups after the groups of articulations have changed.
    pub(super) fn regroup_collider_sets(&mut self) {
        let Self { contacts, articulations, .. } = self;
        for collider_set in &mut contacts.registry.collider_sets {
            if let BodyRef::Of(id, body) = collider_set.body
                && !collider_set.parts.is_empty()
            {
                find_group(collider_set, articulations.at(id.index()), id.index(), body);
            }
        }
    }

    /// Marks the articulations that contacts push, and those that an impact hits.
    pub(super) fn find_touched(&mut self) {
        let Self { contacts, articulations, singles, settings, .. } = self;
        if articulations.count_coupled() == 0 {
            return;
        }
        for (_, articulated) in articulations.iter_mut() {
            (articulated.touched, articulated.contact.hit, articulated.contact.rms_speed) =
                (false, false, None);
            articulated.contact.impact_armature = settings.contact.impact_armature;
        }
        let Contacts {
            registry: ColliderRegistry { collider_sets, .. },
            detection: Detection { broad, .. },
            ..
        } = contacts;
        for pair in broad.pairs.iter().filter(|pair| !pair.sensor && pair.has_points()) {
            let both = pair.collider_sets.map(|s| &collider_sets[s as usize]);
            let of_articulation =
                |collider_set: &&BodyColliders| matches!(collider_set.group, Group::Link(..));
            if both[0].still && both[1].still || !both.iter().any(of_articulation) {
                continue;
            }
            let is_hit = |collider_set: &&BodyColliders| match collider_set.group {
                Group::Link(place, _) => articulations.at(place as usize).contact.hit,
                _ => true,
            };
            let known = both.iter().all(is_hit);
            let mut is_fast = |group: Group| match group {
                Group::World => false,
                Group::Single(place) => singles.at(place as usize).velocity().length() > IMPACT_RMS_SPEED,
                Group::Link(place, _) => articulations.at_mut(place as usize).rms_speed() > IMPACT_RMS_SPEED,
            };
            let hit = !known
                && pair.closing(collider_sets) > IMPACT
                && both.iter().any(|collider_set| is_fast(collider_set.group));
            for collider_set in both {
                if let Group::Link(place, _) = collider_set.group {
                    let owner = articulations.at_mut(place as usize);
                    owner.touched = !owner.sleep.is_asleep() && !owner.alone;
                    owner.contact.hit |= hit;
                }
            }
        }
    }
}

/// The rigid group of a collider set on a body of an articulation, and where the body is in it; known until groups change.
fn find_group(collider_set: &mut BodyColliders, owner: &Articulated, place: usize, body: BodyId) -> Frame {
    let tree = owner.simulation.stepped_tree().id;
    if collider_set.in_group.0 != tree {
        let (port, frame) = owner.port_of(body);
        collider_set.in_group = (tree, frame);
        collider_set.group = match port {
            Some(Port::Link(link)) => Group::Link(place as u32, link),
            _ => Group::World,
        };
    }
    collider_set.in_group.1
}

impl Contacts {
    /// Forms the volumes of articulations whose rigid groups or colliders changed.
    fn form_volumes(&mut self) {
        let Self {
            registry: ColliderRegistry { collider_sets, collider_set_of, checked, .. },
            detection: Detection { broad, own, .. },
            ..
        } = self;
        let is_old = |collider_set: &BodyColliders| {
            matches!(collider_set.body, BodyRef::Of(..)) && collider_set.place.is_old(collider_set.group)
        };
        if *checked && !collider_sets.iter().any(is_old) {
            return;
        }
        let mut done = None;
        for (body, collider_set) in collider_set_of.iter() {
            let BodyRef::Of(id, _) = body.0 else { continue };
            if done == Some(id) || (*checked && !is_old(&collider_sets[*collider_set as usize])) {
                continue;
            }
            done = Some(id);
            own.clear();
            let first = body.owner();
            own.extend(
                collider_set_of
                    .range(first..)
                    .take_while(|(b, _)| b.owner() == first)
                    .map(|(_, collider_set)| *collider_set),
            );
            volume::form(collider_sets, own, |lead| broad.drop_volume(lead));
        }
    }
}

/// The mover of a node of an island.
pub(super) fn mover_at(contacts: &Contacts, node: Node) -> usize {
    match node {
        Node::Single { place } => contacts.problem.mover_of[place as usize] as usize,
        Node::Port { articulation, .. } => contacts.problem.first_of[articulation as usize] as usize,
    }
}

impl World {
    /// The rule of what may touch, with the constraints that were collected last.
    pub(super) fn rule(&self) -> Rule<'_> {
        let Self { contacts, articulations, singles, .. } = self;
        let Contacts {
            registry:
                ColliderRegistry { colliders, collider_sets, collider_set_of, ignored, joined, hooks, .. },
            ..
        } = contacts;
        let hooks = hooks.as_deref();
        Rule { colliders, collider_sets, collider_set_of, ignored, joined, hooks, articulations, singles }
    }
}

/// The rule of what may touch.
pub(super) struct Rule<'a> {
    colliders: &'a Slots<Attached, ColliderMark>,
    collider_sets: &'a [BodyColliders],
    collider_set_of: &'a BTreeMap<Ordered, u32>,
    ignored: &'a BTreeSet<(Ordered, Ordered)>,
    joined: &'a BTreeSet<(Ordered, Ordered)>,
    hooks: Option<&'a dyn ContactHooks>,
    articulations: &'a Articulations,
    singles: &'a Slots<SingleBody>,
}

impl Rule<'_> {
    /// Whether two colliders may touch, and whether one only senses.
    pub(super) fn may_touch(&self, collider_sets: [u32; 2], parts: [u32; 2]) -> Option<bool> {
        let collider_sets = collider_sets.map(|s| &self.collider_sets[s as usize]);
        let places = [0, 1].map(|i| collider_sets[i].parts[parts[i] as usize].collider as usize);
        let attached = places.map(|place| self.colliders.at(place));
        let [a, b] = attached.map(|w| &w.collider);
        let bodies = attached.map(|w| w.body);
        let sensor = a.is_sensor || b.is_sensor;
        if !a.groups.allow(&b.groups) || bodies[0] == bodies[1] {
            return None;
        }
        if !sensor && !bodies.iter().any(|body| self.moves(*body)) {
            return None;
        }
        // of one articulation most that overlap are neighbours: asked first, without a search
        let pair = both(bodies[0], bodies[1]);
        if self.are_neighbours(bodies) || self.ignored.contains(&pair) || self.joined.contains(&pair) {
            return None;
        }
        if let Some(hooks) = self.hooks {
            let side = |i: usize| Side {
                id: self.colliders.id_at(places[i]),
                collider: &attached[i].collider,
                body: bodies[i],
            };
            if !hooks.allows(side(0), side(1)) {
                return None;
            }
        }
        Some(sensor)
    }

    /// Whether contacts can push a body.
    fn moves(&self, body: BodyRef) -> bool {
        match body {
            BodyRef::World => false,
            BodyRef::Single(id) => !self.singles.at(id.index()).is_kinematic(),
            BodyRef::Of(..) => true,
        }
    }

    /// Whether a joint of an articulation joins them.
    fn are_neighbours(&self, bodies: [BodyRef; 2]) -> bool {
        let [BodyRef::Of(a, first), BodyRef::Of(b, second)] = bodies else { return false };
        if a != b {
            return false;
        }
        let model = &self.articulations.at(a.index()).simulation.model;
        Kin { model, articulation: a, collider_set_of: self.collider_set_of }.are_neighbours([first, second])
    }
}

/// Islands that contacts push.
pub(super) fn pushed_islands<'a>(
    islands: &'a mut [Island],
    pushed: &'a [bool],
) -> impl Iterator<Item = &'a mut Island> {
    islands.iter_mut().zip(pushed).filter(|(_, pushed)| **pushed).map(|(island, _)| island)
}
