//! `supple bench constraints`: time of a step and gaps of joints in worlds of single bodies with loops.
//!
//! Weinstein, Teran & Fedkiw 2006, figures 2 and 3. A row has what `bench/peers` tells of other engines on the same world
//! (`supple export`): one thread, the first step not timed, gaps by where bodies are after every step; at rest means in the last
//! half second.

use std::io::Write;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use glam::DVec3;
use serde::Serialize;
use supple::world::{Solver, World};
use supple_scenes::{SECONDS, Stage, gallery, stage};

use crate::number::{grouped, real, short};
use crate::progress::progress;
use crate::run::gap;
use crate::run::solver::{self, SolverArgs};
use crate::run::source::setting;

use super::characters::pool;
use super::report;
use super::step_times::StepTimes;

/// The scenes of the papers, as far as there are such scenes.
const SCENES: [&str; 2] = ["bridge", "net"];
/// What is measured where there is none of them.
const OTHERWISE: &str = "pendulum-constraints";
/// The last seconds of a run, in which the world has come to rest.
const REST: f64 = 0.5;

/// Worlds of single bodies with joints and closed loops: time and gaps
#[derive(Args)]
#[command(after_help = "\
Examples:
  supple bench constraints
  supple bench constraints --scene pendulum-constraints --set links=50 --dt 1/480 --json
  supple bench constraints --solver sweeps --sweeps 9 --seconds 2")]
pub(crate) struct ConstraintsArgs {
    /// Which scenes [default: bridge, net]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    scene: Vec<String>,
    /// Set a parameter of the scenes (repeatable)
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// Length of a step in s, as a number or a fraction [default: the scene's]
    #[arg(long, value_name = "DT", value_parser = real)]
    dt: Option<f64>,
    /// Simulated time in s [default: the scene's]
    #[arg(long, value_name = "S", value_parser = real)]
    seconds: Option<f64>,
    #[command(flatten)]
    solver: SolverArgs,
    /// Threads; the other engines have one
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: u64,
    /// Rounds, of whose step times the middle ones count
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u64).range(1..=1000))]
    rounds: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    scene: String,
    engine: String,
    dt: f64,
    mean_ns: f64,
    worst_ns: f64,
    /// What a 240th of a simulated second costs.
    ns_per_240th: f64,
    /// Greatest gap after any step \[m]; null if the motion became non-finite.
    gap_max: Option<f64>,
    gap_rest: Option<f64>,
    /// Mean height of all mass at the end \[m].
    height: f64,
    /// Energy at the end less that at the start \[J].
    energy_change: f64,
    /// Newton iterations (or sweeps) of a step on average.
    iterations: f64,
    /// Steps in which constraints were not met to the tolerance.
    unsolved: u64,
    constraints: usize,
}

pub(crate) fn bench(args: &ConstraintsArgs, out: &mut impl Write) -> Result<()> {
    let settings = args.settings.iter().map(|text| setting(text));
    let settings = settings.collect::<Result<Vec<_>>>()?;
    let pool = pool(args.threads)?;
    let names = scenes(args);
    let mut bar = progress(names.len() as u64 * args.rounds);
    let mut rows = Vec::new();
    for name in &names {
        let (mut times, mut row) = (StepTimes::default(), None);
        for _ in 0..args.rounds {
            let stage = stage(name, &settings)?;
            row = Some(pool.install(|| run(name, stage, args, &mut times))?);
            bar.inc(1);
        }
        if let Some(row) = row {
            let (mean_ns, worst_ns) = (times.mean(), times.worst());
            rows.push(Row { mean_ns, worst_ns, ns_per_240th: mean_ns / (240.0 * row.dt), ..row });
        }
    }
    bar.finish_and_clear();
    let heading = format!(
        "{:<22} {:<20} {:>9} {:>12} {:>12} {:>10} {:>10} {:>10}",
        "scene", "engine", "dt [s]", "mean [ns]", "worst [ns]", "gap [m]", "rest [m]", "energy [J]"
    );
    let gap = |gap: Option<f64>| gap.map_or("lost".into(), short);
    let line = |r: &Row| {
        format!(
            "{:<22} {:<20} {:>9} {:>12} {:>12} {:>10} {:>10} {:>10}",
            r.scene,
            r.engine,
            short(r.dt),
            grouped(r.mean_ns as u64),
            grouped(r.worst_ns as u64),
            gap(r.gap_max),
            gap(r.gap_rest),
            short(r.energy_change)
        )
    };
    report::print("constraints", &rows, args.json, &heading, line, out)
}

