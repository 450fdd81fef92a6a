//! `supple run`: a scene or a file in motion.
//!
//! ```text
//!  source ─► plan ─► step, measure ─┬─► record (CSV, NPZ)
//!                    until the end  ├─► film (video, GLB)
//!                                   ├─► plot
//!                    or a failure   └─► summary
//! ```
//!
//! Scenes without constraints are run here, worlds by [`world`].

mod chart;
mod columns;
pub(crate) mod contacts;
mod csv;
mod detail;
pub(crate) mod end;
pub(crate) mod film;
mod layout;
mod measure;
mod npz;
mod plan;
mod plot;
mod record;
mod reports;
pub(crate) mod solver;
pub(crate) mod source;
mod summary;
mod tip;
mod updates;
mod work;
pub(crate) mod world;

use std::io::{self, Write};
use std::iter;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde::Serialize;
use supple::world::{CheckError, Checked, WorldError};
use supple::{Integrator, Simulation};
use supple_scenes::live::Pictures;
use supple_scenes::{Show, Stage};

use crate::complain;
use crate::exit::is_not_finite;
use crate::number::{real, short};
use crate::progress::progress;
use crate::signals::{Signal, Signals};
use crate::view::{ViewArgs, Watcher};

pub(crate) use plan::integrator;

use contacts::ContactArgs;
use detail::DetailArgs;
use end::{Energies, Trouble};
use film::{Film, FilmArgs, Shooting, is_animation};
use layout::Layout;
use measure::Meter;
use plan::Plan;
use plot::Plot;
use record::Recorder;
use reports::Reports;
use solver::SolverArgs;
use source::{Source, Subject, refuse};
use summary::Summary;
use tip::Tip;
use updates::{Tally, Updates};
use work::ShowWork;

/// Simulated time of bodies, and length of their steps \[s].
const SECONDS: f64 = 5.0;
const DT: f64 = 1e-3;

/// Simulate a scene, a scene file (JSON, TOML) or a model file (URDF, MJCF, JSON case)
///
/// The trajectory has the time, the position q and the velocity v of every joint, and the kinetic, potential and
/// total energy; quaternions are x, y, z, w. Of a scene with several bodies it has the joints of the first and the
/// energies of all. If the motion becomes non-finite the run stops with exit code 4, and the trajectory up to there
/// has been written; so it has after Ctrl-C (exit code 130) and SIGTERM (143). A motion whose energy diverges, or whose constraints are not met in most
/// steps, runs to its end, with exit code 5. Files take their names when they are whole. As .glb it is an animation (glTF) of all bodies, which Blender opens, with 60 samples per second at most unless `--every`
/// says otherwise.
///
/// A scene or file with constraints is a world. Its trajectory has the position and the quaternion of every single body,
/// q and v of articulations, energies, the greatest gap of a joint, the deepest penetration, contacts and what sleeps; its summary tells
/// gaps, momenta, iterations, contacts, and where the time went.
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
    /// Simulated time in s [default: 5, or the world's]
    #[arg(long, value_name = "S", value_parser = real, allow_negative_numbers = true)]
    seconds: Option<f64>,
    /// Length of a step in s, as a number or a fraction [default: 0.001, or the world's]
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
    match source::open(&args.scene, &args.settings)? {
        Subject::Bodies(bodies) => run_bodies(args, bodies, out),
        Subject::World(world) => world::run(args, world, out),
    }
}

