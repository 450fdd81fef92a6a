//! One time step.
//!
//! ```text
//!  aim ─► adapt ─► enter ─► kick ─► resolve ─► advance ─► kick ─► settle
//! ```
//!
//! - **aim**: kinematic bodies get the velocities that take them where they are to be
//! - **adapt**: articulations whose turn it is choose their joints; those without constraints or contacts take their whole step
//! - **enter**: contacts act on velocities that they have not seen: of new bodies, or set by hand since the last step
//! - **kick**: half of the step's forces on single bodies
//! - **resolve**: penetration is corrected by a share per step, without a change of velocities; then pre-stabilization: impulses that put
//!   *predicted* joint frames where they belong
//! - **advance**: positions
//! - **settle**: contacts are detected at the new pose; collisions, contacts, velocity post-stabilization; then breaking, sleep, events and
//!   the report

use rayon::prelude::*;

use crate::bodies::Node;
use crate::constraint::Arms;
use crate::constraint::cut::Surroundings;
use crate::constraint::island::Island;
use crate::contact::narrow_phase::CHUNK;
use crate::spatial::{Force, math};
use crate::util::clock::Stopwatch;
use crate::world::entry::MOST_PARTS;
use crate::world::hold::Stop;
use crate::world::schedule::{Cue, cue};
use crate::world::{Articulated, Articulations, Known, Solver, World, WorldError, WorldReport};

/// A step counts as longer than the one before if it is longer by this factor, so that rounding does not count.
const LONGER: f64 = 1.0 + 1e-9;
/// Steps that are not cut after one that could not be solved even in the shortest parts, since its constraints may contradict.
const RETRY_AFTER: u32 = 100;

impl World {
    /// Takes one step of `dt` \[s], on the threads of the rayon pool that it is called in, or of the global one. On an error the world is that
    /// before the step, or before the part of it that was refused; but where something leaves the finite numbers, it stays as it was, all
    /// others have taken the step, and time has gone on ([`WorldError::Failed`]).
    pub fn step(&mut self, dt: f64) -> Result<WorldReport, WorldError> {
        self.step_with(dt, &cue::Nothing)
    }

    /// Takes one step of `dt` \[s], after `cue` has acted on each articulation that steps now. What rests or sleeps is not visited before
    /// something is done to it.
    pub fn step_with(&mut self, dt: f64, cue: &impl Cue) -> Result<WorldReport, WorldError> {
        let wide = self.articulations.count() > 1
            || self.islands.len() > 1
            || self.contacts.detection.broad.pairs.len() >= 2 * CHUNK;
        if wide {
            // a thread outside rayon's pool would wait for the pool in every loop of the step: it enters once
            rayon::scope(|_| self.step_here(dt, cue))
        } else {
            self.step_here(dt, cue)
        }
    }

    fn step_here(&mut self, dt: f64, cue: &dyn Cue) -> Result<WorldReport, WorldError> {
        self.check(dt)?;
        self.events.clear();
        if std::mem::replace(&mut self.contacts.user.gravity, self.gravity) != self.gravity {
            self.wake_all();
            // those that are alone rest no more either
            self.schedule.forget();
        }
        self.uncouple_free();
        self.left = dt;
        self.schedule(cue)?;
        let report = if self.can_push() { self.step_coupled(dt) } else { Ok(self.pass(dt)) };
        let mut failures = self.release();
        let report = report?;
        failures.extend(self.step_alone(dt, cue));
        self.settle_schedule(cue);
        if failures.is_empty() { Ok(report) } else { Err(WorldError::Failed { failures }) }
    }

    /// Whether there is anything that may push.
    fn can_push(&self) -> bool {
        self.singles.len() > 0
            || self.articulations.count_coupled() > 0
            || self.constraints.len() > 0
            || self.has_colliders()
            || self.contacts.detection.had_colliders
    }

    /// Lets `dt` \[s] pass in a world in which nothing pushes.
    pub(super) fn pass(&mut self, dt: f64) -> WorldReport {
        self.time += dt;
        self.steps += 1;
        self.last_dt = dt;
        WorldReport {
            substeps: self.settings.substeps.max(1),
            awake: self.articulations.count(),
            ..WorldReport::default()
        }
    }

