use super::select::Allowance;
use super::worth::Worth;
use super::{Detail, Target};

/// One in so many of the joints that may be active is tried in an update, if nothing else is asked for, but so many always.
/// Measured on the chain of theory, section 13.1, tip error over 2 s: with 50 or 100 active joints, trying as many as may be
/// active is no better (0.010 and 0.011 m); with 20, trying only 5 is worse (0.23 against 0.014 m).
const TRIED_SHARE: usize = 4;
const TRIED_ALWAYS: usize = 16;

/// What an update is to reach.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    /// Joints to be tried.
    pub(super) acceleration: Allowance,
    /// Joints to become active.
    pub(super) velocity: Allowance,
    /// Time for which accelerations count in the velocities by which joints are judged \[s].
    pub(super) ahead: f64,
}

impl Goal {
    pub(super) fn new(
        detail: &Detail,
        joints: usize,
        never_frozen: usize,
        dt: f64,
        watch: Option<&dyn Worth>,
    ) -> Self {
        let watch = watch.filter(|watch| !watch.is_idle());
        let ahead = if detail.look_ahead { f64::from(detail.update_every) * dt } else { dt };
        let (most, price, acceleration, velocity) = match detail.target {
            Target::Full => (joints, 0.0, 0.0, 0.0),
            Target::Joints(n) => (n, 0.0, 0.0, 0.0),
            Target::Error { acceleration, velocity } => (joints, 0.0, acceleration, velocity),
            Target::Pixels { error } => (joints, 0.0, error, error),
            Target::Guaranteed { acceleration } => (joints, 0.0, acceleration, 0.0),
            Target::Price { price, most } => (most, price, 0.0, 0.0),
        };
        let tries = detail.tries.unwrap_or(match detail.target {
            Target::Joints(n) => n.min(TRIED_ALWAYS).max(n / TRIED_SHARE),
            Target::Price { most, .. } => TRIED_ALWAYS.max(most / TRIED_SHARE),
            _ => joints,
        });
        // to a viewer, accelerations are worth the velocities that they become
        let gained = if watch.is_some() { 1.0 } else { ahead * ahead };
        let least = match watch {
            Some(watch) => watch.least_joints(),
            None => usize::from(price > 0.0),
        };
        let rest_threshold = match (watch, detail.target) {
            (None, _) => 0.0,
            (Some(watch), Target::Pixels { error }) => watch.rest_threshold().min(error),
            (Some(watch), _) => watch.rest_threshold(),
        };
        let most = most.saturating_sub(never_frozen);
        Self {
            acceleration: Allowance {
                error: acceleration,
                price: price / gained,
                joints: tries,
                least,
                rest_threshold,
            },
            velocity: Allowance { error: velocity, price, joints: most, least, rest_threshold },
            ahead,
        }
    }
}
