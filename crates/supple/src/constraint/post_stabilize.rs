//! Velocity post-stabilization: impulses after the position update that take the velocities to what the joints allow there
//! (Weinstein et al., section V), for all joints of an island together.
//!
//! With half of each step's forces before the position update and half after it, pre-stabilization along the directions of the
//! start and post-stabilization along those of the end are the two halves of RATTLE: second order, and energy does not drift.

use crate::bodies::Articulations;
use crate::spatial::Motion;

use super::Settings;
use super::active_set::{bounds, bounds_or_none};
use super::island::{Impulses, Island};
use super::matrix::LEAST_DAMPING;
use super::measure::Ask;
use super::pivot::Linear;
use super::pre_stabilize::REST;
use super::row_states::{Line, RowStates, add_up};

/// Rounds of switching limits, motors and friction on and off.
const ROUNDS: u32 = 8;
/// Rounds after which their sets go round in circles: then they are found together ([`super::pivot`]).
const CIRCLES: u32 = 4;
/// Speeds are solved for to within this share of the tolerance, and a stop lets go only of what leaves it faster than that.
const ACCURACY: f64 = 0.1;

impl Island {
    /// Impulses μ such that the velocities at the present pose are allowed, left in `mu` and in `impulses`. `dt` \[s] is the step that
    /// bounds of forces are for.
    pub(crate) fn post_stabilize(&mut self, articulations: &Articulations, settings: &Settings, dt: f64) {
        self.begin_velocities();
        let mut pivots = false;
        for round in 0..ROUNDS {
            self.collect(Impulses::Mu);
            self.velocities_with_impulses(articulations);
            let worst = self.excess();
            let switched = !pivots && self.switch_speeds(settings, dt);
            if !switched && worst * dt <= REST * settings.tolerance {
                break;
            }
            pivots |= switched && round >= CIRCLES;
            if pivots {
                self.pivot_velocities(articulations, settings, dt);
            } else {
                self.improve_velocities(articulations, dt);
            }
        }
        self.collect(Impulses::Mu);
        if !self.states.impulses.iter().all(|impulse| impulse.is_finite()) {
            // better the velocities as they are
            self.rows.mu.fill(0.0);
            self.clear_impulses();
            self.newton.fail();
        }
    }

    /// Starts from no impulses, with the stops that held last.
    pub(crate) fn begin_velocities(&mut self) {
        let rows = &mut self.rows;
        rows.mu.fill(0.0);
        for (off, line) in rows.off.iter_mut().zip(&rows.lines) {
            *off = match line.ask {
                Ask::Hold => false,
                Ask::Limit { .. } => *off,
                _ => true,
            } || !(line.diagonal > 0.0);
        }
    }

    /// Keeps the impulses that joints gave while contacts were sought; post-stabilization starts anew from there.
    pub(crate) fn keep_velocities(&mut self) {
        self.rows.mu_before.clone_from(&self.rows.mu);
    }

    /// Adds them again, if there were any, to what post-stabilization gave: for forces and for the next start.
    pub(crate) fn recall_velocities(&mut self, pushed: bool) {
        if pushed {
            for (mu, before) in self.rows.mu.iter_mut().zip(&self.rows.mu_before) {
                *mu += before;
            }
        }
        self.rows.mu_before.clear();
    }

    /// One step of the joints while contacts are sought: `velocities` are those of the nodes, `impulses` become what is added to them.
    pub(crate) fn hold_velocities(&mut self, articulations: &Articulations, settings: &Settings, dt: f64) {
        let worst = self.excess();
        self.rows.mu_before.clone_from(&self.rows.mu);
        if !self.switch_speeds(settings, dt) && worst * dt <= ACCURACY * settings.tolerance {
            // contacts did not push it since the last time: post-stabilization finds what is left
            self.clear_impulses();
            return;
        }
        self.improve_velocities(articulations, dt);
        let Self { topology, rows, states, .. } = self;
        let RowStates { lines, mu, mu_before, .. } = rows;
        add_up(&topology.joints, lines, &mut states.impulses, |k| mu[k] - mu_before[k]);
    }

