//! An island of single bodies whose constraints cannot be met in one step takes it in halves, alone: nothing else waits for it.
//!
//! Its bodies go half of the way with the velocities that they have, joints are linearized there, and they go the other half. Forces and
//! contacts act once, as for everyone. What cannot be met even so is left to halves of the whole world's step.

use crate::constraint::island::{Arms, Impulses, Island};
use crate::spatial::Force;
use crate::world::{Articulations, Holders, Moving, Settings};

/// What all islands know.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'a> {
    pub(super) articulations: &'a Articulations,
    pub(super) constraints: &'a Holders,
    pub(super) settings: &'a Settings,
    /// Length of the step before \[s].
    pub(super) last_dt: f64,
    /// How often an island alone may halve its step: not where nothing can touch, since halves with all their forces are as cheap there
    /// and follow the motion better.
    pub(super) halvings: u32,
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
    pub(super) fn solve_alone(&mut self, around: Surroundings<'_>, dt: f64) {
        if self.solve_in_parts(around, dt) || self.leaves_its_momenta() {
            self.restore_momenta(dt);
        }
    }

    /// Solves an island in parts without a look at momenta; whether it took more than one part.
    fn solve_in_parts(&mut self, around: Surroundings<'_>, dt: f64) -> bool {
        self.start_newton(around, around.last_dt, dt);
        let limit = around.settings.failed();
        let whole = self.newton.solved || self.newton.error <= limit;
        if whole || self.retry_after > 0 || around.halvings == 0 {
            return false;
        }
        let (start, warm, bodies) = (self.start.clone(), self.newton.warm, self.bodies.clone());
        let mut sums = Sums {
            impulses: vec![Force::ZERO; self.nodes.len()],
            lambda: vec![0.0; self.lambda.len()],
            error: 0.0,
            iterations: self.newton.iterations,
            last_dt: around.last_dt,
        };
        let done = self.go_in_halves(around, dt, around.halvings, &mut sums);
        (self.start, self.newton.warm, self.bodies) = (start, warm, bodies);
        if done {
            (self.impulses, self.lambda) = (sums.impulses, sums.lambda);
            (self.newton.error, self.newton.iterations) = (sums.error, sums.iterations);
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
            let bodies: Vec<Moving> = self.bodies.clone();
            self.start_newton(around, sums.last_dt, half);
            sums.iterations += self.newton.iterations;
            if self.newton.solved || self.newton.error <= around.settings.failed() {
                self.take_part(half, sums);
                return true;
            }
            self.bodies = bodies;
            often > 1 && self.go_in_halves(around, half, often - 1, sums)
        })
    }

    /// Takes a part of `dt` \[s] that was solved; the next one starts from its impulses.
    fn take_part(&mut self, dt: f64, sums: &mut Sums) {
        // without what closed joints
        self.collect(Impulses::Lambda);
        for i in 0..self.nodes.len() {
            self.bodies[i].push(self.impulses[i]);
            self.bodies[i].at = self.frames[i];
            sums.impulses[i] += self.impulses[i];
        }
        for (sum, lambda) in sums.lambda.iter_mut().zip(&self.lambda) {
            *sum += lambda;
        }
        self.start.clone_from(&self.lambda);
        self.newton.warm = true;
        sums.last_dt = dt;
        sums.error = sums.error.max(self.newton.error);
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
        while !self.newton.done {
            self.predict(dt);
            self.improve(around.constraints, around.articulations, &around.settings.of_constraints(), dt);
        }
        if !self.newton.solved {
            // with the best impulses there were
            self.predict(dt);
        }
        self.finish();
    }
}
