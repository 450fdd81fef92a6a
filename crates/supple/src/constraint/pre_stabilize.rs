//! Pre-stabilization: impulses before the position update such that the *predicted* joint frames are allowed ones
//! (Weinstein et al., sections III and IV), for all joints of an island together.
//!
//! Newton on `e(q⁺(λ)) = 0`: the predicted error changes by `dt A δλ` to first order, with the directions of the start of the
//! step, in which the impulses act. The matrix is that of the present pose, so that one factor serves the whole step, and the
//! velocities at the end of the step before. Each iteration gains a factor of the turn per step. Rows with bounds (limits, motors,
//! friction) are on or off by the sign of `λ − residual / (dt A_kk)` (primal–dual active set), and all together where that goes round in
//! circles ([`super::pivot`]). Where an iteration makes the error greater, it is taken back and the matrix damped, which tends to a least-squares answer where constraints contradict.

use std::f64::consts::TAU;

use glam::DVec3;

use crate::bodies::{Articulations, Node};
use crate::spatial::Motion;

use super::Settings;
use super::closing::{Pace, Phase};
use super::holder::Holders;
use super::island::{FIXED, Impulses, Island, Joint, Line};
use super::matrix::{LEAST_DAMPING, compliance};
use super::measure::{Ask, difference};
use super::mixing::Mixing;
use super::pivot::Linear;

/// What Newton knows of an island during a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Newton {
    /// Whether there is nothing more to do.
    pub(crate) done: bool,
    /// Iterations so far.
    pub(crate) iterations: u32,
    /// Greatest error of a row at the best impulses \[m or rad].
    pub(crate) error: f64,
    /// Whether the tolerance was met.
    pub(crate) solved: bool,
    /// Whether the impulses are good to start the next step with.
    pub(crate) warm: bool,
    /// Whether the last prediction was not with the impulses to take.
    pub(crate) repeat: bool,
    pub(super) damping: f64,
    /// How fast joints that are apart come together, and how far in this step \[m or rad].
    pub(super) pace: Pace,
    pub(super) phase: Phase,
    pub(super) closes: f64,
    /// Impulses that leave joints as far apart as they are.
    pub(super) staying: Vec<f64>,
    /// Whether the last prediction was with these: velocities are to be those.
    pub(crate) stays: bool,
    /// Iterations before the last start.
    pub(super) spent: u32,
    best: Vec<f64>,
    best_residuals: Vec<f64>,
    setbacks: u32,
    switches: u32,
    /// Whether rows with bounds are found together.
    pivots: bool,
    /// The least distance from a solution that was seen, whatever rows were on \[m or rad], and where.
    least: f64,
    least_lambda: Vec<f64>,
    mixing: Mixing,
    /// Residuals of the present iteration.
    pub(super) before: Vec<f64>,
}

/// Damping after the first setback, how much it grows with each, and where it ends.
const FIRST_DAMPING: f64 = 1e-8;
const DAMPING_GROWS: f64 = 100.0;
const GREATEST_DAMPING: f64 = 1.0;
/// Damping where constraints contradict each other: they then yield, all of them.
const CONTRADICTION: f64 = 1e-3;
/// Setbacks after which there is nothing more to be gained.
const SETBACKS: u32 = 6;
/// Switches of rows after which their sets go round in circles: then they are found together. A rope that goes taut in a net, or a
/// character that is stopped by several of its limits, takes fewer.
const SWITCHES: u32 = 4;
/// Speeds below this, times dt, are none \[of the tolerance of positions].
pub(super) const REST: f64 = 1e-3;
/// Impulses that lead so many times farther from a solution than others are not gone on with.
const ASTRAY: f64 = 100.0;

/// Two bodies that turn less than this in a step \[rad] turn by less than half a turn beside each other: their angle is the nearest.
const SPINS: f64 = 1.5;

impl Newton {
    /// What was found for row `k` is not for it any more.
    pub(super) fn forget_row(&mut self, k: usize) {
        for impulses in [&mut self.best, &mut self.least_lambda] {
            if let Some(impulse) = impulses.get_mut(k) {
                *impulse = 0.0;
            }
        }
        self.mixing.forget();
    }
}

