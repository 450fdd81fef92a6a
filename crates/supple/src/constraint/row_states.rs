//! What an island knows of its rows: where they push, what they ask for, their impulses, and which are on.

use crate::spatial::{Force, Motion};

use super::measure::Ask;
use super::topology::Joint;

/// One row at the present pose.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Line {
    /// Impulse of size one, on either side; velocities against it are the speed of the row.
    pub(crate) push: [Force; 2],
    pub(crate) ask: Ask,
    /// Error, excess or coordinate at the present pose.
    pub(crate) value: f64,
    /// `A_kk`.
    pub(super) diagonal: f64,
}

impl Line {
    /// How far a row that holds, or a stop, is from where it belongs \[m or rad]; of what drives or gives, 0.
    #[inline]
    pub(super) fn is_off_by(&self) -> f64 {
        match self.ask {
            Ask::Hold => self.value.abs(),
            Ask::Limit { .. } => self.value.max(0.0),
            _ => 0.0,
        }
    }

    /// Whether an impulse on the row changes anything.
    pub(crate) fn answers(&self) -> bool {
        self.diagonal > 0.0 || matches!(self.ask, Ask::Spring { .. })
    }
}

/// What there is for each row of an island.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowStates {
    pub(super) lines: Vec<Line>,
    /// Velocity jumps of the bodies per impulse of size one, on either side.
    pub(super) answers: Vec<[Motion; 2]>,
    /// What is left of what the rows ask for; solving makes them changes of impulses.
    pub(super) residuals: Vec<f64>,
    /// Impulses before the position update, and after it.
    pub(super) lambda: Vec<f64>,
    pub(super) mu: Vec<f64>,
    /// Impulses after it, before their last change; empty where contacts were not sought.
    pub(super) mu_before: Vec<f64>,
    /// Rows that have their greatest impulse, or none, whatever the velocity.
    pub(super) off: Vec<bool>,
    /// Rows whose impulses have bounds: limits, motors, friction, springs.
    pub(super) bounded: Vec<usize>,
    /// Rows that are predicted to be beyond their other stop: joint, row, value.
    pub(super) passed: Vec<(usize, usize, f64)>,
}

impl RowStates {
    /// For so many rows.
    pub(super) fn new(rows: usize) -> Self {
        Self {
            lines: vec![Line::default(); rows],
            answers: vec![[Motion::ZERO; 2]; rows],
            residuals: vec![0.0; rows],
            lambda: vec![0.0; rows],
            mu: vec![0.0; rows],
            off: vec![false; rows],
            ..Self::default()
        }
    }

    /// Whether row `k` is a motor or friction of a coordinate that is held at a stop: two rows of one direction would fight over
    /// rounding errors with impulses that know no bounds.
    pub(super) fn is_stopped(&self, joints: &[Joint], k: usize) -> bool {
        let Ask::Speed { .. } = self.lines[k].ask else { return false };
        let Some(joint) = joints.get(joints.partition_point(|j| j.range().end <= k)) else {
            return false;
        };
        let push = self.lines[k].push[1];
        let stops = |line: &Line| line.ask.is_limit() && (line.push[1] == push || line.push[1] == -push);
        joint.range().any(|j| !self.off[j] && stops(&self.lines[j]))
    }

    /// Sets the residuals to the displacements that would close the joints, with only those rows on; the greatest error.
    pub(super) fn open(&mut self) -> f64 {
        let mut worst = 0.0f64;
        for (k, line) in self.lines.iter().enumerate() {
            let open = match line.ask {
                Ask::Hold => true,
                Ask::Limit { .. } => line.value > 0.0,
                _ => false,
            };
            self.off[k] = !(open && line.diagonal > 0.0);
            self.residuals[k] = if open { -line.value } else { 0.0 };
            // not max, which would lose a NaN
            if open && !(line.value.abs() <= worst) {
                worst = line.value.abs();
            }
        }
        worst
    }
}

/// Impulses on the nodes by those of the rows, each of this size.
#[inline]
pub(super) fn add_up(joints: &[Joint], lines: &[Line], impulses: &mut [Force], size: impl Fn(usize) -> f64) {
    impulses.fill(Force::ZERO);
    for joint in joints {
        for (side, node) in joint.pushed() {
            let mut sum = impulses[node];
            for (k, line) in joint.range().zip(&lines[joint.range()]) {
                sum += line.push[side] * size(k);
            }
            impulses[node] = sum;
        }
    }
}
