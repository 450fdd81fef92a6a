use crate::detail::Region;
use crate::dynamics::actuator::Actuator;
use crate::dynamics::integrate::StepReport;
use crate::dynamics::{JointForces, State};
use crate::model::{JointId, Model};

use super::{Simulation, StepError};

/// What a controller sees before a step.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// What moves.
    pub model: &'a Model,
    /// Time at the start of the step \[s].
    pub time: f64,
    /// Positions of all joints, frozen ones included.
    pub q: &'a [f64],
    /// Velocities of all joints; zero where they are frozen.
    pub v: &'a [f64],
    region: Option<&'a Region>,
}

impl View<'_> {
    /// Whether a joint is simulated now; at full detail all are that move. Driving a rigid joint moves nothing until the
    /// next update of the active joints, which sees the drive and may wake the joint.
    pub fn is_active(&self, joint: JointId) -> bool {
        let Some(link) = self.model.joints().get(joint.index()).and_then(|j| j.link) else { return false };
        self.region.is_none_or(|region| region.active().contains(link.0))
    }

    /// Position of a joint with one number \[rad or m]: the first number, if it has more.
    pub fn position(&self, joint: JointId) -> f64 {
        self.q[self.model.joints()[joint.index()].q]
    }

    /// Velocity of a joint's first degree of freedom \[rad/s or m/s].
    pub fn velocity(&self, joint: JointId) -> f64 {
        self.v[self.model.joints()[joint.index()].v]
    }
}

/// What a controller may change. All of it stays as it is until changed again.
#[derive(Debug)]
pub struct Commands<'a> {
    /// The drives of joints: set their `control`.
    pub actuators: &'a mut [Actuator],
    /// Joint forces, dual to v \[N·m or N]. Set those that change, one by one: the others need not be looked at.
    pub tau: &'a mut JointForces,
}

/// Decides before every step what drives do: any function of a [`View`] and [`Commands`], or a type with a state of
/// its own.
///
/// ```
/// use glam::DVec3;
/// use supple::{Actuator, Body, Commands, Joint, JointId, ModelBuilder, RigidInertia, Simulation, View};
///
/// let rod = RigidInertia::solid_capsule(1.0, DVec3::ZERO, DVec3::X, 0.02);
/// let model = ModelBuilder::new().body(Body::new("arm", Joint::revolute(DVec3::Y)).inertia(rod)).finish()?;
/// let mut simulation = Simulation::new(model);
/// let shoulder = JointId::new(0);
/// simulation.actuators.push(Actuator::position(shoulder, 200.0, 20.0));
/// let mut wave = |view: &View, commands: &mut Commands| {
///     if view.is_active(shoulder) {
///         commands.actuators[0].control = (2.0 * view.time).sin();
///     }
/// };
/// for _ in 0..60 {
///     simulation.step_with(&mut wave, 1.0 / 60.0)?;
/// }
/// # assert!((simulation.state.q[0] - 2f64.sin()).abs() < 0.2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Controller {
    /// Called once before each step.
    fn control(&mut self, view: &View<'_>, commands: &mut Commands<'_>);
}

impl<F: FnMut(&View<'_>, &mut Commands<'_>)> Controller for F {
    fn control(&mut self, view: &View<'_>, commands: &mut Commands<'_>) {
        self(view, commands);
    }
}

impl Simulation {
    /// Takes one step of `dt` \[s] with the drives as `controller` sets them. On an error the state is that before the
    /// step; the drives stay set.
    pub fn step_with(
        &mut self,
        controller: &mut (impl Controller + ?Sized),
        dt: f64,
    ) -> Result<StepReport, StepError> {
        self.drive(controller);
        self.step(dt)
    }

    /// Lets a controller set the drives, without a step.
    pub fn drive(&mut self, controller: &mut (impl Controller + ?Sized)) {
        self.form_groups();
        let (actuators, tau) = (&mut self.actuators[..], &mut self.tau);
        let State { q, v, time, .. } = &self.state;
        let view = View { model: &self.model, time: *time, q, v, region: self.region.as_ref() };
        controller.control(&view, &mut Commands { actuators, tau });
    }
}