impl Island {
    /// Starts from the impulses that ended the last step, at the same pose; only ones that solved it.
    pub(crate) fn begin(&mut self, dt: f64, last_dt: f64) {
        let scale = if last_dt > 0.0 && self.newton.warm { dt / last_dt } else { 0.0 };
        for k in 0..self.lines.len() {
            self.lambda[k] = scale * self.start[k];
        }
        let newton = &mut self.newton;
        newton.pace.go_on(newton.iterations);
        (newton.spent, newton.phase) = (0, Phase::Begin);
        self.closing.clear();
        self.set_rows(dt);
        self.resume();
    }

    /// Rows that are on by the impulses that there are.
    fn set_rows(&mut self, dt: f64) {
        for k in 0..self.lines.len() {
            let on = match self.lines[k].ask {
                Ask::Hold | Ask::Spring { .. } => true,
                Ask::Limit { .. } => self.lambda[k] < 0.0,
                Ask::Speed { force, .. } => self.lambda[k].abs() < 0.5 * dt * force,
            };
            self.off[k] = !(on && self.lines[k].answers());
        }
    }

    /// Starts from the impulses that there are.
    pub(crate) fn resume(&mut self) {
        let newton = &mut self.newton;
        (newton.done, newton.solved, newton.repeat) = (false, false, false);
        (newton.iterations, newton.error, newton.damping) = (0, f64::INFINITY, LEAST_DAMPING);
        (newton.setbacks, newton.switches, newton.pivots) = (0, 0, false);
        newton.mixing.forget();
        newton.best.clone_from(&self.lambda);
        newton.best_residuals.clear();
        newton.best_residuals.resize(self.lambda.len(), 0.0);
        newton.least = f64::INFINITY;
        newton.least_lambda.clone_from(&self.lambda);
    }

    /// Impulses on the nodes, and where they take the single bodies.
    pub(crate) fn predict(&mut self, dt: f64) {
        self.collect(Impulses::Lambda);
        self.predict_singles(dt);
    }

    /// Where the impulses on the nodes take the single bodies.
    pub(super) fn predict_singles(&mut self, dt: f64) {
        self.spins = false;
        for i in 0..self.nodes.len() {
            let Node::Single { .. } = self.nodes[i] else { continue };
            let (frame, turn) = self.bodies[i].predict_turn(self.impulses[i], dt, self.tension[i].as_ref());
            self.frames[i] = frame;
            if let Some(kept) = self.turns.get_mut(i) {
                *kept = turn;
                self.spins |= turn.length_squared() > SPINS * SPINS;
            }
        }
    }

    /// Predicted frames of the ports.
    pub(crate) fn gather_ports(&mut self, articulations: &Articulations) {
        for (node, frame) in self.nodes.iter().zip(&mut self.frames) {
            if let Node::Port { articulation, port } = node {
                *frame = articulations.at(*articulation as usize).port_frame(*port as usize);
            }
        }
    }

    /// One iteration, from where the nodes are predicted to be: residuals, active rows, new impulses. Sets `newton.done` if the
    /// impulses that the prediction was made with are the ones to take.
    pub(crate) fn improve(
        &mut self,
        constraints: &Holders,
        articulations: &Articulations,
        settings: &Settings,
        dt: f64,
    ) {
        if self.newton.phase == Phase::Begin {
            self.newton.phase = if self.is_apart(settings) { Phase::Stay } else { Phase::Closed };
        }
        let error = self.predicted_error(constraints, settings, dt);
        let share = settings.solver.kicks().0;
        // without rows that have bounds residuals say all of it
        let distance = if self.bounded.is_empty() { error } else { self.distance(dt, share) };
        let astray = !(distance <= ASTRAY * self.newton.least);
        if distance < self.newton.least {
            self.newton.least = distance;
            self.newton.least_lambda.clone_from(&self.lambda);
        }
        if self.newton.done {
            return;
        }
        let switched = !self.newton.pivots && !astray && self.switch(dt, share);
        // rows that are found together are compared by all that they leave
        let error = if self.newton.pivots { distance } else { error };
        if !switched && !astray && error <= settings.tolerance {
            if self.newton.phase == Phase::Stay {
                self.begin_closing();
                return;
            }
            self.newton.error = error;
            (self.newton.done, self.newton.solved) = (true, true);
            return;
        }
        if switched {
            self.newton.switches += 1;
            self.newton.mixing.forget();
        }
        if self.newton.switches > SWITCHES && !self.newton.pivots {
            self.begin_pivots();
            return;
        }
        // other rows count now: what was best before cannot be compared
        let anew = switched;
        if error.is_finite() && !astray && (anew || error < self.newton.error) {
            self.newton.error = if anew { f64::INFINITY } else { error };
            self.newton.best.clone_from(&self.lambda);
            self.newton.best_residuals.clone_from(&self.residuals);
        } else {
            // worse than before, or not a number: back, and shorter
            self.lambda.clone_from(&self.newton.best);
            self.residuals.clone_from(&self.newton.best_residuals);
            self.newton.damping =
                (self.newton.damping * DAMPING_GROWS).clamp(FIRST_DAMPING, GREATEST_DAMPING);
            self.newton.setbacks += 1;
            self.newton.mixing.forget();
        }
        if self.newton.iterations >= settings.iterations || self.newton.setbacks >= SETBACKS {
            if !self.newton.pivots && !self.bounded.is_empty() {
                self.begin_pivots();
                return;
            }
            if self.newton.phase == Phase::Close && self.newton.pace.slow_down() {
                self.close_again();
                return;
            }
            // the best there was; the caller predicts once more with it
            self.lambda.clone_from(&self.newton.least_lambda);
            self.newton.error = self.newton.least;
            self.newton.done = true;
            return;
        }
        self.newton.iterations += 1;
        self.step_newton(articulations, settings, dt);
    }

