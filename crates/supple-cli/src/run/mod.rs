//! `supple run`: a scene or a file in motion.
//!
//! ```text
//!  source ─► plan ─► step, measure ─┬─► trajectory (CSV, NPZ)
//!                    until the end  ├─► film (video, GLB)
//!                                   ├─► plot
//!                    or a failure   └─► summary
//! ```

mod chart;
mod columns;
pub(crate) mod contacts;
mod csv;
mod detail;
pub(crate) mod end;
pub(crate) mod film;
pub(crate) mod gap;
mod layout;
mod log;
mod motion;
mod npz;
mod plan;
mod plot;
mod record;
mod reports;
pub(crate) mod rest;
pub(crate) mod shape;
pub(crate) mod solver;
pub(crate) mod source;
mod summary;
mod tip;
pub(crate) mod trajectory;
mod updates;
mod work;

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use clap::builder::PossibleValuesParser;
use supple::Integrator;
use supple_scenes::{SECONDS, Stage};

use crate::complain;
use crate::number::{real, short};
use crate::signals::{Signal, Signals};
use crate::view::{ViewArgs, Watcher};

use contacts::ContactArgs;
use detail::DetailArgs;
use end::Trouble;
use film::{FilmArgs, Shooting, is_animation};
use log::Log;
use motion::simulate;
use plan::Plan;
pub(crate) use plan::integrator;
use plot::Plot;
use reports::Reports;
use shape::Shape;
use solver::SolverArgs;
use source::{Source, refuse};
use summary::Summary;
use trajectory::Trajectory;

/// Simulate a scene, a scene file (JSON, TOML) or a model file (URDF, MJCF, JSON case)
///
/// The trajectory has the time, the position q and the velocity v of every joint, and the kinetic, potential and
/// total energy; quaternions are x, y, z, w. Of a scene with several articulations and nothing else it has the joints of the first and the
/// energies of all. If the motion becomes non-finite the run stops with exit code 4, and the trajectory up to there
/// has been written; so it has after Ctrl-C (exit code 130) and SIGTERM (143). A motion whose energy diverges, or whose constraints are not met in most
/// steps, runs to its end, with exit code 5. Files take their names when they are whole. As .glb it is an animation (glTF) of all bodies, which Blender opens, with 60 samples per second at most unless `--every`
/// says otherwise.
///
/// Where there are single bodies, constraints or colliders the trajectory has the position and the quaternion of every single body,
/// q and v of all articulations, energies, the greatest gap of a joint, the deepest penetration, contacts and what sleeps; the summary tells
/// gaps, momenta, iterations, contacts, and where the time went, too.
#[derive(Args)]
#[command(after_help = "\
Examples:
  supple run pendulum
  supple run pendulum --set links=100 --seconds 10 --dt 1/60 --json
  supple run double-pendulum --integrator rk4 --out motion.csv --plot motion.svg
  supple run pendulum-300 --active 20 --update-every 20
  supple run crowd-200 --dt 1/240 --seconds 1 --budget 1000 --report steps.csv
  supple run robot.urdf --set floating_base=true --out motion.npz --every 10
  supple run examples/scenes/crowd.toml
  supple run pendulum-constraints --set links=20 --dt 1/240 --plot gaps.svg
  supple run pendulum-constraints --solver sweeps --sweeps 15 --json
  supple run dogs-100 --dt 1/60 --pixels 20 --visibility item-buffer
  supple run pendulum-20 --dt 1/60 --camera 2,-1,3:0,-1,0 --pixels 5 --json
  supple run crowd-200 --dt 1/240 --seconds 2 --budget 1000 --video crowd.mp4 --size 1280x720
  supple run bridge --video bridge.gif --fps 20 --size 480x360 --camera 0,-8,2:0,0,0
  supple run humanoid-detailed --seconds 2 --out humanoid.glb
  supple run bridge-blocks --contacts levels --contact-sweeps 9 --report steps.csv

