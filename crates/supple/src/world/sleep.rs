//! Bodies at rest sleep, bodies that are touched wake.
//!
//! Bodies that constraints join sleep and wake together, an articulation as a whole; nothing else does: the lower part of a pile may
//! sleep while something still rolls about on top. [`super::fall_asleep`] decides what falls asleep. A sleeping body is as good as fixed to
//! the world. It wakes when the impulses of its contacts with what is awake are no longer those with which it fell asleep.

use glam::DVec3;

use crate::bodies::Node;
use crate::contact::body_colliders::Group;
use crate::world::colliders::Ordered;
use crate::world::{BodyRef, World};

/// A sleeping body or articulation wakes when the sum of its contact impulses changes by this share of what it was when it fell asleep,
const CHANGE: f64 = 0.25;
/// and by this share of its own weight. Sweeps leave impulses uneven: a smaller share would wake piles for ever.
const OWN_WEIGHT: f64 = 0.15;

impl World {
    /// Wakes a body, with all that is joined to it.
    pub fn wake(&mut self, body: impl Into<BodyRef>) {
        let body = body.into();
        let asleep = match body {
            BodyRef::World => false,
            BodyRef::Single(id) => self.singles.get(id).is_some_and(|b| b.sleep.is_asleep()),
            BodyRef::Of(id, _) => self.articulations.get(id).is_some_and(|a| a.sleep.is_asleep()),
        };
        if !asleep || self.is_held(body) {
            return;
        }
        self.known = self.known.min(super::Known::Islands);
        // what sleeps is in one island at most: kinematic bodies do not
        let island = match body {
            BodyRef::World => None,
            BodyRef::Single(id) => self.island_of[0].get(id.index()).copied().flatten(),
            BodyRef::Of(id, _) => self.island_of[1].get(id.index()).copied().flatten(),
        };
        if let Some(i) = island.map(|i| i as usize)
            && self.islands[i].is_asleep()
        {
            self.wake_island(i);
        }
        match body {
            BodyRef::World => {}
            BodyRef::Single(id) => self.wake_single(id.index()),
            BodyRef::Of(id, _) => self.wake_articulation(id.index()),
        }
    }

    /// Wakes all.
    pub fn wake_all(&mut self) {
        for place in 0..self.singles.places() {
            if self.singles.is_taken(place) {
                self.wake_single(place);
            }
        }
        for place in 0..self.articulations.places() {
            if self.articulations.is_coupled(place) {
                self.wake_articulation(place);
            }
        }
        for island in &mut self.islands {
            island.wake();
        }
        self.known = self.known.min(super::Known::Islands);
    }

    /// Whether a body sleeps.
    pub fn is_asleep(&self, body: impl Into<BodyRef>) -> bool {
        match body.into() {
            BodyRef::World => false,
            BodyRef::Single(id) => self.singles.get(id).is_some_and(|b| b.sleep.is_asleep()),
            BodyRef::Of(id, _) => self.articulations.get(id).is_some_and(|a| a.sleep.is_asleep()),
        }
    }

    fn wake_single(&mut self, place: usize) {
        self.singles.at_mut(place).sleep.wake();
        self.contacts.detection.detected = false;
    }

    fn wake_articulation(&mut self, place: usize) {
        let articulated = self.articulations.at_mut(place);
        if articulated.sleep.is_asleep() {
            articulated.sleep.wake();
            articulated.simulation.hurry();
            self.contacts.detection.detected = false;
        }
    }

    pub(super) fn wake_island(&mut self, island: usize) {
        let held = |node: &Node| match *node {
            Node::Single { place } => self.singles.at(place as usize).sleep.is_held(),
            Node::Port { articulation, .. } => self.articulations.at(articulation as usize).sleep.is_held(),
        };
        if self.islands[island].nodes().iter().any(held) {
            return;
        }
        self.islands[island].wake();
        for n in 0..self.islands[island].nodes().len() {
            match self.islands[island].nodes()[n] {
                Node::Single { place } => self.wake_single(place as usize),
                Node::Port { articulation, .. } => self.wake_articulation(articulation as usize),
            }
        }
    }

    /// At the end of a step of `dt` \[s], wakes bodies that were touched and puts bodies at rest to sleep.
    pub(super) fn update_sleep(&mut self, dt: f64) {
        if !self.has_colliders() {
            return;
        }
        self.wake_touched(dt);
        if self.settings.contact.sleep {
            self.send_to_sleep(dt);
        }
    }

    /// Wakes bodies whose contact impulses are no longer those with which they fell asleep.
    fn wake_touched(&mut self, dt: f64) {
        let mut disturbed = std::mem::take(&mut self.contacts.sleepers.disturbed);
        disturbed.clear();
        let collider_sets = &self.contacts.registry.collider_sets;
        let pairs = self.contacts.detection.broad.pairs.iter().filter(|pair| !pair.sensor && !pair.is_idle());
        for pair in pairs {
            for (own, other, sign) in [(0, 1, -1.0), (1, 0, 1.0)] {
                let [own, other] =
                    [own, other].map(|side: usize| &collider_sets[pair.collider_sets[side] as usize]);
                if other.still || !self.is_asleep(own.body) {
                    continue;
                }
                // between what nothing moves and what sleeps there is no impulse
                let is_kinematic = matches!(other.group, Group::Single(place) if self.singles.at(place as usize).is_kinematic());
                let change = if is_kinematic && pair.touches {
                    DVec3::INFINITY
                } else {
                    sign * (pair.impulse - pair.asleep_impulse)
                };
                if change != DVec3::ZERO || pair.asleep_impulse != DVec3::ZERO {
                    disturbed.push((Ordered(own.body).owner(), change, pair.asleep_impulse.length()));
                }
            }
        }
        // contacts that are gone hold nothing
        for (both, rest) in self.contacts.detection.broad.take_lost() {
            for (collider_set, sign) in both.into_iter().zip([1.0, -1.0]) {
                if let Some(collider_set) = collider_sets.get(collider_set as usize)
                    && self.is_asleep(collider_set.body)
                {
                    disturbed.push((Ordered(collider_set.body).owner(), sign * rest, rest.length()));
                }
            }
        }
        disturbed.sort_by_key(|(body, ..)| *body);
        let weight = self.gravity.length() * dt;
        for same in disturbed.chunk_by(|a, b| a.0 == b.0) {
            let change: DVec3 = same.iter().map(|(_, change, _)| *change).sum();
            let rest: f64 = same.iter().map(|(.., rest)| rest).sum();
            let body = same[0].0.0;
            // not finite where a kinematic body is driven into it
            if !(change.length() <= CHANGE * rest + OWN_WEIGHT * self.mass_of(body) * weight) {
                self.wake(body);
            }
        }
        self.contacts.sleepers.disturbed = disturbed;
    }

