//! `supple run` of a world: single bodies, articulations, constraints.

pub(crate) mod gap;
mod plot;
mod reports;
pub(crate) mod rest;
mod summary;
pub(crate) mod trajectory;

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use supple::Energy;
use supple::world::{Momenta, Solver, Times, World, WorldError, WorldReport};
use supple_scenes::WorldStage;
use supple_scenes::live::Pictures;

use crate::complain;
use crate::exit;
use crate::number::short;
use crate::progress::progress;
use crate::signals::{Signal, Signals};
use crate::view::Watcher;

use super::end::{self, Energies, Trouble};
use super::film::{Film, is_animation};
use super::plan::{self, Plan};
use super::reports::Reports;
use super::source::{Source, refuse};
use super::work::WorldWork;
use super::{RunArgs, ended, solver};
use plot::Plot;
use reports::Joints;
use rest::Rest;
use summary::Summary;
use trajectory::Trajectory;

/// What is measured after a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Measured {
    pub(crate) energy: Energy,
    /// \[m]
    pub(crate) gap_max: f64,
    pub(crate) gap_mean: f64,
    pub(crate) penetration: f64,
    pub(crate) contacts: usize,
    /// Single bodies and articulations that sleep.
    pub(crate) asleep: usize,
}

/// What became of a world.
#[derive(Default)]
pub(crate) struct Motion {
    pub(crate) steps: u64,
    /// Time spent in steps alone.
    pub(crate) stepping: Duration,
    first: Duration,
    /// Slowest step but the first \[ns].
    pub(crate) ns_worst: f64,
    /// The report of the last step.
    pub(crate) last: WorldReport,
    /// Distances \[m].
    pub(crate) gap_start: f64,
    pub(crate) gap_max: f64,
    pub(crate) gap_end: f64,
    /// Mean distances, summed over the steps.
    pub(crate) gap_sum: f64,
    pub(crate) angle_max: f64,
    pub(crate) iterations: u64,
    pub(crate) iterations_max: u32,
    pub(crate) substeps: u64,
    pub(crate) substeps_max: u32,
    /// Steps with constraints that were not met.
    pub(crate) unsolved: u64,
    /// Active joints of articulations, summed over the steps.
    pub(crate) active: u64,
    pub(crate) energies: Energies,
    pub(crate) momentum_start: Momenta,
    /// Greatest linear \[N·s] and angular momentum \[N·m·s] after any step.
    pub(crate) momentum_max: [f64; 2],
    /// Whether its solver goes on until constraints are met; the others have their accuracy by a number of iterations.
    exact: bool,
    /// Deepest after any step \[m].
    pub(crate) penetration_max: f64,
    /// Contact points, summed over the steps and at most.
    pub(crate) contacts: u64,
    pub(crate) contacts_max: usize,
    pub(crate) contact_sweeps: u64,
    pub(crate) rest: Rest,
    pub(crate) times: Times,
    /// Why it ended early.
    pub(crate) failure: Option<WorldError>,
    /// Who ended it early.
    pub(crate) signal: Option<Signal>,
}

impl Motion {
    fn start(world: &World) -> (Self, Measured) {
        let (energy, gap) = (world.energy(), gap::greatest(world));
        let motion = Self {
            gap_start: gap,
            gap_end: gap,
            energies: Energies::new(energy, mass(world)),
            momentum_start: world.momenta(),
            exact: world.settings.solver == Solver::Together,
            ..Self::default()
        };
        (motion, Measured { energy, gap_max: gap, ..Measured::default() })
    }

    fn note(&mut self, report: &WorldReport, took: Duration) {
        self.steps += 1;
        if self.steps == 1 {
            self.first = took;
        } else {
            self.ns_worst = self.ns_worst.max(took.as_secs_f64() * 1e9);
        }
        self.last = *report;
        self.gap_max = self.gap_max.max(report.gap_max);
        self.gap_sum += report.gap_mean;
        self.angle_max = self.angle_max.max(report.angle_max);
        self.iterations += u64::from(report.iterations);
        self.iterations_max = self.iterations_max.max(report.iterations);
        self.substeps += u64::from(report.substeps);
        self.substeps_max = self.substeps_max.max(report.substeps);
        self.unsolved += u64::from(report.unsolved > 0);
        self.penetration_max = self.penetration_max.max(report.penetration_max);
        self.contacts += report.contacts as u64;
        self.contacts_max = self.contacts_max.max(report.contacts);
        self.contact_sweeps += u64::from(report.contact_sweeps);
        self.rest.note(self.steps, report);
        self.times += report.times;
    }

