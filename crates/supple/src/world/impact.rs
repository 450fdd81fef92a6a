//! Impacts at less than full detail: before an impact is solved, it wakes the joints that it would move (theory, section 8).

use glam::DVec3;
use rayon::prelude::*;

use crate::constraint::Arms;
use crate::contact::solver::Pushed;
use crate::detail::Target;
use crate::spatial::Force;
use crate::world::{BodyRef, Known, World};
use crate::{Axes, Load};

/// Points that close faster than this are an impact \[m/s].
const IMPACT: f64 = 0.25;

impl World {
    /// Wakes sleeping bodies that are hit, before the impact is solved; where they bounce, also the bodies that they touch: a row of balls
    /// passes an impact on. `dt` \[s] as in [`World::detect_and_linearize`].
    pub(super) fn wake_hit(&mut self, dt: f64) {
        if !self.articulations.iter().any(|(_, a)| a.sleep.is_asleep())
            && !self.singles.iter().any(|(_, b)| b.sleep.is_asleep())
        {
            return;
        }
        self.set_contact_velocities(dt);
        let Self { contacts, .. } = self;
        let (collider_sets, pairs) = (&contacts.registry.collider_sets, &contacts.detection.broad.pairs);
        let mut hit: Vec<(u32, bool)> = Vec::new();
        contacts.problem.solver.closing(dt, |touch, point, speed, impulse| {
            if -speed >= IMPACT && impulse > 2.0 * point.warm_start.normal {
                let both = pairs[touch.pair as usize].collider_sets;
                let asleep = both.into_iter().filter(|s| collider_sets[*s as usize].still);
                hit.extend(asleep.map(|s| (s, touch.restitution > 0.0)));
            }
        });
        let mut next = 0;
        while next < hit.len() {
            let (collider_set, bounces) = hit[next];
            next += 1;
            let body = self.contacts.registry.collider_sets[collider_set as usize].body;
            if !self.is_asleep(body) || self.is_held(body) {
                continue;
            }
            self.wake(body);
            if bounces {
                let Self { contacts, .. } = &*self;
                let touching = contacts
                    .detection
                    .broad
                    .pairs
                    .iter()
                    .filter(|p| p.touches && p.collider_sets.contains(&collider_set));
                hit.extend(
                    touching.flat_map(|p| p.collider_sets).filter(|s| *s != collider_set).map(|s| (s, true)),
                );
            }
        }
        if !self.contacts.detection.detected {
            self.connect();
            self.detect_and_linearize(Arms::Middle, dt);
        }
    }

    /// Activates joints of articulations near where they are hit, and makes their rows anew; `dt` \[s] as in [`World::detect_and_linearize`].
    pub(super) fn open_hit(&mut self, dt: f64) {
        let partial = self.articulations.iter().any(|(_, a)| a.touched && !a.simulation.detail().is_full());
        if !partial || !self.estimate_impacts(dt) {
            return;
        }
        self.articulations.par_iter_mut().filter(|a| !a.contact.hits.is_empty()).for_each(|a| a.wake_hit());
        if self.articulations.iter().any(|(_, a)| !a.contact.hits.is_empty() && a.has_other_groups()) {
            self.connect();
            self.known = self.known.min(Known::Islands);
            self.detect_and_linearize(Arms::Middle, dt);
        }
    }

    /// Estimates the impulse that every point of an impact would give alone to articulations at less than full detail, into their `hits`.
    /// It is an overestimate, since a stiff body is heavier and the points share the load, but in the right places. Whether there is any.
    fn estimate_impacts(&mut self, dt: f64) -> bool {
        self.set_contact_velocities(dt);
        let Self { contacts, articulations, .. } = self;
        for (_, a) in articulations.iter_mut() {
            a.contact.hits.clear();
        }
        let (collider_sets, pairs) = (&contacts.registry.collider_sets, &contacts.detection.broad.pairs);
        let mut any = false;
        contacts.problem.solver.closing(dt, |touch, point, speed, impulse| {
            // a contact at rest closes by what forces add in a step, and held as much before
            let rest = point.warm_start.normal;
            if -speed < IMPACT || impulse < 2.0 * rest {
                return;
            }
            let given = point.axes[0] * impulse;
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                let collider_set = &collider_sets[pairs[touch.pair as usize].collider_sets[side] as usize];
                let BodyRef::Of(id, body) = collider_set.body else { continue };
                let owner = articulations.at_mut(id.index());
                if owner.touched && !owner.simulation.detail().is_full() {
                    let push: DVec3 = sign * given;
                    let wrench = Force::new((point.at - collider_set.at.position).cross(push), push);
                    owner.contact.hits.push(Load { body, wrench, axes: Axes::World });
                    any = true;
                }
            }
        });
        any
    }

    /// Notes the forces of contacts in the last step, as loads for the choice of joints; impacts too where an error decides how many joints
    /// are active.
    pub(super) fn note_contact_pulls(&mut self, dt: f64) {
        let Self { contacts, articulations, .. } = self;
        for touch in &contacts.problem.solver.touches {
            let pushes =
                |m: u32| matches!(contacts.problem.solver.movers[m as usize].body, Pushed::Articulation(_));
            if !touch.sides.iter().any(|side| pushes(side.mover)) {
                continue;
            }
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                // pairs may have been updated since
                let collider_set = &contacts.registry.collider_sets[touch.collider_sets[side] as usize];
                let BodyRef::Of(id, body) = collider_set.body else { continue };
                let owner = articulations.at_mut(id.index());
                let detail = owner.simulation.detail();
                // an impact is over in the next step; as a lasting force it would activate light ends instead of limbs
                let counts = matches!(detail.target, Target::Joints(_) | Target::Price { .. });
                if detail.is_full() || (counts && !owner.contact.hits.is_empty()) {
                    continue;
                }
                let mut wrench = Force::ZERO;
                for point in &contacts.problem.solver.points[touch.range()] {
                    let push = point.given() * (sign / dt);
                    wrench += Force::new((point.at - collider_set.at.position).cross(push), push);
                }
                if wrench != Force::ZERO {
                    owner.ports.pulls.push((body, wrench));
                }
            }
        }
    }
}