    fn mass_of(&self, body: BodyRef) -> f64 {
        match body {
            BodyRef::World => 0.0,
            BodyRef::Single(id) => self.singles.at(id.index()).mass(),
            BodyRef::Of(id, _) => self.articulations.at(id.index()).mass(),
        }
    }

    /// How many single bodies and articulations are awake, and how many sleep.
    pub(super) fn count_sleepers(&self) -> (usize, usize) {
        let singles = self.singles.iter().filter(|(_, b)| !b.is_kinematic()).map(|(_, b)| b.sleep);
        let all = singles.chain(self.articulations.iter().map(|(_, a)| a.sleep));
        all.fold((self.articulations.count_alone(), 0), |(awake, asleep), sleep| match sleep.is_asleep() {
            true => (awake, asleep + 1),
            false => (awake + 1, asleep),
        })
    }

    /// Islands whose bodies sleep, after they were made anew.
    pub(super) fn mark_asleep(&mut self) {
        let Self { islands, singles, articulations, .. } = self;
        for island in islands {
            let asleep = |node: &Node| match *node {
                Node::Single { place } => {
                    let body = singles.at(place as usize);
                    body.sleep.is_asleep() || body.is_at_rest()
                }
                Node::Port { articulation, .. } => articulations.at(articulation as usize).sleep.is_asleep(),
            };
            let any = island.nodes().iter().any(|node| match *node {
                Node::Single { place } => singles.at(place as usize).sleep.is_asleep(),
                Node::Port { articulation, .. } => articulations.at(articulation as usize).sleep.is_asleep(),
            });
            let held = island.nodes().iter().any(|node| match *node {
                Node::Single { place } => singles.at(place as usize).sleep.is_held(),
                Node::Port { articulation, .. } => articulations.at(articulation as usize).sleep.is_held(),
            });
            if held || (any && island.nodes().iter().all(asleep)) {
                island.fall_asleep();
                continue;
            }
            island.wake();
            if any {
                // joined to something that is awake
                for node in island.nodes() {
                    match *node {
                        Node::Single { place } => singles.at_mut(place as usize).sleep.wake(),
                        Node::Port { articulation, .. } => {
                            articulations.at_mut(articulation as usize).sleep.wake();
                        }
                    }
                }
                self.contacts.detection.detected = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{Collider, Shape};
    use crate::spatial::Pose;
    use crate::{Body, BodyId, Joint, ModelBuilder, RigidInertia, Simulation};

    /// Stops and impact armatures weigh on the joint in contacts, and must not count as motion: else what is pressed against a stop never sleeps.
    #[test]
    fn an_elbow_at_its_stop_is_no_faster_than_its_links() {
        let bar = RigidInertia::solid_box(1.0, DVec3::new(0.4, 0.1, 0.1), DVec3::ZERO);
        let elbow = Joint::revolute(DVec3::Y).limits(-0.1, 0.1);
        let model = ModelBuilder::new()
            .body(Body::new("upper", Joint::free()).inertia(bar))
            .body(
                Body::new("lower", elbow).inertia(bar).on("upper").at(Pose::from_translation(DVec3::X * 0.5)),
            )
            .finish()
            .unwrap();
        let mut arm = Simulation::new(model);
        arm.state.q[..3].copy_from_slice(&[0.0, 0.0, 0.5]);
        // the lower end hits first
        let tilt = glam::DQuat::from_rotation_y(0.4);
        arm.state.q[3..7].copy_from_slice(&tilt.to_array());
        let mut world = World::new();
        let id = world.add_articulation(arm);
        for body in [0, 1] {
            let shape = Shape::cuboid(DVec3::new(0.4, 0.1, 0.1)).unwrap();
            world.add_collider(BodyRef::Of(id, BodyId::new(body)), Collider::new(shape)).unwrap();
        }
        world.add_collider(BodyRef::World, Collider::new(Shape::half_space())).unwrap();

        let (mut touched, mut stopped) = (0, 0);
        for _ in 0..200 {
            world.step(1.0 / 120.0).unwrap();
            let it = world.articulations.at_mut(id.index());
            if it.sleep.is_asleep() {
                break;
            }
            if it.touched {
                let angle = *it.simulation.state.q.last().unwrap();
                touched += 1;
                stopped += usize::from(angle.abs() > 0.1);
                it.contact.rms_speed = None;
                it.update_kinematics();
                let speed = it.rms_speed();
                let rounding = 1e-9 * (1.0 + speed);
                assert!(it.is_slow(speed + rounding) && !it.is_slow(speed - rounding), "not {speed} m/s");
            }
        }
        assert!(touched > 20 && stopped > 5, "{touched} steps of contact, {stopped} at the stop");
    }
}
