//! `supple bench`: how long things take, each timing tied to a checksum of what was computed.

mod aba;
mod crowd;
mod integrators;
mod machine;
mod report;
mod timing;

use std::io::Write;

use anyhow::Result;
use clap::{Args, Subcommand};

/// Measure this machine: best of repeats, warmed up, one JSON object with --json
#[derive(Args)]
#[command(after_help = "\
Examples:
  supple bench aba --links 300,100000
  supple bench crowd --json
  supple bench integrators")]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    bench: Bench,
}

#[derive(Subcommand)]
enum Bench {
    Aba(aba::AbaArgs),
    Crowd(crowd::CrowdArgs),
    Integrators(integrators::IntegratorsArgs),
}

pub(crate) fn bench(args: &BenchArgs, out: &mut impl Write) -> Result<()> {
    match &args.bench {
        Bench::Aba(args) => aba::bench(args, out),
        Bench::Crowd(args) => crowd::bench(args, out),
        Bench::Integrators(args) => integrators::bench(args, out),
    }
}