    /// The step of all that may push or be pushed.
    fn step_coupled(&mut self, dt: f64) -> Result<WorldReport, WorldError> {
        self.note_handled();
        let before = self.steps;
        let result = self.step_driven(dt);
        if result.is_err() && self.steps == before {
            self.restore_driven();
        }
        result
    }

    /// The rest of a step.
    fn step_driven(&mut self, dt: f64) -> Result<WorldReport, WorldError> {
        self.note_driven();
        self.drive_kinematic(dt);
        if self.has_colliders() && !self.contacts.are_any() {
            // the parts of the last step looked no farther ahead than they were long
            self.update_islands_and_contacts(dt)?;
        }
        let touching = self.contacts.are_any();
        // rounding must not cut twice 1/120 s into three
        let parts = if touching {
            (dt / self.settings.contact.longest - 1e-9).ceil().clamp(1.0, f64::from(MOST_PARTS)) as u32
        } else {
            1
        };
        let mut substeps = self.settings.substeps.max(parts).max(1);
        if touching {
            self.update_islands_and_contacts(dt / f64::from(substeps))?;
        }
        let turning = if touching { self.parts_for_turns(dt) } else { 1 };
        let mut report = WorldReport::default();
        substeps = substeps.max(turning);
        if substeps > 1 {
            self.note_start();
        }
        for _ in 0..substeps {
            self.part(dt / f64::from(substeps), 0, &mut report)?;
        }
        for island in &mut self.islands {
            island.count_step();
        }
        self.events.append(&mut self.contacts.detection.inside);
        (report.awake, report.asleep) = self.count_sleepers();
        Ok(report)
    }

    /// Takes one part of a step, in halves where its constraints cannot be met at once.
    fn part(&mut self, dt: f64, halvings: u32, report: &mut WorldReport) -> Result<(), WorldError> {
        let events = self.events.len();
        let may_cut = halvings < self.settings.halvings;
        let done = loop {
            match self.substep(dt, may_cut) {
                Ok(done) => break done,
                Err(Stop::Refused(error)) => return Err(error),
                Err(Stop::Failed) => {
                    self.events.truncate(events);
                    if let Some(nothing) = self.hold_failed(dt)? {
                        break Some(nothing);
                    }
                }
            }
        };
        let Some(done) = done else {
            self.undo();
            self.events.truncate(events);
            self.note_start();
            self.part(0.5 * dt, halvings + 1, report)?;
            return self.part(0.5 * dt, halvings + 1, report);
        };
        let limit = self.settings.failed();
        if self.settings.solver == Solver::Together && done.error > limit {
            // it would fail again in each of the next steps
            for island in self.islands.iter_mut().filter(|island| island.newton.error() > limit) {
                island.idle_for(RETRY_AFTER);
            }
        }
        self.left -= dt;
        self.contacts.user.entry = false;
        self.break_weak();
        self.report_touches();
        self.update_sleep(dt);
        report.add(&done);
        Ok(())
    }

    /// Whether constraints are not met, but may be in shorter steps.
    fn wants_cut(&self) -> bool {
        let limit = self.settings.failed();
        let hope = |island: &Island| {
            !island.is_asleep()
                && island.may_cut()
                && !island.newton.is_solved()
                && island.newton.error() > limit
        };
        // the other solvers have their accuracy by a number of iterations
        self.settings.solver == Solver::Together && self.islands.iter().any(hope)
    }

