//! What contacts fling about: an impact gives limbs velocities with which nobody looked ahead. Where they would run into something that
//! no contact knows of yet, contacts are looked for once more, as far ahead as they move now, and solved for again.

use glam::DVec3;
use rayon::prelude::*;

use crate::contact::narrow_phase;
use crate::contact::skin::{Group, Skin};
use crate::contact::solver::ContactSolver;
use crate::util::clock::Stopwatch;
use crate::world::contacts::{Contacts, NONE};
use crate::world::{Articulated, Articulations, World};

/// A body is flung if it goes so much farther, or elsewhere, in a step \[m].
const FARTHER: f64 = 0.005;
/// Contacts that were not known are solved for if they would penetrate by so much \[m].
const DEEP: f64 = 0.001;

impl World {
    /// Looks for contacts of what is flung within `dt` \[s]. Whether there are any that nobody knew of; then there are rows for them.
    pub(super) fn look_farther(&mut self, dt: f64) -> bool {
        if !self.note_flung(dt) {
            return false;
        }
        let started = Stopwatch::start();
        self.find_pairs();
        let (searched, found) = (started.seconds(), Stopwatch::start());
        let Self { contacts, gravity, .. } = self;
        let Contacts { skins, broad, times, .. } = contacts;
        let news = narrow_phase::look_again(&mut broad.pairs, skins, *gravity, dt, DEEP);
        times.broad += searched;
        times.narrow += found.seconds();
        if news {
            self.find_touched();
            // those that nothing touched before have no rows yet
            let unknown = |place: usize, a: &Articulated| a.touched && self.contacts.first_of[place] == NONE;
            self.articulations.par_enumerate_mut().filter(|(p, a)| unknown(*p, a)).for_each(|(_, a)| {
                a.answer(dt);
                a.meet();
            });
            self.make_rows();
        }
        news
    }

    /// Notes the skins of what contacts would fling, with their new velocities. Whether there are any.
    fn note_flung(&mut self, dt: f64) -> bool {
        let Self { contacts, articulations, singles, .. } = self;
        let Contacts { skins, solver, mover_of, first_of, moved, .. } = contacts;
        let solver = &*solver;
        see_pushed(solver, first_of, articulations);
        let (mover_of, first_of, articulations) = (&*mover_of, &*first_of, &*articulations);
        skins.par_iter_mut().with_min_len(64).for_each(|skin| {
            skin.flung = None;
            if skin.still || skin.parts.is_empty() {
                return;
            }
            let (velocity, omega) = match skin.group {
                Group::Link(place, link) if first_of[place as usize] != NONE => {
                    let motion = articulations.at(place as usize).pushed_at(link, skin.at.position);
                    (motion.linear, motion.angular)
                }
                Group::Single(place) if mover_of[place as usize] != NONE => {
                    let motion = solver.motion(mover_of[place as usize] as usize);
                    let centre = singles.at(place as usize).centre();
                    (motion.at(skin.at.position - centre).linear, motion.angular)
                }
                _ => return,
            };
            let other = (velocity - skin.velocity).length() + skin.turning_by(omega - skin.omega);
            if other * dt > FARTHER {
                skin.flung = Some((velocity, omega));
                skin.left = skin.widen(velocity, omega, dt);
            }
        });
        moved.clear();
        let mut any = false;
        for (i, skin) in skins.iter().enumerate() {
            any |= skin.flung.is_some();
            if skin.left {
                moved.push(i as u32);
            }
        }
        any
    }
}

/// How the links of all that contacts push would move by what contacts have given so far, of those that changed since somebody asked.
pub(super) fn see_pushed(solver: &ContactSolver, first_of: &[u32], articulations: &mut Articulations) {
    articulations
        .par_enumerate_mut()
        .filter(|(place, _)| first_of[*place] != NONE && solver.has_changed(first_of[*place]))
        .for_each(|(place, a)| a.see_pushed(solver.numbers(first_of[place] as usize)));
}

impl Skin {
    /// Velocity of one of its points \[m], flung or not \[m/s].
    pub(crate) fn velocity_at(&self, point: DVec3) -> DVec3 {
        let (velocity, omega) = self.flung.unwrap_or((self.velocity, self.omega));
        velocity + omega.cross(point - self.at.position)
    }
}
