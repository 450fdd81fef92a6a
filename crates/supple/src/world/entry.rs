//! Velocities that contacts have not seen: those of new bodies, and those that the user sets between two steps.
//!
//! Contacts act at the end of steps, and so take care of the next one. What moves otherwise than they left it would go the whole way of that
//! step before they see it. So they act once more, at the pose of the start, before anything moves: on velocities alone, looking as
//! far ahead as the step goes. The impulses with which the end of the step starts are those of the end of the step before all the same:
//! an impact says nothing of what bears a load. Contacts also enter where a step is longer than the one before, since they allow bodies to
//! close within a step as long as theirs.
//!
//! How far ahead that is takes three things that contacts at the end of a step know without being asked: the velocities that kinematic bodies
//! are about to have, forces that move a body much farther in one step than it falls, and how far points of what turns are off the straight
//! lines along which contacts see them move.

use glam::DVec3;
use rayon::prelude::*;

use crate::bodies::Node;
use crate::contact::body_colliders::{BodyColliders, Group};
use crate::spatial::rotation;
use crate::world::colliders::Ordered;
use crate::world::solve_contacts::Start;
use crate::world::{BodyRef, Known, SingleBody, SingleId, World};

/// Turns below this are too small to ask what they do \[rad]: a point is off by half a percent of its arm then.
const LEAST_TURN: f64 = 0.1;
/// Turns above this cannot be followed in the shortest parts either \[rad]: what goes round more than once in a step is nowhere in particular.
const MOST_TURN: f64 = std::f64::consts::TAU;
/// How far what turns may be off the straight line within a part of a step, as a share of the half thickness of the thinner of the two that
/// meet: a twentieth, which nobody sees, in the step that begins with a velocity that contacts have not seen;
const OFF_AT_ENTRY: f64 = 0.05;
/// a tenth as long as it turns so fast from then on: a wheel thrice as high as it is wide may do 30 rad/s and asks for nothing;
const OFF_BY_USER: f64 = 0.1;
/// for what contacts and joints set turning all of the thickness, beyond which it may come out on the other side. Limbs that an impact flings
/// about turn by half a radian in a part, and to follow them more closely would cost piles of people half as much again.
const OFF: f64 = 2.0;
/// Parts of a step at most.
pub(super) const MOST_PARTS: u32 = 16;

impl World {
    /// Notes that velocities, or the rules of who may touch whom, may have changed since contacts were solved.
    pub(super) fn note_entry(&mut self) {
        (self.contacts.user.entry, self.contacts.detection.detected) = (true, false);
    }

    /// Sets the velocities that take kinematic bodies to their goals by the end of the whole step, of which `dt` \[s] comes next. A body that
    /// had a goal in the step before and has none now stops.
    pub(super) fn drive_kinematic(&mut self, dt: f64) {
        let left = self.left.max(dt);
        // contacts at rest are off by as much in every step
        let little = self.gravity.length() * dt * dt + self.settings.contact.slop;
        let Self { singles, contacts, .. } = self;
        let (mut any, mut begins) = (false, false);
        for i in 0..contacts.user.kinematic.len() {
            let id = contacts.user.kinematic[i];
            let body = singles.at_mut(id.index());
            if body.sleep.is_held() {
                continue;
            }
            let before = body.moving.motion();
            let rested = body.is_at_rest();
            if let Some(goal) = body.goal {
                let at = body.frame();
                let turn = rotation::log(goal.rotation * at.rotation.conjugate());
                body.set_motion((goal.position - at.position) / left, turn / left);
                body.had_goal = true;
            } else if std::mem::take(&mut body.had_goal) {
                body.set_motion(DVec3::ZERO, DVec3::ZERO);
            }
            let now = body.moving.motion();
            begins |= rested && !body.is_at_rest();
            if now != before
                && let Some(collider_set) =
                    contacts.registry.collider_set_of.get(&Ordered(BodyRef::Single(id)))
            {
                let turning = contacts.registry.collider_sets[*collider_set as usize]
                    .turning_by(now.angular - before.angular);
                let much = dt * ((now.linear - before.linear).length() + turning) > little;
                contacts.registry.collider_sets[*collider_set as usize].moved_by_user |= much;
                any |= much;
            }
        }
        if any {
            self.note_entry();
        }
        if begins {
            self.wake_driven();
        }
    }

