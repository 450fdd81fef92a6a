//! Bodies that are fast after an impact. An impact gives limbs velocities that were not known when contacts were detected. Where such a
//! limb would reach something without a contact, contacts are detected once more, as far ahead as it moves now, and solved again.

use glam::DVec3;
use rayon::prelude::*;

use crate::contact::body_colliders::{BodyColliders, Group};
use crate::contact::narrow_phase;
use crate::contact::solver::ContactSolver;
use crate::util::clock::Stopwatch;
use crate::world::contacts::{ColliderRegistry, ContactProblem, Detection};
use crate::world::contacts::{Contacts, NONE};
use crate::world::{Articulated, Articulations, World};

/// A body is fast after an impact if the impact changes its way in a step by more than this \[m].
const FARTHER: f64 = 0.005;
/// New contacts are solved if they would penetrate by more than this \[m].
const DEEP: f64 = 0.001;

impl World {
    /// Detects contacts of bodies that are fast after an impact, for `dt` \[s]. Whether there are new ones; then they have rows.
    pub(super) fn find_unforeseen(&mut self, dt: f64) -> bool {
        if !self.note_fast(dt) {
            return false;
        }
        let started = Stopwatch::start();
        self.find_pairs();
        let (searched, found) = (started.seconds(), Stopwatch::start());
        let Self { contacts, gravity, .. } = self;
        let Contacts {
            times,
            registry: ColliderRegistry { collider_sets, .. },
            detection: Detection { broad, .. },
            ..
        } = contacts;
        let news = narrow_phase::update_again(&mut broad.pairs, collider_sets, *gravity, dt, DEEP);
        times.broad += searched;
        times.narrow += found.seconds();
        if news {
            self.find_touched();
            // articulations that nothing touched before have no coordinates yet
            let unknown =
                |place: usize, a: &Articulated| a.touched && self.contacts.problem.first_of[place] == NONE;
            self.articulations.par_enumerate_mut().filter(|(p, a)| unknown(*p, a)).for_each(|(_, a)| {
                a.answer(dt);
                a.meet();
            });
            self.make_rows();
        }
        news
    }

    /// Notes the collider sets that contacts make fast, with their new velocities. Whether there are any.
    fn note_fast(&mut self, dt: f64) -> bool {
        let Self { contacts, articulations, singles, .. } = self;
        let Contacts {
            registry: ColliderRegistry { collider_sets, .. },
            problem: ContactProblem { solver, mover_of, first_of, .. },
            detection: Detection { moved, .. },
            ..
        } = contacts;
        let solver = &*solver;
        update_pushed_motions(solver, first_of, articulations);
        let (mover_of, first_of, articulations) = (&*mover_of, &*first_of, &*articulations);
        collider_sets.par_iter_mut().with_min_len(64).for_each(|collider_set| {
            collider_set.fast_after_impact = None;
            if collider_set.still || collider_set.parts.is_empty() {
                return;
            }
            let (velocity, omega) = match collider_set.group {
                Group::Link(place, link) if first_of[place as usize] != NONE => {
                    let motion = articulations.at(place as usize).pushed_at(link, collider_set.at.position);
                    (motion.linear, motion.angular)
                }
                Group::Single(place) if mover_of[place as usize] != NONE => {
                    let motion = solver.motion(mover_of[place as usize] as usize);
                    let centre = singles.at(place as usize).centre();
                    (motion.at(collider_set.at.position - centre).linear, motion.angular)
                }
                _ => return,
            };
            let other = (velocity - collider_set.velocity).length()
                + collider_set.turning_by(omega - collider_set.omega);
            if other * dt > FARTHER {
                collider_set.fast_after_impact = Some((velocity, omega));
                collider_set.left = collider_set.widen(velocity, omega, dt);
            }
        });
        moved.clear();
        let mut any = false;
        for (i, collider_set) in collider_sets.iter().enumerate() {
            any |= collider_set.fast_after_impact.is_some();
            if collider_set.left {
                moved.push(i as u32);
            }
        }
        any
    }
}

/// Updates the velocities of links by the impulses that contacts have found so far, for articulations that changed since the last time.
pub(super) fn update_pushed_motions(
    solver: &ContactSolver,
    first_of: &[u32],
    articulations: &mut Articulations,
) {
    articulations
        .par_enumerate_mut()
        .filter(|(place, _)| first_of[*place] != NONE && solver.has_changed(first_of[*place]))
        .for_each(|(place, a)| a.update_pushed_motions(solver.numbers(first_of[place] as usize)));
}

impl BodyColliders {
    /// Velocity of one of its points \[m], after an impact if that makes it fast \[m/s].
    pub(crate) fn velocity_at(&self, point: DVec3) -> DVec3 {
        let (velocity, omega) = self.fast_after_impact.unwrap_or((self.velocity, self.omega));
        velocity + omega.cross(point - self.at.position)
    }
}
