//! What updates of active regions did, step by step and in all.

use serde::Serialize;
use supple::Simulation;
use supple::detail::{RegionReport, Stages};
use supple_scenes::{Stage, active};

/// Sums over the updates of a step, or of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Tally {
    /// Updates: bodies that chose their active joints anew.
    pub(crate) updates: u64,
    /// Joints that were tried or kept: the transient regions.
    pub(crate) transient: u64,
    /// Joints that stopped.
    pub(crate) stopped: u64,
    /// Nodes of the force update regions.
    pub(crate) force_region: u64,
    /// Nodes of the assembly trees that the metric visited.
    pub(crate) visited: u64,
    /// Squared joint accelerations of the whole bodies \[rad²/s⁴], and what the transient regions left out.
    pub(crate) acceleration: f64,
    pub(crate) acceleration_left_out: f64,
    /// Squared joint velocities that the active regions leave out \[rad²/s²].
    pub(crate) velocity_left_out: f64,
    /// Kinetic energy lost by stopping joints \[J].
    pub(crate) kinetic_lost: f64,
    /// Time of the stages \[s].
    pub(crate) look_s: f64,
    pub(crate) metric_s: f64,
    pub(crate) select_s: f64,
    pub(crate) choose_s: f64,
    pub(crate) rigidify_s: f64,
}

impl Tally {
    fn add_report(&mut self, report: &RegionReport) {
        let Stages { look, metric, select, choose, rigidify } = report.times;
        self.add(&Self {
            updates: 1,
            transient: report.transient as u64,
            stopped: report.stopped as u64,
            force_region: report.force_region as u64,
            visited: report.visited as u64,
            acceleration: report.acceleration,
            acceleration_left_out: report.acceleration_left_out,
            velocity_left_out: report.velocity_left_out.metric,
            kinetic_lost: report.kinetic_lost,
            look_s: look.as_secs_f64(),
            metric_s: metric.as_secs_f64(),
            select_s: select.as_secs_f64(),
            choose_s: choose.as_secs_f64(),
            rigidify_s: rigidify.as_secs_f64(),
        });
    }

    fn add(&mut self, other: &Self) {
        self.updates += other.updates;
        self.transient += other.transient;
        self.stopped += other.stopped;
        self.force_region += other.force_region;
        self.visited += other.visited;
        self.acceleration += other.acceleration;
        self.acceleration_left_out += other.acceleration_left_out;
        self.velocity_left_out += other.velocity_left_out;
        self.kinetic_lost += other.kinetic_lost;
        self.look_s += other.look_s;
        self.metric_s += other.metric_s;
        self.select_s += other.select_s;
        self.choose_s += other.choose_s;
        self.rigidify_s += other.rigidify_s;
    }
}

/// The regions as they are now, all bodies together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Size {
    /// Active joints.
    pub(crate) active: u64,
    /// Rigid groups that move.
    pub(crate) groups: u64,
    /// Rigid pieces of the assembly trees that make them up.
    pub(crate) pieces: u64,
    /// Open nodes of the assembly trees.
    pub(crate) open: u64,
}

impl Size {
    pub(crate) fn of(stage: &Stage) -> Self {
        let mut size = Self::default();
        for member in stage.articulations() {
            size.active += active(member) as u64;
            match member.region().map(|region| *region.report()) {
                Some(RegionReport { groups, pieces, open, .. }) => {
                    size.groups += groups as u64;
                    size.pieces += pieces as u64;
                    size.open += open as u64;
                }
                None if member.detail().is_full() => size.groups += member.model.moving_joints() as u64,
                None => {}
            }
        }
        size
    }
}

/// Watches a scene for updates.
#[derive(Default)]
pub(crate) struct Updates {
    /// How many updates each body's region has had.
    seen: Vec<u64>,
    /// Those of the last step.
    pub(crate) step: Tally,
    /// Those of all steps.
    pub(crate) all: Tally,
}

impl Updates {
    /// Looks at all bodies after a step.
    pub(crate) fn look(&mut self, stage: &Stage) {
        self.step = Tally::default();
        self.seen.resize(stage.articulations().count(), 0);
        for (member, seen) in stage.articulations().zip(&mut self.seen) {
            let updates = updates(member);
            if updates != *seen {
                *seen = updates;
                if let Some(region) = member.region() {
                    self.step.add_report(region.report());
                }
            }
        }
        self.all.add(&self.step);
    }
}

fn updates(simulation: &Simulation) -> u64 {
    simulation.region().map_or(0, |region| region.totals().updates)
}
