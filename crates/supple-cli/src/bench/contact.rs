//! `supple bench contact`: worlds whose bodies touch: time of a step and where it went, gaps, penetration, when all of it sleeps.
//!
//! A row has what `bench/peers` and `bench/contact_mujoco.py` tell of other engines on the same world (`supple export`): one thread,
//! the first step not timed, gaps and penetration after every step.

use std::io::Write;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde::Serialize;
use supple::world::{ContactMethod, Times, World};
use supple_scenes::{Kind, Parameter, SECONDS, Stage, find, gallery, stage};

use crate::number::{grouped, real, short};
use crate::progress::progress;
use crate::run::contacts::{self, ContactArgs};
use crate::run::gap;
use crate::run::rest::Rest;
use crate::run::solver::SolverArgs;
use crate::run::source::setting;

use super::characters::pool;
use super::clock::Clock;
use super::median::mean;
use super::report;
use super::step_times::StepTimes;

/// The scenes that are compared with other engines.
const SCENES: [&str; 4] = ["bridge-blocks", "net-boxes", "rings", "ragdolls-100"];
/// The parameters that say how large scenes are.
const SIZES: [(&str, &str); 3] = [("rings", "rings"), ("ragdolls-100", "count"), ("stack-10", "boxes")];

/// Worlds whose bodies touch: time, gaps, penetration, rest
#[derive(Args)]
#[command(after_help = "\
Examples:
  supple bench contact
  supple bench contact --scene ragdolls-100 --budget 300 --json
  supple bench contact --scene rings --scale 1,2,4,8,16 --seconds 1
  supple bench contact --scene bridge-blocks --contacts levels --contact-sweeps 9")]
pub(crate) struct ContactBenchArgs {
    /// Which scenes [default: bridge-blocks, net-boxes, rings, ragdolls-100]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    scene: Vec<String>,
    /// Set a parameter of the scenes (repeatable)
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// Scenes so many times as large, one row each; for rings and ragdolls-100
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..=1024))]
    scale: Vec<u64>,
    /// Length of a step in s, as a number or a fraction [default: the scene's]
    #[arg(long, value_name = "DT", value_parser = real)]
    dt: Option<f64>,
    /// Simulated time in s [default: the scene's]
    #[arg(long, value_name = "S", value_parser = real)]
    seconds: Option<f64>,
    /// Time in s that a run may take; what takes longer is cut short [default: no bound]
    #[arg(long, value_name = "S", value_parser = real)]
    most: Option<f64>,
    /// Simulate at most N joints of all articulations together, floating bases included, spent where they move most [default: as the scene has it]
    #[arg(long, value_name = "N")]
    budget: Option<usize>,
    #[command(flatten)]
    contacts: ContactArgs,
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

#[derive(Default, Serialize)]
struct Row {
    scene: String,
    engine: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<u64>,
    dt: f64,
    /// Over all steps but the first \[ns].
    mean_ns: f64,
    /// Over the steps before everything sleeps, and over those after.
    mean_moving_ns: f64,
    mean_resting_ns: Option<f64>,
    worst_ns: f64,
    /// The same by the time that the thread had a processor: on a busy machine, that of the step itself.
    cpu_ns: f64,
    cpu_moving_ns: f64,
    cpu_resting_ns: Option<f64>,
    cpu_worst_ns: f64,
    /// Where the mean went, by the clock on the wall.
    broad_ns: f64,
    narrow_ns: f64,
    solve_ns: f64,
    joints_ns: f64,
    dynamics_ns: f64,
    /// Greatest after any step \[m]; null if the motion became non-finite.
    gap: Option<f64>,
    penetration: Option<f64>,
    /// When it was deepest \[s].
    penetration_at_s: f64,
    /// The deepest after the last step \[m].
    penetration_end: Option<f64>,
    /// From when on all sleeps \[s]; null: not at the end.
    rest_s: Option<f64>,
    /// Share of single bodies and articulations that sleep at the end.
    asleep: f64,
    /// Greatest number of contact points.
    contacts: usize,
    /// Bodies that move, those of articulations among them.
    bodies: usize,
    articulations: usize,
    constraints: usize,
    /// Active joints of articulations on average.
    active: f64,
    /// Sweeps over contacts of a step on average.
    sweeps: f64,
    /// Steps in which constraints were not met to the tolerance.
    unsolved: u64,
    /// Simulated time.
    seconds: f64,
    finite: bool,
}

