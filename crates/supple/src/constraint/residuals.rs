//! What is left of the rows of an island at the predicted frames.

use glam::DVec3;

use crate::spatial::Motion;

use super::Settings;
use super::active_set::bounds;
use super::holder::Holders;
use super::island::Island;
use super::matrix::compliance;
use super::measure::{Ask, difference};
use super::row_states::Line;

impl Island {
    /// Residuals of all rows at the predicted frames; the greatest that is on.
    pub(super) fn predicted_error(&mut self, constraints: &Holders, settings: &Settings, dt: f64) -> f64 {
        let closes = self.newton.closing.way(settings, dt);
        let mut residuals = std::mem::take(&mut self.rows.residuals);
        let (mut worst, mut passed) = (0.0f64, std::mem::take(&mut self.rows.passed));
        for (j, joint) in self.topology.joints.iter().enumerate() {
            self.values(constraints, joint, |k, value| {
                let line = &self.rows.lines[k];
                let counted = self.turns.counted(&self.topology, joint, line, value);
                residuals[k] = line.residual(value, counted, self.rows.lambda[k], closes, dt);
                if !self.rows.off[k] {
                    let error = residuals[k].abs();
                    worst = if error.is_finite() { error.max(worst) } else { f64::INFINITY };
                } else {
                    let excess = counted.unwrap_or_else(|| line.excess(value));
                    if line.is_passed(excess, settings.tolerance) {
                        passed.push((j, k, excess));
                    }
                }
            });
        }
        self.rows.residuals = residuals;
        for (j, k, excess) in passed.drain(..) {
            let excess = self.take_other_stop(j, k, excess);
            let rows = &mut self.rows;
            rows.residuals[k] = rows.lines[k].residual(excess, Some(excess), rows.lambda[k], closes, dt);
        }
        self.rows.passed = passed;
        worst
    }

    /// How far the residuals and impulses are from a solution \[m or rad]: rows that are held by their residuals, rows with bounds by
    /// how much their impulses would have to change within these.
    pub(super) fn distance(&self, dt: f64, share: f64) -> f64 {
        let rows = &self.rows;
        let mut worst = 0.0f64;
        for (k, line) in rows.lines.iter().enumerate() {
            if !line.answers() || rows.is_stopped(&self.topology.joints, k) {
                continue;
            }
            let yields = dt * line.diagonal + compliance(line.ask, dt);
            let off = match bounds(line.ask, dt, share) {
                None => rows.residuals[k],
                Some((low, high)) => {
                    let wanted = (rows.lambda[k] - rows.residuals[k] / yields).clamp(low, high);
                    (rows.lambda[k] - wanted) * yields
                }
            };
            worst = if off.is_finite() { off.abs().max(worst) } else { f64::INFINITY };
        }
        worst
    }
}

impl Line {
    /// What is left of the row where its value is predicted to be `value`; `counted` with whole turns, where there may be any. What was
    /// open before may close by so much.
    #[inline]
    fn residual(&self, value: f64, counted: Option<f64>, lambda: f64, closes: f64, dt: f64) -> f64 {
        match self.ask {
            Ask::Hold => value - (self.value - self.value.clamp(-closes, closes)),
            Ask::Limit { .. } => {
                let excess = counted.unwrap_or_else(|| self.excess(value));
                excess - (self.value - closes).max(0.0)
            }
            Ask::Speed { speed, .. } => {
                let target = self.value + dt * speed;
                let turns = Motion::new(DVec3::ZERO, self.push[1].linear);
                counted.map_or_else(|| difference(value, target, turns), |value| value - target)
            }
            Ask::Spring { damping, .. } => {
                let soft = compliance(self.ask, dt);
                let value = counted.unwrap_or_else(|| unwrapped(self, value));
                value - damping * soft * self.value + soft * lambda
            }
        }
    }
}

/// The value of a row near the one at the start of the step: angles may have gone round.
pub(super) fn unwrapped(line: &Line, value: f64) -> f64 {
    line.value + difference(value, line.value, Motion::new(DVec3::ZERO, line.push[1].linear))
}