`supple scenes --parameters` lists what can be set.")]
pub(crate) struct RunArgs {
    /// Name of a scene, or path of a scene file or model file
    #[arg(value_name = "SCENE_OR_FILE")]
    scene: String,
    /// Simulated time in s [default: the scene's, or 5]
    #[arg(long, value_name = "S", value_parser = real, allow_negative_numbers = true)]
    seconds: Option<f64>,
    /// Length of a step in s, as a number or a fraction [default: the scene's, that of an MJCF file, or 1/60]
    #[arg(long, value_name = "DT", value_parser = real, allow_negative_numbers = true)]
    dt: Option<f64>,
    /// How steps are taken
    #[arg(long, value_name = "I", default_value = "default",
          value_parser = PossibleValuesParser::new(Integrator::ALL.map(|(name, _)| name)))]
    integrator: String,
    /// Greatest error of a sub-step of `--integrator adaptive`, in rad or m
    #[arg(long, value_name = "T", value_parser = real, allow_negative_numbers = true)]
    integrator_tolerance: Option<f64>,
    #[command(flatten)]
    detail: DetailArgs,
    #[command(flatten)]
    view: ViewArgs,
    #[command(flatten)]
    solver: SolverArgs,
    #[command(flatten)]
    contacts: ContactArgs,
    #[command(flatten)]
    film: FilmArgs,
    /// Set a parameter of the scene (repeatable)
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// Write the trajectory to this file, .csv, .npz or .glb; - for CSV on stdout, the summary goes to stderr then
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write every K-th step to the trajectory [default: 1; of a .glb, 60 per second at most]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    every: Option<u64>,
    /// Draw energies, and the path of the farthest point or the gaps of joints, to this file, .svg
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Write what every step did to this file, .csv or .jsonl: active joints, regions, what is left out, times
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &RunArgs, out: &mut impl Write) -> Result<()> {
    if let Some(path) = &args.plot {
        chart::check(path)?;
    }
    let files = [
        ("--out", &args.out),
        ("--report", &args.report),
        ("--plot", &args.plot),
        ("--video", &args.film.video),
    ];
    plan::refuse_same_files(&files.map(|(option, path)| (option, path.as_deref())))?;
    // stdout is for one of them
    let mut aside = io::stderr();
    let out: &mut dyn Write = if args.out.as_deref().is_some_and(csv::is_stdout) { &mut aside } else { out };
    let Source { mut stage, title } = source::open(&args.scene, &args.settings)?;
    let dt = stage.step_length(args.dt);
    let seconds = args.seconds.or(stage.seconds).unwrap_or(SECONDS);
    let plan = Plan::new(seconds, dt.0)?;
    for note in &stage.notes {
        complain(&format!("warning: {note}"));
    }
    let mut watcher = args.prepare(&mut stage, &title, plan.dt)?;
    // before the first file is begun
    let signals = Signals::listen()?;
    let mut log = args.log(&stage, &title, &plan)?;
    let motion = simulate(&mut stage, &plan, watcher.as_mut(), &mut log, &signals)?;

    // everything known is written before a failure is told
    let logged = log.finish()?;
    let summary = Summary::new(&title, &stage, &motion, dt);
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&summary)?)?;
    } else {
        let mut out = out;
        summary.print(&mut out, &motion, args, logged.rows)?;
        args.film.print(&mut out, &logged.filmed)?;
    }
    let trouble = motion.trouble();
    match motion.failure {
        Some(error) => Err(error).with_context(|| format!("{title} stopped")),
        None => ended(motion.signal, trouble, &title),
    }
}

/// An end that somebody asked for is told, too, and a motion that cannot be believed.
fn ended(signal: Option<Signal>, trouble: Option<Trouble>, title: &str) -> Result<()> {
    match (signal, trouble) {
        (Some(signal), _) => Err(signal).with_context(|| format!("{title} stopped")),
        (None, Some(trouble)) => Err(trouble).with_context(|| title.to_owned()),
        (None, None) => Ok(()),
    }
}

impl RunArgs {
    /// Solver, integrator, cameras and detail as asked for; who looks, if anybody does.
    fn prepare(&self, stage: &mut Stage, title: &str, dt: f64) -> Result<Option<Watcher>> {
        let shape = Shape::of(&stage.world);
        if let Some(option) = self.solver.asked() {
            let why = format!("is for scenes whose joints are constraints: {title} has none");
            refuse(!shape.joined && !shape.touches, option, &why)?;
        }
        if let Some(option) = self.contacts.asked() {
            refuse(!shape.touches, option, "is for worlds with colliders: this one has none")?;
        }
        let world = &mut stage.world;
        world.settings.solver = self.solver.over(world.settings.solver)?;
        world.settings.contact = self.contacts.over(world.settings.contact)?;
        let integrator = plan::integrator(&self.integrator, self.integrator_tolerance)?;
        // unless asked for another, each steps as its file says
        if self.integrator != "default" {
            refuse(
                stage.first().is_none(),
                "--integrator",
                "is for articulations: this world has single bodies only, leave it out",
            )?;
            stage.world.articulations_mut().for_each(|(_, body)| body.integrator = integrator);
        }
        let mut watcher = self.view.watcher(self.detail.pixels.is_some())?;
        if let Some(watcher) = &mut watcher {
            watcher.begin(stage)?;
            watcher.look(stage)?;
        }
        self.detail.apply(stage, dt)?;
        Ok(watcher)
    }

    /// Where samples go.
    fn log(&self, stage: &Stage, title: &str, plan: &Plan) -> Result<Log> {
        let plot = self.plot.as_deref().map(|path| {
            let settings: String = self.settings.iter().map(|s| format!(", {s}")).collect();
            let how = match Shape::of(&stage.world).alone {
                true => format!("{} integrator", self.detail.integrator_of(&self.integrator)),
                false => format!("solver {}", solver::name(stage.world.settings.solver)),
            };
            let title = format!("{title}{settings}: {how}, dt = {} s", short(plan.dt));
            Plot::new(path, title, plan.steps, stage)
        });
        let trajectory = self.out.as_deref().filter(|path| !is_animation(path));
        let camera = self.view.first_camera()?;
        let (out, every) = (self.out.as_deref(), self.every);
        let shooting = Shooting { out, every, camera, steps: plan.steps, dt: plan.dt };
        Ok(Log {
            plot: plot.transpose()?,
            trajectory: trajectory.map(|path| Trajectory::create(path, &stage.world)).transpose()?,
            film: self.film.film(&shooting, stage)?,
            reports: self.report.as_deref().map(Reports::create).transpose()?,
            every: every.unwrap_or(1),
            written: None,
        })
    }
}
