//! What touches what in a world: skins at the present pose, pairs, manifolds, and their rows.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use glam::DVec3;
use rayon::prelude::*;

use crate::bodies::Node;
use crate::constraint::Frame;
use crate::constraint::island::Island;
use crate::contact::broad_phase::BroadPhase;
use crate::contact::narrow_phase;
use crate::contact::skin::{Group, Skin};
use crate::contact::solver::ContactSolver;
use crate::contact::volume;
use crate::contact::{ContactHooks, Side};
use crate::dynamics::port::Port;
use crate::model::BodyId;
use crate::spatial::Motion;
use crate::util::clock::Stopwatch;
use crate::world::colliders::{Ordered, Worn, both};
use crate::world::kin::Kin;
use crate::world::rows::Waiting;
use crate::world::{
    AnyConstraint, Articulated, Articulations, BodyRef, ColliderId, ColliderMark, Event, Moving, SingleBody,
    SingleId, Slots, World,
};

/// Colliders of a world, and where they touch.
#[derive(Clone, Default)]
pub(crate) struct Contacts {
    pub(crate) colliders: Slots<Worn, ColliderMark>,
    pub(crate) skins: Vec<Skin>,
    /// Skins of bodies; the world has several.
    pub(crate) skin_of: BTreeMap<Ordered, u32>,
    pub(crate) free_skins: Vec<u32>,
    pub(crate) broad: BroadPhase,
    /// Bodies that never touch.
    pub(crate) ignored: BTreeSet<(Ordered, Ordered)>,
    /// Bodies that constraints join.
    joined: BTreeSet<(Ordered, Ordered)>,
    /// Whether there are colliders that no step has seen yet; and what those were inside of that have been seen since the last step.
    pub(crate) has_new: bool,
    pub(crate) inside: Vec<Event>,
    pub(crate) hooks: Option<Arc<dyn ContactHooks>>,
    /// Whether there were colliders when rows were last made.
    pub(crate) worn: bool,
    /// Whether all pairs were asked whether they may touch since that last changed.
    pub(crate) checked: bool,
    /// Whether the manifolds are those of the present pose.
    pub(crate) seen: bool,
    /// For steps of at most this length \[s].
    pub(crate) seen_for: f64,
    /// Whether velocities may be others than contacts left them.
    pub(crate) entry: bool,
    /// Single bodies that somebody had in hands since the last step, and how they moved before.
    pub(crate) given: Vec<(SingleId, Motion)>,
    /// Kinematic bodies, in the present step.
    pub(crate) kinematic: Vec<SingleId>,
    /// Kinematic bodies that are led, how they moved before the step, and whether they were led then.
    pub(crate) led: Vec<(SingleId, Moving, bool)>,
    pub(crate) solver: ContactSolver,
    /// Manifolds without rows.
    pub(crate) waiting: Waiting,
    /// By island: whether contacts push its bodies.
    pub(crate) pushed: Vec<bool>,
    /// By place of a single body: its mover; by articulation its first one.
    pub(crate) mover_of: Vec<u32>,
    pub(crate) first_of: Vec<u32>,
    pub(crate) moved: Vec<u32>,
    /// Scratch: skins of one articulation.
    own: Vec<u32>,
    /// What changed of what pushes bodies that sleep, and how much it was.
    pub(crate) disturbed: Vec<(Ordered, DVec3, f64)>,
    /// What falls asleep as one: single bodies, articulations, islands; and, by these and the world, who hangs together with whom.
    pub(crate) units: Vec<super::rest::Unit>,
    pub(crate) roots: Vec<u32>,
    /// Gravity of the last step: what sleeps wakes when it changes.
    pub(crate) gravity: DVec3,
    /// Sweeps of the last step.
    pub(crate) sweeps: u32,
    /// Times of the last step.
    pub(crate) times: super::Times,
}

impl std::fmt::Debug for Contacts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Contacts").field("colliders", &self.colliders.len()).finish_non_exhaustive()
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
    /// What the first gave the second in the last step \[N·s].
    pub impulse: DVec3,
}