/// Those asked for, or those of the papers that there are.
fn scenes(args: &ConstraintsArgs) -> Vec<String> {
    if !args.scene.is_empty() {
        return args.scene.clone();
    }
    let there = |name: &&str| gallery().iter().any(|scene| scene.name == *name);
    let found: Vec<String> = SCENES.iter().filter(|name| there(name)).map(|s| (*s).to_owned()).collect();
    if found.is_empty() { vec![OTHERWISE.to_owned()] } else { found }
}

/// One run; its times go to `times`.
fn run(name: &str, mut stage: Stage, args: &ConstraintsArgs, times: &mut StepTimes) -> Result<Row> {
    let (dt, _) = stage.step_length(args.dt);
    let seconds = args.seconds.or(stage.seconds).unwrap_or(SECONDS);
    if !(dt > 0.0 && seconds >= 2.0 * dt) {
        bail!("two steps at least are needed: {seconds} s in steps of {dt} s are fewer");
    }
    stage.world.settings.solver = args.solver.over(stage.world.settings.solver)?;
    let steps = (seconds / dt).round() as usize;
    let rest = steps.saturating_sub((REST / dt).round() as usize);
    let energy = stage.world.energy().total();
    let (mut gap_max, mut gap_rest) = (0.0f64, 0.0f64);
    let (mut iterations, mut unsolved, mut constraints) = (0, 0, 0);
    for step in 0..steps {
        let start = Instant::now();
        let report = stage.step(dt);
        times.push(step, start.elapsed().as_secs_f64() * 1e9);
        let Ok(report) = report else {
            gap_max = f64::INFINITY;
            break;
        };
        iterations += u64::from(report.iterations);
        unsolved += u64::from(report.unsolved > 0);
        constraints = report.constraints;
        let gap = gap::greatest(&stage.world);
        gap_max = gap_max.max(gap);
        if step >= rest {
            gap_rest = gap_rest.max(gap);
        }
    }
    let world = &stage.world;
    let engine = match world.settings.solver {
        Solver::Together => "supple".to_owned(),
        other => format!("supple-{}", solver::name(other)),
    };
    Ok(Row {
        scene: name.to_owned(),
        engine,
        dt,
        mean_ns: 0.0,
        worst_ns: 0.0,
        ns_per_240th: 0.0,
        gap_max: gap_max.is_finite().then_some(gap_max),
        gap_rest: (gap_max + gap_rest).is_finite().then_some(gap_rest),
        height: height(world),
        energy_change: world.energy().total() - energy,
        iterations: iterations as f64 / steps as f64,
        unsolved,
        constraints,
    })
}

/// Mean height of all mass that may move, against gravity \[m].
fn height(world: &World) -> f64 {
    let up = -world.gravity.normalize_or_zero();
    let singles = world.bodies().filter(|(_, b)| !b.is_kinematic()).map(|(_, b)| (b.mass(), b.centre()));
    let articulations = world.articulations().map(|(_, s)| s.momentum()).map(|m| (m.mass, m.com));
    let sum = |(mass, moment): (f64, DVec3), (m, at): (f64, DVec3)| (mass + m, moment + m * at);
    let (mass, moment) = singles.chain(articulations).fold((0.0, DVec3::ZERO), sum);
    if mass > 0.0 { moment.dot(up) / mass } else { 0.0 }
}
