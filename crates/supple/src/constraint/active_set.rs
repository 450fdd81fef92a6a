//! Which rows with bounds act, each by its own trial: limits, motors, friction, springs are on or off by the sign of
//! `λ − residual / (dt A_kk)` (primal–dual active set).

use super::island::Island;
use super::matrix::compliance;
use super::measure::Ask;

impl Island {
    /// Makes those rows on that the impulses there are say to be on.
    pub(super) fn set_rows(&mut self, dt: f64) {
        let rows = &mut self.rows;
        for ((off, line), lambda) in rows.off.iter_mut().zip(&rows.lines).zip(&rows.lambda) {
            let on = match line.ask {
                Ask::Hold | Ask::Spring { .. } => true,
                Ask::Limit { .. } => *lambda < 0.0,
                Ask::Speed { force, .. } => lambda.abs() < 0.5 * dt * force,
            };
            *off = !(on && line.answers());
        }
    }

    /// Switches rows with bounds on and off; whether any changed.
    pub(super) fn switch(&mut self, dt: f64, share: f64) -> bool {
        self.switch_each(|island, k| island.switch_row(k, dt, share))
    }

    /// Switches each row with bounds on or off; whether any changed.
    pub(super) fn switch_each(&mut self, mut switch: impl FnMut(&mut Self, usize) -> bool) -> bool {
        let mut switched = false;
        // stops first: what they hold is not for motors and friction to hold
        for stops in [true, false] {
            for i in 0..self.rows.bounded.len() {
                let k = self.rows.bounded[i];
                if self.rows.lines[k].ask.is_limit() == stops {
                    switched |= switch(self, k);
                }
            }
        }
        switched
    }

    fn switch_row(&mut self, k: usize, dt: f64, share: f64) -> bool {
        let rows = &mut self.rows;
        let line = &rows.lines[k];
        let Some((low, high)) = bounds(line.ask, dt, share).filter(|_| line.answers()) else {
            return false;
        };
        let trial = rows.lambda[k] - rows.residuals[k] / (dt * line.diagonal + compliance(line.ask, dt));
        let mut off = !(trial > low && trial < high);
        let mut impulse = rows.lambda[k];
        if rows.is_stopped(&self.topology.joints, k) {
            (off, impulse) = (true, impulse.clamp(low, high));
        } else if off {
            impulse = if trial >= high { high } else { low };
        }
        let switched = off != rows.off[k] || impulse != rows.lambda[k];
        (rows.off[k], rows.lambda[k]) = (off, impulse);
        switched
    }
}

/// Least and greatest impulse of a row in a `share` of a step of `dt` \[s]; `None` where there are no bounds.
pub(super) fn bounds(ask: Ask, dt: f64, share: f64) -> Option<(f64, f64)> {
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
