//! `supple bench figure5`: the paper's figure 5, one swing of the pendulum with ever fewer joints.
//!
//! All runs take turns, some steps each, several times over; `ns` is the mean over the steps, each by its middle time,
//! updates included, but not the first step, in which the whole body is frozen once. Errors are distances of the tip
//! from Runge-Kutta at half the step with all joints, RMS over the first one and two seconds; the energy is the one gained
//! after three seconds, where nothing should be.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde::Serialize;
use supple::Integrator;

use crate::detail_names::MetricName;
use crate::number::{grouped, short};
use crate::progress::progress;
use crate::run::integrator;

use super::report;
use super::step_times::StepTimes;
use super::swing::{JOINTS, Timed, errors, pendulum, reference, rms};
use super::turns::turns;

/// Steps of a run: three seconds.
const STEPS: usize = 3000;
/// Steps that a run takes in its turn.
const TURN: usize = 100;

/// Figure 5 of Redon et al. 2005: a pendulum of 300 links with all, 100, 50, 20 and 1 joints active
#[derive(Args)]
#[command(after_help = "\
Examples:
  supple bench figure5
  supple bench figure5 --integrator semi-implicit --json")]
pub(crate) struct Figure5Args {
    /// Numbers of active joints; 300 is full detail
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values = ["300", "100", "50", "20", "1"],
          value_parser = clap::value_parser!(u64).range(1..=JOINTS as u64))]
    active: Vec<u64>,
    /// How steps are taken
    #[arg(long, value_name = "I", default_value = "default",
          value_parser = PossibleValuesParser::new(Integrator::ALL.map(|(name, _)| name)))]
    integrator: String,
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
    ns: f64,
    /// \[m]; null if the motion does not stay finite for so long.
    error_1s: Option<f64>,
    error_2s: Option<f64>,
    /// Gained after three seconds \[J].
    energy: Option<f64>,
    error_3s: Option<f64>,
    integrator: String,
}

pub(crate) fn bench(args: &Figure5Args, out: &mut impl Write) -> Result<()> {
    let how = integrator(&args.integrator, None)?;
    let swinging = |n: u64| pendulum(0, n as usize, how, args.metric.metric());
    let mut bar = progress(args.rounds + 1);
    let tips = reference(0, STEPS)?;
    bar.inc(1);
    let mut times = vec![StepTimes::default(); args.active.len()];
    for round in 0..args.rounds {
        let mut runs =
            args.active.iter().map(|&n| Ok(Timed::new(swinging(n)?))).collect::<Result<Vec<_>>>()?;
        for steps in turns(round, STEPS, TURN) {
            runs.iter_mut().zip(&mut times).for_each(|(run, times)| run.advance(steps.len(), times));
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let mut rows = Vec::new();
    for (&n, times) in args.active.iter().zip(&times) {
        let start = swinging(n)?.simulation.energy().total();
        let (errors, end) = errors(swinging(n)?, &tips);
        let gained = end.simulation.energy().total() - start;
        rows.push(Row {
            active: n as usize,
            ns: times.mean(),
            error_1s: rms(&errors, 1000),
            error_2s: rms(&errors, 2000),
            energy: (errors.len() == STEPS && gained.is_finite()).then_some(gained),
            error_3s: rms(&errors, STEPS),
            integrator: args.integrator.clone(),
        });
    }
    let heading = format!(
        "{:>7} {:>11} {:>9} {:>12} {:>12} {:>12} {:>14}",
        "active", "ns/step", "faster", "error 1s [m]", "error 2s [m]", "error 3s [m]", "energy 3s [J]"
    );
    let full = rows.iter().find(|r| r.active == JOINTS).map(|r| r.ns);
    let or_dash = |x: Option<f64>| x.map_or("-".into(), short);
    let line = |r: &Row| {
        format!(
            "{:>7} {:>11} {:>9} {:>12} {:>12} {:>12} {:>14}",
            r.active,
            grouped(r.ns as u64),
            or_dash(full.map(|full| full / r.ns)),
            or_dash(r.error_1s),
            or_dash(r.error_2s),
            or_dash(r.error_3s),
            or_dash(r.energy)
        )
    };
    report::print("figure5", &rows, args.json, &heading, line, out)
}
