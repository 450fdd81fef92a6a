//! What every step of a world did.

use std::time::Duration;

use supple::world::{World, WorldReport};

use supple_scenes::active;

use crate::run::reports::{Cell, real};

/// Joints of all articulations together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Joints {
    /// Those that are simulated.
    pub(crate) active: usize,
    /// Those that can move.
    pub(crate) all: usize,
}

impl Joints {
    pub(crate) fn of(world: &World) -> Self {
        let mut joints = Self::default();
        for (_, simulation) in world.articulations() {
            joints.active += active(simulation);
            joints.all += simulation.model.moving_joints();
        }
        joints
    }
}

/// Names and values of a line: step, time at its end and time that it took \[s], gaps, what the solver did, contacts,
/// what sleeps, active joints, where the time went.
pub(crate) fn cells(world: &World, step: u64, report: &WorldReport, wall: Duration) -> Vec<Cell> {
    let joints = Joints::of(world);
    vec![
        ("step", step.to_string()),
        ("time", real(world.time())),
        ("wall_s", real(wall.as_secs_f64())),
        ("gap_max", real(report.gap_max)),
        ("gap_mean", real(report.gap_mean)),
        ("angle_max", real(report.angle_max)),
        ("constraints", report.constraints.to_string()),
        ("islands", report.islands.to_string()),
        ("unsolved", report.unsolved.to_string()),
        ("error", real(report.error)),
        ("iterations", report.iterations.to_string()),
        ("factorizations", report.factorizations.to_string()),
        ("substeps", report.substeps.to_string()),
        ("contacts", report.contacts.to_string()),
        ("penetration_max", real(report.penetration_max)),
        ("contact_sweeps", report.contact_sweeps.to_string()),
        ("asleep", report.asleep.to_string()),
        ("awake", report.awake.to_string()),
        ("active", joints.active.to_string()),
        ("joints", joints.all.to_string()),
        ("broad_s", real(report.times.broad)),
        ("narrow_s", real(report.times.narrow)),
        ("solve_s", real(report.times.solve)),
        ("joints_s", real(report.times.joints)),
        ("dynamics_s", real(report.times.dynamics)),
    ]
}
