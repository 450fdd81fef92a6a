use crate::model::{JointId, Model};

/// How many joints, or how much error, a body is allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Target {
    /// All joints, always.
    #[default]
    Full,
    /// So many joints, whatever their degrees of freedom. A floating base counts as one and is never frozen.
    Joints(usize),
    /// As many joints as it takes to leave out no more than this of the motion metrics.
    Error {
        /// Sum of squared joint accelerations that may be left out \[rad²/s⁴ or m²/s⁴].
        acceleration: f64,
        /// Sum of squared joint velocities that may be left out \[rad²/s² or m²/s²].
        velocity: f64,
    },
}

/// Which joints become active, among those that moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rule {
    /// From the root of the assembly tree down (the paper's): best for large, fast motion.
    Tree,
    /// The fastest ones: best for settling.
    Free,
    /// Most by the tree, the rest the fastest ones, where the budget is small against the depth of the tree.
    #[default]
    Split,
}

/// What the user wants of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// The metric decides.
    #[default]
    Free,
    /// Stays active.
    Active,
    /// Stays rigid.
    Rigid,
}

/// How much of a body is simulated, and when that is decided.
#[derive(Clone, Debug, PartialEq)]
pub struct Detail {
    /// How many joints or how much error.
    pub target: Target,
    /// Which joints become active.
    pub rule: Rule,
    /// Steps from one update of the active region to the next.
    pub update_every: u32,
    /// Whether joints are ranked by the velocity that they will have gained until the next update, not by the present
    /// one: without it, those that were just woken have none to show.
    pub look_ahead: bool,
    /// How many joints an update may try that are not active yet; `None`: as many as may be active.
    pub tries: Option<usize>,
    /// Joints that stay active or rigid.
    pub keep: Vec<(JointId, Keep)>,
}

impl Default for Detail {
    fn default() -> Self {
        Self {
            target: Target::Full,
            rule: Rule::Split,
            update_every: 20,
            look_ahead: true,
            tries: None,
            keep: Vec::new(),
        }
    }
}

/// Why a detail cannot be had.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DetailError {
    /// More joints than there are.
    #[error(
        "{wanted} active joints were asked for, but the body has {joints} that move: ask for at most that many"
    )]
    TooManyJoints {
        /// Joints asked for.
        wanted: usize,
        /// Joints that move.
        joints: usize,
    },
    /// An error bound that is negative or not a number.
    #[error("the {what} error that may be left out must not be negative, got {value} {unit}")]
    BadError {
        /// "acceleration" or "velocity".
        what: &'static str,
        /// The value given.
        value: f64,
        /// Its unit.
        unit: &'static str,
    },
    /// An update every zero steps.
    #[error("the active region must be updated every 1 or more steps, got every 0")]
    NoUpdates,
    /// A joint that is not there or does not move.
    #[error("joint number {joint} is kept active or rigid, but the model has no moving joint of that number")]
    NoSuchJoint {
        /// The number.
        joint: usize,
    },
}

impl Detail {
    /// So many joints.
    pub fn joints(count: usize) -> Self {
        Self { target: Target::Joints(count), ..Self::default() }
    }

    /// No more than this error in accelerations and velocities (sums of squares).
    pub fn error(acceleration: f64, velocity: f64) -> Self {
        Self { target: Target::Error { acceleration, velocity }, ..Self::default() }
    }

    /// Whether this can be asked of a model.
    pub fn check(&self, model: &Model) -> Result<(), DetailError> {
        match self.target {
            Target::Joints(wanted) if wanted > model.moving_joints() => {
                return Err(DetailError::TooManyJoints { wanted, joints: model.moving_joints() });
            }
            Target::Error { acceleration, velocity } => {
                for (what, value, unit) in
                    [("acceleration", acceleration, "rad²/s⁴"), ("velocity", velocity, "rad²/s²")]
                {
                    if !(value >= 0.0) {
                        return Err(DetailError::BadError { what, value, unit });
                    }
                }
            }
            _ => {}
        }
        if self.update_every == 0 {
            return Err(DetailError::NoUpdates);
        }
        let moves = |joint: JointId| model.joints().get(joint.index()).is_some_and(|j| j.link.is_some());
        match self.keep.iter().find(|(joint, _)| !moves(*joint)) {
            Some((joint, _)) => Err(DetailError::NoSuchJoint { joint: joint.index() }),
            None => Ok(()),
        }
    }
}
