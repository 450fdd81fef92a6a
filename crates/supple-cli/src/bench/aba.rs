//! `supple bench aba`: one whole forward-dynamics call, kinematics included, by the general code path.
//!
//! Chains of z-revolute links (0.1 m, 0.1 kg) with qᵢ = sin 1.3 i, vᵢ = cos 0.7 i under gravity along −y. The
//! checksum is the sum of all accelerations. A model file is timed at a state given by joint names, bodies alone
//! (`"passive": false`) as for the chains.

use std::hint::black_box;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;
use supple::Simulation;
use supple::dynamics::articulated::Sweep;
use supple::dynamics::kinematics::Kinematics;
use supple::dynamics::wrench::Wrenches;
use supple::dynamics::{EquationOfMotion, aba};
use supple_io::{LoadOptions, StateByName, load};

use crate::number::{grouped, short};

use super::{report, timing};

/// Forward dynamics of chains: kinematics and articulated-body algorithm
#[derive(Args)]
#[command(after_help = "\
Examples:
  supple bench aba
  supple bench aba --links 300,100000 --json
  supple bench aba --model robot.urdf --state state.json")]
pub(crate) struct AbaArgs {
    /// Lengths of the chains
    #[arg(long, value_name = "N,…", value_delimiter = ',',
          default_values = ["10", "29", "100", "300", "1000", "10000", "100000"],
          value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    links: Vec<u64>,
    /// Time this model file (URDF, MJCF, JSON case) instead of chains
    #[arg(long, value_name = "FILE", conflicts_with = "links")]
    model: Option<PathBuf>,
    /// State of the model by joint names (JSON)
    #[arg(long, value_name = "FILE", requires = "model")]
    state: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    links: u64,
    ns: f64,
    checksum: f64,
}

pub(crate) fn bench(args: &AbaArgs, out: &mut impl Write) -> Result<()> {
    let rows = match &args.model {
        Some(model) => vec![time(&from_file(model, args.state.as_deref())?)],
        None => args.links.iter().map(|&n| Ok(time(&chain(n)?))).collect::<Result<Vec<Row>>>()?,
    };
    let heading = format!("{:>9} {:>14} {:>10}  checksum", "links", "ns per call", "ns/link");
    let line = |r: &Row| {
        format!(
            "{:>9} {:>14} {:>10}  {}",
            grouped(r.links),
            grouped(r.ns as u64),
            short(r.ns / r.links as f64),
            r.checksum
        )
    };
    report::print("aba", &rows, args.json, &heading, line, out)
}

fn time(simulation: &Simulation) -> Row {
    let mut call = Call::new(simulation);
    let ns = timing::best_ns(|| call.run());
    Row { links: simulation.model.moving_joints() as u64, ns, checksum: call.checksum() }
}

/// A model file in the state that another file gives by joint names, or else where the model puts it.
fn from_file(model: &Path, state: Option<&Path>) -> Result<Simulation> {
    let by_name = match state {
        Some(path) => StateByName::read(path).context("cannot read the state")?,
        None => StateByName::default(),
    };
    let loaded = load(model, &LoadOptions { no_colliders: true, ..by_name.load_options() })?;
    let state = by_name.of(&loaded)?;
    let mut simulation = Simulation::new(loaded.model);
    simulation.state.q = state.q;
    simulation.state.v = state.v;
    simulation.tau = state.tau.into();
    simulation.gravity = state.gravity;
    Ok(simulation)
}

/// The chain of the benchmarks, in a bent pose and in motion.
pub(crate) fn chain(links: u64) -> Result<Simulation> {
    let mut simulation = supple_scenes::simulation("pendulum", &[("links", &links.to_string())])?;
    let state = &mut simulation.state;
    for (i, (q, v)) in state.q.iter_mut().zip(&mut state.v).enumerate() {
        *q = (1.3 * i as f64).sin();
        *v = (0.7 * i as f64).cos();
    }
    Ok(simulation)
}

/// All that one call reads and writes.
pub(crate) struct Call<'a> {
    simulation: &'a Simulation,
    kinematics: Kinematics,
    wrenches: Wrenches,
    sweep: Sweep,
    qdd: Vec<f64>,
}

impl<'a> Call<'a> {
    pub(crate) fn new(simulation: &'a Simulation) -> Self {
        let tree = simulation.model.tree();
        Self {
            simulation,
            kinematics: Kinematics::new(tree),
            wrenches: Wrenches::new(),
            sweep: Sweep::new(tree),
            qdd: vec![0.0; simulation.model.nv()],
        }
    }

    /// State in, accelerations out.
    pub(crate) fn run(&mut self) {
        let Simulation { model, state, gravity, tau, .. } = self.simulation;
        let tree = model.tree();
        self.kinematics.update(tree, black_box(&state.q), black_box(&state.v));
        let equation = EquationOfMotion {
            tree,
            kinematics: &self.kinematics,
            gravity: *gravity,
            diagonal: model.armature(),
            wrenches: &self.wrenches,
        };
        aba::accelerations(&equation, tau, &mut self.sweep, &mut self.qdd);
        black_box(&mut self.qdd);
    }

    /// Sum of the accelerations computed last.
    pub(crate) fn checksum(&self) -> f64 {
        self.qdd.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum that another library's algorithm gives for 300 links; long chains lose digits, so 1e-10.
    #[test]
    fn the_checksum_is_the_one_of_an_independent_library() {
        let simulation = chain(300).unwrap();
        let mut call = Call::new(&simulation);
        call.run();
        let expected = 3.744_113_709_00;
        assert!((call.checksum() - expected).abs() < 1e-9 * expected, "{}", call.checksum());
    }
}
