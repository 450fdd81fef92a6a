//! `supple bench crowd`: the paper's crowd with a budget of joints for the world.
//!
//! Redon et al. 2005, figure 1: 200 characters, 17,800 bodies, 19,000 degrees of freedom, pushed away from the camera;
//! one second of it in steps of 1/240 s. The crowd with all joints and those with a budget take turns, some steps
//! each, and do so several times over: the time of a step is the middle one of the rounds, `ns` the mean and
//! `worst_ns` the greatest over the steps. The first step, in which rigid groups are made for the first time, is left
//! out. `error` is the distance of the far ends of all bodies from where they
//! are with all joints, RMS after one second \[m].

use std::io::Write;
use std::ops::Range;
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use clap::builder::PossibleValuesParser;
use glam::DVec3;
use serde::Serialize;
use supple::Integrator;
use supple::world::BodyRef;
use supple_scenes::{Capsule, Stage};

use crate::number::{grouped, short};
use crate::progress::progress;
use crate::run::integrator;

use super::characters::pool;
use super::report;
use super::step_times::StepTimes;
use super::turns::turns;

/// Length of a step \[s], and how many make a second.
const DT: f64 = 1.0 / 240.0;
const STEPS: usize = 240;
/// Steps that a crowd takes in its turn.
const TURN: usize = 20;

/// A crowd of 200 detailed humanoids with one budget of active joints for all of them
#[derive(Args)]
#[command(after_help = "\
Examples:
  supple bench crowd
  supple bench crowd --budget 1000 --threads 1 --json")]
pub(crate) struct CrowdArgs {
    /// Joints that may be active in all characters together
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values = ["500", "1000", "2000", "4000"],
          value_parser = clap::value_parser!(u64).range(1..))]
    budget: Vec<u64>,
    /// Numbers of threads
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values = ["1", "2"],
          value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Vec<u64>,
    /// How many characters
    #[arg(long, value_name = "N", default_value = "200", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    characters: u64,
    /// How the joints are shared: one budget for the world, or fewer for those farther away
    #[arg(long, value_name = "S", default_value = "world", value_parser = ["world", "distance"])]
    share: String,
    /// How steps are taken
    #[arg(long, value_name = "I", default_value = "semi-implicit",
          value_parser = PossibleValuesParser::new(Integrator::ALL.map(|(name, _)| name)))]
    integrator: String,
    /// Rounds of which the middle times count
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u64).range(1..=1000))]
    rounds: u64,
    /// Also tell the time of every step but the first, and the error every 20 steps
    #[arg(long)]
    series: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    budget: u64,
    threads: u64,
    ns: f64,
    worst_ns: f64,
    full_ns: f64,
    error: f64,
    /// Joints active in a step, on average, and at most.
    active_mean: f64,
    active_most: usize,
    share: String,
    integrator: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    series: Option<Series>,
}

/// The run in time.
#[derive(Serialize)]
struct Series {
    /// Of every step but the first \[ns], also with all joints.
    ns: Vec<f64>,
    full_ns: Vec<f64>,
    /// RMS distance after every 20 steps \[m].
    error: Vec<f64>,
}

