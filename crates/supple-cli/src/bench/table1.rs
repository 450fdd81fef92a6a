//! `supple bench table1`: the paper's table 1, cost by active joints and forces, with the error beside it.
//!
//! The pendulum of 300 links swings for two seconds; links spread evenly carry forces that change in every step. `ns`
//! is the mean time of a step over the whole run, updates of the active region and integration included, by the
//! semi-implicit integrator; `default_ns` the same by the default one. The first step, in which the whole body is
//! frozen once, stands apart as `first_ns`. `dca_ns` and `aba_ns` are single calls of supple's own
//! divide-and-conquer and articulated-body algorithms on states of the full run, kinematics included: they compute
//! accelerations and do not integrate. All runs of a number of forces take turns, some steps each, several times over;
//! of every step and every call the middle time counts.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use glam::DVec3;
use serde::Serialize;
use supple::Integrator;
use supple::detail::Metric;

use crate::detail_names::MetricName;
use crate::number::{grouped, short};
use crate::progress::progress;

use super::median::median;
use super::report;
use super::solvers::{Solvers, mean_ns};
use super::step_times::StepTimes;
use super::swing::{JOINTS, Timed, errors, pendulum, reference, rms};
use super::turns::turns;

/// Steps of a run: two seconds.
const STEPS: usize = 2000;
/// Steps that a run takes in its turn: five updates.
const TURN: usize = 100;
/// Calls of the other algorithms in their turn.
const CALLS: u32 = 5;

/// Table 1 of Redon et al. 2005: time per step by active joints and forces
#[derive(Args)]
#[command(after_help = "\
Examples:
  supple bench table1
  supple bench table1 --active 1,50,300 --forces 1 --rounds 5 --json")]
pub(crate) struct Table1Args {
    /// Numbers of active joints; 300 is full detail
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values = ["1", "50", "100", "150", "200", "250", "300"],
          value_parser = clap::value_parser!(u64).range(1..=JOINTS as u64))]
    active: Vec<u64>,
    /// Numbers of links with a force
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values = ["1", "5", "10", "20", "50", "250"],
          value_parser = clap::value_parser!(u64).range(0..=JOINTS as u64))]
    forces: Vec<u64>,
    /// Rounds of which the middle times count
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u64).range(1..=1000))]
    rounds: u64,
    /// How updates know what joints would do
    #[arg(long, value_name = "M", default_value = "auto")]
    metric: MetricName,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    active: usize,
    forces: usize,
    ns: f64,
    dca_ns: f64,
    aba_ns: f64,
    /// RMS over the two seconds; null if the motion does not stay finite \[m].
    tip_error: Option<f64>,
    default_ns: f64,
    first_ns: f64,
    default_tip_error: Option<f64>,
    /// Its own DCA over its own step, as the paper measured on its machine.
    paper_ratio: Option<f64>,
    dca_ns_per_link: f64,
}

/// The paper's table, in ms: active joints 1 to 250, and the DCA.
const PAPER: [(usize, [f64; 7]); 6] = [
    (1, [0.02, 0.51, 1.71, 2.97, 4.04, 5.40, 5.89]),
    (5, [0.07, 0.49, 1.54, 3.21, 4.34, 5.19, 5.89]),
    (10, [0.16, 0.73, 1.47, 3.03, 4.22, 5.16, 5.88]),
    (20, [0.40, 0.90, 1.60, 3.00, 4.72, 5.56, 5.90]),
    (50, [0.98, 1.40, 2.16, 3.58, 4.99, 5.59, 5.92]),
    (250, [1.83, 2.30, 2.97, 4.28, 5.43, 6.31, 6.04]),
];
const PAPER_ACTIVE: [usize; 7] = [1, 50, 100, 150, 200, 250, 300];

fn paper_ratio(active: usize, forces: usize) -> Option<f64> {
    let (_, times) = PAPER.iter().find(|(f, _)| *f == forces)?;
    let at = PAPER_ACTIVE.iter().position(|a| *a == active)?;
    Some(times[6] / times[at])
}

