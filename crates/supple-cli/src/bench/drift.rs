//! `supple bench drift`: energy and momenta of jointed bodies that nothing outside holds, by solver and step.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use glam::DVec3;
use serde::Serialize;
use supple::world::{Solver, World};
use supple_scenes::stage;

use crate::number::short;
use crate::progress::progress;
use crate::run::solver;

use super::report;

/// Energy and momenta of isolated jointed bodies over ten seconds, by solver and step
#[derive(Args)]
#[command(after_help = "\
Examples:
  supple bench drift
  supple bench drift --seconds 60 --json")]
pub(crate) struct DriftArgs {
    /// Simulated time in s
    #[arg(long, value_name = "S", default_value = "10", value_parser = crate::number::real)]
    seconds: f64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    solver: String,
    dt: f64,
    /// Change of the energy, relative to it at the start.
    energy: f64,
    /// Greatest change of it in between.
    energy_worst: f64,
    /// Change of the momenta, relative to them.
    linear: f64,
    angular: f64,
    gap_max: f64,
}

pub(crate) fn bench(args: &DriftArgs, out: &mut impl Write) -> Result<()> {
    let solvers =
        [Solver::Together, Solver::Sweeps { sweeps: 9 }, Solver::Displacement { outer: 3, inner: 50 }];
    let steps = [1000.0, 240.0, 60.0, 24.0].map(|rate| 1.0 / rate);
    let mut bar = progress((solvers.len() * steps.len()) as u64);
    let mut rows = Vec::new();
    for solver in solvers {
        for dt in steps {
            rows.push(run(solver, dt, args.seconds)?);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    let heading = format!(
        "{:<16} {:>10} {:>12} {:>12} {:>12} {:>12} {:>12}",
        "solver", "dt [s]", "energy", "at worst", "linear", "angular", "gap [m]"
    );
    let line = |r: &Row| {
        let [a, b, c, d, e] = [r.energy, r.energy_worst, r.linear, r.angular, r.gap_max].map(short);
        format!("{:<16} {:>10} {a:>12} {b:>12} {c:>12} {d:>12} {e:>12}", r.solver, short(r.dt))
    };
    report::print("drift", &rows, args.json, &heading, line, out)
}

/// A chain of tumbling rods in space.
fn run(solver: Solver, dt: f64, seconds: f64) -> Result<Row> {
    let mut world: World = stage("pendulum-constraints", &[("links", "8"), ("free", "true")])?.world;
    world.settings.solver = solver;
    // the first step makes the velocities consistent with the joints
    world.step(dt)?;
    let (energy, momenta) = (world.energy().total(), world.momenta());
    let (mut worst, mut gap_max) = (0.0f64, 0.0f64);
    for _ in 0..(seconds / dt).round() as u64 {
        gap_max = gap_max.max(world.step(dt)?.gap_max);
        worst = worst.max((world.energy().total() / energy - 1.0).abs());
    }
    let now = world.momenta();
    let change = |now: DVec3, then: DVec3| (now - then).length() / then.length();
    Ok(Row {
        solver: solver::name(solver).to_owned(),
        dt,
        energy: world.energy().total() / energy - 1.0,
        energy_worst: worst,
        linear: change(now.linear, momenta.linear),
        angular: change(now.angular, momenta.angular),
        gap_max,
    })
}