    /// Rows with bounds are found together from here on: from the best impulses that there were, as if Newton began.
    fn begin_pivots(&mut self) {
        self.lambda.clone_from(&self.newton.least_lambda);
        let newton = &mut self.newton;
        newton.spent += newton.iterations + 1;
        (newton.pivots, newton.iterations) = (true, 0);
        (newton.damping, newton.setbacks, newton.error) = (LEAST_DAMPING, 0, f64::INFINITY);
    }

    /// The next impulses by those of the present iteration and its residuals.
    fn step_newton(&mut self, articulations: &Articulations, settings: &Settings, dt: f64) {
        if self.newton.pivots {
            self.step_pivots(articulations, settings, dt);
            return;
        }
        for (r, off) in self.residuals.iter_mut().zip(&self.off) {
            *r = if *off { 0.0 } else { *r / dt };
        }
        self.newton.before.clone_from(&self.residuals);
        self.solve_damped(articulations, dt);
        if self.newton.damping < CONTRADICTION && self.contradicts(settings.tolerance / dt) {
            if !self.bounded.is_empty() {
                // it may be that one of them gives way
                self.begin_pivots();
                return;
            }
            self.newton.damping = CONTRADICTION;
            self.newton.mixing.forget();
            self.residuals.clone_from(&self.newton.before);
            self.solve_damped(articulations, dt);
        }
        let Newton { mixing, before, .. } = &mut self.newton;
        mixing.mix(&self.lambda, before, &mut self.residuals);
        for (lambda, step) in self.lambda.iter_mut().zip(&self.residuals) {
            *lambda += step;
        }
    }

    /// Finds the next impulses where rows with bounds are found together.
    fn step_pivots(&mut self, articulations: &Articulations, settings: &Settings, dt: f64) {
        let share = settings.solver.kicks().0;
        let bounds = |island: &Self, k: usize| bounds_or_none(island.lines[k].ask, dt, share);
        let least = REST * settings.tolerance / dt;
        self.pivots.off_before.clone_from(&self.off);
        self.pivots.start.clone_from(&self.lambda);
        self.pivots.residuals.clear();
        self.pivots.residuals.extend(self.residuals.iter().map(|r| r / dt));
        loop {
            let damping = self.newton.damping;
            self.pivot(articulations, Linear { damping, least, dt }, bounds, |island| {
                island.solve(articulations, damping, dt);
            });
            let Self { newton, pivots, residuals, off, .. } = self;
            newton.before.clear();
            newton
                .before
                .extend(pivots.residuals.iter().zip(off.iter()).map(|(r, off)| if *off { 0.0 } else { *r }));
            residuals.clear();
            residuals.extend(pivots.x.iter().zip(&pivots.start).map(|(x, start)| x - start));
            if newton.damping >= CONTRADICTION || !self.contradicts(settings.tolerance / dt) {
                break;
            }
            self.newton.damping = CONTRADICTION;
            self.newton.mixing.forget();
        }
        if self.off != self.pivots.off_before {
            self.newton.mixing.forget();
        }
        let Newton { mixing, before, .. } = &mut self.newton;
        mixing.mix(&self.lambda, before, &mut self.residuals);
        for (lambda, step) in self.lambda.iter_mut().zip(&self.residuals) {
            *lambda += step;
        }
    }

