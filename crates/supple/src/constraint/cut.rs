//! An island of single bodies whose constraints cannot be met in one step takes it in halves, alone: nothing else waits for it.
//!
//! Its bodies go half of the way with the velocities that they have, joints are linearized there, and they go the other half. Forces and
//! contacts act once, as for everyone. What cannot be met even so is left to halves of the whole world's step.

use crate::bodies::{Articulations, Moving};
use crate::spatial::Force;

use super::holder::Holders;
use super::island::{Impulses, Island};
use super::node_states::NodeStates;
use super::{Arms, Settings};

/// What all islands know.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    pub(crate) articulations: &'a Articulations,
    pub(crate) constraints: &'a Holders,
    pub(crate) settings: Settings,
    /// Length of the step before \[s].
    pub(crate) last_dt: f64,
    /// How often an island alone may halve its step: not where nothing can touch, since halves with all their forces are as cheap there
    /// and follow the motion better.
    pub(crate) halvings: u32,
}

/// Sums over the parts of a step.
struct Sums {
    impulses: Vec<Force>,
    lambda: Vec<f64>,
    error: f64,
    iterations: u32,
    /// Length of the part that was taken last \[s].
    last_dt: f64,
}

impl Island {
    /// Newton of an island of single bodies over `dt` \[s], in parts if it has to be.
    pub(crate) fn solve_alone(&mut self, around: Surroundings<'_>, dt: f64) {
        if self.solve_in_parts(around, dt) || self.leaves_its_momenta() {
            self.restore_momenta(dt);
        }
    }

    /// Solves an island in parts without a look at momenta; whether it took more than one part.
    fn solve_in_parts(&mut self, around: Surroundings<'_>, dt: f64) -> bool {
        self.start_newton(around, around.last_dt, dt);
        let limit = around.settings.failed();
        let whole = self.newton.is_solved() || self.newton.error() <= limit;
        if whole || !self.may_cut() || around.halvings == 0 {
            return false;
        }
        let (start, bodies) = (self.start.next().clone(), self.states.bodies.clone());
        let mut sums = Sums {
            impulses: vec![Force::ZERO; self.topology.nodes.len()],
            lambda: vec![0.0; self.rows.lambda.len()],
            error: 0.0,
            iterations: self.newton.iterations(),
            last_dt: around.last_dt,
        };
        let done = self.go_in_halves(around, dt, around.halvings, &mut sums);
        self.start.restore(start);
        self.states.bodies = bodies;
        if done {
            (self.states.impulses, self.rows.lambda) = (sums.impulses, sums.lambda);
            self.newton.sum_up(sums.iterations, sums.error);
        } else {
            // as it was
            self.relinearize(around);
            self.start_newton(around, around.last_dt, dt);
        }
        done
    }

    /// Both halves of `dt` \[s], each in halves if it has to be and may be so `often`; whether that was enough.
    fn go_in_halves(&mut self, around: Surroundings<'_>, dt: f64, often: u32, sums: &mut Sums) -> bool {
        (0..2).all(|_| {
            self.relinearize(around);
            let half = 0.5 * dt;
            let bodies: Vec<Moving> = self.states.bodies.clone();
            self.start_newton(around, sums.last_dt, half);
            sums.iterations += self.newton.iterations();
            if self.newton.is_solved() || self.newton.error() <= around.settings.failed() {
                self.take_part(half, sums);
                return true;
            }
            self.states.bodies = bodies;
            often > 1 && self.go_in_halves(around, half, often - 1, sums)
        })
    }

    /// Takes a part of `dt` \[s] that was solved; the next one starts from its impulses.
    fn take_part(&mut self, dt: f64, sums: &mut Sums) {
        // without what closed joints
        self.collect(Impulses::Lambda);
        let NodeStates { bodies, impulses, frames, .. } = &mut self.states;
        for (((body, impulse), frame), sum) in
            bodies.iter_mut().zip(impulses).zip(frames).zip(&mut sums.impulses)
        {
            body.push(*impulse);
            body.at = *frame;
            *sum += *impulse;
        }
        for (sum, lambda) in sums.lambda.iter_mut().zip(&self.rows.lambda) {
            *sum += lambda;
        }
        self.start.take(&self.rows.lambda);
        self.start.set_solved(true);
        sums.last_dt = dt;
        sums.error = sums.error.max(self.newton.error());
    }

    /// Rows and matrices where the bodies are now.
    fn relinearize(&mut self, around: Surroundings<'_>) {
        self.gather_frames(around.articulations);
        self.linearize(around.constraints, Arms::Middle);
        self.answer(around.articulations);
    }

    /// Newton over `dt` \[s], with the impulses of a step of `last_dt` \[s] to start with.
    fn start_newton(&mut self, around: Surroundings<'_>, last_dt: f64, dt: f64) {
        self.begin(dt, last_dt);
        self.tighten(around.articulations, dt);
        while !self.newton.is_done() {
            self.predict(dt);
            self.improve(around.constraints, around.articulations, &around.settings, dt);
        }
        if !self.newton.is_solved() {
            // with the best impulses there were
            self.predict(dt);
        }
        self.finish();
    }
}
