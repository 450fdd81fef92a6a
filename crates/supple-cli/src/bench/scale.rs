//! `supple bench scale`: does the cost follow the active joints, or the body?
//!
//! Chains in space of ever more links with as many active joints, and a force on the middle link. The first step, which
//! looks at all of the body, is not timed; `ns` is the middle one of the mean times of turns of 20 steps, one of which is
//! an update. `bytes_per_joint` is all memory that the simulation holds after the first update: model, state, assembly
//! tree, region, workspace.
//!
//! Steps are short and the run ends before the fall goes far: the inertia of a rigid chain is n³ times that of a link, at
//! 200,000 links as much as a double has digits, so what the longest chains do later means little.

use std::io::Write;
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use clap::builder::PossibleValuesParser;
use glam::DVec3;
use serde::Serialize;
use supple::detail::Detail;
use supple::{Axes, BodyId, Force, Integrator, Load, Simulation};

use crate::detail_names::MetricName;
use crate::heap::live_bytes;
use crate::number::{grouped, short};
use crate::progress::progress;
use crate::run::integrator;

use super::median::median;
use super::report;

/// Length of a step \[s].
const DT: f64 = 2e-4;
/// Steps from one update to the next: one turn.
const TURN: u32 = 20;
/// Strength of the force \[N]: a link weighs 1 N.
const FORCE: f64 = 0.02;

/// Cost of a step on ever longer chains with the same number of active joints, and memory per joint
#[derive(Args)]
#[command(after_help = "\
Examples:
  supple bench scale
  supple bench scale --links 300,1000000 --active 50 --json")]
pub(crate) struct ScaleArgs {
    /// Lengths of the chains
    #[arg(long, value_name = "N,…", value_delimiter = ',',
          default_values = ["300", "1000", "10000", "100000", "1000000"],
          value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    links: Vec<u64>,
    /// Active joints
    #[arg(long, value_name = "N", default_value = "50", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    active: u64,
    /// Turns of 20 steps for each chain
    #[arg(long, value_name = "N", default_value = "30", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    turns: u64,
    /// How steps are taken
    #[arg(long, value_name = "I", default_value = "semi-implicit",
          value_parser = PossibleValuesParser::new(Integrator::ALL.map(|(name, _)| name)))]
    integrator: String,
    /// How updates know what joints would do
    #[arg(long, value_name = "M", default_value = "auto")]
    metric: MetricName,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    links: u64,
    active: usize,
    ns: f64,
    bytes_per_joint: f64,
    /// First step, which freezes the whole body \[ns].
    first_ns: f64,
    /// Sum of all positions and velocities at the end.
    checksum: f64,
}

pub(crate) fn bench(args: &ScaleArgs, out: &mut impl Write) -> Result<()> {
    let mut bar = progress(args.links.len() as u64 + args.turns);
    let mut chains = Vec::new();
    for &links in &args.links {
        chains.push(Chain::new(links, args)?);
        bar.inc(1);
    }
    for _ in 0..args.turns {
        for chain in &mut chains {
            chain.turn()?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let rows: Vec<Row> = chains.iter().map(Chain::row).collect();
    let heading = format!(
        "{:>10} {:>7} {:>12} {:>11} {:>12} {:>14}  checksum",
        "links", "active", "ns/step", "by shortest", "bytes/joint", "first step ns"
    );
    let shortest = rows.first().map_or(1.0, |r| r.ns);
    let line = |r: &Row| {
        format!(
            "{:>10} {:>7} {:>12} {:>11} {:>12} {:>14}  {}",
            grouped(r.links),
            r.active,
            grouped(r.ns as u64),
            short(r.ns / shortest),
            grouped(r.bytes_per_joint as u64),
            grouped(r.first_ns as u64),
            r.checksum
        )
    };
    report::print("scale", &rows, args.json, &heading, line, out)
}

struct Chain {
    links: u64,
    simulation: Simulation,
    bytes: usize,
    first_ns: f64,
    /// Mean time of a step, turn by turn \[ns].
    turns: Vec<f64>,
}

impl Chain {
    /// A chain after its first update.
    fn new(links: u64, args: &ScaleArgs) -> Result<Self> {
        let before = live_bytes();
        let mut simulation = supple_scenes::simulation("chain3d", &[("links", &links.to_string())])?;
        simulation.integrator = integrator(&args.integrator, None)?;
        let joints = args.active.min(links) as usize;
        let metric = args.metric.metric();
        simulation.set_detail(Detail { update_every: TURN, metric, ..Detail::joints(joints) })?;
        let wrench = Force::new(DVec3::ZERO, DVec3::new(0.0, FORCE, 0.0));
        let body = BodyId::new(links as usize / 2);
        simulation.wrenches.push(Load { body, wrench, axes: Axes::World });
        let start = Instant::now();
        simulation.step(DT)?;
        let first_ns = start.elapsed().as_secs_f64() * 1e9;
        let bytes = live_bytes().saturating_sub(before);
        // up to the next update, and once past it
        for _ in 1..2 * TURN {
            simulation.step(DT)?;
        }
        Ok(Self { links, simulation, bytes, first_ns, turns: Vec::new() })
    }

    fn turn(&mut self) -> Result<()> {
        let start = Instant::now();
        for _ in 0..TURN {
            self.simulation.step(DT)?;
        }
        self.turns.push(start.elapsed().as_secs_f64() * 1e9 / f64::from(TURN));
        Ok(())
    }

    fn row(&self) -> Row {
        let state = &self.simulation.state;
        Row {
            links: self.links,
            active: supple_scenes::active(&self.simulation),
            ns: median(&self.turns),
            bytes_per_joint: self.bytes as f64 / self.links as f64,
            first_ns: self.first_ns,
            checksum: state.q.iter().chain(&state.v).sum(),
        }
    }
}