    /// `residuals ← −(A + d D)⁻¹ (residuals + d D λ)` with damping d and the diagonal D: impulses as a whole are kept small, so that
    /// those of rows that repeat or contradict others do not add up from iteration to iteration.
    fn solve_damped(&mut self, articulations: &Articulations, dt: f64) {
        let damping = self.newton.damping;
        for (k, r) in self.residuals.iter_mut().enumerate() {
            *r = if self.off[k] { 0.0 } else { -(*r + damping * self.lines[k].diagonal * self.lambda[k]) };
        }
        self.solve(articulations, damping, dt);
    }

    /// Whether most of what is asked for, and more than can be left out (`least` \[m/s or rad/s]), is met by damping alone: then rows
    /// contradict each other. At rest next to nothing is asked for.
    fn contradicts(&self, least: f64) -> bool {
        let greatest = |greatest: f64, x: f64| greatest.max(x.abs());
        let asked = self.newton.before.iter().copied().fold(least, greatest);
        let steps = self.lambda.iter().zip(&self.residuals).zip(&self.lines);
        let damped =
            steps.map(|((lambda, step), line)| self.newton.damping * line.diagonal * (lambda + step));
        damped.fold(0.0, greatest) > 0.1 * asked
    }

    /// Residuals of all rows at the predicted frames; the greatest that is on.
    pub(super) fn predicted_error(&mut self, constraints: &Holders, settings: &Settings, dt: f64) -> f64 {
        self.newton.closes = match self.newton.phase {
            Phase::Stay => 0.0,
            Phase::Close => settings.approach * self.newton.pace.share() * dt,
            _ => settings.approach * dt,
        };
        let mut residuals = std::mem::take(&mut self.residuals);
        let (mut worst, mut passed) = (0.0f64, std::mem::take(&mut self.passed));
        for (j, joint) in self.joints.iter().enumerate() {
            self.values(constraints, joint, |k, value| {
                let counted = if self.spins { self.counted(joint, k, value) } else { None };
                residuals[k] = self.residual(k, value, counted, dt);
                if !self.off[k] {
                    let error = residuals[k].abs();
                    worst = if error.is_finite() { error.max(worst) } else { f64::INFINITY };
                } else {
                    let line = &self.lines[k];
                    let excess = counted.unwrap_or_else(|| line.excess(value));
                    if line.is_passed(excess, settings.tolerance) {
                        passed.push((j, k, excess));
                    }
                }
            });
        }
        self.residuals = residuals;
        for (j, k, excess) in passed.drain(..) {
            let excess = self.take_other_stop(j, k, excess);
            self.residuals[k] = self.residual(k, excess, Some(excess), dt);
        }
        self.passed = passed;
        worst
    }

    /// The value of a row with whole turns counted, which `value` does not know: as the bodies go on their predicted ways. A servo that
    /// throws a light link round by a turn would else be said to have held it.
    fn counted(&self, joint: &Joint, k: usize, value: f64) -> Option<f64> {
        let line = &self.lines[k];
        if !line.may_go_round() {
            return None;
        }
        let mut way = 0.0;
        for (end, push) in joint.ends.into_iter().zip(line.push).filter(|(end, _)| *end != FIXED) {
            let Node::Single { .. } = self.nodes[end as usize] else { return None };
            way += push.angular.dot(self.turns[end as usize]);
        }
        let nearest = unwrapped(line, value);
        Some(nearest + TAU * ((line.value + way - nearest) / TAU).round())
    }

    /// What is left of row `k` where its value is predicted to be `value`; `counted` with whole turns, where there may be any.
    #[inline]
    fn residual(&self, k: usize, value: f64, counted: Option<f64>, dt: f64) -> f64 {
        let line = &self.lines[k];
        match line.ask {
            Ask::Hold => {
                // what was open before may close at a bounded speed
                let closes = self.newton.closes;
                value - (line.value - line.value.clamp(-closes, closes))
            }
            Ask::Limit { .. } => {
                let excess = counted.unwrap_or_else(|| line.excess(value));
                excess - (line.value - self.newton.closes).max(0.0)
            }
            Ask::Speed { speed, .. } => {
                let target = line.value + dt * speed;
                let turns = Motion::new(DVec3::ZERO, line.push[1].linear);
                counted.map_or_else(|| difference(value, target, turns), |value| value - target)
            }
            Ask::Spring { damping, .. } => {
                let soft = compliance(line.ask, dt);
                let value = counted.unwrap_or_else(|| unwrapped(line, value));
                value - damping * soft * line.value + soft * self.lambda[k]
            }
        }
    }

