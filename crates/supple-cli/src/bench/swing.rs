//! The paper's pendulum swinging at different details: how long steps take, and how far the tip is from the truth.

use std::time::Instant;

use anyhow::Result;
use glam::DVec3;
use supple::detail::{Detail, Metric};
use supple::{Integrator, Simulation, StepError};
use supple_scenes::Drive;

use super::median::median;
use super::step_times::StepTimes;

/// Length of a step \[s].
pub(crate) const DT: f64 = 1e-3;
/// Steps from one update to the next, the paper's.
pub(crate) const UPDATE_EVERY: u32 = 20;
/// Joints of the pendulum.
pub(crate) const JOINTS: usize = 300;
/// Steps of the reference for each of ours.
const FINER: usize = 2;

/// The pendulum, and the forces on it.
pub(crate) struct Pendulum {
    pub(crate) simulation: Simulation,
    drive: Option<Drive>,
}

impl Pendulum {
    /// The forces of the step to come.
    fn cue(&mut self) {
        if let Some(drive) = &self.drive {
            drive.act(0, &mut self.simulation);
        }
    }

    fn step(&mut self, dt: f64) -> Result<(), StepError> {
        self.cue();
        self.simulation.step(dt).map(|_| ())
    }
}

/// The pendulum with forces on some links and so many joints active; all of them is full detail.
pub(crate) fn pendulum(
    forces: usize,
    active: usize,
    integrator: Integrator,
    metric: Metric,
) -> Result<Pendulum> {
    let settings = [("forces", &forces.to_string()[..])];
    let mut simulation = supple_scenes::simulation("pendulum-300", &settings)?;
    let detail = if active >= JOINTS { Detail::default() } else { Detail::joints(active) };
    // forces change in every step, and bring no update forward: updates come when the paper's do
    let on_change = f64::INFINITY;
    simulation.set_detail(Detail { update_every: UPDATE_EVERY, metric, on_change, ..detail })?;
    simulation.integrator = integrator;
    Ok(Pendulum { simulation, drive: supple_scenes::stage("pendulum-300", &settings)?.script.drive })
}

/// End of the last link.
pub(crate) fn tip(simulation: &Simulation) -> DVec3 {
    let kinematics = simulation.kinematics();
    kinematics.links.last().map_or(DVec3::ZERO, |link| link.pose().point(DVec3::new(0.1, 0.0, 0.0)))
}

/// Where the tip truly is after each of so many steps: all joints, Runge-Kutta, finer steps.
pub(crate) fn reference(forces: usize, steps: usize) -> Result<Vec<DVec3>> {
    let mut swinging = pendulum(forces, JOINTS, Integrator::Rk4, Metric::Auto)?;
    let mut tips = Vec::with_capacity(steps);
    for _ in 0..steps {
        for _ in 0..FINER {
            swinging.step(DT / FINER as f64)?;
        }
        tips.push(tip(&swinging.simulation));
    }
    Ok(tips)
}

/// Distance of the tip from where it should be after each step \[m], as far as the motion stays finite.
pub(crate) fn errors(mut swinging: Pendulum, reference: &[DVec3]) -> (Vec<f64>, Pendulum) {
    let mut errors = Vec::with_capacity(reference.len());
    for expected in reference {
        if swinging.step(DT).is_err() {
            break;
        }
        errors.push(tip(&swinging.simulation).distance(*expected));
    }
    (errors, swinging)
}

/// Root of the mean square over the first `steps`; `None` if there are fewer.
pub(crate) fn rms(errors: &[f64], steps: usize) -> Option<f64> {
    let first = errors.get(..steps)?;
    Some((first.iter().map(|e| e * e).sum::<f64>() / steps as f64).sqrt())
}

/// A run with a clock that runs only during steps.
pub(crate) struct Timed {
    swinging: Pendulum,
    step: usize,
    finite: bool,
    /// Time between two looks at the clock \[ns]: some tens, a tenth of the shortest step.
    looking: f64,
}

impl Timed {
    pub(crate) fn new(swinging: Pendulum) -> Self {
        let looks: Vec<f64> = (0..99).map(|_| Instant::now().elapsed().as_secs_f64() * 1e9).collect();
        Self { swinging, step: 0, finite: true, looking: median(&looks) }
    }

    /// Takes so many steps, or fewer if the motion does not stay finite.
    pub(crate) fn advance(&mut self, steps: usize, times: &mut StepTimes) {
        for _ in 0..steps {
            if !self.finite {
                return;
            }
            self.swinging.cue();
            let simulation = &mut self.swinging.simulation;
            let start = Instant::now();
            let outcome = simulation.step(DT);
            let took = start.elapsed().as_secs_f64() * 1e9;
            times.push(self.step, (took - self.looking).max(0.0));
            self.finite = outcome.is_ok();
            self.step += 1;
        }
    }

    /// The body as it is now.
    pub(crate) fn simulation(&self) -> &Simulation {
        &self.swinging.simulation
    }
}