/// What closes faster than this is an impact to articulations, which brace then \[m/s]; if one of the two moves faster than that as a
/// whole, by its kinetic energy: a thumb that falls on the floor is none.
const IMPACT: f64 = 0.5;
const LIVELY: f64 = 0.1;

/// No mover.
pub(crate) const NONE: u32 = u32::MAX;

impl World {
    /// Points where colliders touch, or are about to, after the last step.
    pub fn contacts(&self) -> impl Iterator<Item = Contact> {
        let Contacts { colliders, skins, broad, .. } = &self.contacts;
        broad.pairs.iter().filter(|pair| !pair.sensor).flat_map(move |pair| {
            let skins = [0, 1].map(|i| &skins[pair.skins[i] as usize]);
            let parts = [0, 1].map(|i| &skins[i].parts[pair.parts[i] as usize]);
            pair.manifolds.iter().flat_map(move |manifold| {
                let first = manifold.subshape_pos1().map_or(parts[0].pose, |p| parts[0].pose * *p);
                let second = manifold.subshape_pos2().map_or(parts[1].pose, |p| parts[1].pose * *p);
                let normal = first.rotation * manifold.local_n1;
                manifold.points.iter().map(move |point| Contact {
                    colliders: parts.map(|part| colliders.id_at(part.collider as usize)),
                    bodies: skins.map(|skin| skin.body),
                    point: 0.5 * (first * point.local_p1 + second * point.local_p2),
                    normal,
                    separation: point.dist,
                    impulse: point.data.impulse,
                })
            })
        })
    }

    /// How many volumes stand for all colliders where contacts are looked for: one for each rigid group of links, each single body, and
    /// each collider of the world itself.
    pub fn volumes(&self) -> usize {
        self.contacts.broad.volumes()
    }

    /// Sets what the user has to say about contacts.
    pub fn set_contact_hooks(&mut self, hooks: Option<Arc<dyn ContactHooks>>) {
        self.contacts.hooks = hooks;
        self.contacts.checked = false;
        self.note_entry();
    }

    /// Whether there is anything to touch.
    pub(super) fn has_colliders(&self) -> bool {
        self.contacts.colliders.len() > 0
    }

    /// Whether what may touch within `dt` \[s] is known.
    pub(super) fn sees_contacts(&self, dt: f64) -> bool {
        self.contacts.seen && dt <= self.contacts.seen_for
    }

    /// Sees where skins are and where they touch, for a step of `dt` \[s] to come.
    pub(super) fn detect(&mut self, dt: f64) {
        if !self.has_colliders() || self.sees_contacts(dt) {
            return;
        }
        (self.contacts.seen, self.contacts.seen_for) = (true, dt);
        let started = Stopwatch::start();
        self.place_skins(dt);
        if !self.contacts.checked {
            self.note_joined();
        }
        self.find_pairs();
        let (searched, found) = (started.seconds(), Stopwatch::start());
        let Self { contacts, gravity, .. } = self;
        narrow_phase::update(&mut contacts.broad.pairs, &contacts.skins, *gravity, dt);
        contacts.times.broad += searched;
        contacts.times.narrow += found.seconds();
    }

    /// Pairs of what moved.
    pub(super) fn find_pairs(&mut self) {
        let Self { contacts, articulations, singles, .. } = self;
        let Contacts { colliders, skins, skin_of, broad, ignored, joined, hooks, checked, moved, .. } =
            contacts;
        let hooks = hooks.as_deref();
        let rule = Rule { colliders, skins, skin_of, ignored, joined, hooks, articulations, singles };
        if !std::mem::replace(checked, true) {
            broad.retain(|skins, parts| rule.may_touch(skins, parts));
        }
        broad.update(skins, moved.iter().copied(), |skins, parts| rule.may_touch(skins, parts));
        for skin in moved.iter() {
            skins[*skin as usize].left = false;
        }
    }