/// A run of bodies without constraints.
fn run_bodies(args: &RunArgs, source: Source<Box<Stage>>, mut out: &mut dyn Write) -> Result<()> {
    let (seconds, dt) = (source.stage.seconds.unwrap_or(SECONDS), source.stage.dt.unwrap_or(DT));
    let plan = Plan::new(args.seconds.unwrap_or(seconds), args.dt.unwrap_or(dt))?;
    let integrator = plan::integrator(&args.integrator, args.integrator_tolerance)?;
    let why = format!("is for worlds with constraints: {} has none", source.title);
    for option in [args.solver.asked(), args.contacts.asked()].into_iter().flatten() {
        refuse(true, option, &why)?;
    }
    for note in &source.stage.notes {
        complain(&format!("warning: {note}"));
    }
    let shapes = source.stage.shapes.clone();
    let mut show = source.stage.show()?;
    // unless asked for another, each steps as its file says
    if args.integrator != "default" {
        show.bodies_mut().for_each(|member| member.integrator = integrator);
    }
    let mut watcher = args.view.watcher(args.detail.pixels.is_some())?;
    if let Some(watcher) = &mut watcher {
        watcher.begin(&show);
        watcher.look(&mut show, 0.0)?;
    }
    args.detail.apply(&mut show, plan.dt)?;
    // before the first file is begun
    let signals = Signals::listen()?;
    let plot = args.plot.as_deref().map(|path| {
        let settings: String = args.settings.iter().map(|s| format!(", {s}")).collect();
        let title = format!(
            "{}{settings}: {} integrator, dt = {} s",
            source.title,
            args.detail.integrator_of(&args.integrator),
            short(plan.dt)
        );
        Plot::new(path, title, plan.steps, Tip::find(show.first(), &shapes))
    });
    let mut plot = plot.transpose()?;
    let mut recorder = args
        .out
        .as_deref()
        .filter(|path| !is_animation(path))
        .map(|path| Recorder::create(path, Layout::of_model(&show.first().model)))
        .transpose()?;

    let shooting = args.shooting(&plan)?;
    let mut film = args.film.film(&shooting, || Pictures::of_show(&show))?;
    let mut reports = args.report.as_deref().map(Reports::create).transpose()?;
    let mut log = Log {
        film: film.as_mut(),
        recorder: recorder.as_mut(),
        plot: plot.as_mut(),
        reports: reports.as_mut(),
        every: args.every.unwrap_or(1),
        written: None,
        row: Vec::new(),
    };
    let motion = simulate(&mut show, &plan, watcher.as_mut(), &mut log, &signals)?;

    // everything known is written before a failure is told
    let rows = recorder.map(Recorder::finish).transpose()?;
    let filmed = film.map(Film::finish).transpose()?.unwrap_or_default();
    if let Some(plot) = plot {
        plot.draw()?;
    }
    reports.map_or(Ok(()), Reports::finish)?;
    let summary = Summary::new(&source.title, &show, &motion, plan.dt);
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&summary)?)?;
    } else {
        summary.print(&mut out, &motion, args, rows.or(filmed.samples))?;
        args.film.print(&mut out, &filmed)?;
    }
    let trouble = motion.trouble();
    match motion.failure {
        Some(error) => Err(error).with_context(|| format!("{} stopped", source.title)),
        None => ended(motion.signal, trouble, &source.title),
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
    fn shooting(&self, plan: &Plan) -> Result<Shooting<'_>> {
        let camera = self.view.first_camera()?;
        Ok(Shooting { out: self.out.as_deref(), every: self.every, camera, steps: plan.steps, dt: plan.dt })
    }
}

/// What steps came to that were compared with full detail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Checks {
    /// Pixels that differ after a step, at most, and their sum over all steps.
    pub(crate) static_max: usize,
    pub(crate) dynamic: u64,
    /// Steps taken again with a smaller error, and steps for which all joints were taken.
    pub(crate) refined: u64,
    pub(crate) full: u64,
}

impl Checks {
    fn note(&mut self, checked: &Checked) {
        self.static_max = self.static_max.max(checked.pixels);
        self.dynamic = checked.dynamic;
        self.refined += u64::from(checked.refined > 0);
        self.full += u64::from(checked.full);
    }
}

/// What became of a simulation.
pub(crate) struct Motion {
    /// Steps taken.
    pub(crate) steps: u64,
    /// Time spent in steps alone.
    pub(crate) stepping: Duration,
    /// Articulated-body sweeps in all; a crowd does not tell.
    pub(crate) sweeps: Option<u64>,
    /// Active joints, summed over the steps.
    pub(crate) active: u64,
    /// What updates of active regions did.
    pub(crate) updates: Tally,
    pub(crate) energies: Energies,
    /// What steps that were checked came to.
    pub(crate) checks: Option<Checks>,
    /// Why it ended early, and for which body.
    pub(crate) failure: Option<WorldError>,
    /// Who ended it early.
    pub(crate) signal: Option<Signal>,
}

impl Motion {
    /// What is wrong with it though it went on.
    fn trouble(&self) -> Option<Trouble> {
        self.energies.diverged()
    }

