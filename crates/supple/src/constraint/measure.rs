//! What a constraint asks of one joint frame: its rows, their directions and how far off each one is.

use std::f64::consts::TAU;

use glam::DVec3;

use crate::spatial::{Motion, rotation};

use super::{Action, Constraint, Coordinates, Frame, MAX_ROWS, Rows};

/// What a row asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Ask {
    /// Error zero, by any impulse.
    #[default]
    Hold,
    /// Error at most zero, by an impulse against the direction. The other stop is at −`range` \[rad or m]; infinite where there is none.
    Limit { range: f64 },
    /// This speed \[rad/s or m/s], by a force of this size at most.
    Speed { speed: f64, force: f64 },
    /// Yields: spring, damper, and greatest force.
    Spring { stiffness: f64, damping: f64, force: f64 },
}

impl Ask {
    /// Whether it is a stop.
    pub(crate) fn is_limit(&self) -> bool {
        matches!(self, Self::Limit { .. })
    }
}

/// One row at one joint frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Measured {
    /// Axes of the parent's joint frame.
    pub(crate) direction: Motion,
    /// Error of a row that is held, excess of a limit, value of a driven coordinate \[rad or m].
    pub(crate) value: f64,
    pub(crate) ask: Ask,
}

/// What all rows of a constraint have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measure {
    /// Nearest allowed frame.
    pub(crate) target: Frame,
    /// Distance from it \[m].
    pub(crate) gap: f64,
    /// Angle from it \[rad].
    pub(crate) angle: f64,
    /// Which limits are lower stops, a bit per row.
    pub(crate) low_sides: u16,
}

impl Measure {
    /// The rows of `constraint` where its joint frame is `joint`, one after the other to `each`. Limits are the nearer ones of their two
    /// stops, or those of `low_sides`.
    #[inline]
    pub(crate) fn rows(
        constraint: &Constraint,
        joint: Frame,
        low_sides: Option<u16>,
        mut each: impl FnMut(usize, &Measure, Measured),
    ) -> Self {
        let target = constraint.model.nearest(joint);
        let apart = joint.position - target.position;
        let turned = if joint.rotation == target.rotation {
            DVec3::ZERO
        } else {
            rotation::log(joint.rotation * target.rotation.conjugate())
        };
        let mut measure = Self { target, gap: apart.length(), angle: turned.length(), low_sides: 0 };
        let mut rows = Rows::default();
        constraint.model.held(joint, &mut rows);
        for (i, row) in rows.iter().enumerate() {
            let d = row.direction;
            let (value, ask) = match (row.excess, constraint.softness) {
                (None, None) => (d.angular.dot(turned) + d.linear.dot(apart), Ask::Hold),
                (None, Some(s)) => {
                    let (stiffness, damping) = (s.stiffness, s.damping);
                    let spring = Ask::Spring { stiffness, damping, force: f64::INFINITY };
                    (d.angular.dot(turned) + d.linear.dot(apart), spring)
                }
                (Some(excess), _) => (excess, Ask::Limit { range: f64::INFINITY }),
            };
            each(i, &measure, Measured { direction: d, value, ask });
        }
        if !constraint.actions.is_empty() {
            let mut coordinates = Coordinates::default();
            constraint.model.coordinates(joint, &mut coordinates);
            let actions = constraint.actions.iter().take(MAX_ROWS - rows.len());
            for (i, action) in (rows.len()..).zip(actions) {
                let coordinate = coordinates.get(action.coordinate()).copied().unwrap_or_default();
                let low = low_sides.map(|sides| sides >> i & 1 == 1);
                let (row, low) = act(action, coordinate.value, coordinate.direction, low);
                measure.low_sides |= u16::from(low) << i;
                each(i, &measure, row);
            }
        }
        measure
    }

    /// How many rows a constraint has, wherever its joint is.
    pub(crate) fn count(constraint: &Constraint) -> usize {
        let mut count = 0;
        Self::rows(constraint, Frame::IDENTITY, None, |_, _, _| count += 1);
        count
    }
}

/// The row of an action where its coordinate has this value, and whether it is a lower stop.
fn act(action: &Action, value: f64, direction: Motion, low: Option<bool>) -> (Measured, bool) {
    let row = match *action {
        Action::Limit { low: least, high, .. } => {
            let low = low.unwrap_or(least - value > value - high);
            let ask = Ask::Limit { range: high - least };
            let row = if low {
                Measured { direction: -direction, value: least - value, ask }
            } else {
                Measured { direction, value: value - high, ask }
            };
            return (row, low);
        }
        Action::Motor { speed, force, .. } => Measured { direction, value, ask: Ask::Speed { speed, force } },
        Action::Friction { force, .. } => {
            Measured { direction, value, ask: Ask::Speed { speed: 0.0, force } }
        }
        Action::Servo { target, stiffness, damping, force, .. } => {
            let value = difference(value, target, direction);
            Measured { direction, value, ask: Ask::Spring { stiffness, damping, force } }
        }
    };
    (row, false)
}

/// `a − b`, the shorter way round for angles.
pub(crate) fn difference(a: f64, b: f64, direction: Motion) -> f64 {
    let turns = direction.linear == DVec3::ZERO;
    if turns { (a - b) - TAU * ((a - b) / TAU).round() } else { a - b }
}
