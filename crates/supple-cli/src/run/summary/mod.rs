//! What a run tells at its end.

mod text;

use serde::Serialize;
use supple::world::{Momenta, World};
use supple_scenes::{DtFrom, Stage};

use crate::exit;

use super::motion::{Checks, Motion};
use super::shape::Shape;
use super::updates::Tally;
use super::{contacts, solver};

/// The summary as JSON has it, all parts side by side. SI units.
#[derive(Serialize)]
pub(crate) struct Summary {
    scene: String,
    #[serde(flatten)]
    steps: Steps,
    #[serde(flatten)]
    contents: Contents,
    #[serde(flatten)]
    detail: Detail,
    #[serde(flatten)]
    energy: Energy,
    #[serde(flatten)]
    momenta: MomentaTold,
    #[serde(flatten)]
    joints: Joints,
    #[serde(flatten)]
    contacts: Contacts,
    /// Whether the motion stayed finite.
    finite: bool,
    /// `done`, `interrupted`, `terminated`, `non-finite`, `failed`, `diverged` or `unsolved`.
    ended: &'static str,
}

/// Steps, and how long they took.
#[derive(Serialize)]
struct Steps {
    /// Length of a step, and who says so: `option`, `scene`, `file` or `default`.
    dt: f64,
    dt_from: &'static str,
    /// Steps taken.
    steps: u64,
    /// Simulated time.
    seconds: f64,
    /// Time spent in steps; measuring and writing are not counted.
    wall_s: f64,
    real_time_factor: f64,
    /// Time of a step, mean and worst, the first left out \[ns].
    ns_mean: f64,
    ns_worst: f64,
    /// Where the time of the steps went.
    broad_s: f64,
    narrow_s: f64,
    solve_s: f64,
    joints_s: f64,
    dynamics_s: f64,
}

/// What there is.
#[derive(Serialize)]
struct Contents {
    bodies: usize,
    articulations: usize,
    constraints: usize,
    islands: usize,
    colliders: usize,
    #[serde(skip)]
    shape: Shape,
}

/// How much was simulated.
#[derive(Serialize)]
struct Detail {
    /// Joints of articulations that can move, and those simulated in a step, on average.
    joints: usize,
    active_mean: f64,
    /// Of one articulation that is alone; null for several.
    sweeps_per_step: Option<f64>,
    /// What all updates of active regions did together; null at full detail.
    detail: Option<Tally>,
    /// What steps came to that were checked by their images; null where they were not.
    checks: Option<Checks>,
}

/// Energies.
#[derive(Serialize)]
struct Energy {
    energy_start: f64,
    energy_end: f64,
    energy_max: f64,
    /// Work of what drives and brakes; and the change of the energy without it, null where something did work that is not counted.
    energy_work: f64,
    /// How well the work is known.
    energy_work_error: f64,
    energy_drift: Option<f64>,
    /// What did work that is not in `energy_work`.
    energy_not_counted: Vec<&'static str>,
}

/// Momenta.
#[derive(Serialize)]
struct MomentaTold {
    momentum_start: Momentum,
    momentum_end: Momentum,
    /// Greatest linear and angular momentum after any step \[N·s, N·m·s].
    momentum_max: [f64; 2],
}

#[derive(Serialize)]
struct Momentum {
    /// \[N·s]
    linear: [f64; 3],
    /// About the world's origin \[N·m·s].
    angular: [f64; 3],
}

/// How well joints held.
#[derive(Serialize)]
struct Joints {
    solver: String,
    /// Greatest distance between the two sides of a joint: before the run, in the run, after the last step \[m].
    gap_start: f64,
    gap_max: f64,
    gap_end: f64,
    /// Mean over joints and steps \[m].
    gap_mean: f64,
    /// Greatest angle between the two sides of a joint \[rad].
    angle_max: f64,
    /// Newton iterations per step.
    iterations_mean: f64,
    iterations_max: u32,
    /// Parts that steps were cut into, in all and at most.
    substeps: u64,
    substeps_max: u32,
    /// Steps in which some constraints could not be met to the tolerance.
    unsolved: u64,
}

/// What touched.
#[derive(Serialize)]
struct Contacts {
    contact_method: String,
    /// Contact points per step, and at most.
    contacts_mean: f64,
    contacts_max: usize,
    /// Deepest penetration after any step, and after the last \[m].
    penetration_max: f64,
    penetration_end: f64,
    /// Sweeps over the contacts per step.
    contact_sweeps: f64,
    /// Single bodies and articulations that sleep at the end, and those that do not.
    asleep: usize,
    awake: usize,
    /// From when on all slept; null if something is awake.
    rest_s: Option<f64>,
}

