//! `supple bench`: how long things take, each timing tied to a checksum of what was computed.

mod aba;
mod characters;
mod clock;
mod constraints;
mod contact;
mod crowd;
mod drift;
mod figure5;
mod figure6;
mod hanging;
mod impulses;
mod integrators;
mod machine;
mod median;
mod report;
mod scale;
mod solvers;
mod step_times;
mod swing;
mod table1;
mod timing;
mod turns;
mod view;
mod view_subject;

use std::io::Write;

use anyhow::Result;
use clap::{Args, Subcommand};

/// Measure this machine, and the figures and tables of the 2005 paper; one JSON object with --json
#[derive(Args)]
#[command(after_help = "\
Examples:
  supple bench aba --links 300,100000
  supple bench table1
  supple bench figure6 --attach 15,30,41
  supple bench crowd --budget 1000 --json
  supple bench constraints --dt 1/240
  supple bench contact --scene ragdolls-100 --budget 300
  supple bench impulses
  supple bench drift
  supple bench view --scene dogs-100 --pixels 10,30
  supple bench scale --links 300,1000000")]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    bench: Bench,
}

#[derive(Subcommand)]
enum Bench {
    Aba(aba::AbaArgs),
    Characters(characters::CharactersArgs),
    Constraints(constraints::ConstraintsArgs),
    Contact(Box<contact::ContactBenchArgs>),
    Impulses(impulses::ImpulsesArgs),
    Drift(drift::DriftArgs),
    Integrators(integrators::IntegratorsArgs),
    Table1(table1::Table1Args),
    Figure5(figure5::Figure5Args),
    Figure6(figure6::Figure6Args),
    Crowd(crowd::CrowdArgs),
    Scale(scale::ScaleArgs),
    View(view::ViewBenchArgs),
}

pub(crate) fn bench(args: &BenchArgs, out: &mut impl Write) -> Result<()> {
    match &args.bench {
        Bench::Aba(args) => aba::bench(args, out),
        Bench::Characters(args) => characters::bench(args, out),
        Bench::Constraints(args) => constraints::bench(args, out),
        Bench::Contact(args) => contact::bench(args, out),
        Bench::Impulses(args) => impulses::bench(args, out),
        Bench::Drift(args) => drift::bench(args, out),
        Bench::Integrators(args) => integrators::bench(args, out),
        Bench::Table1(args) => table1::bench(args, out),
        Bench::Figure5(args) => figure5::bench(args, out),
        Bench::Figure6(args) => figure6::bench(args, out),
        Bench::Crowd(args) => crowd::bench(args, out),
        Bench::Scale(args) => scale::bench(args, out),
        Bench::View(args) => view::bench(args, out),
    }
}
