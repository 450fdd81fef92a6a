//! Who cannot take a step is held where it is, and all others take it.
//!
//! A step, or a part of one, in which a position or velocity leaves the finite numbers is taken back. What failed is then as good as fixed to
//! the world until the end of the step, with all that constraints join it to, and the part is taken once more without it. After the step it has
//! the motion again that it had, and lags behind the world's time.

use glam::DVec3;

use crate::StepError;
use crate::bodies::{Moving, Node};
use crate::dynamics::State;
use crate::world::{BodyRef, Failure, Known, World, WorldError, WorldReport};

/// Why a part of a step was not taken.
#[derive(Debug)]
pub(super) enum Stop {
    /// Something cannot be, and nothing moves.
    Refused(WorldError),
    /// Something left the finite numbers: it is among the failures.
    Failed,
}

impl From<WorldError> for Stop {
    fn from(error: WorldError) -> Self {
        Self::Refused(error)
    }
}

/// What failed in the present step, and what is held for that reason.
#[derive(Clone, Debug, Default)]
pub(super) struct Holding {
    failures: Vec<Failure>,
    /// How many of the failures have been held.
    known: usize,
    singles: Vec<(u32, Moving)>,
    articulations: Vec<(u32, State)>,
    /// Where everything was at the start of the step, if the present part of it is not the first.
    start: Start,
}

/// Where everything was at the start of a step; empty if it is not known.
#[derive(Clone, Debug, Default)]
struct Start {
    known: bool,
    /// With their places, ascending.
    singles: Vec<(u32, Moving)>,
    /// As the coupled articulations are.
    articulations: Vec<State>,
}

impl World {
    /// Before the first of several parts of a step: what fails in one of them goes back to here.
    pub(super) fn note_start(&mut self) {
        let Self { singles, articulations, holding: Holding { start, .. }, .. } = self;
        if std::mem::replace(&mut start.known, true) {
            return;
        }
        start.singles.clear();
        start.singles.extend(singles.iter().map(|(id, body)| (id.index() as u32, body.moving)));
        start.articulations.resize_with(articulations.count_coupled(), State::default);
        for ((_, articulated), start) in articulations.iter().zip(&mut start.articulations) {
            start.copy_from(&articulated.simulation.state);
        }
    }

    /// Notes the articulations that could not do what they were just asked.
    pub(super) fn note_outcomes(&mut self) -> Result<(), Stop> {
        let failed = self.articulations.iter().filter_map(|(articulation, a)| {
            let (time, error) = (a.simulation.state.time, a.outcome.clone().err()?);
            Some(Failure::Articulation { articulation, time, error })
        });
        self.holding.failures.extend(failed);
        self.holding.outcome()
    }

    /// Notes the bodies whose position or velocity is not finite.
    pub(super) fn check_finite(&mut self) -> Result<(), Stop> {
        let Self { singles, articulations, holding, before: (time, step, _), .. } = self;
        let (time, step) = (*time, *step);
        for (body, single) in singles.iter().filter(|(_, body)| !body.sleep.is_asleep()) {
            if !single.moving.is_finite() {
                holding.failures.push(Failure::Body { body, name: single.name.clone(), time, step });
            }
        }
        // articulations that nothing pushed were checked in their own step
        for (articulation, a) in articulations.iter().filter(|(_, a)| a.is_constrained()) {
            if let Some(error) = a.not_finite(step, time) {
                holding.failures.push(Failure::Articulation { articulation, time, error });
            }
        }
        holding.outcome()
    }

