//! How much detail a scene has while it runs.

use supple::Simulation;
use supple::detail::{Detail, DetailError, Target};
use supple::world::World;

use crate::{Schedule, Stage};

/// How much detail there is, of everybody.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Policy {
    /// As the scene has it.
    #[default]
    Scene,
    /// All joints.
    Full,
    /// So many joints in each actor, as far as it has them.
    Joints(usize),
    /// As many joints as it takes to leave out no more than this of the squared joint accelerations \[rad²/s⁴ or m²/s⁴].
    Error(f64),
    /// As many joints as it takes for no more wrong pixels per step.
    Pixels(f64),
    /// So many joints in all actors together.
    Budget(usize),
}

impl Policy {
    /// Names of all policies, as the page and the command line have them.
    pub const NAMES: [&'static str; 6] = ["scene", "full", "joints", "error", "pixels", "budget"];

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Scene => "scene",
            Self::Full => "full",
            Self::Joints(_) => "joints",
            Self::Error(_) => "error",
            Self::Pixels(_) => "pixels",
            Self::Budget(_) => "budget",
        }
    }

    /// Its number.
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::Scene | Self::Full => None,
            Self::Joints(count) | Self::Budget(count) => Some(*count as f64),
            Self::Error(error) | Self::Pixels(error) => Some(*error),
        }
    }

    /// The policy of this name and number; `None` if there is no such policy, or the number makes no sense for it.
    pub fn parse(name: &str, value: Option<f64>) -> Option<Self> {
        let number = || value.filter(|v| *v >= 0.0 && v.is_finite());
        // no more than any scene has; beyond that `as` would do the same
        let count = || number().map(|v| v.round() as usize);
        Some(match name {
            "scene" => Self::Scene,
            "full" => Self::Full,
            "joints" => Self::Joints(count()?),
            "error" => Self::Error(number()?),
            "pixels" => Self::Pixels(number()?),
            "budget" => Self::Budget(count()?),
            _ => return None,
        })
    }

    /// The detail of one body, over what it had in the scene.
    fn detail(self, own: &Detail, joints: usize, dt: f64) -> Detail {
        let target = match self {
            Self::Scene | Self::Budget(_) => return own.clone(),
            Self::Full => Target::Full,
            Self::Joints(count) => Target::Joints(count.clamp(1, joints.max(1)).min(joints)),
            Self::Error(acceleration) => {
                let period = dt * f64::from(own.update_every);
                Target::Error { acceleration, velocity: acceleration * period * period }
            }
            Self::Pixels(error) => Target::Pixels { error },
        };
        Detail { target, ..own.clone() }
    }
}

/// What a scene asked for, to go back to.
#[derive(Clone, Debug)]
pub(super) struct Own {
    details: Vec<Detail>,
    budget: Option<usize>,
    schedule: Option<Schedule>,
}

impl Own {
    pub(super) fn of(stage: &Stage) -> Self {
        let world = &stage.world;
        // a budget sets prices, which are nobody's own
        let own = |detail: &Detail| if world.budget().is_some() { full(detail) } else { detail.clone() };
        Self {
            details: world.articulations().map(|(_, simulation)| own(simulation.detail())).collect(),
            budget: world.budget(),
            schedule: stage.script.schedule.clone(),
        }
    }

    /// Asks a world for this much detail. Where pixels count somebody must look already. What the scene would ask for over time is its own
    /// alone.
    pub(super) fn apply(
        &self,
        policy: Policy,
        world: &mut World,
        dt: f64,
    ) -> Result<Option<Schedule>, DetailError> {
        world.set_pixels(None)?;
        world.set_budget(None)?;
        let each =
            if matches!(policy, Policy::Budget(_) | Policy::Pixels(_)) { Policy::Full } else { policy };
        for ((_, simulation), own) in world.articulations_mut().zip(&self.details) {
            set(simulation, each, own, dt)?;
        }
        match policy {
            Policy::Scene => {
                world.set_budget(self.budget)?;
                return Ok(self.schedule.clone());
            }
            Policy::Budget(joints) => {
                // floating bases are never frozen, and joints that are kept active
                let joints = joints.min(world.articulations().map(|(_, s)| s.model.moving_joints()).sum());
                match world.set_budget(Some(joints)) {
                    Err(DetailError::TooFewJoints { held, .. }) => world.set_budget(Some(held))?,
                    other => other?,
                }
            }
            Policy::Pixels(error) => world.set_pixels(Some(error))?,
            _ => {}
        }
        Ok(None)
    }
}

fn full(detail: &Detail) -> Detail {
    Detail { target: Target::Full, ..detail.clone() }
}

fn set(simulation: &mut Simulation, policy: Policy, own: &Detail, dt: f64) -> Result<(), DetailError> {
    let detail = policy.detail(own, simulation.model.moving_joints(), dt);
    if detail == *simulation.detail() {
        return Ok(());
    }
    simulation.set_detail(detail)
}
