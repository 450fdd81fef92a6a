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
//! Results go to stdout, everything else to stderr. `exit` has the exit codes.

mod assemble;
mod bench;
mod detail_names;
mod dynamics;
mod exit;
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

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Parser, Subcommand};
use supple::names::nearest;

/// Articulated bodies: characters, chains, robots, plants.
#[derive(Parser)]
#[command(name = "supple", version, after_help = format!("{EXAMPLES}\n\n{}", exit::CODES), max_term_width = 110)]
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
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        Err(error) => suggest(error).exit(),
    };
    // the panic has told itself; the code tells that it was one
    std::panic::catch_unwind(|| obey(command)).unwrap_or(ExitCode::from(exit::FAULT))
}

fn obey(command: Command) -> ExitCode {
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
            ExitCode::from(exit::code(&error))
        }
    }
}

/// A command that was probably meant, where clap has none to suggest: it does not know that letters change places.
fn suggest(mut error: clap::Error) -> clap::Error {
    let Some(ContextValue::String(wrong)) = error.get(ContextKind::InvalidSubcommand) else { return error };
    if error.get(ContextKind::SuggestedSubcommand).is_none() {
        let command = Cli::command();
        let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        if let Some(near) = nearest(wrong, names).map(str::to_owned) {
            error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![near]));
        }
    }
    error
}

/// Writes a line to stderr, come what may. What it begins with, "error:" or "warning:", is coloured where clap colours its own: on terminals,
/// unless NO_COLOR is set.
fn complain(line: &str) {
    let (word, rest) = line.split_once(": ").unwrap_or(("", line));
    let style = match word {
        "error" => "\x1b[1m\x1b[31m",
        "warning" => "\x1b[1m\x1b[33m",
        _ => {
            let _ = writeln!(io::stderr(), "{line}");
            return;
        }
    };
    let _ = writeln!(anstream::stderr(), "{style}{word}:\x1b[0m {rest}");
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