pub(crate) fn bench(args: &CrowdArgs, out: &mut impl Write) -> Result<()> {
    let how = integrator(&args.integrator, None)?;
    let mut bar = progress(args.threads.len() as u64 * args.rounds);
    let mut rows = Vec::new();
    for &threads in &args.threads {
        let pool = pool(threads)?;
        let mut runs: Vec<Run> = Vec::new();
        for round in 0..args.rounds {
            // the crowd with all joints first, then those with a budget
            let full = Run::new(args, "full", 1, how);
            let budgets = args.budget.iter().map(|&budget| Run::new(args, &args.share, budget, how));
            let fresh = std::iter::once(full).chain(budgets).collect::<Result<Vec<_>>>()?;
            if round == 0 {
                runs = fresh;
            } else {
                runs.iter_mut().zip(fresh).for_each(|(run, fresh)| run.stage = fresh.stage);
            }
            for steps in turns(round, STEPS, TURN) {
                for run in &mut runs {
                    pool.install(|| run.advance(steps.clone()))?;
                }
                if round == 0 {
                    let (full, budgets) = runs.split_at_mut(1);
                    let exact = full[0].ends();
                    budgets.iter_mut().for_each(|run| run.errors.push(rms(&run.ends(), &exact)));
                }
            }
            bar.inc(1);
        }
        let (full, budgets) = runs.split_at(1);
        for (run, &budget) in budgets.iter().zip(&args.budget) {
            rows.push(Row {
                budget,
                threads,
                ns: run.times.mean(),
                worst_ns: run.times.worst(),
                full_ns: full[0].times.mean(),
                error: run.errors.last().copied().unwrap_or(f64::NAN),
                active_mean: run.active.iter().sum::<usize>() as f64 / run.active.len() as f64,
                active_most: run.active.iter().copied().max().unwrap_or(0),
                share: args.share.clone(),
                integrator: args.integrator.clone(),
                series: args.series.then(|| Series {
                    ns: run.times.middle(),
                    full_ns: full[0].times.middle(),
                    error: run.errors.clone(),
                }),
            });
        }
    }
    bar.finish_and_clear();
    print(&rows, args.json, out)
}

fn print(rows: &[Row], json: bool, out: &mut impl Write) -> Result<()> {
    let heading = format!(
        "{:>8} {:>8} {:>12} {:>12} {:>12} {:>8} {:>11} {:>10} {:>8}",
        "budget", "threads", "ns/step", "worst ns", "full ns", "faster", "worst/mean", "error [m]", "active"
    );
    let line = |r: &Row| {
        format!(
            "{:>8} {:>8} {:>12} {:>12} {:>12} {:>8} {:>11} {:>10} {:>8}",
            r.budget,
            r.threads,
            grouped(r.ns as u64),
            grouped(r.worst_ns as u64),
            grouped(r.full_ns as u64),
            short(r.full_ns / r.ns),
            short(r.worst_ns / r.ns),
            short(r.error),
            short(r.active_mean),
        )
    };
    report::print("crowd", rows, json, &heading, line, out)
}

/// One crowd, and how long its steps took.
struct Run {
    stage: Stage,
    times: StepTimes,
    /// Active joints after every step.
    active: Vec<usize>,
    /// Distance from the crowd with all joints after every turn of the first round \[m].
    errors: Vec<f64>,
}

impl Run {
    fn new(args: &CrowdArgs, share: &str, budget: u64, integrator: Integrator) -> Result<Self> {
        let settings = [
            ("characters", &args.characters.to_string()[..]),
            ("joints", &budget.to_string()),
            ("budget", share),
        ];
        let mut stage = supple_scenes::stage("crowd-200", &settings)?;
        stage.world.articulations_mut().for_each(|(_, member)| member.integrator = integrator);
        Ok(Self { stage, times: StepTimes::default(), active: Vec::new(), errors: Vec::new() })
    }

    /// The next few steps.
    fn advance(&mut self, steps: Range<usize>) -> Result<()> {
        for step in steps {
            self.stage.cue(DT)?;
            let start = Instant::now();
            let outcome = self.stage.world.step(DT);
            self.times.push(step, start.elapsed().as_secs_f64() * 1e9);
            outcome?;
            self.active.push(self.stage.active());
        }
        Ok(())
    }

    /// Far ends of all bodies of all characters.
    fn ends(&self) -> Vec<DVec3> {
        let members = self.stage.articulations();
        members
            .flat_map(|member| {
                let kinematics = member.kinematics();
                let end = |s: &Capsule| match s.body {
                    BodyRef::Of(_, body) => Some(member.body_pose(&kinematics, body).point(s.to)),
                    _ => None,
                };
                self.stage.shapes.iter().filter_map(end).collect::<Vec<_>>()
            })
            .collect()
    }
}

/// Root of the mean squared distance \[m].
fn rms(a: &[DVec3], b: &[DVec3]) -> f64 {
    (a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum::<f64>() / a.len() as f64).sqrt()
}
