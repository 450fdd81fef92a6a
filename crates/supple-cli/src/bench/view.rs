//! `supple bench view`: view-dependent detail, its cost and what it changes in the image.
//!
//! `ns` is the mean time of a step with looking and choosing, the first left out; `visibility_ns` the part of it in which it was found
//! how much is seen: looking at volumes at updates, or drawing and counting before every step; `full_ns` that of a step with all joints in
//! the same run. `pixels_p95` is the 95th percentile of the pixels in which a step's image differs from the one that full detail
//! gives from the same state (the paper's static error), drawn by the item buffer; `dynamic` their sum over all steps.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use supple_scenes::Stage;

use crate::number::{grouped, real, short};
use crate::progress::progress;
use crate::run::shape::Shape;
use crate::view::{VisibilityName, Watcher};

use super::report;
use super::solvers::{Solvers, mean_ns};
use super::view_subject::{self, Asked, Compared, Stopwatch, all, begin};

/// View-dependent detail (Kim et al. 2008): active joints, times and pixels that differ
#[derive(Args)]
#[command(after_help = "\
Examples:
  supple bench view --scene pendulum-20
  supple bench view --scene pendulum-300-distance --distance 20,40,80 --visibility obb --json
  supple bench view --scene dogs-100 --pixels 5,20 --visibility item-buffer
  supple bench view --scene crowd-50000 --budget --seconds 2 --uncompared")]
pub(crate) struct ViewBenchArgs {
    /// Scenes
    #[arg(long, value_name = "SCENE,…", value_delimiter = ',', default_values = ["pendulum-20", "dogs-100", "dog-puppet", "falling-character"])]
    scene: Vec<String>,
    /// Errors in pixels per step
    #[arg(long, value_name = "E,…", value_delimiter = ',', default_values = ["10"], value_parser = real, allow_negative_numbers = true)]
    pixels: Vec<f64>,
    /// How it is known what is seen [default: all that this build has]
    #[arg(long, value_name = "V,…", value_delimiter = ',')]
    visibility: Vec<VisibilityName>,
    /// Distances of the camera in m, for scenes that have a parameter of that name [default: the scene's]
    #[arg(long, value_name = "M,…", value_delimiter = ',', value_parser = real)]
    distance: Vec<f64>,
    /// With the scene's own budget of joints instead of an error in pixels
    #[arg(long)]
    budget: bool,
    /// Simulated time in s
    #[arg(long, value_name = "S", default_value = "4", value_parser = real)]
    seconds: f64,
    /// Steps from one choice of joints to the next [default: the scene's]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    update_every: Option<u32>,
    /// Pixels of the image
    #[arg(long, value_name = "W,H", value_delimiter = ',', num_args = 2, default_values = ["640", "480"])]
    viewport: Vec<u32>,
    /// Set a parameter of the scene (repeatable)
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// Leave out the comparison with full detail
    #[arg(long)]
    uncompared: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    scene: String,
    visibility: &'static str,
    /// Pixels per step; null with the scene's budget.
    epsilon: Option<f64>,
    /// Of the camera from the first body \[m].
    distance: f64,
    joints: usize,
    active_mean: f64,
    ns: f64,
    worst_ns: f64,
    visibility_ns: f64,
    full_ns: f64,
    /// Single calls of supple's own algorithms, for single bodies.
    aba_ns: Option<f64>,
    dca_ns: Option<f64>,
    pixels_mean: Option<f64>,
    pixels_p95: Option<f64>,
    pixels_max: Option<f64>,
    dynamic: Option<u64>,
    /// `pixels_p95` over `epsilon`.
    ratio: Option<f64>,
}

pub(crate) fn bench(args: &ViewBenchArgs, out: &mut impl Write) -> Result<()> {
    let ways = if args.visibility.is_empty() { all() } else { args.visibility.clone() };
    let distances: Vec<Option<f64>> =
        if args.distance.is_empty() { vec![None] } else { args.distance.iter().copied().map(Some).collect() };
    let errors: Vec<Option<f64>> =
        if args.budget { vec![None] } else { args.pixels.iter().copied().map(Some).collect() };
    let mut bar = progress((args.scene.len() * distances.len() * ways.len() * errors.len()) as u64);
    let mut rows = Vec::new();
    for scene in &args.scene {
        for distance in &distances {
            let full = Full::time(args, scene, *distance)?;
            for way in &ways {
                for error in &errors {
                    rows.push(row(args, scene, *distance, *way, *error, &full)?);
                    bar.inc(1);
                }
            }
        }
    }
    bar.finish_and_clear();
    let heading = "  scene                  visibility   epsilon  distance  active/joints       step µs   seen µs   full µs    DCA µs  p95 px  ratio";
    report::print("view", &rows, args.json, heading, line, out)
}

