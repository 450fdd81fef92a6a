//! What updates of an active region did.

use std::time::Duration;

use super::{LeftOut, Metric};

/// What an update of the active region did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RegionReport {
    /// Joints that are active now.
    pub active: usize,
    /// Rigid groups that move: links of the reduced tree.
    pub groups: usize,
    /// Rigid pieces of the assembly tree that make up the groups and the world.
    pub pieces: usize,
    /// Open nodes of the assembly tree.
    pub open: usize,
    /// Joints that the update tried or kept: the transient active region.
    pub transient: usize,
    /// Joints that stopped.
    pub stopped: usize,
    /// Nodes of the force update region.
    pub force_region: usize,
    /// Nodes of the assembly tree that the metric visited; all of them by the direct way.
    pub visited: usize,
    /// Which way the metric was known.
    pub metric: Metric,
    /// 𝒜: sum of squared joint accelerations that the whole body would have; after an impulse, of velocity jumps.
    pub acceleration: f64,
    /// What that is worth: itself, or pixels per step to a viewer.
    pub worth: f64,
    /// The part of it that is outside the transient region, joints held rigid not counted.
    pub acceleration_left_out: f64,
    /// What is outside the active region of the squared joint velocities, as they would be at the next update.
    pub velocity_left_out: LeftOut,
    /// Kinetic energy lost by stopping joints \[J].
    pub kinetic_lost: f64,
    /// Time that the stages took.
    pub times: Stages,
}

/// Time that the stages of an update took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stages {
    /// What a viewer sees.
    pub look: Duration,
    /// What joints would do.
    pub metric: Duration,
    /// Joints to be tried, and the accelerations of the transient body.
    pub select: Duration,
    /// The new active region.
    pub choose: Duration,
    /// Stopping joints, freezing parts, the new reduced tree.
    pub rigidify: Duration,
}

/// Sums over all updates of a region since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RegionTotals {
    /// Updates.
    pub updates: u64,
    /// Kinetic energy lost by stopping joints \[J].
    pub kinetic_lost: f64,
    /// Joints that stopped, one by one.
    pub stopped: u64,
    /// Time that the stages took.
    pub times: Stages,
}

impl RegionTotals {
    pub(super) fn add(&mut self, report: &RegionReport) {
        self.updates += 1;
        self.kinetic_lost += report.kinetic_lost;
        self.stopped += report.stopped as u64;
        let (sum, times) = (&mut self.times, &report.times);
        sum.look += times.look;
        sum.metric += times.metric;
        sum.select += times.select;
        sum.choose += times.choose;
        sum.rigidify += times.rigidify;
    }
}

impl Stages {
    /// All of them.
    pub fn total(&self) -> Duration {
        self.look + self.metric + self.select + self.choose + self.rigidify
    }
}