    /// Puts the skins of what moved where their bodies are, and notes those that left their boxes.
    fn place_skins(&mut self, dt: f64) {
        let Self { contacts, articulations, singles, gravity, .. } = self;
        let gravity = *gravity;
        contacts.skins.par_iter_mut().with_min_len(64).for_each(|skin| {
            if skin.parts.is_empty() {
                return;
            }
            let new = skin.stirred;
            let (at, velocity, omega, still) = match skin.body {
                BodyRef::World => (Frame::IDENTITY, DVec3::ZERO, DVec3::ZERO, true),
                BodyRef::Single(id) => {
                    let body = singles.at(id.index());
                    skin.group = Group::Single(id.index() as u32);
                    let still = body.sleep.is_asleep() || body.is_at_rest();
                    (body.frame(), body.velocity_of_frame(), body.omega(), still)
                }
                BodyRef::Of(id, body) => {
                    let owner = articulations.at(id.index());
                    if skin.still && owner.sleep.is_asleep() && !new {
                        return;
                    }
                    let in_group = take_seat(skin, owner, id.index(), body);
                    match skin.group {
                        Group::Link(_, link) => {
                            let (group, motion) = owner.link(link);
                            let at = group * in_group;
                            let velocity = motion.at(at.position - group.position).linear;
                            (at, velocity, motion.angular, owner.sleep.is_asleep())
                        }
                        _ => (in_group, DVec3::ZERO, DVec3::ZERO, true),
                    }
                }
            };
            (skin.velocity, skin.omega, skin.flung, skin.surge) = (velocity, omega, None, 0.0);
            let was_still = std::mem::replace(&mut skin.still, still);
            if still && was_still && !new {
                if at == skin.at {
                    return;
                }
                // put elsewhere by hand
                skin.still = false;
            }
            skin.place(at);
            if let Group::Single(place) = skin.group {
                skin.surge = skin.surge_of(singles.at(place as usize), dt, gravity);
            }
            skin.left = skin.spread(dt, gravity);
        });
        contacts.form_volumes();
        let Contacts { skins, moved, checked, .. } = contacts;
        moved.clear();
        for (i, skin) in skins.iter_mut().enumerate() {
            // all, if some may touch now and could not before
            skin.left = (skin.left || !*checked) && !skin.parts.is_empty();
            if skin.left {
                moved.push(i as u32);
            }
        }
    }

    /// Bodies that constraints join do not touch.
    pub(super) fn note_joined(&mut self) {
        let Self { contacts, constraints, .. } = self;
        contacts.joined.clear();
        for (_, holder) in constraints.iter() {
            if let AnyConstraint::Joint(c) = &holder.constraint
                && !c.collide
                && c.parent != BodyRef::World
                && c.child != BodyRef::World
            {
                contacts.joined.insert(both(c.parent, c.child));
            }
        }
    }

    /// The rigid groups of articulations are others than they were: which skins are where.
    pub(super) fn regroup_skins(&mut self) {
        let Self { contacts, articulations, .. } = self;
        for skin in &mut contacts.skins {
            if let BodyRef::Of(id, body) = skin.body
                && !skin.parts.is_empty()
            {
                take_seat(skin, articulations.at(id.index()), id.index(), body);
            }
        }
    }

    /// Which articulations contacts push.
    pub(super) fn find_touched(&mut self) {
        let Self { contacts, articulations, singles, settings, .. } = self;
        if articulations.len() == 0 {
            return;
        }
        for (_, articulated) in articulations.iter_mut() {
            (articulated.touched, articulated.hit, articulated.liveliness) = (false, false, None);
            articulated.brace = settings.contact.brace;
        }
        let Contacts { skins, broad, .. } = contacts;
        for pair in broad.pairs.iter().filter(|pair| !pair.sensor && pair.has_points()) {
            let both = pair.skins.map(|s| &skins[s as usize]);
            let of_articulation = |skin: &&Skin| matches!(skin.group, Group::Link(..));
            if both[0].still && both[1].still || !both.iter().any(of_articulation) {
                continue;
            }
            let is_hit = |skin: &&Skin| match skin.group {
                Group::Link(place, _) => articulations.at(place as usize).hit,
                _ => true,
            };
            let known = both.iter().all(is_hit);
            let mut lively = |group: Group| match group {
                Group::World => false,
                Group::Single(place) => singles.at(place as usize).velocity().length() > LIVELY,
                Group::Link(place, _) => articulations.at_mut(place as usize).liveliness() > LIVELY,
            };
            let hit = !known && pair.closing(skins) > IMPACT && both.iter().any(|skin| lively(skin.group));
            for skin in both {
                if let Group::Link(place, _) = skin.group {
                    let owner = articulations.at_mut(place as usize);
                    owner.touched = !owner.sleep.is_asleep() && !owner.alone;
                    owner.hit |= hit;
                }
            }
        }
    }
}

