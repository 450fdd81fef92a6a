//! A scene in motion, and what becomes of it.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use serde::Serialize;
use supple::Energy;
use supple::world::{CheckError, Checked, Momenta, Solver, Times, World, WorldError, WorldReport};
use supple_scenes::Stage;

use crate::exit;
use crate::progress::progress;
use crate::signals::{Signal, Signals};
use crate::view::Watcher;

use super::end::{self, Energies, Trouble};
use super::gap;
use super::log::Log;
use super::plan::Plan;
use super::rest::Rest;
use super::updates::{Tally, Updates};
use super::work::Work;

/// What is measured after a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Measured {
    /// When \[s]: that of the last step that succeeded.
    pub(crate) time: f64,
    pub(crate) energy: Energy,
    /// \[m]
    pub(crate) gap_max: f64,
    pub(crate) gap_mean: f64,
    pub(crate) penetration: f64,
    pub(crate) contacts: usize,
    /// Single bodies and articulations that sleep.
    pub(crate) asleep: usize,
}

impl Measured {
    fn new(world: &World, report: &WorldReport) -> Self {
        Self {
            time: world.time(),
            energy: world.energy(),
            gap_max: report.gap_max,
            gap_mean: report.gap_mean,
            penetration: report.penetration_max,
            contacts: report.contacts,
            asleep: report.asleep,
        }
    }
}

/// What became of a scene.
pub(crate) struct Motion {
    /// Steps taken.
    pub(crate) steps: u64,
    pub(crate) clock: Clock,
    /// Articulated-body sweeps in all, where they are known.
    pub(crate) sweeps: Option<u64>,
    /// Active joints, summed over the steps.
    pub(crate) active: u64,
    /// What updates of active regions did.
    pub(crate) updates: Tally,
    pub(crate) energies: Energies,
    pub(crate) momenta: MomentaSeen,
    pub(crate) joints: Joints,
    pub(crate) contacts: Contacts,
    /// The report of the last step.
    pub(crate) last: WorldReport,
    /// What steps that were checked came to.
    pub(crate) checks: Option<Checks>,
    /// Why it ended early.
    pub(crate) failure: Option<WorldError>,
    /// Who ended it early.
    pub(crate) signal: Option<Signal>,
}

/// Time that steps took.
#[derive(Default)]
pub(crate) struct Clock {
    /// In steps alone.
    pub(crate) stepping: Duration,
    first: Duration,
    steps: u64,
    /// Slowest step but the first \[ns].
    pub(crate) ns_worst: f64,
    /// Where it went.
    pub(crate) times: Times,
}

impl Clock {
    fn note(&mut self, took: Duration) {
        self.stepping += took;
        self.steps += 1;
        if self.steps == 1 {
            self.first = took;
        } else {
            self.ns_worst = self.ns_worst.max(took.as_secs_f64() * 1e9);
        }
    }

    /// Mean time of all steps but the first \[ns].
    pub(crate) fn ns_mean(&self) -> f64 {
        let rest = self.steps.saturating_sub(1);
        if rest == 0 { 0.0 } else { (self.stepping - self.first).as_secs_f64() * 1e9 / rest as f64 }
    }
}

/// How well joints held.
#[derive(Default)]
pub(crate) struct Joints {
    /// Greatest distances: before the run, in it, after it \[m].
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
    /// Whether the solver goes on until constraints are met; the others have their accuracy by a number of iterations.
    exact: bool,
}

impl Joints {
    fn start(world: &World) -> Self {
        let gap = gap::greatest(world);
        let exact = world.settings.solver == Solver::Together;
        Self { gap_start: gap, gap_end: gap, exact, ..Self::default() }
    }

    fn note(&mut self, report: &WorldReport) {
        self.gap_max = self.gap_max.max(report.gap_max);
        self.gap_sum += report.gap_mean;
        self.angle_max = self.angle_max.max(report.angle_max);
        self.iterations += u64::from(report.iterations);
        self.iterations_max = self.iterations_max.max(report.iterations);
        self.substeps += u64::from(report.substeps);
        self.substeps_max = self.substeps_max.max(report.substeps);
        self.unsolved += u64::from(report.unsolved > 0);
    }
}

/// What touched, and what came to rest.
#[derive(Default)]
pub(crate) struct Contacts {
    /// Deepest after any step \[m].
    pub(crate) penetration_max: f64,
    /// Contact points, summed over the steps and at most.
    pub(crate) sum: u64,
    pub(crate) max: usize,
    pub(crate) sweeps: u64,
    pub(crate) rest: Rest,
}

impl Contacts {
    fn note(&mut self, step: u64, report: &WorldReport) {
        self.penetration_max = self.penetration_max.max(report.penetration_max);
        self.sum += report.contacts as u64;
        self.max = self.max.max(report.contacts);
        self.sweeps += u64::from(report.contact_sweeps);
        self.rest.note(step, report);
    }
}

