//! `supple bench integrators`: what a step costs, in calls of the articulated-body algorithm.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use supple::{Integrator, Simulation, StepReport};

use crate::number::{grouped, short};

use super::aba::Call;
use super::{report, timing};

/// Links of the chain.
const LINKS: u64 = 100;
/// Length of a step \[s].
const DT: f64 = 1.0 / 240.0;
/// Steps in one measurement, from the same start each time.
const STEPS: u32 = 10;

/// Cost of one step of every integrator on a chain of 100 links
#[derive(Args)]
#[command(after_help = "\
Examples:
  supple bench integrators
  supple bench integrators --json")]
pub(crate) struct IntegratorsArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    integrator: &'static str,
    /// Time of one step.
    ns: f64,
    /// The same in forward-dynamics calls of `supple bench aba`.
    aba_calls: f64,
    /// Articulated-body sweeps per step.
    sweeps: f64,
    /// Sum of the squares of positions and velocities after the steps.
    checksum: f64,
}

pub(crate) fn bench(args: &IntegratorsArgs, out: &mut impl Write) -> Result<()> {
    let start = swinging()?;
    let mut call = Call::new(&start);
    let aba_ns = timing::best_ns(|| call.run());
    let mut rows = Vec::new();
    for (name, integrator) in Integrator::ALL {
        rows.push(row(name, integrator, &start, aba_ns)?);
    }
    let heading =
        format!("{:<14} {:>13} {:>11} {:>8}  checksum", "integrator", "ns per step", "ABA calls", "sweeps");
    let line = |r: &Row| {
        format!(
            "{:<14} {:>13} {:>11} {:>8}  {}",
            r.integrator,
            grouped(r.ns as u64),
            short(r.aba_calls),
            short(r.sweeps),
            r.checksum
        )
    };
    report::print("integrators", &rows, args.json, &heading, line, out)
}

/// The chain half a second after its release: bent and in motion, but not yet cracking like a whip.
fn swinging() -> Result<Simulation> {
    let mut simulation = supple_scenes::simulation("pendulum", &[("links", &LINKS.to_string())])?;
    simulation.integrator = Integrator::Rk4;
    for _ in 0..500 {
        simulation.step(0.001)?;
    }
    Ok(simulation)
}

fn row(name: &'static str, integrator: Integrator, start: &Simulation, aba_ns: f64) -> Result<Row> {
    let mut simulation = start.clone();
    simulation.integrator = integrator;
    let mut outcome = Ok(StepReport::default());
    let mut sweeps = 0;
    let ns = timing::best_prepared_ns(
        &mut simulation,
        |simulation| simulation.state.clone_from(&start.state),
        |simulation| {
            sweeps = 0;
            for _ in 0..STEPS {
                match simulation.step(DT) {
                    Ok(report) => sweeps += report.sweeps,
                    failed => {
                        outcome = failed;
                        break;
                    }
                }
            }
        },
    ) / f64::from(STEPS);
    outcome?;
    let checksum = simulation.state.q.iter().chain(&simulation.state.v).map(|x| x * x).sum();
    Ok(Row {
        integrator: name,
        ns,
        aba_calls: ns / aba_ns,
        sweeps: f64::from(sweeps) / f64::from(STEPS),
        checksum,
    })
}