/// The rigid group of a skin on a body of an articulation, and where the body is in it; known until groups change.
fn take_seat(skin: &mut Skin, owner: &Articulated, place: usize, body: BodyId) -> Frame {
    let tree = owner.simulation.stepped_tree().id;
    if skin.seat.0 != tree {
        let (port, frame) = owner.port_of(body);
        skin.seat = (tree, frame);
        skin.group = match port {
            Some(Port::Link(link)) => Group::Link(place as u32, link),
            _ => Group::World,
        };
    }
    skin.seat.1
}

impl Contacts {
    /// Volumes of articulations whose rigid groups are others than they were, or whose colliders changed.
    fn form_volumes(&mut self) {
        let Self { skins, skin_of, broad, own, checked, .. } = self;
        let is_old = |skin: &Skin| matches!(skin.body, BodyRef::Of(..)) && skin.place.is_old(skin.group);
        if *checked && !skins.iter().any(is_old) {
            return;
        }
        let mut done = None;
        for (body, skin) in skin_of.iter() {
            let BodyRef::Of(id, _) = body.0 else { continue };
            if done == Some(id) || (*checked && !is_old(&skins[*skin as usize])) {
                continue;
            }
            done = Some(id);
            own.clear();
            let first = body.owner();
            own.extend(skin_of.range(first..).take_while(|(b, _)| b.owner() == first).map(|(_, skin)| *skin));
            volume::form(skins, own, |lead| broad.drop_volume(lead));
        }
    }
}

/// Where the mover of an island's node is.
pub(super) fn mover_at(contacts: &Contacts, node: Node) -> usize {
    match node {
        Node::Single { place } => contacts.mover_of[place as usize] as usize,
        Node::Port { articulation, .. } => contacts.first_of[articulation as usize] as usize,
    }
}

impl World {
    /// What may touch, constraints as they were noted last.
    pub(super) fn rule(&self) -> Rule<'_> {
        let Self { contacts, articulations, singles, .. } = self;
        let Contacts { colliders, skins, skin_of, ignored, joined, hooks, .. } = contacts;
        let hooks = hooks.as_deref();
        Rule { colliders, skins, skin_of, ignored, joined, hooks, articulations, singles }
    }
}

/// What may touch.
pub(super) struct Rule<'a> {
    colliders: &'a Slots<Worn, ColliderMark>,
    skins: &'a [Skin],
    skin_of: &'a BTreeMap<Ordered, u32>,
    ignored: &'a BTreeSet<(Ordered, Ordered)>,
    joined: &'a BTreeSet<(Ordered, Ordered)>,
    hooks: Option<&'a dyn ContactHooks>,
    articulations: &'a Articulations,
    singles: &'a Slots<SingleBody>,
}

impl Rule<'_> {
    /// Whether two colliders may touch, and whether one only senses.
    pub(super) fn may_touch(&self, skins: [u32; 2], parts: [u32; 2]) -> Option<bool> {
        let skins = skins.map(|s| &self.skins[s as usize]);
        let places = [0, 1].map(|i| skins[i].parts[parts[i] as usize].collider as usize);
        let worn = places.map(|place| self.colliders.at(place));
        let [a, b] = worn.map(|w| &w.collider);
        let bodies = worn.map(|w| w.body);
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
                collider: &worn[i].collider,
                body: bodies[i],
            };
            if !hooks.allows(side(0), side(1)) {
                return None;
            }
        }
        Some(sensor)
    }

    /// Whether contacts can push it.
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
        Kin { model, articulation: a, skin_of: self.skin_of }.are_neighbours([first, second])
    }
}

/// Islands that contacts push.
pub(super) fn pushed_islands<'a>(
    islands: &'a mut [Island],
    pushed: &'a [bool],
) -> impl Iterator<Item = &'a mut Island> {
    islands.iter_mut().zip(pushed).filter(|(_, pushed)| **pushed).map(|(island, _)| island)
}