    /// Takes one part of a step; `None` if the caller has to cut it.
    fn substep(&mut self, dt: f64, may_cut: bool) -> Result<Option<WorldReport>, Stop> {
        self.saved.clear();
        self.saved.extend(self.singles.iter().map(|(_, body)| (body.moving, body.goal, body.had_goal)));
        self.before = (self.time, self.steps, self.last_dt);
        for island in &mut self.islands {
            island.start.keep();
        }
        self.articulations.iter_mut().for_each(|(_, a)| a.begin());
        self.aim(dt);
        // contacts allow what closes within a step as long as theirs was
        self.contacts.user.entry |= dt > LONGER * self.last_dt;
        self.contacts.times = super::Times::default();
        self.contacts.sweeps = 0;
        let started = Stopwatch::start();
        let result = self.update_islands_and_contacts(dt).map_err(Stop::from).and_then(|()| {
            self.wake_entered(dt);
            self.adapt(dt)
        });
        let result = result.and_then(|()| {
            self.connect();
            self.observe(Arms::Middle, dt);
            self.enter(dt);
            let (before, after) = self.settings.solver.kicks();
            self.kick(|pushed| if pushed { 0.0 } else { before * dt });
            self.resolve(dt);
            if may_cut && self.wants_cut() {
                return Ok(None);
            }
            self.advance(dt)?;
            // the collision library must not see what is not finite
            self.check_finite()?;
            self.stop_at_hits(dt);
            self.kick(|pushed| if pushed { dt } else { after * dt });
            let mut report = self.settle(dt);
            let times = &mut self.contacts.times;
            times.dynamics = started.seconds() - times.total();
            report.times = *times;
            self.check_finite()?;
            Ok((!(may_cut && self.wants_cut())).then_some(report))
        });
        if result.is_err() {
            self.undo();
        }
        result
    }

    /// Sets the velocities of kinematic bodies for this part of the step; with the last part they reach their goals.
    fn aim(&mut self, dt: f64) {
        self.drive_kinematic(dt);
        if dt > 0.999 * self.left.max(dt) {
            for id in &self.contacts.user.kinematic {
                self.singles.at_mut(id.index()).goal = None;
            }
        }
    }

    /// Updates islands and contacts, where they are not those of the present pose.
    fn update_islands_and_contacts(&mut self, dt: f64) -> Result<(), WorldError> {
        if self.known == Known::Nothing {
            self.check_ends()?;
        }
        self.connect();
        if self.has_colliders() && (self.known != Known::Rows || !self.has_contacts_for(dt)) {
            self.check_poses()?;
            self.detect_and_linearize(Arms::Middle, dt);
        }
        Ok(())
    }

    /// Lets coupled articulations choose their joints; those that neither constraints nor contacts push now take their whole step.
    fn adapt(&mut self, dt: f64) -> Result<(), Stop> {
        self.check_guaranteed()?;
        self.articulations.par_iter_mut().filter(|a| !a.sleep.is_asleep()).for_each(|articulated| {
            if articulated.is_constrained() { articulated.adapt(dt) } else { articulated.step_alone(dt) }
        });
        self.note_outcomes()
    }

    /// Updates contacts, rows and matrices if they are not those of the present pose; `dt` \[s] is the step to come.
    pub(super) fn observe(&mut self, arms: Arms, dt: f64) {
        // contacts may have been found for a step of another length, or before joints were chosen
        let foreseen = || self.articulations.iter().all(|(_, a)| a.has_foreseen(dt));
        if self.known != Known::Rows || (self.has_colliders() && !self.has_contacts_for(dt)) || !foreseen() {
            self.detect_and_linearize(arms, dt);
        }
        self.articulations.par_iter_mut().filter(|a| a.is_constrained()).for_each(|a| {
            a.meet();
            a.save();
        });
    }

    /// Detects contacts, linearizes constraints, factors their matrices and makes the rows of contacts, known or not; `dt` \[s] is the
    /// step to come.
    pub(super) fn detect_and_linearize(&mut self, arms: Arms, dt: f64) {
        // once more after the last one is gone, so that nothing is left of it
        let has_colliders = self.has_colliders();
        let collide =
            std::mem::replace(&mut self.contacts.detection.had_colliders, has_colliders) || has_colliders;
        let sees = |a: &Articulated| (collide || a.has_constraints) && !a.sleep.is_asleep();
        self.articulations.par_iter_mut().filter(|a| sees(a)).for_each(|a| a.update_kinematics());
        if collide {
            self.detect(dt);
            self.note_inside();
            self.find_touched();
        }
        let Self { singles, articulations, constraints, islands, .. } = self;
        articulations.par_iter_mut().filter(|a| a.is_constrained()).for_each(|a| a.answer(dt));
        let started = Stopwatch::start();
        for_each(islands, |island| {
            island.gather(|place| singles.at(place).moving);
            island.gather_frames(articulations);
            island.linearize(constraints, arms);
            island.answer(articulations);
        });
        self.contacts.times.joints += started.seconds();
        if collide {
            self.make_rows();
        }
        self.known = Known::Rows;
    }