pub(crate) fn bench(args: &ContactBenchArgs, out: &mut impl Write) -> Result<()> {
    let settings = settings(args)?;
    let pool = pool(args.threads)?;
    let names = scenes(args)?;
    let scales: Vec<Option<u64>> =
        if args.scale.is_empty() { vec![None] } else { args.scale.iter().copied().map(Some).collect() };
    let mut bar = progress((names.len() * scales.len()) as u64 * args.rounds);
    let mut rows = Vec::new();
    for name in &names {
        for &scale in &scales {
            let size = scale.map(|scale| size(name, scale)).transpose()?;
            let mut settings = settings.clone();
            settings.extend(size.as_ref().map(|(parameter, value)| (*parameter, value.as_str())));
            let (mut times, mut row) = (BothTimes::default(), Row::default());
            for _ in 0..args.rounds {
                let stage = stage(name, &settings)?;
                row = pool.install(|| run(name, stage, args, &mut times))?;
                bar.inc(1);
            }
            row.scale = scale;
            row.set_times(&times);
            rows.push(row);
        }
    }
    bar.finish_and_clear();
    print(&rows, args.json, out)
}

fn settings(args: &ContactBenchArgs) -> Result<Vec<(&str, &str)>> {
    args.settings.iter().map(|text| setting(text)).collect()
}

/// Those asked for, or those of the comparison that there are.
fn scenes(args: &ContactBenchArgs) -> Result<Vec<String>> {
    if !args.scene.is_empty() {
        return Ok(args.scene.clone());
    }
    let there = |name: &&str| gallery().iter().any(|scene| scene.name == *name);
    let found: Vec<String> = SCENES.iter().filter(|name| there(name)).map(|s| (*s).to_owned()).collect();
    ensure!(!found.is_empty(), "none of {} is there: name a scene (--scene)", SCENES.join(", "));
    Ok(found)
}

/// The parameter of a scene that makes it so many times as large, and its value.
fn size(scene: &str, scale: u64) -> Result<(&'static str, String)> {
    let sized = SIZES.iter().find(|(name, _)| *name == scene);
    let (_, parameter) = sized.with_context(|| format!("--scale is not for {scene}: it has one size"))?;
    let known = find(scene)?.parameters.iter().find(|p| p.name == *parameter);
    let Some(Parameter { kind: Kind::Count { default, .. }, .. }) = known else {
        bail!("{scene} has no parameter {parameter}");
    };
    Ok((parameter, (default * scale).to_string()))
}

fn print(rows: &[Row], json: bool, out: &mut impl Write) -> Result<()> {
    let heading = format!(
        "{:<20} {:<14} {:>12} {:>12} {:>12} {:>10} {:>10} {:>7} {:>8}  broad/narrow/solve/joints/dynamics [%]",
        "scene",
        "engine",
        "mean [ns]",
        "cpu [ns]",
        "worst [ns]",
        "gap [m]",
        "depth [m]",
        "rest [s]",
        "contacts"
    );
    let line = |r: &Row| {
        let lost = |x: Option<f64>| x.map_or("lost".into(), short);
        let of = r.scale.map_or(String::new(), |scale| format!(" ×{scale}"));
        let parts = [r.broad_ns, r.narrow_ns, r.solve_ns, r.joints_ns, r.dynamics_ns];
        format!(
            "{:<20} {:<14} {:>12} {:>12} {:>12} {:>10} {:>10} {:>7} {:>8}  {}",
            format!("{}{of}", r.scene),
            r.engine,
            grouped(r.mean_ns as u64),
            grouped(r.cpu_ns as u64),
            grouped(r.worst_ns as u64),
            lost(r.gap),
            lost(r.penetration),
            r.rest_s.map_or("never".into(), short),
            grouped(r.contacts as u64),
            parts.map(|part| format!("{:.0}", 100.0 * part / r.mean_ns.max(1.0))).join("/")
        )
    };
    report::print("contact", rows, json, &heading, line, out)
}

