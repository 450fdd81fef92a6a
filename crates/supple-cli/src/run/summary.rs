//! What a run tells at its end.

use std::io::Write;

use anyhow::Result;
use serde::Serialize;
use supple_scenes::Show;

use crate::exit::is_not_finite;
use crate::number::{grouped, short};

use super::csv::is_stdout;
use super::updates::Tally;
use super::{Checks, Motion, RunArgs};

/// The summary as JSON has it. Energies in J, times in s.
#[derive(Serialize)]
pub(crate) struct Summary {
    scene: String,
    dt: f64,
    /// Steps taken.
    steps: u64,
    /// Simulated time.
    seconds: f64,
    /// Time spent in steps; measuring and writing are not counted.
    wall_s: f64,
    real_time_factor: f64,
    /// Joints that can move.
    joints: usize,
    /// Joints simulated in a step, on average.
    active_mean: f64,
    energy_start: f64,
    energy_end: f64,
    energy_max: f64,
    /// Work of what drives and brakes; and the change of the energy without it, null where something did work that is not counted.
    energy_work: f64,
    /// How well the work is known.
    energy_work_error: f64,
    energy_drift: Option<f64>,
    /// What did work that is not in `energy_work`.
    energy_not_counted: Vec<&'static str>,
    /// Of one body; null for several.
    sweeps_per_step: Option<f64>,
    /// Whether the motion stayed finite.
    finite: bool,
    /// `done`, `interrupted`, `terminated`, `non-finite`, `failed` or `diverged`.
    ended: &'static str,
    /// What all updates of active regions did together; null at full detail.
    detail: Option<Tally>,
    /// What steps came to that were checked by their images; null where they were not.
    checks: Option<Checks>,
}

impl Summary {
    pub(crate) fn new(title: &str, show: &Show, motion: &Motion, dt: f64) -> Self {
        let joints = show.joints();
        let (seconds, wall_s) = (motion.steps as f64 * dt, motion.stepping.as_secs_f64());
        Self {
            scene: title.to_owned(),
            dt,
            steps: motion.steps,
            seconds,
            wall_s,
            real_time_factor: if wall_s > 0.0 { seconds / wall_s } else { 0.0 },
            joints,
            active_mean: if motion.steps > 0 {
                motion.active as f64 / motion.steps as f64
            } else {
                joints as f64
            },
            energy_start: motion.energies.start,
            energy_end: motion.energies.end,
            energy_max: motion.energies.max,
            energy_work: motion.energies.balance.work,
            energy_work_error: motion.energies.balance.error,
            energy_drift: motion.energies.drift(),
            energy_not_counted: motion.energies.balance.not_counted.iter().copied().collect(),
            ended: motion.ended(),
            sweeps_per_step: motion.sweeps.map(|sweeps| sweeps as f64 / motion.steps.max(1) as f64),
            checks: motion.checks,
            detail: (motion.updates.updates > 0).then_some(motion.updates),
            finite: !motion.failure.as_ref().is_some_and(is_not_finite),
        }
    }

    /// The same for people.
    pub(crate) fn print(
        &self,
        out: &mut impl Write,
        motion: &Motion,
        args: &RunArgs,
        rows: Option<u64>,
    ) -> Result<()> {
        let steps_per_second = if self.wall_s > 0.0 { self.steps as f64 / self.wall_s } else { 0.0 };
        writeln!(
            out,
            "{}: {} s in {} steps of {} s, {} integrator",
            self.scene,
            short(self.seconds),
            grouped(self.steps),
            short(self.dt),
            args.detail.integrator_of(&args.integrator)
        )?;
        let of = if self.active_mean < self.joints as f64 {
            format!(", {} of them active on average", short(self.active_mean))
        } else {
            String::new()
        };
        writeln!(out, "  joints           {}{of}", grouped(self.joints as u64))?;
        if let Some(detail) = &self.detail {
            let share =
                (detail.look_s + detail.metric_s + detail.select_s + detail.choose_s + detail.rigidify_s)
                    / self.wall_s.max(f64::MIN_POSITIVE);
            writeln!(
                out,
                "  updates          {}, {} % of the time; joints that stopped took {} J away",
                grouped(detail.updates),
                short(100.0 * share),
                short(detail.kinetic_lost)
            )?;
        }
        if let Some(checks) = &self.checks {
            writeln!(
                out,
                "  checked          {} pixels differ at most, {} in all steps together; {} steps taken again, {} with all joints",
                checks.static_max,
                grouped(checks.dynamic),
                grouped(checks.refined),
                grouped(checks.full)
            )?;
        }
        writeln!(
            out,
            "  speed            {} steps/s, {} x real time ({} s of stepping)",
            grouped(steps_per_second as u64),
            short(self.real_time_factor),
            short(self.wall_s)
        )?;
        if let Some(sweeps) = self.sweeps_per_step {
            writeln!(out, "  sweeps per step  {}", short(sweeps))?;
        }
        motion.energies.print(out)?;
        if let (Some(path), Some(rows)) = (&args.out, rows) {
            let name = if is_stdout(path) { "stdout".into() } else { path.display().to_string() };
            writeln!(out, "  trajectory       {name} ({} rows)", grouped(rows))?;
        }
        if let Some(path) = &args.plot {
            writeln!(out, "  plot             {}", path.display())?;
        }
        Ok(())
    }
}