    /// Applies forces to single bodies, for a time \[s] that depends on whether contacts push them.
    fn kick(&mut self, time: impl Fn(bool) -> f64) {
        let Self { singles, contacts, gravity, drag, .. } = self;
        let times = [time(false), time(true)];
        let keeps = times.map(|time| math::exp(-*drag * time));
        for (id, body) in singles.iter_mut() {
            if body.is_kinematic() || body.sleep.is_asleep() {
                continue;
            }
            let pushed = usize::from(contacts.pushes_single(id.index()));
            body.moving.velocity *= keeps[pushed];
            body.moving.angular_momentum *= keeps[pushed];
            let (wrench, weight) = (body.wrench, *gravity * body.mass());
            body.push(Force::new(wrench.angular, wrench.linear + weight) * times[pushed]);
        }
    }

    /// Corrects penetration, then pre-stabilizes: impulses put the predicted joint frames where they belong.
    fn resolve(&mut self, dt: f64) {
        self.correct_penetration(dt);
        let started = Stopwatch::start();
        self.pre_stabilize(dt);
        if !self.islands.is_empty() {
            self.contacts.times.joints += started.seconds();
        }
    }

    /// Finds the impulses that put the predicted joint frames where they belong; articulations predict their own motion.
    fn pre_stabilize(&mut self, dt: f64) {
        let Self { singles, articulations, constraints, islands, settings, last_dt, contacts, .. } = self;
        if let Solver::Sweeps { sweeps } = settings.solver {
            // where articulations would go without constraints
            articulations
                .par_iter_mut()
                .filter(|a| a.is_constrained())
                .for_each(|a| a.predict(std::iter::empty(), dt));
            for_each(islands, |island| {
                island.gather(|place| singles.at(place).moving);
                island.sweep_positions(constraints, articulations, &settings.of_constraints(), sweeps, dt);
            });
            let islands = &*islands;
            articulations.par_enumerate_mut().filter(|(_, a)| a.is_constrained()).for_each(|(place, a)| {
                a.predict(impulses_on(islands, place), dt);
            });
            return;
        }
        {
            let islands = &*islands;
            articulations
                .par_enumerate_mut()
                .filter(|(place, a)| a.is_constrained() && !islands.iter().any(|island| island.holds(*place)))
                .for_each(|(_, a)| a.predict(std::iter::empty(), dt));
        }
        if let Solver::Displacement { outer, inner } = settings.solver {
            for_each(islands, |island| {
                island.gather(|place| singles.at(place).moving);
                island.begin_displacement(dt, *last_dt);
            });
            for iteration in 0..=outer {
                predict_held(islands, articulations, dt);
                for_each(islands, |island| {
                    if !island.newton.is_done() {
                        island.gather_ports(articulations);
                        let (products, settings) =
                            ((iteration < outer).then_some(inner), &settings.of_constraints());
                        island.improve_displacement(constraints, articulations, settings, products, dt);
                    }
                });
            }
            for_each(islands, |island| island.restore_momenta(dt));
            return;
        }
        {
            let halvings = if contacts.registry.colliders.len() > 0 { settings.halvings } else { 0 };
            let settings = settings.of_constraints();
            let around = Surroundings { articulations, constraints, settings, last_dt: *last_dt, halvings };
            for_each(islands, |island| {
                island.gather(|place| singles.at(place).moving);
                if !island.has_ports() {
                    island.solve_alone(around, dt);
                } else {
                    island.begin(dt, around.last_dt);
                    island.tighten(around.articulations, dt);
                }
            });
        }
        // islands with articulations go on together, since those predict their own motion
        while islands.iter().any(|island| !island.newton.is_done()) {
            predict_articulations(islands, articulations, dt);
            for_each(islands, |island| {
                if !island.newton.is_done() {
                    island.gather_ports(articulations);
                    island.improve_and_finish(constraints, articulations, &settings.of_constraints(), dt);
                }
            });
            for island in islands.iter_mut() {
                if !island.take_stayed() {
                    continue;
                }
                for node in island.nodes() {
                    if let Node::Port { articulation, port: 0 } = *node {
                        articulations.at_mut(articulation as usize).note_velocities();
                    }
                }
            }
        }
        if islands.iter().any(|island| island.newton.is_unpredicted()) {
            predict_articulations(islands, articulations, dt);
        }
    }