impl From<Momenta> for Momentum {
    fn from(m: Momenta) -> Self {
        Self { linear: m.linear.to_array(), angular: m.angular.to_array() }
    }
}

fn mean(sum: f64, steps: u64) -> f64 {
    if steps > 0 { sum / steps as f64 } else { 0.0 }
}

impl Summary {
    pub(crate) fn new(title: &str, stage: &Stage, motion: &Motion, (dt, from): (f64, DtFrom)) -> Self {
        Self {
            scene: title.to_owned(),
            steps: Steps::new(motion, dt, from),
            contents: Contents::new(&stage.world, motion),
            detail: Detail::new(stage, motion),
            energy: Energy::new(motion),
            momenta: MomentaTold {
                momentum_start: motion.momenta.start.into(),
                momentum_end: stage.world.momenta().into(),
                momentum_max: motion.momenta.max,
            },
            joints: Joints::new(&stage.world, motion),
            contacts: Contacts::new(&stage.world, motion, dt),
            finite: !motion.failure.as_ref().is_some_and(exit::is_not_finite),
            ended: motion.ended(),
        }
    }
}

impl Steps {
    fn new(motion: &Motion, dt: f64, from: DtFrom) -> Self {
        let clock = &motion.clock;
        let (seconds, wall_s) = (motion.steps as f64 * dt, clock.stepping.as_secs_f64());
        Self {
            dt,
            dt_from: from.name(),
            steps: motion.steps,
            seconds,
            wall_s,
            real_time_factor: if wall_s > 0.0 { seconds / wall_s } else { 0.0 },
            ns_mean: clock.ns_mean(),
            ns_worst: clock.ns_worst,
            broad_s: clock.times.broad,
            narrow_s: clock.times.narrow,
            solve_s: clock.times.solve,
            joints_s: clock.times.joints,
            dynamics_s: clock.times.dynamics,
        }
    }
}

impl Contents {
    fn new(world: &World, motion: &Motion) -> Self {
        Self {
            bodies: world.bodies().count(),
            articulations: world.articulations().count(),
            constraints: motion.last.constraints,
            islands: motion.last.islands,
            colliders: world.colliders().count(),
            shape: Shape::of(world),
        }
    }
}

impl Detail {
    fn new(stage: &Stage, motion: &Motion) -> Self {
        let joints = stage.joints();
        let all = motion.steps == 0;
        Self {
            joints,
            active_mean: if all { joints as f64 } else { mean(motion.active as f64, motion.steps) },
            sweeps_per_step: motion.sweeps.map(|sweeps| sweeps as f64 / motion.steps.max(1) as f64),
            detail: (motion.updates.updates > 0).then_some(motion.updates),
            checks: motion.checks,
        }
    }
}

impl Energy {
    fn new(motion: &Motion) -> Self {
        let energies = &motion.energies;
        Self {
            energy_start: energies.start,
            energy_end: energies.end,
            energy_max: energies.max,
            energy_work: energies.balance.work,
            energy_work_error: energies.balance.error,
            energy_drift: energies.drift(),
            energy_not_counted: energies.balance.not_counted.iter().copied().collect(),
        }
    }
}

impl Joints {
    fn new(world: &World, motion: &Motion) -> Self {
        let joints = &motion.joints;
        Self {
            solver: solver::name(world.settings.solver),
            gap_start: joints.gap_start,
            gap_max: joints.gap_max,
            gap_end: joints.gap_end,
            gap_mean: mean(joints.gap_sum, motion.steps),
            angle_max: joints.angle_max,
            iterations_mean: mean(joints.iterations as f64, motion.steps),
            iterations_max: joints.iterations_max,
            substeps: joints.substeps,
            substeps_max: joints.substeps_max,
            unsolved: joints.unsolved,
        }
    }
}

impl Contacts {
    fn new(world: &World, motion: &Motion, dt: f64) -> Self {
        let contacts = &motion.contacts;
        Self {
            contact_method: contacts::name(world.settings.contact.method),
            contacts_mean: mean(contacts.sum as f64, motion.steps),
            contacts_max: contacts.max,
            penetration_max: contacts.penetration_max,
            penetration_end: motion.last.penetration_max,
            contact_sweeps: mean(contacts.sweeps as f64, motion.steps),
            asleep: motion.last.asleep,
            awake: motion.last.awake,
            rest_s: contacts.rest.since().map(|step| step as f64 * dt),
        }
    }
}