/// One run; its times go to `times`.
fn run(name: &str, mut stage: Stage, args: &ContactBenchArgs, times: &mut BothTimes) -> Result<Row> {
    let (dt, _) = stage.step_length(args.dt);
    let seconds = args.seconds.or(stage.seconds).unwrap_or(SECONDS);
    if !(dt > 0.0 && seconds >= 2.0 * dt) {
        bail!("two steps at least are needed: {seconds} s in steps of {dt} s are fewer");
    }
    prepare(&mut stage, args)?;
    let mut row = Row {
        scene: name.to_owned(),
        engine: engine(args, &stage.world),
        dt,
        bodies: moving(&stage.world),
        articulations: stage.world.articulations().count(),
        constraints: stage.world.constraints().count(),
        finite: true,
        ..Row::default()
    };
    let (mut gap, mut depth, mut rest) = (0.0f64, 0.0f64, Rest::default());
    let (mut spent, mut active_sum, mut sweeps, mut taken) = (Times::default(), 0, 0u64, 0u64);
    let began = Instant::now();
    for step in 0..(seconds / dt).round() as usize {
        let clock = Clock::start();
        let report = stage.step(dt);
        let passed = clock.passed();
        times.wall.push(step, passed.wall);
        times.cpu.push(step, passed.processor);
        let Ok(report) = report else {
            row.finite = false;
            break;
        };
        taken += 1;
        if step > 0 {
            spent += report.times;
        }
        gap = gap.max(gap::greatest(&stage.world));
        if report.penetration_max > depth {
            (depth, row.penetration_at_s) = (report.penetration_max, taken as f64 * dt);
        }
        rest.note(taken, &report);
        row.penetration_end = Some(report.penetration_max);
        row.asleep = report.asleep as f64 / (report.asleep + report.awake).max(1) as f64;
        row.contacts = row.contacts.max(report.contacts);
        row.unsolved += u64::from(report.unsolved > 0);
        sweeps += u64::from(report.contact_sweeps);
        active_sum += stage.active();
        if args.most.is_some_and(|most| began.elapsed().as_secs_f64() > most) {
            break;
        }
    }
    row.finite &= gap.is_finite() && depth.is_finite();
    row.gap = row.finite.then_some(gap);
    row.penetration = row.finite.then_some(depth);
    row.penetration_end = row.penetration_end.filter(|_| row.finite);
    row.rest_s = rest.since().map(|step| step as f64 * dt);
    row.seconds = taken as f64 * dt;
    let per_step = |sum: f64| sum / taken.max(1) as f64;
    row.active = per_step(active_sum as f64);
    row.sweeps = per_step(sweeps as f64);
    let part = |seconds: f64| 1e9 * seconds / taken.saturating_sub(1).max(1) as f64;
    row.broad_ns = part(spent.broad);
    row.narrow_ns = part(spent.narrow);
    row.solve_ns = part(spent.solve);
    row.joints_ns = part(spent.joints);
    row.dynamics_ns = part(spent.dynamics);
    Ok(row)
}

/// Times of steps by both clocks.
#[derive(Default)]
struct BothTimes {
    wall: StepTimes,
    cpu: StepTimes,
}

impl Row {
    /// Times of steps, of all rounds.
    fn set_times(&mut self, times: &BothTimes) {
        (self.mean_ns, self.worst_ns) = (times.wall.mean(), times.wall.worst());
        (self.cpu_ns, self.cpu_worst_ns) = (times.cpu.mean(), times.cpu.worst());
        (self.mean_moving_ns, self.mean_resting_ns) = self.before_and_after(&times.wall);
        (self.cpu_moving_ns, self.cpu_resting_ns) = self.before_and_after(&times.cpu);
    }

    /// Means before everything sleeps, and from then on.
    fn before_and_after(&self, times: &StepTimes) -> (f64, Option<f64>) {
        let middle = times.middle();
        let rest = self.rest_s.map_or(middle.len(), |s| (s / self.dt).round() as usize);
        let (moving, resting) = middle.split_at(rest.min(middle.len()));
        (mean(moving), (!resting.is_empty()).then(|| mean(resting)))
    }
}

/// Solvers and detail as asked for.
fn prepare(stage: &mut Stage, args: &ContactBenchArgs) -> Result<()> {
    let world = &mut stage.world;
    world.settings.solver = args.solver.over(world.settings.solver)?;
    world.settings.contact = args.contacts.over(world.settings.contact)?;
    let Some(budget) = args.budget else { return Ok(()) };
    ensure!(stage.first().is_some(), "--budget is for articulations: this world has none");
    Ok(stage.set_budget(budget)?)
}

fn engine(args: &ContactBenchArgs, world: &World) -> String {
    let method = world.settings.contact.method;
    let mut name = "supple".to_owned();
    if method != ContactMethod::default() {
        name = format!("{name}-{}", contacts::name(method));
    }
    args.budget.map_or(name.clone(), |budget| format!("{name}-{budget}"))
}

/// Bodies that may move, those of articulations among them.
fn moving(world: &World) -> usize {
    let singles = world.bodies().filter(|(_, body)| !body.is_kinematic()).count();
    singles + world.articulations().map(|(_, s)| s.model.bodies().len()).sum::<usize>()
}