fn line(row: &Row) -> String {
    let number = |x: Option<f64>| x.map_or_else(|| "-".into(), short);
    format!(
        "  {:22} {:11} {:>8} {:>9} {:>14} {:>13} {:>9} {:>9} {:>9} {:>7} {:>6}",
        row.scene,
        row.visibility,
        number(row.epsilon),
        short(row.distance),
        format!("{}/{}", short(row.active_mean), grouped(row.joints as u64)),
        short(row.ns / 1e3),
        short(row.visibility_ns / 1e3),
        short(row.full_ns / 1e3),
        number(row.dca_ns.map(|ns| ns / 1e3)),
        number(row.pixels_p95),
        number(row.ratio),
    )
}

fn open(args: &ViewBenchArgs, scene: &str, distance: Option<f64>) -> Result<Stage> {
    let distance = distance.map(|d| d.to_string());
    let mut settings: Vec<(&str, &str)> = args.settings.iter().filter_map(|s| s.split_once('=')).collect();
    settings.extend(distance.as_deref().map(|d| ("distance", d)));
    Ok(supple_scenes::stage(scene, &settings)?)
}

/// Length of a step \[s], and how many.
fn steps(args: &ViewBenchArgs, stage: &Stage) -> (f64, u64) {
    let (dt, _) = stage.step_length(None);
    (dt, (args.seconds / dt).round().max(2.0) as u64)
}

/// What full detail costs.
struct Full {
    ns: f64,
    joints: usize,
    aba_ns: Option<f64>,
    dca_ns: Option<f64>,
}

impl Full {
    fn time(args: &ViewBenchArgs, scene: &str, distance: Option<f64>) -> Result<Self> {
        let mut stage = open(args, scene, distance)?;
        let mut watcher = watcher(args, VisibilityName::Obb)?;
        begin(&mut stage, &mut watcher, Asked::Full, None)?;
        let (dt, steps) = steps(args, &stage);
        // the largest crowds are slow
        let steps = if stage.articulations().count() > 1000 { 4 } else { steps };
        let watch = Stopwatch::run(&mut stage, None, steps, dt)?;
        let mut full = Self { ns: watch.ns(), joints: stage.active(), aba_ns: None, dca_ns: None };
        let mut all = stage.articulations();
        if let (Some(only), None, true) = (all.next(), all.next(), Shape::of(&stage.world).alone) {
            let mut solvers = Solvers::new(only)?;
            full.aba_ns = Some(mean_ns(1000, || {
                solvers.aba(only);
            }));
            full.dca_ns = Some(mean_ns(1000, || {
                solvers.dca(only);
            }));
        }
        Ok(full)
    }
}

fn watcher(args: &ViewBenchArgs, way: VisibilityName) -> Result<Watcher> {
    Watcher::new(way, [args.viewport[0], args.viewport[1]], Vec::new())
}

fn row(
    args: &ViewBenchArgs,
    scene: &str,
    distance: Option<f64>,
    way: VisibilityName,
    error: Option<f64>,
    full: &Full,
) -> Result<Row> {
    let mut stage = open(args, scene, distance)?;
    let mut eye = watcher(args, way)?;
    let asked = error.map_or(Asked::Scene, Asked::Pixels);
    begin(&mut stage, &mut eye, asked, args.update_every)?;
    let ((dt, steps), distance_then) = (steps(args, &stage), view_subject::distance(&stage, &eye));
    let watch = Stopwatch::run(&mut stage, Some(&mut eye), steps, dt)?;
    let looking = watch.looking.as_secs_f64() * 1e9 / steps.saturating_sub(1).max(1) as f64;

    let mut pixels: Vec<f64> = Vec::new();
    if !args.uncompared {
        let mut stage = open(args, scene, distance)?;
        let mut eye = watcher(args, way)?;
        begin(&mut stage, &mut eye, asked, args.update_every)?;
        let mut compared = Compared::new(&stage);
        for _ in 0..steps {
            pixels.push(compared.step(&mut stage, &mut eye, dt)? as f64);
        }
    }
    let dynamic = (!pixels.is_empty()).then(|| pixels.iter().sum::<f64>() as u64);
    let pixels_mean = dynamic.map(|sum| sum as f64 / pixels.len() as f64);
    pixels.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| pixels.get((share * (pixels.len().max(1) - 1) as f64).round() as usize).copied();
    let pixels_p95 = at(0.95);
    Ok(Row {
        scene: scene.into(),
        visibility: way.name(),
        epsilon: error,
        distance: distance_then,
        joints: full.joints,
        active_mean: watch.active as f64 / watch.steps as f64,
        ns: watch.ns(),
        worst_ns: watch.worst.as_secs_f64() * 1e9,
        visibility_ns: looking,
        full_ns: full.ns,
        aba_ns: full.aba_ns,
        dca_ns: full.dca_ns,
        pixels_mean,
        pixels_p95,
        pixels_max: at(1.0),
        dynamic,
        ratio: pixels_p95.zip(error).map(|(p, e)| p / e),
    })
}
