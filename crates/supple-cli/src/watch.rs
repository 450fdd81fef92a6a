//! `supple view`: a scene in the browser.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};
use clap::Args;
use supple_scenes::find;
use supple_scenes::live::Policy;
use supple_viewer::{Server, Source, ViewOptions};

use crate::complain;
use crate::number::real;
use crate::run::source::{is_path, setting};

/// Watch a scene or a file in the browser, and pull at it
///
/// Prints the address of the page, for other machines first if it listens for them. The scene runs whether somebody looks or not; several pages may watch it.
#[derive(Args)]
#[command(after_help = "\
Examples:
  supple view
  supple view crowd-200 --open
  supple view ragdolls-100 --set count=20 --port 8000
  supple view pendulum-300 --detail joints=20
  supple view crowd-50000 --detail pixels=300
  supple view robot.urdf")]
pub(crate) struct ViewArgs {
    /// Name of a scene, or path of a file
    #[arg(value_name = "SCENE_OR_FILE", default_value = "crowd-200")]
    scene: String,
    /// Set a parameter of the scene (repeatable)
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// Port to begin with: if it is taken, the next free one; 0 for any
    #[arg(long, value_name = "P", default_value_t = 7878)]
    port: u16,
    /// Address to listen on; 0.0.0.0 (or ::) for all. Others than loopback let other machines watch and pull, with the token in the address
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// Length of a step in s, as a number or a fraction [default: the scene's]
    #[arg(long, value_name = "DT", value_parser = real)]
    dt: Option<f64>,
    /// Detail to begin with: full, joints=N in each body, error=E, pixels=E per step, budget=N for all [default: the scene's]
    #[arg(long, value_name = "POLICY", value_parser = policy)]
    detail: Option<Policy>,
    /// Take the page from this folder instead of the one in the binary: for working on the page
    #[arg(long, value_name = "FOLDER")]
    page: Option<PathBuf>,
    /// Open the page
    #[arg(long)]
    open: bool,
}

fn policy(text: &str) -> Result<Policy, String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(real(value)?)),
        None => (text, None),
    };
    Policy::parse(name, value).ok_or_else(|| "full, joints=N, error=E, pixels=E or budget=N is wanted".into())
}

pub(crate) fn view(args: &ViewArgs, out: &mut impl Write) -> Result<()> {
    if let Some(dt) = args.dt
        && !(dt > 0.0 && dt.is_finite())
    {
        bail!("--dt must be a positive time in s, got {dt}");
    }
    let owned = |text: &String| setting(text).map(|(key, value)| (key.to_owned(), value.to_owned()));
    let settings = args.settings.iter().map(owned).collect::<Result<BTreeMap<_, _>>>()?;
    let known = find(&args.scene).is_ok();
    let is_file = !known && is_path(&args.scene);
    let source = Source { name: args.scene.clone(), settings, is_file, ..Source::default() };
    let mut options = ViewOptions::new(source);
    (options.host, options.port, options.dt) = (args.host, args.port, args.dt);
    options.policy = args.detail.unwrap_or_default();
    options.page.clone_from(&args.page);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let server = Server::start(options).await?;
        let url = server.url();
        for url in server.urls() {
            writeln!(out, "{url}")?;
        }
        out.flush()?;
        if let Some((asked, got)) = server.moved() {
            complain(&format!("note: port {asked} is taken, this is port {got}"));
        }
        if server.is_public() {
            complain(
                "warning: whoever has the address can watch and pull, and it is not encrypted: use it in a network that you trust",
            );
        }
        if args.page.is_none() && !Server::has_page() {
            complain("warning: this build has no page in it: `make web`, then `cargo build --release`");
        }
        complain("Open it in a browser; Ctrl-C ends it.");
        if args.open {
            open(&url);
        }
        tokio::select! {
            served = server.serve() => served?,
            stopped = tokio::signal::ctrl_c() => stopped?,
        }
        Ok(())
    })
}

/// Asks the system to show a page.
fn open(url: &str) {
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        Command::new("explorer")
    } else {
        Command::new("xdg-open")
    };
    let quiet = command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if quiet.is_err() {
        complain(&format!("warning: no browser could be opened; go to {url}"));
    }
}
