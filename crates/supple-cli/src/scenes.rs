//! `supple scenes`: what there is to run.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use serde_json::json;
use supple_scenes::{Scene, gallery};

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
        let list: Vec<_> = gallery().iter().map(as_json).collect();
        writeln!(out, "{}", json!({ "scenes": list }))?;
        return Ok(());
    }
    for scene in gallery() {
        let figure = if scene.figure.is_empty() { String::new() } else { format!(" [{}]", scene.figure) };
        writeln!(out, "{:<18} {}{figure}", scene.name, scene.summary)?;
        if args.parameters {
            for p in scene.parameters {
                let setting = format!("{}={}", p.name, p.kind.default_text());
                writeln!(out, "    {setting:<22} {} ({})", p.doc, p.kind)?;
            }
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
    json!({ "name": scene.name, "figure": scene.figure, "summary": scene.summary, "parameters": parameters })
}