    /// How it ended, as JSON has it.
    fn ended(&self) -> &'static str {
        let failed = self.failure.as_ref().map(is_not_finite);
        end::word(self.signal, failed, self.trouble().as_ref())
    }
}

/// Where samples of the motion go.
struct Log<'a> {
    film: Option<&'a mut Film>,
    recorder: Option<&'a mut Recorder>,
    plot: Option<&'a mut Plot>,
    reports: Option<&'a mut Reports>,
    every: u64,
    /// The step written last.
    written: Option<u64>,
    /// Scratch.
    row: Vec<f64>,
}

impl Log<'_> {
    /// Notes the present state if its turn has come, or if it is the `last`.
    fn note(&mut self, show: &Show, meter: &Meter, last: bool) -> Result<()> {
        self.note_first(show.first(), meter, last)?;
        match &mut self.film {
            Some(film) => film.note(show.first().state.step, show.time(), last, |p| p.take_show(show)),
            None => Ok(()),
        }
    }

    fn note_first(&mut self, simulation: &Simulation, meter: &Meter, last: bool) -> Result<()> {
        let step = simulation.state.step;
        if let Some(plot) = &mut self.plot {
            plot.note(simulation, meter, last);
        }
        let due = step.is_multiple_of(self.every) || last;
        if let Some(recorder) = self.recorder.as_mut().filter(|_| due && self.written != Some(step)) {
            let (state, energy) = (&simulation.state, meter.energy);
            let energies = [energy.kinetic, energy.potential, energy.total()];
            self.row.clear();
            self.row.extend(iter::once(&state.time).chain(&state.q).chain(&state.v).chain(&energies));
            recorder.row(&self.row)?;
            self.written = Some(step);
        }
        Ok(())
    }
}

/// Takes the planned steps, or as many as succeed.
fn simulate(
    show: &mut Show,
    plan: &Plan,
    mut watcher: Option<&mut Watcher>,
    log: &mut Log,
    signals: &Signals,
) -> Result<Motion> {
    let mut bar = progress(plan.steps);
    bar.set_message(log.film.as_ref().map(|film| film.written()).unwrap_or_default());
    let mut meter = Meter::new();
    let mut updates = Updates::default();
    let first = meter.measure(show);
    let mut work = ShowWork::new(show);
    log.note(show, &meter, plan.steps == 0)?;
    let mut motion = Motion {
        steps: 0,
        stepping: Duration::ZERO,
        sweeps: Some(0),
        active: 0,
        updates: Tally::default(),
        energies: Energies::new(first, show.bodies().map(|m| m.momentum().mass).sum()),
        checks: None,
        failure: None,
        signal: None,
    };
    while motion.steps < plan.steps {
        motion.signal = signals.asked();
        if motion.signal.is_some() {
            log.note(show, &meter, true)?;
            break;
        }
        let start = Instant::now();
        if let Some(watcher) = &mut watcher {
            watcher.look(show, motion.steps as f64 * plan.dt)?;
        }
        let outcome = match &mut watcher {
            Some(watcher) if watcher.checks() => {
                match watcher.checked_step(show, motion.steps as f64 * plan.dt, plan.dt) {
                    Ok(checked) => {
                        motion.checks.get_or_insert_default().note(&checked);
                        Ok(None)
                    }
                    Err(CheckError::Step(error)) => Err(error),
                    Err(other) => return Err(other.into()),
                }
            }
            _ => show.step(plan.dt).map(|_| show.sweeps()),
        };
        let took = start.elapsed();
        motion.stepping += took;
        match outcome {
            Ok(report) => {
                motion.sweeps = motion.sweeps.zip(report).map(|(all, more)| all + u64::from(more));
            }
            Err(error) => {
                motion.failure = Some(error);
                log.note(show, &meter, true)?;
                break;
            }
        }
        motion.steps += 1;
        motion.active += show.active() as u64;
        updates.look(show);
        motion.updates = updates.all;
        if let Some(reports) = &mut log.reports {
            reports.note(&reports::cells(show, &updates.step, took))?;
        }
        work.note(show);
        motion.energies.note(meter.measure(show), &work.balance);
        log.note(show, &meter, motion.steps == plan.steps)?;
        bar.set_position(motion.steps);
    }
    bar.finish_and_clear();
    Ok(motion)
}
