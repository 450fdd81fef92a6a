//! Pre-stabilization: impulses before the position update such that the *predicted* joint frames are allowed ones
//! (Weinstein et al., sections III and IV), for all joints of an island together.
//!
//! Newton on `e(q⁺(λ)) = 0`: the predicted error changes by `dt A δλ` to first order, with the directions of the start of the
//! step, in which the impulses act. The matrix is that of the present pose, so that one factor serves the whole step, and the
//! velocities at the end of the step before. Each iteration gains a factor of the turn per step. Rows with bounds (limits, motors,
//! friction) are on or off each by its own trial ([`super::active_set`]), and all together where that goes round in
//! circles ([`super::pivot`]). Where an iteration makes the error greater, it is taken back and the matrix damped, which tends to a least-squares answer where constraints contradict.

use crate::bodies::{Articulations, Node};

use super::Settings;
use super::active_set::bounds_or_none;
use super::holder::Holders;
use super::island::{Impulses, Island};
use super::newton::Newton;
use super::pivot::Linear;

/// Damping where constraints contradict each other: they then yield, all of them.
const CONTRADICTION: f64 = 1e-3;
/// Speeds below this, times dt, are none \[of the tolerance of positions].
pub(super) const REST: f64 = 1e-3;

impl Island {
    /// Starts from the impulses that ended the last step, at the same pose; only ones that solved it.
    pub(crate) fn begin(&mut self, dt: f64, last_dt: f64) {
        let scale = if last_dt > 0.0 && self.start.is_solved() { dt / last_dt } else { 0.0 };
        let rows = self.rows.lambda.len();
        for (lambda, start) in self.rows.lambda.iter_mut().zip(self.start.impulses(0..rows)) {
            *lambda = scale * start;
        }
        self.newton.begin_step();
        self.states.closing.clear();
        self.set_rows(dt);
        self.newton.resume(&self.rows.lambda);
    }

    /// Impulses on the nodes, and where they take the single bodies.
    pub(crate) fn predict(&mut self, dt: f64) {
        self.collect(Impulses::Lambda);
        self.predict_singles(dt);
    }

    /// Where the impulses on the nodes take the single bodies.
    pub(super) fn predict_singles(&mut self, dt: f64) {
        let Self { topology, states, turns, .. } = self;
        turns.begin();
        for (i, node) in topology.nodes.iter().enumerate() {
            let Node::Single { .. } = node else { continue };
            let (frame, turn) =
                states.bodies[i].predict_turn(states.impulses[i], dt, states.tension[i].as_ref());
            states.frames[i] = frame;
            turns.note(i, turn);
        }
    }

    /// One iteration, from where the nodes are predicted to be: residuals, active rows, new impulses. Newton is done if the
    /// impulses that the prediction was made with are the ones to take, or if there are no better ones than those that it found.
    pub(crate) fn improve(
        &mut self,
        constraints: &Holders,
        articulations: &Articulations,
        settings: &Settings,
        dt: f64,
    ) {
        let is_apart = self.is_apart(settings);
        self.newton.closing.see(is_apart);
        let error = self.predicted_error(constraints, settings, dt);
        let share = settings.solver.kicks().0;
        // without rows that have bounds residuals say all of it
        let distance = if self.rows.bounded.is_empty() { error } else { self.distance(dt, share) };
        let astray = self.newton.note_distance(distance, &self.rows.lambda);
        let pivots = self.newton.pivots();
        let switched = !pivots && !astray && self.switch(dt, share);
        // rows that are found together are compared by all that they leave
        let error = if pivots { distance } else { error };
        if !switched && !astray && error <= settings.tolerance {
            if self.newton.closing.is_staying() {
                self.begin_closing();
            } else {
                self.newton.end_solved(error);
            }
            return;
        }
        if switched && self.newton.note_switch() {
            self.begin_pivots();
            return;
        }
        let Self { newton, rows, .. } = self;
        if error.is_finite() && !astray && (switched || newton.improves(error)) {
            // other rows count now: what was best before cannot be compared
            let error = if switched { f64::INFINITY } else { error };
            newton.note_best(error, &rows.lambda, &rows.residuals);
        } else {
            // worse than before, or not a number: back, and shorter
            newton.set_back(&mut rows.lambda, &mut rows.residuals);
        }
        if newton.count_iteration(settings.iterations) {
            self.step_newton(articulations, settings, dt);
        } else if !pivots && !rows.bounded.is_empty() {
            self.begin_pivots();
        } else if newton.closing.slow_down() {
            self.close_again();
        } else {
            // the best there was; the caller predicts once more with it
            newton.end_unsolved(&mut rows.lambda);
        }
    }