    /// Wakes islands with a kinematic body that moves.
    fn wake_driven(&mut self) {
        for i in 0..self.islands.len() {
            let island = &self.islands[i];
            let is_driven = |node: &Node| match *node {
                Node::Single { place } => {
                    let body = self.singles.at(place as usize);
                    body.is_kinematic() && !body.is_at_rest()
                }
                Node::Port { .. } => false,
            };
            if island.is_asleep() && island.nodes().iter().any(is_driven) {
                self.known = self.known.min(Known::Islands);
                self.wake_island(i);
            }
        }
    }

    /// Notes which bodies are kinematic in a step, and how those that are driven move before it.
    pub(super) fn note_driven(&mut self) {
        let Self { singles, contacts, .. } = self;
        contacts.user.kinematic.clear();
        contacts.user.driven.clear();
        for (id, body) in singles.iter().filter(|(_, body)| body.is_kinematic()) {
            contacts.user.kinematic.push(id);
            if body.had_goal || body.goal.is_some() {
                contacts.user.driven.push((id, body.moving, body.had_goal));
            }
        }
    }

    /// Restores the motion of driven bodies after a step that failed.
    pub(super) fn restore_driven(&mut self) {
        for (id, moving, had_goal) in self.contacts.user.driven.drain(..) {
            if let Some(body) = self.singles.get_mut(id) {
                (body.moving, body.had_goal) = (moving, had_goal);
            }
        }
    }

    /// Wakes sleeping bodies that are about to be hit at velocities that contacts have not seen, before articulations take their steps.
    pub(super) fn wake_entered(&mut self, dt: f64) {
        if self.contacts.user.entry && self.closes(dt) {
            self.wake_hit(dt);
        }
    }

    /// Solves contacts for velocities that they have not seen, if these would make anything penetrate within `dt` \[s].
    pub(super) fn enter(&mut self, dt: f64) {
        if !self.contacts.user.entry || !self.closes(dt) {
            return;
        }
        self.open_hit(dt);
        self.solve_contacts(dt, Start::Nothing);
        self.articulations.par_iter_mut().filter(|a| a.is_constrained()).for_each(|a| {
            a.update_kinematics();
            a.save();
        });
    }

    /// Whether anything would penetrate within `dt` \[s] by the velocities that were seen last.
    fn closes(&self, dt: f64) -> bool {
        let (collider_sets, deep) = (&self.contacts.registry.collider_sets, self.settings.contact.slop);
        let moves =
            |pair: &[u32; 2]| pair.iter().any(|collider_set| !collider_sets[*collider_set as usize].still);
        self.contacts
            .detection
            .broad
            .pairs
            .iter()
            .filter(|pair| !pair.sensor && pair.has_points() && moves(&pair.collider_sets))
            .any(|pair| {
                pair.points(collider_sets).any(|(separation, speed)| separation.max(0.0) + dt * speed < -deep)
            })
    }

    /// Marks the collider sets whose velocities the user has changed since the last step.
    pub(super) fn note_handled(&mut self) {
        let Self { contacts, singles, articulations, .. } = self;
        for (id, before) in contacts.user.handled.drain(..) {
            if singles.get(id).is_some_and(|body| body.moving.motion() != before)
                && let Some(collider_set) =
                    contacts.registry.collider_set_of.get(&Ordered(BodyRef::Single(id)))
            {
                contacts.registry.collider_sets[*collider_set as usize].moved_by_user = true;
            }
        }
        for (id, articulated) in articulations.iter_mut() {
            if articulated.was_handled() {
                let own = |collider_set: &&mut BodyColliders| matches!(collider_set.body, BodyRef::Of(of, _) if of == id);
                contacts
                    .registry
                    .collider_sets
                    .iter_mut()
                    .filter(own)
                    .for_each(|collider_set| collider_set.moved_by_user = true);
            }
        }
    }