    fn note_momenta(&mut self, momenta: &Momenta) {
        let now = [momenta.linear.length(), momenta.angular.length()];
        self.momentum_max = [0, 1].map(|i| self.momentum_max[i].max(now[i]));
    }

    /// What is wrong with it though it went on.
    fn trouble(&self) -> Option<Trouble> {
        let unsolved = || {
            let most = self.exact && 2 * self.unsolved > self.steps;
            most.then_some(Trouble::Unsolved { steps: self.unsolved, of: self.steps })
        };
        unsolved().or_else(|| self.energies.diverged())
    }

    /// How it ended, as JSON has it.
    fn ended(&self) -> &'static str {
        end::word(self.signal, self.failure.as_ref().map(exit::is_not_finite), self.trouble().as_ref())
    }

    /// Mean time of all steps but the first \[ns].
    pub(crate) fn ns_mean(&self) -> f64 {
        let rest = self.steps.saturating_sub(1);
        if rest == 0 { 0.0 } else { (self.stepping - self.first).as_secs_f64() * 1e9 / rest as f64 }
    }
}

/// Of all bodies that can be pushed \[kg].
fn mass(world: &World) -> f64 {
    let singles = world.bodies().filter(|(_, body)| !body.is_kinematic()).map(|(_, body)| body.mass());
    singles.chain(world.articulations().map(|(_, simulation)| simulation.momentum().mass)).sum()
}

/// Where samples of the motion go.
struct Log {
    trajectory: Option<Trajectory>,
    plot: Option<Plot>,
    reports: Option<Reports>,
    film: Option<Film>,
    every: u64,
    /// The step written last.
    written: Option<u64>,
}

impl Log {
    /// Notes the present state if its turn has come, or if it is the `last`.
    fn note(&mut self, stage: &WorldStage, step: u64, measured: &Measured, last: bool) -> Result<()> {
        let world = &stage.world;
        if let Some(film) = &mut self.film {
            film.note(step, world.time(), last, |pictures| pictures.take_world(stage))?;
        }
        if let Some(plot) = &mut self.plot {
            plot.note(world, step, measured, last);
        }
        let due = (step.is_multiple_of(self.every) || last) && self.written != Some(step);
        if let Some(trajectory) = self.trajectory.as_mut().filter(|_| due) {
            trajectory.row(world, measured)?;
            self.written = Some(step);
        }
        Ok(())
    }
}

pub(crate) fn run(args: &RunArgs, source: Source<Box<WorldStage>>, mut out: &mut dyn Write) -> Result<()> {
    let Source { mut stage, title } = source;
    let plan = Plan::new(args.seconds.unwrap_or(stage.seconds), args.dt.unwrap_or(stage.dt))?;
    for note in &stage.notes {
        complain(&format!("warning: {note}"));
    }
    refuse(args.view.is_checked(), "--check", "is for scenes without constraints: leave it out")?;
    let mut watcher = args.view.watcher(args.detail.pixels.is_some())?;
    if let Some(watcher) = &mut watcher {
        watcher.look_at_world(&mut stage)?;
    }
    prepare(args, &mut stage, plan.dt)?;
    // before the first file is begun
    let signals = Signals::listen()?;
    let plot = args.plot.as_deref().map(|path| {
        let settings: String = args.settings.iter().map(|s| format!(", {s}")).collect();
        let solver = solver::name(stage.world.settings.solver);
        Plot::new(path, format!("{title}{settings}: solver {solver}, dt = {} s", short(plan.dt)), plan.steps)
    });
    let trajectory = args.out.as_deref().filter(|path| !is_animation(path));
    let mut log = Log {
        plot: plot.transpose()?,
        trajectory: trajectory.map(|path| Trajectory::create(path, &stage.world)).transpose()?,
        reports: args.report.as_deref().map(Reports::create).transpose()?,
        film: args.film.film(&args.shooting(&plan)?, || Pictures::of_world(&stage))?,
        every: args.every.unwrap_or(1),
        written: None,
    };
    let motion = simulate(&mut stage, &plan, watcher.as_mut(), &mut log, &signals)?;

    // everything known is written before a failure is told
    let rows = log.trajectory.map(Trajectory::finish).transpose()?;
    let filmed = log.film.map(Film::finish).transpose()?.unwrap_or_default();
    if let Some(plot) = log.plot {
        plot.draw()?;
    }
    log.reports.map_or(Ok(()), Reports::finish)?;
    let summary = Summary::new(&title, &stage.world, &motion, plan.dt);
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&summary)?)?;
    } else {
        summary.print(&mut out, &motion, args, rows.or(filmed.samples))?;
        args.film.print(&mut out, &filmed)?;
    }
    let trouble = motion.trouble();
    match motion.failure {
        Some(error) => Err(error).with_context(|| format!("{title} stopped")),
        None => ended(motion.signal, trouble, &title),
    }
}

