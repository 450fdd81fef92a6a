//! The two stops of a limit. A row looks at the nearer one at the start of the step, and at the other one where the joint is predicted to be
//! beyond that: else a fast joint would jump over its range.

use std::f64::consts::{PI, TAU};

use glam::DVec3;

use super::island::Island;
use super::measure::Ask;
use super::row_states::Line;

impl Line {
    /// Excess of a limit that is predicted to be `value`, near the one at the start of the step: angles may have gone round.
    #[inline]
    pub(super) fn excess(&self, value: f64) -> f64 {
        let Ask::Limit { range } = self.ask else { return value };
        let apart = value - self.value;
        let goes_round = range.is_finite() && apart.abs() > PI && self.push[1].linear == DVec3::ZERO;
        if goes_round { value - TAU * (apart / TAU).round() } else { value }
    }

    /// Whether whole turns make a difference to the row: it is an angle that something pulls or stops on both sides.
    pub(super) fn may_go_round(&self) -> bool {
        let has_two_sides = match self.ask {
            Ask::Hold => false,
            Ask::Limit { range } => range.is_finite(),
            Ask::Speed { .. } | Ask::Spring { .. } => true,
        };
        has_two_sides && self.push[1].linear == DVec3::ZERO
    }

    /// Whether the joint is beyond the other stop with this excess of a limit, by more than `tolerance` \[rad or m].
    #[inline]
    pub(super) fn is_passed(&self, excess: f64, tolerance: f64) -> bool {
        let Ask::Limit { range } = self.ask else { return false };
        excess < -range - tolerance
    }
}

impl Island {
    /// Makes a row that is off one of the other stop; the excess of that where this one's is predicted to be `excess`.
    pub(super) fn take_other_stop(&mut self, joint: usize, k: usize, excess: f64) -> f64 {
        let Self { topology, rows, .. } = self;
        let (joint, line) = (&mut topology.joints[joint], &mut rows.lines[k]);
        let Ask::Limit { range } = line.ask else { return excess };
        line.value = -range - line.value;
        line.push = line.push.map(|push| -push);
        rows.answers[k] = rows.answers[k].map(|answer| -answer);
        joint.low_sides ^= 1 << (k - joint.first());
        (rows.lambda[k], rows.off[k]) = (0.0, true);
        self.start.forget_row(k);
        self.newton.forget_row(k);
        self.matrix.forget();
        -range - excess
    }
}