/// Momenta over a run.
#[derive(Default)]
pub(crate) struct MomentaSeen {
    pub(crate) start: Momenta,
    /// Greatest linear \[N·s] and angular momentum \[N·m·s] after any step.
    pub(crate) max: [f64; 2],
}

impl MomentaSeen {
    fn note(&mut self, momenta: &Momenta) {
        let now = [momenta.linear.length(), momenta.angular.length()];
        self.max = [0, 1].map(|i| self.max[i].max(now[i]));
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

/// Of all bodies that can be pushed \[kg].
fn mass(world: &World) -> f64 {
    let singles = world.bodies().filter(|(_, body)| !body.is_kinematic()).map(|(_, body)| body.mass());
    singles.chain(world.articulations().map(|(_, simulation)| simulation.momentum().mass)).sum()
}

impl Motion {
    fn start(stage: &Stage) -> (Self, Measured) {
        let (world, joints) = (&stage.world, Joints::start(&stage.world));
        let energy = world.energy();
        let measured =
            Measured { time: world.time(), energy, gap_max: joints.gap_start, ..Measured::default() };
        let motion = Self {
            steps: 0,
            clock: Clock::default(),
            sweeps: Some(0),
            active: 0,
            updates: Tally::default(),
            energies: Energies::new(energy, mass(world)),
            momenta: MomentaSeen { start: world.momenta(), ..MomentaSeen::default() },
            joints,
            contacts: Contacts::default(),
            last: WorldReport::default(),
            checks: None,
            failure: None,
            signal: None,
        };
        (motion, measured)
    }

    /// After a step that succeeded.
    fn note(&mut self, stage: &Stage, report: &WorldReport) {
        self.steps += 1;
        self.sweeps = self.sweeps.zip(stage.sweeps()).map(|(all, more)| all + u64::from(more));
        self.active += stage.active() as u64;
        self.joints.note(report);
        self.contacts.note(self.steps, report);
        self.momenta.note(&stage.world.momenta());
        self.clock.times += report.times;
        self.last = *report;
    }

    /// What is wrong with it though it went on.
    pub(crate) fn trouble(&self) -> Option<Trouble> {
        let Joints { unsolved, exact, .. } = self.joints;
        let lost = exact && 2 * unsolved > self.steps;
        lost.then_some(Trouble::Unsolved { steps: unsolved, of: self.steps })
            .or_else(|| self.energies.diverged())
    }

    /// How it ended, as JSON has it.
    pub(crate) fn ended(&self) -> &'static str {
        let failed = self.failure.as_ref().map(exit::is_not_finite);
        end::word(self.signal, failed, self.trouble().as_ref())
    }

    /// One step, checked if that is asked for; the report of one that was checked is not known.
    fn step(
        &mut self,
        stage: &mut Stage,
        watcher: Option<&mut Watcher>,
        dt: f64,
    ) -> Result<Option<WorldReport>> {
        let outcome = match watcher {
            Some(watcher) if watcher.checks() => match watcher.checked_step(stage, dt) {
                Ok(checked) => {
                    self.checks.get_or_insert_default().note(&checked);
                    Ok(WorldReport::default())
                }
                Err(CheckError::Step(error)) => Err(error),
                Err(other) => bail!(other),
            },
            Some(watcher) => {
                watcher.look(stage)?;
                stage.step(dt)
            }
            None => stage.step(dt),
        };
        match outcome {
            Ok(report) => Ok(Some(report)),
            Err(error) => {
                self.failure = Some(error);
                Ok(None)
            }
        }
    }
}

/// Takes the planned steps, or as many as succeed.
pub(crate) fn simulate(
    stage: &mut Stage,
    plan: &Plan,
    mut watcher: Option<&mut Watcher>,
    log: &mut Log,
    signals: &Signals,
) -> Result<Motion> {
    let mut bar = progress(plan.steps);
    bar.set_message(log.filmed());
    let mut updates = Updates::default();
    let (mut motion, mut measured) = Motion::start(stage);
    let mut work = Work::new(&stage.world);
    log.note(stage, 0, &measured, plan.steps == 0)?;
    while motion.steps < plan.steps {
        motion.signal = signals.asked();
        if motion.signal.is_some() {
            log.note(stage, motion.steps, &measured, true)?;
            break;
        }
        let start = Instant::now();
        let report = motion.step(stage, watcher.as_deref_mut(), plan.dt)?;
        let took = start.elapsed();
        let Some(report) = report else {
            motion.clock.stepping += took;
            log.note(stage, motion.steps, &measured, true)?;
            break;
        };
        motion.clock.note(took);
        motion.note(stage, &report);
        updates.look(stage);
        motion.updates = updates.all;
        log.report(stage, motion.steps, &report, &updates.step, took)?;
        work.note(&stage.world, &report, plan.dt);
        measured = Measured::new(&stage.world, &report);
        motion.energies.note(measured.energy, &work.balance);
        log.note(stage, motion.steps, &measured, motion.steps == plan.steps)?;
        bar.set_position(motion.steps);
    }
    motion.joints.gap_end = gap::greatest(&stage.world);
    bar.finish_and_clear();
    Ok(motion)
}
