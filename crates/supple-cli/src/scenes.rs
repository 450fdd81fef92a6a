//! `supple scenes`: what there is to run.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde_json::json;
use supple_scenes::file::{Syntax, schema};
use supple_scenes::{Scene, gallery, print_stage};

use crate::export::write;
use crate::run::source::{open, refuse};

/// List the built-in scenes, with the figure of the paper they come from, or print one as a file
///
/// What is printed runs the same, bit for bit: `supple run FILE`. The format is told in docs/scene-format.md of supple's repository.
#[derive(Args)]
#[command(after_help = "\
Examples:
  supple scenes
  supple scenes --parameters
  supple scenes --json
  supple scenes --print bridge --set planks=10 --format toml --out bridge.toml
  supple scenes --schema")]
pub(crate) struct ScenesArgs {
    /// Print this scene, or scene file or model file, as a scene file
    #[arg(long, value_name = "SCENE_OR_FILE", conflicts_with_all = ["parameters", "json", "schema"])]
    print: Option<String>,
    /// Set a parameter of the scene that is printed (repeatable)
    #[arg(long = "set", value_name = "NAME=VALUE", requires = "print")]
    settings: Vec<String>,
    /// How it is written [default: that of --out, or JSON]
    #[arg(long, value_name = "FORMAT", requires = "print")]
    format: Option<Format>,
    /// Write it to this file, not to the terminal
    #[arg(long, value_name = "FILE", requires = "print")]
    out: Option<PathBuf>,
    /// Print the JSON Schema of scene files
    #[arg(long, conflicts_with_all = ["parameters", "json"])]
    schema: bool,
    /// Also list what can be set with `supple run SCENE --set NAME=VALUE`
    #[arg(long)]
    parameters: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How a scene file is written.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Json,
    Toml,
}

pub(crate) fn scenes(args: &ScenesArgs, out: &mut impl Write) -> Result<()> {
    if args.schema {
        writeln!(out, "{}", serde_json::to_string_pretty(&schema())?)?;
        return Ok(());
    }
    if let Some(name) = &args.print {
        return as_file(name, args, out);
    }
    if args.json {
        let list: Vec<_> = gallery().iter().map(as_json).collect();
        writeln!(out, "{}", json!({ "scenes": list }))?;
        return Ok(());
    }
    gallery().iter().try_for_each(|scene| print(scene, args, out))
}

/// A scene as a file.
fn as_file(name: &str, args: &ScenesArgs, out: &mut impl Write) -> Result<()> {
    let source = open(name, &args.settings)?;
    let file = print_stage(&source.title, &source.stage)?;
    let extension = args.out.as_ref().and_then(|path| path.extension()).and_then(|e| e.to_str());
    let syntax = match (args.format, extension) {
        (Some(Format::Toml), _) | (None, Some("toml")) => Syntax::Toml,
        _ => Syntax::Json,
    };
    let clash = extension.is_some_and(|e| ["json", "toml"].contains(&e) && e != syntax.name());
    refuse(clash, "--format", "is not that of the file's name: scene files end in .json or .toml")?;
    let text = file.to_text(syntax)?;
    match &args.out {
        Some(path) => write(path, &text),
        None => Ok(out.write_all(text.as_bytes())?),
    }
}

fn print(scene: &Scene, args: &ScenesArgs, out: &mut impl Write) -> Result<()> {
    let figure = if scene.figure.is_empty() { String::new() } else { format!(" [{}]", scene.figure) };
    writeln!(out, "{:<20} {}{figure}", scene.name, scene.summary)?;
    if args.parameters {
        for p in scene.parameters {
            let setting = format!("{}={}", p.name, p.kind.default_text());
            writeln!(out, "    {setting:<22} {} ({})", p.doc, p.kind)?;
        }
    }
    Ok(())
}

fn as_json(scene: &Scene) -> serde_json::Value {
    let parameters: Vec<_> = scene
        .parameters
        .iter()
        .map(|p| {
            json!({ "name": p.name, "default": p.kind.default_text(), "takes": p.kind.to_string(), "doc": p.doc })
        })
        .collect();
    json!({ "name": scene.name, "figure": scene.figure, "summary": scene.summary, "world": scene.is_world(), "parameters": parameters })
}