/// Solver, integrator and detail as asked for.
fn prepare(args: &RunArgs, stage: &mut WorldStage, dt: f64) -> Result<()> {
    let world = &mut stage.world;
    world.settings.solver = args.solver.over(world.settings.solver)?;
    if let Some(option) = args.contacts.asked() {
        let touch = world.colliders().next().is_some();
        refuse(!touch, option, "is for worlds with colliders: this one has none")?;
    }
    world.settings.contact = args.contacts.over(world.settings.contact)?;
    let integrator = plan::integrator(&args.integrator, args.integrator_tolerance)?;
    let chosen = args.integrator != "default";
    let ids: Vec<_> = world.articulations().map(|(id, _)| id).collect();
    if ids.is_empty() && (chosen || !args.detail.is_empty()) {
        let option = if chosen { "--integrator" } else { "detail (--active and its kin)" };
        bail!("{option} is for articulations: this world has single bodies only, leave it out");
    }
    args.detail.refuse_budget()?;
    for id in ids {
        let simulation = world.articulation_mut(id)?;
        if chosen {
            simulation.integrator = integrator;
        }
        args.detail.apply_to(simulation, dt)?;
    }
    Ok(())
}

/// Takes the planned steps, or as many as succeed.
fn simulate(
    stage: &mut WorldStage,
    plan: &Plan,
    mut watcher: Option<&mut Watcher>,
    log: &mut Log,
    signals: &Signals,
) -> Result<Motion> {
    let mut bar = progress(plan.steps);
    bar.set_message(log.film.as_ref().map(Film::written).unwrap_or_default());
    let (mut motion, mut measured) = Motion::start(&stage.world);
    let mut work = WorldWork::new(&stage.world);
    log.note(stage, 0, &measured, plan.steps == 0)?;
    while motion.steps < plan.steps {
        motion.signal = signals.asked();
        if motion.signal.is_some() {
            log.note(stage, motion.steps, &measured, true)?;
            break;
        }
        let start = Instant::now();
        if let Some(watcher) = &mut watcher {
            watcher.look_at_world(stage)?;
        }
        let outcome = stage.step(plan.dt);
        let took = start.elapsed();
        motion.stepping += took;
        let report = match outcome {
            Ok(report) => report,
            Err(error) => {
                motion.failure = Some(error);
                log.note(stage, motion.steps, &measured, true)?;
                break;
            }
        };
        let energy = stage.world.energy();
        work.note(&stage.world, &report, plan.dt);
        motion.note(&report, took);
        motion.note_momenta(&stage.world.momenta());
        motion.energies.note(energy, &work.balance);
        motion.active += Joints::of(&stage.world).active as u64;
        if let Some(reports) = &mut log.reports {
            reports.note(&reports::cells(&stage.world, motion.steps, &report, took))?;
        }
        measured = Measured {
            energy,
            gap_max: report.gap_max,
            gap_mean: report.gap_mean,
            penetration: report.penetration_max,
            contacts: report.contacts,
            asleep: report.asleep,
        };
        log.note(stage, motion.steps, &measured, motion.steps == plan.steps)?;
        bar.set_position(motion.steps);
    }
    motion.gap_end = gap::greatest(&stage.world);
    bar.finish_and_clear();
    Ok(motion)
}
