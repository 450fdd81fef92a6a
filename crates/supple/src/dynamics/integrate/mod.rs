//! The time step: seven ways to get from one state to the next.
//!
//! | name | sweeps | order | for |
//! |---|---|---|---|
//! | [`Default`](Integrator::Default) | 2, more for fast spin or a stop that is met | 2 | everything: chains hold at 1/60 s |
//! | [`Accurate`](Integrator::Accurate) | 3 | 2 | the same, closer to the true motion |
//! | [`Projection`](Integrator::Projection) | 1 | 1 | the cheapest that holds |
//! | [`SemiImplicit`](Integrator::SemiImplicit) | 1 | 1 | what other engines do |
//! | [`Explicit`](Integrator::Explicit) | 1 | 1 | the paper's Euler |
//! | [`Rk4`](Integrator::Rk4) | 4 | 4 | reference solutions at small steps |
//! | [`Adaptive`](Integrator::Adaptive) | as needed | 5 | reference solutions to a tolerance |
//!
//! A drive that comes to a limit of its force, or leaves it, takes a sweep or two more in the integrators that have drives implicit
//! (the first four).
//!
//! Orders are measured in the tests. Dampers are first order in `Default` and `Accurate`: they act as backward Euler, so
//! that stiff ones never ring. At 1/60 s `Default` damps what a step cannot resolve: waves above 30 Hz, and the nutation
//! of tops that spin by more than a radian per step (a fast top sinks within a minute; at 1/240 s it stands).

mod adaptive;
mod euler;
mod joints_of;
mod loads;
mod memory;
mod mirror;
pub mod position;
mod projection;
mod rk4;
mod step;
mod tension;

use crate::dynamics::{Backup, BodyState, EquationOfMotion, State};
use crate::model::{Link, Model, Tree};

pub use loads::{Axes, Load, Loads};
pub use memory::Memory;
pub use step::Step;

use super::aba;
use super::actuator::Drives;
use super::articulated::Sweep;
use super::kinematics::Kinematics;
use super::passive;
use super::response::Response;
use super::wrench::Wrenches;

/// How the state is taken over a time step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Integrator {
    /// Mirrored momentum projection with tension stiffness and energy cap: second order, does not explode.
    #[default]
    Default,
    /// [`Integrator::Default`] with two passes in the middle: more exact, less damping, half as much again in cost.
    Accurate,
    /// One momentum projection with tension stiffness: first order, one sweep.
    Projection,
    /// Velocities by the accelerations, then positions by the new velocities.
    SemiImplicit,
    /// Positions by the old velocities, velocities by the accelerations (as in the 2005 paper).
    Explicit,
    /// Classical Runge–Kutta of fourth order.
    Rk4,
    /// Runge–Kutta of Dormand and Prince, 5(4), in as many sub-steps as the tolerance asks for.
    Adaptive {
        /// Greatest error of a sub-step, in every position \[rad or m] and, per second, every velocity.
        tolerance: f64,
    },
}

impl Integrator {
    /// All of them, with the names that the command line uses.
    pub const ALL: [(&'static str, Self); 7] = [
        ("default", Self::Default),
        ("accurate", Self::Accurate),
        ("projection", Self::Projection),
        ("semi-implicit", Self::SemiImplicit),
        ("explicit", Self::Explicit),
        ("rk4", Self::Rk4),
        ("adaptive", Self::Adaptive { tolerance: 1e-6 }),
    ];

    /// The name that the command line uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Accurate => "accurate",
            Self::Projection => "projection",
            Self::SemiImplicit => "semi-implicit",
            Self::Explicit => "explicit",
            Self::Rk4 => "rk4",
            Self::Adaptive { .. } => "adaptive",
        }
    }

    /// The integrator with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(n, _)| *n == name).map(|(_, i)| *i)
    }
}

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Articulated-body sweeps over the tree.
    pub sweeps: u32,
    /// Sub-steps taken (one, but for the adaptive integrator).
    pub substeps: u32,
    /// Whether the energy cap took something away.
    pub capped: bool,
}

/// Scratch memory of all integrators; may be dropped at any time without changing a result.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    /// What the step may change, to go back to.
    pub(crate) backup: Backup,
    pub(crate) kinematics: Kinematics,
    /// Whether that is of the state with which the next projection step begins: who looked at it just before need not look twice.
    pub(crate) seen: bool,
    pub(crate) sweep: Sweep,
    pub(crate) wrenches: Wrenches,
    pub(crate) drives: Drives,
    pub(crate) tau: Vec<f64>,
    pub(crate) diagonal: Vec<f64>,
    /// Whether the projection step may not gain energy: for bodies in contact.
    pub(crate) cap: bool,
    /// Whether constraints hold it too: what they do in a step makes up for what the step changes of momenta, and grows where nothing takes energy.
    pub(crate) tied: bool,
    /// What the last sweep solved for, by v: accelerations, velocity jumps under impulses, or velocities, as the function says that ran it.
    pub(crate) rates: Vec<f64>,
    pub(crate) mirror: mirror::Scratch,
    pub(crate) projection: projection::Scratch,
    pub(crate) response: Response,
    pub(crate) stages: Vec<(Vec<f64>, Vec<f64>)>,
}