    /// How far the residuals and impulses are from a solution \[m or rad]: rows that are held by their residuals, rows with bounds by
    /// how much their impulses would have to change within these.
    fn distance(&self, dt: f64, share: f64) -> f64 {
        let mut worst = 0.0f64;
        for (k, line) in self.lines.iter().enumerate() {
            if !line.answers() || self.is_stopped(k) {
                continue;
            }
            let yields = dt * line.diagonal + compliance(line.ask, dt);
            let off = match bounds(line.ask, dt, share) {
                None => self.residuals[k],
                Some((low, high)) => {
                    let wanted = (self.lambda[k] - self.residuals[k] / yields).clamp(low, high);
                    (self.lambda[k] - wanted) * yields
                }
            };
            worst = if off.is_finite() { off.abs().max(worst) } else { f64::INFINITY };
        }
        worst
    }

    /// Switches rows with bounds on and off; whether any changed.
    pub(super) fn switch(&mut self, dt: f64, share: f64) -> bool {
        let mut switched = false;
        // stops first: what they hold is not for motors and friction to hold
        for stops in [true, false] {
            for i in 0..self.bounded.len() {
                let k = self.bounded[i] as usize;
                if self.lines[k].ask.is_limit() == stops {
                    switched |= self.switch_row(k, dt, share);
                }
            }
        }
        switched
    }

    fn switch_row(&mut self, k: usize, dt: f64, share: f64) -> bool {
        let line = &self.lines[k];
        let Some((low, high)) = bounds(line.ask, dt, share).filter(|_| line.answers()) else {
            return false;
        };
        let trial = self.lambda[k] - self.residuals[k] / (dt * line.diagonal + compliance(line.ask, dt));
        let mut off = !(trial > low && trial < high);
        let mut impulse = self.lambda[k];
        if self.is_stopped(k) {
            (off, impulse) = (true, impulse.clamp(low, high));
        } else if off {
            impulse = if trial >= high { high } else { low };
        }
        let switched = off != self.off[k] || impulse != self.lambda[k];
        (self.off[k], self.lambda[k]) = (off, impulse);
        switched
    }

    /// Whether row `k` is a motor or friction of a coordinate that is held at a stop: two rows of one direction would fight over
    /// rounding errors with impulses that know no bounds.
    pub(super) fn is_stopped(&self, k: usize) -> bool {
        let Ask::Speed { .. } = self.lines[k].ask else { return false };
        let Some(joint) = self.joints.get(self.joints.partition_point(|j| j.range().end <= k)) else {
            return false;
        };
        let push = self.lines[k].push[1];
        let stops = |line: &Line| line.ask.is_limit() && (line.push[1] == push || line.push[1] == -push);
        joint.range().any(|j| !self.off[j] && stops(&self.lines[j]))
    }
}

/// Least and greatest impulse of a row in a `share` of a step of `dt` \[s]; `None` where there are no bounds.
pub(crate) fn bounds(ask: Ask, dt: f64, share: f64) -> Option<(f64, f64)> {
    match ask {
        Ask::Hold => None,
        Ask::Limit { .. } => Some((f64::NEG_INFINITY, 0.0)),
        // no share of a force without bound either
        Ask::Speed { .. } if share == 0.0 => Some((0.0, 0.0)),
        Ask::Speed { force, .. } => Some((-share * dt * force, share * dt * force)),
        Ask::Spring { force, .. } => Some((-dt * force, dt * force)),
    }
}

/// Least and greatest impulse of a row in a `share` of a step of `dt` \[s]; infinite where there are no bounds.
pub(super) fn bounds_or_none(ask: Ask, dt: f64, share: f64) -> (f64, f64) {
    bounds(ask, dt, share).unwrap_or((f64::NEG_INFINITY, f64::INFINITY))
}

/// The value of a row near the one at the start of the step: angles may have gone round.
pub(super) fn unwrapped(line: &Line, value: f64) -> f64 {
    line.value + difference(value, line.value, Motion::new(DVec3::ZERO, line.push[1].linear))
}