    /// Residuals of the speeds; the greatest that is on.
    fn excess(&mut self) -> f64 {
        let mut worst = 0.0f64;
        let RowStates { lines, residuals, off, .. } = &mut self.rows;
        for joint in &self.topology.joints {
            let [a, b] = joint.ends.map(|end| end.map_or(Motion::ZERO, |node| self.states.velocities[node]));
            let rows = lines[joint.range()].iter().zip(&mut residuals[joint.range()]);
            for ((line, residual), off) in rows.zip(&off[joint.range()]) {
                let wish = if let Ask::Speed { speed, .. } = line.ask { speed } else { 0.0 };
                *residual = line.push[0].dot(a) + line.push[1].dot(b) - wish;
                if !off {
                    worst = worst.max(residual.abs());
                }
            }
        }
        worst
    }

    fn improve_velocities(&mut self, articulations: &Articulations, dt: f64) {
        for r in &mut self.rows.residuals {
            *r = -*r;
        }
        // constraints that contradict each other do so in their velocities too
        self.solve(articulations, self.newton.damping.max(LEAST_DAMPING), dt);
        let rows = &mut self.rows;
        for ((mu, step), off) in rows.mu.iter_mut().zip(&rows.residuals).zip(&rows.off) {
            if !off {
                *mu += step;
            }
        }
    }

    /// Finds the velocities with rows with bounds found together.
    fn pivot_velocities(&mut self, articulations: &Articulations, settings: &Settings, dt: f64) {
        let share = settings.solver.kicks().1;
        let bounds = |island: &Self, k: usize| {
            let line = &island.rows.lines[k];
            if is_met(line, settings) { bounds_or_none(line.ask, dt, share) } else { (0.0, 0.0) }
        };
        self.pivots.start.clone_from(&self.rows.mu);
        self.pivots.residuals.clone_from(&self.rows.residuals);
        let damping = self.newton.damping.max(LEAST_DAMPING);
        let linear = Linear { damping, least: REST * settings.tolerance / dt, dt };
        self.pivot(articulations, linear, bounds, |island| island.solve(articulations, damping, dt));
        self.rows.mu.clone_from(&self.pivots.x);
    }

    /// Switches limits that are met, motors and friction; whether any changed.
    fn switch_speeds(&mut self, settings: &Settings, dt: f64) -> bool {
        self.switch_each(|island, k| island.switch_speed(k, settings, dt))
    }

    fn switch_speed(&mut self, k: usize, settings: &Settings, dt: f64) -> bool {
        let rows = &mut self.rows;
        let line = &rows.lines[k];
        let Some((low, high)) = bounds(line.ask, dt, settings.solver.kicks().1) else { return false };
        let met = is_met(line, settings);
        let trial = rows.mu[k] - rows.residuals[k] / line.diagonal;
        // a stop that holds lets go only of what leaves it at a speed that counts: else rounding would switch it, and each time costs a factor
        let is_active_limit = line.ask.is_limit() && !rows.off[k];
        let high =
            if is_active_limit { high + ACCURACY * settings.tolerance / (dt * line.diagonal) } else { high };
        let mut off = !(met && trial > low && trial < high);
        let mut impulse = rows.mu[k];
        if rows.is_stopped(&self.topology.joints, k) {
            (off, impulse) = (true, impulse.clamp(low, high));
        } else if off {
            let bound = if !met {
                0.0
            } else if trial >= high {
                high
            } else {
                low
            };
            impulse = if bound.is_finite() { bound } else { 0.0 };
        }
        let switched = off != rows.off[k] || impulse != rows.mu[k];
        (rows.off[k], rows.mu[k]) = (off, impulse);
        switched
    }
}

/// Whether a row with bounds has anything to say of velocities at the present pose.
fn is_met(line: &Line, settings: &Settings) -> bool {
    match line.ask {
        Ask::Limit { .. } => line.value > -settings.tolerance,
        Ask::Spring { .. } => false,
        _ => true,
    }
}