impl Workspace {
    /// The first `count` pairs of stage vectors, of the state's size; give them back after use.
    fn take_stages(&mut self, count: usize, state: &State) -> Vec<(Vec<f64>, Vec<f64>)> {
        let mut stages = std::mem::take(&mut self.stages);
        stages.resize_with(count.max(stages.len()), Default::default);
        for (q, v) in &mut stages {
            q.resize(state.q.len(), 0.0);
            v.resize(state.v.len(), 0.0);
        }
        stages
    }

    /// Accelerations of a body under `loads`, left in `self.rates`; springs and dampers of all kinds implicit over `h` \[s], forces of
    /// drives cut to their limits as they are then. How many sweeps it took.
    pub(crate) fn accelerate(&mut self, body: &BodyState<'_>, loads: &Loads, h: f64) -> u32 {
        self.prepare(body, loads, h, h);
        self.drives.begin(body, loads, h);
        let mut sweeps = 0;
        loop {
            self.accelerate_driven(body, loads, h);
            sweeps += 1;
            let rates = &self.rates;
            if self.drives.are_cut(|dof| body.v[dof] + h * rates[dof]) {
                return sweeps;
            }
        }
    }

    /// Accelerations of a body under `loads`, left in `self.rates`, as parts of the assembly tree have them: springs to the world explicit, and
    /// drives cut as they are in this state.
    pub(crate) fn accelerate_as_parts(&mut self, body: &BodyState<'_>, loads: &Loads, h: f64) {
        self.prepare(body, loads, h, 0.0);
        self.drives.set(body, loads);
        self.accelerate_driven(body, loads, h);
    }

    /// Kinematics and all forces but those of drives; implicit over `h` \[s], those of springs to the world over `spring_h`.
    fn prepare(&mut self, body: &BodyState<'_>, loads: &Loads, h: f64, spring_h: f64) {
        let BodyState { model, tree, q, v } = *body;
        self.kinematics.update(tree, q, v);
        self.wrenches.set(model, tree, &self.kinematics, loads.wrenches);
        self.wrenches.add_springs(model, tree, &self.kinematics, loads.springs, spring_h);
        self.tau.resize(model.nv(), 0.0);
        self.diagonal.resize(model.nv(), 0.0);
        self.rates.resize(model.nv(), 0.0);
        for dof in tree.links.iter().flat_map(Link::dofs) {
            self.tau[dof] = loads.drive(model, dof);
            self.diagonal[dof] = model.armature()[dof];
        }
        passive::add(body, h, &mut self.tau, &mut self.diagonal);
    }

    /// One sweep with the forces of drives as they are linear now.
    fn accelerate_driven(&mut self, body: &BodyState<'_>, loads: &Loads, h: f64) {
        let Self { kinematics, wrenches, drives, tau, diagonal, sweep, rates, .. } = self;
        drives.add(tau, diagonal, |d| (d.joint_force(body.v[d.dof], h), d.diagonal(h)));
        let (tree, gravity) = (body.tree, loads.gravity);
        let equation = EquationOfMotion { tree, kinematics, gravity, diagonal, wrenches };
        aba::accelerations(&equation, tau, sweep, rates);
    }
}

impl Workspace {
    /// Velocity jumps at q under `impulses` on bodies \[N·s, N·m·s], left in `self.rates`. `diagonal` is added to the joint inertia
    /// (by v); without it the armature is.
    pub(crate) fn jump(
        &mut self,
        model: &Model,
        tree: &Tree,
        q: &[f64],
        impulses: &Loads,
        diagonal: Option<&[f64]>,
    ) {
        self.kinematics.update_poses(tree, q);
        self.wrenches.set(model, tree, &self.kinematics, impulses.wrenches);
        self.rates.resize(model.nv(), 0.0);
        self.response.factor(tree, &self.kinematics, diagonal.unwrap_or(model.armature()));
        self.response.apply(tree, &self.kinematics, self.wrenches.entries(), &[], &mut self.rates);
    }
}

/// Takes one step, in place.
pub fn step(integrator: Integrator, step: &Step<'_>, state: &mut State, work: &mut Workspace) -> StepReport {
    match integrator {
        Integrator::Rk4 => rk4::step(step, state, work),
        Integrator::Adaptive { tolerance } => adaptive::step(step, tolerance, state, work),
        Integrator::Explicit => euler::explicit(step, state, work),
        Integrator::Default => mirror::step(mirror::Mode::Default, step, state, work),
        Integrator::Accurate => mirror::step(mirror::Mode::Accurate, step, state, work),
        Integrator::Projection => projection::step(step, state, work),
        Integrator::SemiImplicit => euler::semi_implicit(step, state, work),
    }
}