pub(crate) fn bench(args: &Table1Args, out: &mut impl Write) -> Result<()> {
    let active: Vec<usize> = args.active.iter().map(|n| *n as usize).collect();
    let mut bar = progress(args.forces.len() as u64 * args.rounds);
    let mut rows = Vec::new();
    for &forces in &args.forces {
        let forces = forces as usize;
        let tips = reference(forces, STEPS)?;
        let mut times = Times::new(active.len());
        for round in 0..args.rounds {
            times.round(round, forces, &active, args.metric.metric())?;
            bar.inc(1);
        }
        for (i, &n) in active.iter().enumerate() {
            let error = |integrator| tip_error(forces, n, integrator, args.metric.metric(), &tips);
            rows.push(Row {
                active: n,
                forces,
                ns: times.plain[i].mean(),
                dca_ns: median(&times.dca),
                aba_ns: median(&times.aba),
                tip_error: error(Integrator::SemiImplicit)?,
                default_ns: times.default[i].mean(),
                first_ns: times.plain[i].first(),
                default_tip_error: error(Integrator::Default)?,
                paper_ratio: paper_ratio(n, forces),
                dca_ns_per_link: median(&times.dca) / JOINTS as f64,
            });
        }
    }
    bar.finish_and_clear();
    print(&rows, args.json, out)
}

fn tip_error(
    forces: usize,
    active: usize,
    integrator: Integrator,
    metric: Metric,
    tips: &[DVec3],
) -> Result<Option<f64>> {
    let (errors, _) = errors(pendulum(forces, active, integrator, metric)?, tips);
    Ok(rms(&errors, STEPS))
}

/// Times of steps by number of active joints, and times of calls \[ns].
struct Times {
    plain: Vec<StepTimes>,
    default: Vec<StepTimes>,
    dca: Vec<f64>,
    aba: Vec<f64>,
}

impl Times {
    fn new(runs: usize) -> Self {
        let steps = vec![StepTimes::default(); runs];
        Self { plain: steps.clone(), default: steps, dca: Vec::new(), aba: Vec::new() }
    }

    /// One whole run of everything, in turns.
    fn round(&mut self, round: u64, forces: usize, active: &[usize], metric: Metric) -> Result<()> {
        let run = |n: usize, integrator| Ok(Timed::new(pendulum(forces, n, integrator, metric)?));
        let runs = |integrator| active.iter().map(|&n| run(n, integrator)).collect::<Result<Vec<_>>>();
        let (mut plain, mut default) = (runs(Integrator::SemiImplicit)?, runs(Integrator::Default)?);
        let mut whole = run(JOINTS, Integrator::SemiImplicit)?;
        let mut solvers = Solvers::new(whole.simulation())?;
        for steps in turns(round, STEPS, TURN) {
            for (runs, times) in [(&mut plain, &mut self.plain), (&mut default, &mut self.default)] {
                runs.iter_mut().zip(times).for_each(|(run, times)| run.advance(steps.len(), times));
            }
            whole.advance(steps.len(), &mut StepTimes::default());
            let simulation = whole.simulation();
            self.dca.push(mean_ns(CALLS, || {
                solvers.dca(simulation);
            }));
            self.aba.push(mean_ns(CALLS, || {
                solvers.aba(simulation);
            }));
        }
        Ok(())
    }
}

fn print(rows: &[Row], json: bool, out: &mut impl Write) -> Result<()> {
    let heading = format!(
        "{:>7} {:>7} {:>11} {:>11} {:>9} {:>9} {:>9} {:>11} {:>11} {:>11}",
        "active",
        "forces",
        "ns/step",
        "tip err [m]",
        "DCA/step",
        "paper's",
        "ABA/step",
        "default ns",
        "its err [m]",
        "DCA ns/link"
    );
    let or_dash = |x: Option<f64>| x.map_or("-".into(), short);
    let line = |r: &Row| {
        format!(
            "{:>7} {:>7} {:>11} {:>11} {:>9} {:>9} {:>9} {:>11} {:>11} {:>11}",
            r.active,
            r.forces,
            grouped(r.ns as u64),
            or_dash(r.tip_error),
            short(r.dca_ns / r.ns),
            or_dash(r.paper_ratio),
            short(r.aba_ns / r.ns),
            grouped(r.default_ns as u64),
            or_dash(r.default_tip_error),
            short(r.dca_ns_per_link),
        )
    };
    report::print("table1", rows, json, &heading, line, out)
}