    /// One iteration of an island with articulations, as [`Self::improve`]; after the last, the impulses on the nodes are those to take.
    pub(crate) fn improve_and_finish(
        &mut self,
        constraints: &Holders,
        articulations: &Articulations,
        settings: &Settings,
        dt: f64,
    ) {
        self.improve(constraints, articulations, settings, dt);
        if !self.newton.is_done() {
            return;
        }
        if !self.newton.is_solved() {
            self.predict(dt);
            self.newton.ask_for_prediction();
        }
        self.finish();
    }

    fn begin_pivots(&mut self) {
        self.newton.begin_pivots(&mut self.rows.lambda);
    }

    /// The next impulses by those of the present iteration and its residuals.
    fn step_newton(&mut self, articulations: &Articulations, settings: &Settings, dt: f64) {
        if self.newton.pivots() {
            self.step_pivots(articulations, settings, dt);
            return;
        }
        let Self { newton, rows, .. } = self;
        for (r, off) in rows.residuals.iter_mut().zip(&rows.off) {
            *r = if *off { 0.0 } else { *r / dt };
        }
        newton.residuals.clone_from(&rows.residuals);
        self.solve_damped(articulations, dt);
        if self.newton.damping < CONTRADICTION && self.contradicts(settings.tolerance / dt) {
            if !self.rows.bounded.is_empty() {
                // it may be that one of them gives way
                self.begin_pivots();
                return;
            }
            self.newton.damp(CONTRADICTION);
            self.rows.residuals.clone_from(&self.newton.residuals);
            self.solve_damped(articulations, dt);
        }
        self.take_step();
    }

    /// Takes the step that the residuals were made, mixed with those before.
    fn take_step(&mut self) {
        let (Newton { mixing, residuals, .. }, rows) = (&mut self.newton, &mut self.rows);
        mixing.mix(&rows.lambda, residuals, &mut rows.residuals);
        for (lambda, step) in rows.lambda.iter_mut().zip(&rows.residuals) {
            *lambda += step;
        }
    }

    /// Finds the next impulses where rows with bounds are found together.
    fn step_pivots(&mut self, articulations: &Articulations, settings: &Settings, dt: f64) {
        let share = settings.solver.kicks().0;
        let bounds = |island: &Self, k: usize| bounds_or_none(island.rows.lines[k].ask, dt, share);
        let least = REST * settings.tolerance / dt;
        let Self { pivots, rows, .. } = self;
        pivots.off_before.clone_from(&rows.off);
        pivots.start.clone_from(&rows.lambda);
        pivots.residuals.clear();
        pivots.residuals.extend(rows.residuals.iter().map(|r| r / dt));
        loop {
            let damping = self.newton.damping;
            self.pivot(articulations, Linear { damping, least, dt }, bounds, |island| {
                island.solve(articulations, damping, dt);
            });
            let Self { newton, pivots, rows, .. } = self;
            newton.residuals.clear();
            let left = pivots.residuals.iter().zip(&rows.off);
            newton.residuals.extend(left.map(|(r, off)| if *off { 0.0 } else { *r }));
            rows.residuals.clear();
            rows.residuals.extend(pivots.x.iter().zip(&pivots.start).map(|(x, start)| x - start));
            if newton.damping >= CONTRADICTION || !self.contradicts(settings.tolerance / dt) {
                break;
            }
            self.newton.damp(CONTRADICTION);
        }
        if self.rows.off != self.pivots.off_before {
            self.newton.mixing.forget();
        }
        self.take_step();
    }

    /// `residuals ← −(A + d D)⁻¹ (residuals + d D λ)` with damping d and the diagonal D: impulses as a whole are kept small, so that
    /// those of rows that repeat or contradict others do not add up from iteration to iteration.
    fn solve_damped(&mut self, articulations: &Articulations, dt: f64) {
        let (damping, rows) = (self.newton.damping, &mut self.rows);
        for (k, r) in rows.residuals.iter_mut().enumerate() {
            *r = if rows.off[k] { 0.0 } else { -(*r + damping * rows.lines[k].diagonal * rows.lambda[k]) };
        }
        self.solve(articulations, damping, dt);
    }

    /// Whether most of what is asked for, and more than can be left out (`least` \[m/s or rad/s]), is met by damping alone: then rows
    /// contradict each other. At rest next to nothing is asked for.
    fn contradicts(&self, least: f64) -> bool {
        let (newton, rows) = (&self.newton, &self.rows);
        let greatest = |greatest: f64, x: f64| greatest.max(x.abs());
        let asked = newton.residuals.iter().copied().fold(least, greatest);
        let steps = rows.lambda.iter().zip(&rows.residuals).zip(&rows.lines);
        let damped = steps.map(|((lambda, step), line)| newton.damping * line.diagonal * (lambda + step));
        damped.fold(0.0, greatest) > 0.1 * asked
    }
}