    /// Parts of a step of `dt` \[s] in which what turns near something stays near the straight lines along which contacts see it move.
    pub(super) fn parts_for_turns(&mut self, dt: f64) -> u32 {
        let Self { contacts, singles, .. } = self;
        let omega = |collider_set: &BodyColliders| match collider_set.group {
            _ if collider_set.still => DVec3::ZERO,
            Group::World => DVec3::ZERO,
            Group::Single(place) => singles.at(place as usize).omega(),
            Group::Link(..) => collider_set.fast_after_impact.map_or(collider_set.omega, |(_, omega)| omega),
        };
        for collider_set in
            contacts.registry.collider_sets.iter_mut().filter(|collider_set| collider_set.moved_by_user)
        {
            collider_set.moved_by_user = dt * omega(collider_set).length() >= LEAST_TURN;
        }
        let collider_sets = &contacts.registry.collider_sets;
        // most turn little, which is told without turning tensors
        let is_slow = |collider_set: &BodyColliders| match collider_set.group {
            Group::Single(place) => singles.at(place as usize).moving.is_slower(LEAST_TURN / dt),
            _ => false,
        };
        let share = |by_user: bool| match by_user {
            true if contacts.user.entry => OFF_AT_ENTRY,
            true => OFF_BY_USER,
            false => OFF,
        };
        let mut parts = 1;
        for pair in contacts.detection.broad.pairs.iter().filter(|pair| !pair.sensor && pair.has_points()) {
            let both = pair.collider_sets.map(|collider_set| &collider_sets[collider_set as usize]);
            if both.into_iter().all(|collider_set| collider_set.still || is_slow(collider_set)) {
                continue;
            }
            let turns = both.map(|collider_set| dt * omega(collider_set).length());
            let follows = |turn: f64| (LEAST_TURN..MOST_TURN).contains(&turn);
            if !turns.into_iter().any(follows) {
                continue;
            }
            let thickness = [0, 1].map(|i| both[i].parts[pair.parts[i] as usize].shape.ccd_thickness());
            // meshes have none
            let thin = thickness.into_iter().filter(|t| *t > 0.0).fold(f64::INFINITY, f64::min);
            for i in 0..2 {
                if !follows(turns[i]) {
                    continue;
                }
                // of what is round nothing goes anywhere by turning
                let reach = both[i].turning_by(omega(both[i])) * dt / turns[i] - thickness[i];
                // half of what it is pulled towards the axis, by which it, or what slides along it, leaves the straight line
                let off = |parts: u32| {
                    let turn = turns[i] / f64::from(parts);
                    0.5 * reach * turn * turn
                };
                while parts < MOST_PARTS && off(parts) > share(both[i].moved_by_user) * thin {
                    parts += 1;
                }
            }
        }
        parts
    }

    /// Whether a body's wrench moves it farther in a step than it may be looked for.
    pub(super) fn is_surging(&self, id: SingleId) -> bool {
        let collider_set = self.contacts.registry.collider_set_of.get(&Ordered(BodyRef::Single(id)));
        collider_set.zip(self.singles.get(id)).is_some_and(|(collider_set, body)| {
            let collider_set = &self.contacts.registry.collider_sets[*collider_set as usize];
            collider_set.surge_of(body, self.contacts.detection.detected_for, self.gravity) > 0.0
        })
    }
}

impl BodyColliders {
    /// How fast a body's wrench makes it within `dt` \[s], beyond what gravity does: so much farther it is to be looked for \[m/s].
    pub(crate) fn surge_of(&self, body: &SingleBody, dt: f64, gravity: DVec3) -> f64 {
        let wrench = body.wrench;
        if wrench == crate::spatial::Force::ZERO || body.is_kinematic() {
            return 0.0;
        }
        let alpha = body.moving.inverse_inertia_world() * wrench.angular;
        let gained = wrench.linear.length() * body.moving.inverse_mass + self.turning_by(alpha);
        dt * (gained - gravity.length()).max(0.0)
    }
}
