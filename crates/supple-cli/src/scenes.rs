//! `supple scenes`: what there is to run.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use serde_json::json;
use supple_scenes::{Scene, gallery, worlds};

/// List the built-in scenes, with the figure of the paper they come from
#[derive(Args)]
#[command(after_help = "\
Examples:
  supple scenes
  supple scenes --parameters
  supple scenes --json")]
pub(crate) struct ScenesArgs {
    /// Also list what can be set with `supple run SCENE --set NAME=VALUE`
    #[arg(long)]
    parameters: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn scenes(args: &ScenesArgs, out: &mut impl Write) -> Result<()> {
    if args.json {
        let bodies = gallery().iter().map(|scene| as_json(scene, false));
        let list: Vec<_> = bodies.chain(worlds().iter().map(|scene| as_json(scene, true))).collect();
        writeln!(out, "{}", json!({ "scenes": list }))?;
        return Ok(());
    }
    gallery().iter().try_for_each(|scene| print(scene, args, out))?;
    worlds().iter().try_for_each(|scene| print(scene, args, out))
}

fn print<S>(scene: &Scene<S>, args: &ScenesArgs, out: &mut impl Write) -> Result<()> {
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

fn as_json<S>(scene: &Scene<S>, world: bool) -> serde_json::Value {
    let parameters: Vec<_> = scene
        .parameters
        .iter()
        .map(|p| {
            json!({ "name": p.name, "default": p.kind.default_text(), "takes": p.kind.to_string(), "doc": p.doc })
        })
        .collect();
    json!({ "name": scene.name, "figure": scene.figure, "summary": scene.summary, "world": world, "parameters": parameters })
}