    /// Moves bodies to the predicted positions.
    fn advance(&mut self, dt: f64) -> Result<(), Stop> {
        let Self { singles, articulations, islands, loose, contacts, .. } = self;
        for island in islands.iter().filter(|island| !island.is_asleep()) {
            for (i, node) in island.nodes().iter().enumerate() {
                if let Node::Single { place } = *node {
                    let body = &mut singles.at_mut(place as usize).moving;
                    body.push(island.impulses()[i]);
                    body.at = island.frames()[i];
                }
            }
        }
        for place in loose.iter() {
            let body = singles.at_mut(*place as usize);
            if !body.sleep.is_asleep() {
                body.moving.at = body.moving.glide(dt);
            }
        }
        articulations.par_iter_mut().filter(|a| a.is_constrained()).for_each(|a| a.commit(dt));
        contacts.detection.detected = false;
        self.note_outcomes()
    }

    /// Restores the world from before the last part of the step.
    fn undo(&mut self) {
        for ((_, body), (moving, goal, had_goal)) in self.singles.iter_mut().zip(&self.saved) {
            (body.moving, body.goal, body.had_goal) = (*moving, *goal, *had_goal);
        }
        for (_, articulated) in self.articulations.iter_mut() {
            articulated.undo();
        }
        for island in &mut self.islands {
            island.start.take_back();
        }
        (self.time, self.steps, self.last_dt) = self.before;
        self.known = self.known.min(Known::Islands);
        self.contacts.detection.detected = false;
    }
}

/// Runs `each` on the islands that are awake, on all threads if there is more than one.
pub(super) fn for_each(islands: &mut [Island], each: impl Fn(&mut Island) + Send + Sync) {
    for_each_indexed(islands, |_, island| each(island));
}

/// Runs `each` on the islands that are awake, with their numbers, on all threads if there is more than one.
pub(super) fn for_each_indexed(islands: &mut [Island], each: impl Fn(usize, &mut Island) + Send + Sync) {
    match islands {
        [island] if island.is_asleep() => {}
        [island] => each(0, island),
        _ => islands
            .par_iter_mut()
            .enumerate()
            .filter(|(_, i)| !i.is_asleep())
            .for_each(|(i, island)| each(i, island)),
    }
}

/// Predicts articulations with the impulses of their islands.
fn predict_articulations(islands: &mut [Island], articulations: &mut Articulations, dt: f64) {
    for_each(islands, |island| {
        if !island.newton.is_done() {
            island.predict(dt);
        }
    });
    predict_held(islands, articulations, dt);
}

/// Predicts articulations with the impulses of those islands that are not solved yet.
fn predict_held(islands: &[Island], articulations: &mut Articulations, dt: f64) {
    articulations.par_enumerate_mut().filter(|(_, a)| a.is_constrained()).for_each(|(place, a)| {
        let busy = |island: &&Island| island.newton.wants_prediction();
        if islands.iter().filter(busy).any(|island| island.holds(place)) {
            a.predict(impulses_on(islands, place), dt);
        }
    });
}

/// Impulses on the ports of an articulation.
pub(super) fn impulses_on(islands: &[Island], place: usize) -> impl Iterator<Item = (usize, Force)> {
    impulses_of(islands.iter(), place)
}

/// Impulses on the ports of an articulation by some islands.
pub(super) fn impulses_of<'a>(
    islands: impl Iterator<Item = &'a Island>,
    place: usize,
) -> impl Iterator<Item = (usize, Force)> {
    let of = islands.filter(|island| island.has_ports() && !island.is_asleep());
    of.flat_map(move |island| {
        island.nodes().iter().zip(island.impulses()).filter_map(move |(node, impulse)| match *node {
            Node::Port { articulation, port } if articulation as usize == place => {
                Some((port as usize, *impulse))
            }
            _ => None,
        })
    })
}
