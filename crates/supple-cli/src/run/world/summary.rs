//! What a run of a world tells at its end.

use std::io::Write;

use anyhow::Result;
use glam::DVec3;
use serde::Serialize;
use supple::world::{Momenta, World};

use crate::exit;
use crate::number::{grouped, short};
use crate::run::RunArgs;
use crate::run::csv::is_stdout;
use crate::run::{contacts, solver};

use super::Motion;
use super::reports::Joints;

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
    /// Joints of articulations that can move, and those simulated in a step, on average.
    joints: usize,
    active_mean: f64,
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
    /// Work of what drives and brakes; and the change of the energy without it, null where something did work that is not counted.
    energy_work: f64,
    /// How well the work is known.
    energy_work_error: f64,
    energy_drift: Option<f64>,
    /// What did work that is not in `energy_work`.
    energy_not_counted: Vec<&'static str>,
    momentum_start: Momentum,
    momentum_end: Momentum,
    /// Greatest linear and angular momentum after any step \[N·s, N·m·s].
    momentum_max: [f64; 2],
    /// Newton iterations per step.
    iterations_mean: f64,
    iterations_max: u32,
    /// Parts that steps were cut into, in all and at most.
    substeps: u64,
    substeps_max: u32,
    /// Steps in which some constraints could not be met to the tolerance.
    unsolved: u64,
    colliders: usize,
    contact_method: String,
    /// Contact points per step, and at most.
    contacts_mean: f64,
    contacts_max: usize,
    /// Deepest penetration after any step, and after the last \[m].
    penetration_max: f64,
    penetration_end: f64,
    /// Sweeps over the contacts per step.
    contact_sweeps: f64,
    /// Single bodies and articulations that sleep at the end, and those that do not.
    asleep: usize,
    awake: usize,
    /// From when on all slept; null if something is awake.
    rest_s: Option<f64>,
    /// Where the time of the steps went.
    broad_s: f64,
    narrow_s: f64,
    solve_s: f64,
    joints_s: f64,
    dynamics_s: f64,
    /// Whether the motion stayed finite.
    finite: bool,
    /// `done`, `interrupted`, `terminated`, `non-finite`, `failed`, `diverged` or `unsolved`.
    ended: &'static str,
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
        let joints = Joints::of(world).all;
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
            joints,
            active_mean: if motion.steps > 0 {
                mean(motion.active as f64, motion.steps)
            } else {
                joints as f64
            },
            constraints: motion.last.constraints,
            islands: motion.last.islands,
            gap_start: motion.gap_start,
            gap_max: motion.gap_max,
            gap_end: motion.gap_end,
            gap_mean: mean(motion.gap_sum, motion.steps),
            angle_max: motion.angle_max,
            energy_start: motion.energies.start,
            energy_end: motion.energies.end,
            energy_max: motion.energies.max,
            energy_work: motion.energies.balance.work,
            energy_work_error: motion.energies.balance.error,
            energy_drift: motion.energies.drift(),
            energy_not_counted: motion.energies.balance.not_counted.iter().copied().collect(),
            momentum_max: motion.momentum_max,
            ended: motion.ended(),
            momentum_start: motion.momentum_start.into(),
            momentum_end: world.momenta().into(),
            iterations_mean: mean(motion.iterations as f64, motion.steps),
            iterations_max: motion.iterations_max,
            substeps: motion.substeps,
            substeps_max: motion.substeps_max,
            unsolved: motion.unsolved,
            colliders: world.colliders().count(),
            contact_method: contacts::name(world.settings.contact.method),
            contacts_mean: mean(motion.contacts as f64, motion.steps),
            contacts_max: motion.contacts_max,
            penetration_max: motion.penetration_max,
            penetration_end: motion.last.penetration_max,
            contact_sweeps: mean(motion.contact_sweeps as f64, motion.steps),
            asleep: motion.last.asleep,
            awake: motion.last.awake,
            rest_s: motion.rest.since().map(|step| step as f64 * dt),
            broad_s: motion.times.broad,
            narrow_s: motion.times.narrow,
            solve_s: motion.times.solve,
            joints_s: motion.times.joints,
            dynamics_s: motion.times.dynamics,
            finite: !motion.failure.as_ref().is_some_and(exit::is_not_finite),
        }
    }

    /// What touched, and what came to rest.
    fn print_contacts(&self, out: &mut impl Write) -> Result<()> {
        let [mean, sweeps] = [self.contacts_mean, self.contact_sweeps].map(short);
        writeln!(
            out,
            "  contacts         {mean} per step, {} at most, between {} colliders; {}, {sweeps} sweeps per step",
            grouped(self.contacts_max as u64),
            grouped(self.colliders as u64),
            self.contact_method
        )?;
        let [most, end] = [self.penetration_max, self.penetration_end].map(short);
        writeln!(out, "  penetration      {most} m at most, {end} m at the end")?;
        let [asleep, awake] = [self.asleep, self.awake].map(|n| grouped(n as u64));
        let rest = self.rest_s.map_or(String::new(), |s| format!("; all of it since {} s", short(s)));
        writeln!(out, "  asleep           {asleep}, {awake} awake{rest}")?;
        let parts = [self.broad_s, self.narrow_s, self.solve_s, self.joints_s, self.dynamics_s];
        let whole: f64 = parts.iter().sum();
        let [broad, narrow, solve, joints, dynamics] =
            parts.map(|part| short((100.0 * part / whole.max(f64::MIN_POSITIVE)).round()));
        writeln!(
            out,
            "  time             {broad} % broad phase, {narrow} % narrow phase, {solve} % contacts, {joints} % joints, {dynamics} % dynamics"
        )?;
        Ok(())
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
        if self.joints > 0 {
            let joints = grouped(self.joints as u64);
            let of = if self.active_mean < self.joints as f64 {
                format!(", {} of them active on average", short(self.active_mean))
            } else {
                String::new()
            };
            writeln!(out, "  joints           {joints}{of}")?;
        }
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
        if self.colliders > 0 {
            self.print_contacts(out)?;
        }
        let per_second = if self.wall_s > 0.0 { self.steps as f64 / self.wall_s } else { 0.0 };
        writeln!(
            out,
            "  speed            {} steps/s, {} x real time; {} ns per step, {} ns at worst",
            grouped(per_second as u64),
            short(self.real_time_factor),
            grouped(self.ns_mean as u64),
            grouped(self.ns_worst as u64)
        )?;
        motion.energies.print(out)?;
        let (start, end) = (&self.momentum_start, &self.momentum_end);
        let [linear, angular] = self.momentum_max.map(short);
        writeln!(
            out,
            "  momentum         {} N·s at the start, {} at the end, {linear} at most",
            v(start.linear),
            v(end.linear)
        )?;
        writeln!(
            out,
            "  angular momentum {} N·m·s at the start, {} at the end, {angular} at most",
            v(start.angular),
            v(end.angular)
        )?;
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

/// A vector to read.
fn v(vector: [f64; 3]) -> String {
    let [x, y, z] = DVec3::from_array(vector).to_array().map(short);
    format!("({x}, {y}, {z})")
}
