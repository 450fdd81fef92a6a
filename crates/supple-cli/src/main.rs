//! `supple`: simulate scenes and model files, compute forward dynamics, measure.
//!
//! ```text
//!  main ─► scenes     list of the gallery, and scenes as files
//!       ├► run        scene or file ─► steps ─► trajectory, video, plot, summary
//!       ├► picture    scene or file ─► one image
//!       ├► dynamics   one state ─► accelerations, poses, energies
//!       ├► export     scene ─► JSON case, or world
//!       ├► assemble   scene or file ─► a pose in which its joints are closed
//!       ├► view       scene or file ─► a page in the browser
//!       └► bench      timings, each tied to a checksum
//! ```
//!
//! Results go to stdout, everything else to stderr. What goes wrong ends with exit code 2.

mod assemble;
mod bench;
mod detail_names;
mod dynamics;
mod export;
mod heap;
mod number;
mod picture;
mod progress;
mod run;
mod scenes;
mod signals;
mod view;
mod watch;
mod world_file;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use signals::Signal;

/// Articulated bodies: characters, chains, robots, plants.
#[derive(Parser)]
#[command(name = "supple", version, after_help = EXAMPLES, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  supple scenes
  supple run pendulum --set links=100 --seconds 10 --dt 1/60
  supple run robot.urdf --out motion.csv --plot motion.svg
  supple run crowd-200 --dt 1/240 --seconds 2 --budget 1000 --video crowd.mp4
  supple picture bridge --at 2 --out bridge.png
  supple dynamics robot.urdf --state state.json --json
  supple view crowd-200 --open
  supple bench aba";

#[derive(Subcommand)]
enum Command {
    Scenes(scenes::ScenesArgs),
    Run(Box<run::RunArgs>),
    Picture(picture::PictureArgs),
    Dynamics(dynamics::DynamicsArgs),
    Export(export::ExportArgs),
    Assemble(assemble::AssembleArgs),
    View(watch::ViewArgs),
    Bench(bench::BenchArgs),
}

fn main() -> ExitCode {
    let command = Cli::parse().command;
    let mut out = BufWriter::new(io::stdout().lock());
    let done = match command {
        Command::Scenes(args) => scenes::scenes(&args, &mut out),
        Command::Run(args) => run::run(&args, &mut out),
        Command::Picture(args) => picture::picture(&args, &mut out),
        Command::Dynamics(args) => dynamics::dynamics(&args, &mut out),
        Command::Export(args) => export::export(&args, &mut out),
        Command::Assemble(args) => assemble::assemble(&args, &mut out),
        Command::View(args) => watch::view(&args, &mut out),
        Command::Bench(args) => bench::bench(&args, &mut out),
    };
    // what is known is printed even if the command failed
    let flushed = out.flush().map_err(anyhow::Error::from);
    // a second attempt when the buffer is dropped would fail the same way
    let _ = out.into_parts();
    match done.and(flushed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("error: {}", message(&error)));
            ExitCode::from(error.downcast_ref::<Signal>().map_or(2, |signal| signal.code()))
        }
    }
}

/// Writes a line to stderr, come what may.
fn complain(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Whether the reader of our output went away, as `head` does: no error of ours.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = |e: &(dyn std::error::Error + 'static)| {
        let plain = e.downcast_ref::<io::Error>().map(io::Error::kind);
        plain.or_else(|| e.downcast_ref::<serde_json::Error>()?.io_error_kind())
    };
    error.chain().any(|e| kind(e) == Some(io::ErrorKind::BrokenPipe))
}

/// The error and its causes in one line; a cause that the error tells already is not repeated.
fn message(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}
