//! A summary for people.

use std::io::Write;

use anyhow::Result;
use glam::DVec3;

use crate::number::{grouped, short};
use crate::run::RunArgs;
use crate::run::csv::is_stdout;
use crate::run::motion::Motion;

use super::{Contacts, Contents, Detail, Joints, MomentaTold, Steps, Summary};

impl Summary {
    /// The same for people.
    pub(crate) fn print(
        &self,
        out: &mut impl Write,
        motion: &Motion,
        args: &RunArgs,
        rows: Option<u64>,
    ) -> Result<()> {
        let shape = self.contents.shape;
        let [seconds, dt] = [self.steps.seconds, self.steps.dt].map(short);
        let steps = grouped(self.steps.steps);
        let mut how = Vec::new();
        if self.contents.articulations > 0 {
            how.push(format!("{} integrator", args.detail.integrator_of(&args.integrator)));
        }
        if !shape.alone {
            how.push(format!("solver {}", self.joints.solver));
        }
        let how = how.join(", ");
        writeln!(
            out,
            "{}: {seconds} s in {steps} steps of {dt} s ({}), {how}",
            self.scene,
            whose(self.steps.dt_from)
        )?;
        if !shape.alone {
            self.contents.print(out)?;
        }
        if self.contents.articulations > 0 {
            self.detail.print(out, self.steps.wall_s)?;
        }
        if shape.joined {
            self.joints.print(out)?;
        }
        if shape.touches {
            self.contacts.print(out, self.contents.colliders, &self.steps)?;
        }
        self.steps.print(out)?;
        if let Some(sweeps) = self.detail.sweeps_per_step {
            writeln!(out, "  sweeps per step  {}", short(sweeps))?;
        }
        motion.energies.print(out)?;
        if !shape.alone {
            self.momenta.print(out)?;
        }
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

/// Whose choice the length of a step was.
fn whose(dt_from: &str) -> &'static str {
    match dt_from {
        "option" => "--dt",
        "scene" => "the scene's",
        "file" => "the file's",
        _ => "by default",
    }
}

impl Contents {
    fn print(&self, out: &mut impl Write) -> Result<()> {
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
        Ok(())
    }
}

impl Detail {
    fn print(&self, out: &mut impl Write, wall_s: f64) -> Result<()> {
        let of = if self.active_mean < self.joints as f64 {
            format!(", {} of them active on average", short(self.active_mean))
        } else {
            String::new()
        };
        writeln!(out, "  joints           {}{of}", grouped(self.joints as u64))?;
        if let Some(detail) = &self.detail {
            let stages =
                [detail.look_s, detail.metric_s, detail.select_s, detail.choose_s, detail.rigidify_s];
            writeln!(
                out,
                "  updates          {}, {} % of the time; joints that stopped took {} J away",
                grouped(detail.updates),
                short(100.0 * stages.iter().sum::<f64>() / wall_s.max(f64::MIN_POSITIVE)),
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
        Ok(())
    }
}

impl Joints {
    fn print(&self, out: &mut impl Write) -> Result<()> {
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
        Ok(())
    }
}

impl Contacts {
    /// What touched, and what came to rest.
    fn print(&self, out: &mut impl Write, colliders: usize, steps: &Steps) -> Result<()> {
        let [mean, sweeps] = [self.contacts_mean, self.contact_sweeps].map(short);
        writeln!(
            out,
            "  contacts         {mean} per step, {} at most, between {} colliders; {}, {sweeps} sweeps per step",
            grouped(self.contacts_max as u64),
            grouped(colliders as u64),
            self.contact_method
        )?;
        let [most, end] = [self.penetration_max, self.penetration_end].map(short);
        writeln!(out, "  penetration      {most} m at most, {end} m at the end")?;
        let [asleep, awake] = [self.asleep, self.awake].map(|n| grouped(n as u64));
        let rest = self.rest_s.map_or(String::new(), |s| format!("; all of it since {} s", short(s)));
        writeln!(out, "  asleep           {asleep}, {awake} awake{rest}")?;
        let parts = [steps.broad_s, steps.narrow_s, steps.solve_s, steps.joints_s, steps.dynamics_s];
        let whole: f64 = parts.iter().sum();
        let [broad, narrow, solve, joints, dynamics] =
            parts.map(|part| short((100.0 * part / whole.max(f64::MIN_POSITIVE)).round()));
        writeln!(
            out,
            "  time             {broad} % broad phase, {narrow} % narrow phase, {solve} % contacts, {joints} % joints, {dynamics} % dynamics"
        )?;
        Ok(())
    }
}

impl Steps {
    fn print(&self, out: &mut impl Write) -> Result<()> {
        let per_second = if self.wall_s > 0.0 { self.steps as f64 / self.wall_s } else { 0.0 };
        writeln!(
            out,
            "  speed            {} steps/s, {} x real time ({} s of stepping); {} ns per step, {} ns at worst",
            grouped(per_second as u64),
            short(self.real_time_factor),
            short(self.wall_s),
            grouped(self.ns_mean as u64),
            grouped(self.ns_worst as u64)
        )?;
        Ok(())
    }
}

impl MomentaTold {
    fn print(&self, out: &mut impl Write) -> Result<()> {
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
        Ok(())
    }
}

/// A vector to read.
fn v(vector: [f64; 3]) -> String {
    let [x, y, z] = DVec3::from_array(vector).to_array().map(short);
    format!("({x}, {y}, {z})")
}