    /// Holds what has just failed until the end of the step, with all that constraints join it to; a part of the step that failed has been
    /// taken back. `None` if something else is left that moves, else the report of a part in which nothing does. An error if what failed is
    /// held already.
    pub(super) fn hold_failed(&mut self, dt: f64) -> Result<Option<WorldReport>, WorldError> {
        let Self { holding: Holding { failures, known, .. }, articulations, .. } = self;
        let new = &mut failures[*known..];
        for failure in new.iter_mut() {
            if let Failure::Articulation { articulation, error: StepError::NotFinite { speed, .. }, .. } =
                failure
            {
                let v = &articulations.at(articulation.index()).simulation.state.v;
                *speed = v.iter().fold(*speed, |fastest, v| v.abs().max(fastest));
            }
        }
        let new: Vec<BodyRef> = new.iter().map(Failure::body).collect();
        *known = failures.len();
        let held = self.count_held();
        for body in new {
            let island = match body {
                BodyRef::Single(id) => self.island_of[0].get(id.index()).copied().flatten(),
                BodyRef::Of(id, _) => self.island_of[1].get(id.index()).copied().flatten(),
                BodyRef::World => None,
            };
            let joined = island.map_or(0, |island| self.islands[island as usize].nodes().len());
            for node in 0..joined {
                match island.map(|island| self.islands[island as usize].nodes()[node]) {
                    // what is led goes on its way, and may lead others
                    Some(Node::Single { place }) if self.singles.at(place as usize).is_kinematic() => {}
                    Some(Node::Single { place }) => self.hold_single(place),
                    Some(Node::Port { articulation, .. }) => self.hold_articulation(articulation),
                    None => {}
                }
            }
            match body {
                BodyRef::Single(id) => self.hold_single(id.index() as u32),
                BodyRef::Of(id, _) => self.hold_articulation(id.index() as u32),
                BodyRef::World => {}
            }
        }
        if self.count_held() == held {
            return Err(WorldError::Failed { failures: std::mem::take(&mut self.holding.failures) });
        }
        // rigid groups may be others
        self.known = Known::Nothing;
        self.mark_asleep();
        self.contacts.detection.detected = false;
        Ok(if self.anything_moves() { None } else { Some(self.pass(dt)) })
    }

    fn count_held(&self) -> usize {
        self.holding.singles.len() + self.holding.articulations.len()
    }

    /// Whether a body is held until the end of the step.
    pub(super) fn is_held(&self, body: BodyRef) -> bool {
        match body {
            BodyRef::World => false,
            BodyRef::Single(id) => self.singles.get(id).is_some_and(|body| body.sleep.is_held()),
            BodyRef::Of(id, _) => self.articulations.get(id).is_some_and(|a| a.sleep.is_held()),
        }
    }

    fn hold_single(&mut self, place: u32) {
        let (body, start) = (self.singles.at_mut(place as usize), &self.holding.start);
        if !body.sleep.is_held() {
            let first = start.singles.binary_search_by_key(&place, |(place, _)| *place);
            if let (true, Ok(at)) = (start.known, first) {
                body.moving = start.singles[at].1;
            }
            self.holding.singles.push((place, body.moving));
            body.sleep.hold();
            body.set_motion(DVec3::ZERO, DVec3::ZERO);
        }
    }

    fn hold_articulation(&mut self, place: u32) {
        let Self { articulations, holding: Holding { start, articulations: held, .. }, .. } = self;
        let number = articulations.number_of(place as usize);
        let it = articulations.at_mut(place as usize);
        if !it.sleep.is_held() {
            if start.known {
                it.go_back_to(&start.articulations[number]);
            }
            held.push((place, it.simulation.state.clone()));
            it.sleep.hold();
            it.stop();
        }
    }

    /// Whether there is anything that is not held and does not sleep.
    fn anything_moves(&self) -> bool {
        self.singles.iter().any(|(_, body)| !body.sleep.is_asleep() && !body.is_at_rest())
            || self.articulations.iter().any(|(_, a)| !a.sleep.is_asleep())
    }

    /// At the end of a step: what was held has its motion again. What failed in it.
    pub(super) fn release(&mut self) -> Vec<Failure> {
        self.holding.start.known = false;
        if self.holding.failures.is_empty() {
            return Vec::new();
        }
        let Holding { failures, singles, articulations, .. } = std::mem::take(&mut self.holding);
        for (place, moving) in singles {
            let body = self.singles.at_mut(place as usize);
            body.moving = moving;
            body.sleep.release();
        }
        for (place, state) in articulations {
            let it = self.articulations.at_mut(place as usize);
            it.go_back_to(&state);
            it.sleep.release();
        }
        for island in &mut self.islands {
            island.wake();
        }
        self.known = Known::Nothing;
        self.contacts.detection.detected = false;
        self.mark_asleep();
        failures
    }
}

impl Holding {
    fn outcome(&self) -> Result<(), Stop> {
        if self.failures.len() > self.known { Err(Stop::Failed) } else { Ok(()) }
    }
}
