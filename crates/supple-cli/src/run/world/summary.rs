//! What a run of a world tells at its end.

use std::io::Write;

use anyhow::Result;
use glam::DVec3;
use serde::Serialize;
use supple::StepError;
use supple::world::{Momenta, World, WorldError};

use crate::number::{grouped, short};
use crate::run::RunArgs;
use crate::run::solver;

use super::Motion;

/// The summary as JSON has it. SI units.
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
    /// Time of a step, mean and worst, the first left out \[ns].
    ns_mean: f64,
    ns_worst: f64,
    solver: String,
    bodies: usize,
    articulations: usize,
    constraints: usize,
    islands: usize,
    /// Greatest distance between the two sides of a joint: before the run, in the run, after the last step \[m].
    gap_start: f64,
    gap_max: f64,
    gap_end: f64,
    /// Mean over joints and steps \[m].
    gap_mean: f64,
    /// Greatest angle between the two sides of a joint \[rad].
    angle_max: f64,
    energy_start: f64,
    energy_end: f64,
    energy_max: f64,
    momentum_start: Momentum,
    momentum_end: Momentum,
    /// Newton iterations per step.
    iterations_mean: f64,
    iterations_max: u32,
    /// Parts that steps were cut into, in all and at most.
    substeps: u64,
    substeps_max: u32,
    /// Steps in which some constraints could not be met to the tolerance.
    unsolved: u64,
    /// Whether the motion stayed finite.
    finite: bool,
}

#[derive(Serialize)]
struct Momentum {
    /// \[N·s]
    linear: [f64; 3],
    /// About the world's origin \[N·m·s].
    angular: [f64; 3],
}

impl From<Momenta> for Momentum {
    fn from(m: Momenta) -> Self {
        Self { linear: m.linear.to_array(), angular: m.angular.to_array() }
    }
}

impl Summary {
    pub(crate) fn new(title: &str, world: &World, motion: &Motion, dt: f64) -> Self {
        let (seconds, wall_s) = (motion.steps as f64 * dt, motion.stepping.as_secs_f64());
        let mean = |sum: f64, count: u64| if count > 0 { sum / count as f64 } else { 0.0 };
        Self {
            scene: title.to_owned(),
            dt,
            steps: motion.steps,
            seconds,
            wall_s,
            real_time_factor: if wall_s > 0.0 { seconds / wall_s } else { 0.0 },
            ns_mean: motion.ns_mean(),
            ns_worst: motion.ns_worst,
            solver: solver::name(world.settings.solver),
            bodies: world.bodies().count(),
            articulations: world.articulations().count(),
            constraints: motion.last.constraints,
            islands: motion.last.islands,
            gap_start: motion.gap_start,
            gap_max: motion.gap_max,
            gap_end: motion.gap_end,
            gap_mean: mean(motion.gap_sum, motion.steps),
            angle_max: motion.angle_max,
            energy_start: motion.energy_start,
            energy_end: motion.energy_end,
            energy_max: motion.energy_max,
            momentum_start: motion.momentum_start.into(),
            momentum_end: world.momenta().into(),
            iterations_mean: mean(motion.iterations as f64, motion.steps),
            iterations_max: motion.iterations_max,
            substeps: motion.substeps,
            substeps_max: motion.substeps_max,
            unsolved: motion.unsolved,
            finite: !matches!(
                motion.failure,
                Some(
                    WorldError::NotFinite { .. }
                        | WorldError::Articulation {
                            error: StepError::NotFinite { .. } | StepError::BadInput { .. },
                            ..
                        }
                )
            ),
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
        let [seconds, dt] = [self.seconds, self.dt].map(short);
        let steps = grouped(self.steps);
        writeln!(out, "{}: {seconds} s in {steps} steps of {dt} s, solver {}", self.scene, self.solver)?;
        let count = |n: usize, one: &str, many: &str| {
            format!("{} {}", grouped(n as u64), if n == 1 { one } else { many })
        };
        writeln!(
            out,
            "  world            {}, {}, {} in {}",
            count(self.bodies, "single body", "single bodies"),
            count(self.articulations, "articulation", "articulations"),
            count(self.constraints, "constraint", "constraints"),
            count(self.islands, "island", "islands"),
        )?;
        let [most, end, mean] = [self.gap_max, self.gap_end, self.gap_mean].map(short);
        writeln!(out, "  gap              {most} m at most, {end} m at the end, {mean} m on average")?;
        writeln!(out, "  angle            {} rad at most", short(self.angle_max))?;
        writeln!(
            out,
            "  iterations       {} per step, {} at most; {} substeps, {} steps unsolved",
            short(self.iterations_mean),
            self.iterations_max,
            grouped(self.substeps),
            grouped(self.unsolved)
        )?;
        let per_second = if self.wall_s > 0.0 { self.steps as f64 / self.wall_s } else { 0.0 };
        writeln!(
            out,
            "  speed            {} steps/s, {} x real time; {} ns per step, {} ns at worst",
            grouped(per_second as u64),
            short(self.real_time_factor),
            grouped(self.ns_mean as u64),
            grouped(self.ns_worst as u64)
        )?;
        let [start, end, most] = [self.energy_start, self.energy_end, self.energy_max].map(short);
        writeln!(out, "  energy           {start} J at the start, {end} J at the end, {most} J at most")?;
        let drift = self.energy_end - self.energy_start;
        let share = if motion.kinetic_max > 1e-9 * self.energy_start.abs() {
            format!(", {} % of the greatest kinetic energy", short(100.0 * drift / motion.kinetic_max))
        } else {
            String::new()
        };
        writeln!(out, "  energy drift     {} J{share}", short(drift))?;
        let (start, end) = (&self.momentum_start, &self.momentum_end);
        writeln!(
            out,
            "  momentum         {} N·s at the start, {} at the end",
            v(start.linear),
            v(end.linear)
        )?;
        writeln!(
            out,
            "  angular momentum {} N·m·s at the start, {} at the end",
            v(start.angular),
            v(end.angular)
        )?;
        if let (Some(path), Some(rows)) = (&args.out, rows) {
            writeln!(out, "  trajectory       {} ({} rows)", path.display(), grouped(rows))?;
        }
        if let Some(path) = &args.plot {
            writeln!(out, "  plot             {}", path.display())?;
        }
        Ok(())
    }
}

/// A vector to read.
fn v(vector: [f64; 3]) -> String {
    let [x, y, z] = DVec3::from_array(vector).to_array().map(short);
    format!("({x}, {y}, {z})")
}
