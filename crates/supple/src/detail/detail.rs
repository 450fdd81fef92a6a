use crate::model::{JointId, Model};
use crate::util::names;

use super::assembly::leaf::{InverseInertia, SingularLink};

/// How many joints, or how much error, a body is allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Target {
    /// All joints, always.
    #[default]
    Full,
    /// So many joints at most, whatever their degrees of freedom, at any time: after updates, pushes and impacts ([`Detail::impact_extra`]
    /// lets impacts have more). Joints that are never frozen, a floating base and those that are kept active, count first, the base
    /// as one; where they alone are more than that, they stay active, and no other is.
    Joints(usize),
    /// As many joints as it takes to leave out no more than this of the motion metrics. The accelerations decide which joints are tried,
    /// the velocities which of them stay active. A body is left without any joint in motion only where it keeps within both
    /// as it then stands.
    Error {
        /// Sum of squared joint accelerations that may be left out \[rad²/s⁴ or m²/s⁴].
        acceleration: f64,
        /// Sum of squared joint velocities that may be left out \[rad²/s² or m²/s²].
        velocity: f64,
    },
    /// As many joints as it takes to leave out no more than this of the image: needs a [`Viewer`](crate::view::Viewer).
    Pixels {
        /// Pixels per step that may be wrong, estimated as N √𝒱 dt over all parts whose joints stand still.
        error: f64,
    },
    /// Guaranteed: in every single step no more than this is left out of the joint accelerations, which are those of the
    /// whole body; joints that move never stop (the paper's section 7.3). An update in every step, steps are semi-implicit.
    Guaranteed {
        /// Sum of squared joint accelerations that may be left out \[rad²/s⁴ or m²/s⁴].
        acceleration: f64,
    },
    /// Joints worth more than this price, and no more of them than a number: what a [`World`](crate::World) with a budget
    /// asks of its members.
    Price {
        /// Squared joint velocity, now or by the next update, that a joint must have \[rad²/s² or m²/s²].
        price: f64,
        /// Joints at most.
        most: usize,
    },
}

/// How an update knows what joints would do. Both ways come to the same joints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metric {
    /// Whichever costs less, by a model of their costs that was measured.
    #[default]
    Auto,
    /// One articulated-body sweep over the whole body.
    Direct,
    /// By the assembly tree: the body is never visited. Needs inertia in every link.
    Assembly,
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
    /// How updates know what joints would do.
    pub metric: Metric,
    /// Steps from one update of the active region to the next.
    pub update_every: u32,
    /// Steps by which updates come before the multiples of `update_every`: bodies whose phases differ take turns.
    pub phase: u32,
    /// A wrench or drive that is new, or that has changed since the last update by more than this share of itself, brings
    /// the next update forward. Infinite: never.
    pub on_change: f64,
    /// Whether joints are ranked by the velocity that they will have gained until the next update, not by the present
    /// one: without it, those that were just woken have none to show.
    pub look_ahead: bool,
    /// How many joints an update may try that are not active yet; `None`: a quarter of those that may be active, sixteen at
    /// least (no more than may be active), or as many as the error asks for. A number of tries may keep an error from being met.
    pub tries: Option<usize>,
    /// How many joints more than a number of joints asks for an impact in a world may open, until the next step chooses again. None as
    /// usual: an impact opens joints that it moves in the place of those that matter less. As many as there are make impacts softer, and
    /// their steps longer.
    pub impact_extra: usize,
    /// Joints that stay active or rigid.
    pub keep: Vec<(JointId, Keep)>,
}

impl Default for Detail {
    fn default() -> Self {
        Self {
            target: Target::Full,
            rule: Rule::Split,
            metric: Metric::Auto,
            update_every: 20,
            phase: 0,
            on_change: 0.5,
            look_ahead: true,
            tries: None,
            impact_extra: 0,
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
    /// An error in pixels, and nobody looks.
    #[error("an error of {error} pixels was asked for, but nobody looks: set a viewer first")]
    NoViewer {
        /// Pixels asked for.
        error: f64,
    },
    /// An update every zero steps.
    #[error("the active region must be updated every 1 or more steps, got every 0")]
    NoUpdates,
    /// A change of loads that is negative or not a number.
    #[error(
        "the change of a load that brings an update forward must not be negative, got {value} (a share of the load)"
    )]
    BadChange {
        /// The value given.
        value: f64,
    },
    /// The assembly tree was asked for where it cannot serve.
    #[error(
        "the link of joint {joint:?} has no inertia about some axis, so the assembly tree cannot tell the metric: use the direct metric, or give the link inertia"
    )]
    NoInertia {
        /// The joint.
        joint: String,
    },
    /// A world budget that leaves less than the joints that are never frozen.
    #[error(
        "a budget of {wanted} joints was asked for, but {held} joints (floating bases, joints held active) are never frozen: ask for at least that many"
    )]
    TooFewJoints {
        /// Joints asked for.
        wanted: usize,
        /// Joints that stay active.
        held: usize,
    },
    /// A name that no moving joint has.
    #[error(
        "joint {name:?} is to stay active or rigid, but the model has no moving joint of that name{hint}"
    )]
    UnknownJoint {
        /// The name.
        name: String,
        /// What was probably meant, as an ending of the sentence; may be empty.
        hint: String,
    },
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

    /// No more than this left out of the accelerations of any step (sum of squares).
    pub fn guaranteed(acceleration: f64) -> Self {
        Self { target: Target::Guaranteed { acceleration }, ..Self::default() }
    }

    /// No more than this error in accelerations and velocities (sums of squares).
    pub fn error(acceleration: f64, velocity: f64) -> Self {
        Self { target: Target::Error { acceleration, velocity }, ..Self::default() }
    }

    /// No more than so many pixels per step left out of what a viewer sees.
    pub fn pixels(error: f64) -> Self {
        Self { target: Target::Pixels { error }, ..Self::default() }
    }

    /// Impacts may open so many joints more than were asked for, until the next step.
    ///
    /// ```
    /// # use supple::detail::Detail;
    /// // never more than eight, and sixteen in the step of an impact
    /// let detail = Detail::joints(8).impact_extra(8);
    /// ```
    pub fn impact_extra(mut self, joints: usize) -> Self {
        self.impact_extra = joints;
        self
    }

    /// Holds joints by their names: they stay rigid, or active, whatever the metric says.
    ///
    /// ```
    /// # use glam::DVec3;
    /// # use supple::{Body, Joint, ModelBuilder, RigidInertia, detail::{Detail, Keep}};
    /// # let rod = RigidInertia::solid_capsule(1.0, DVec3::ZERO, DVec3::X, 0.02);
    /// # let model = ModelBuilder::new().body(Body::new("arm", Joint::revolute(DVec3::Y)).inertia(rod)).finish()?;
    /// # let joint = model.joints()[0].name.clone();
    /// let detail = Detail::joints(1).hold(&model, [joint.as_str()], Keep::Rigid)?;
    /// assert!(Detail::joints(1).hold(&model, ["tail"], Keep::Rigid).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn hold<'a>(
        mut self,
        model: &Model,
        names: impl IntoIterator<Item = &'a str>,
        keep: Keep,
    ) -> Result<Self, DetailError> {
        for name in names {
            let moves = |joint: &JointId| model.joints()[joint.index()].link.is_some();
            let Some(joint) = model.joint(name).filter(moves) else {
                let all = model.joints().iter().filter(|j| j.link.is_some()).map(|j| j.name.as_str());
                let hint = names::nearest(name, all)
                    .map_or(String::new(), |near| format!(": did you mean {near:?}?"));
                return Err(DetailError::UnknownJoint { name: name.into(), hint });
            };
            self.keep.push((joint, keep));
        }
        Ok(self)
    }

    /// Whether this can be asked of a model.
    pub fn check(&self, model: &Model) -> Result<(), DetailError> {
        self.check_all_but_metric(model)?;
        if self.metric == Metric::Assembly
            && let Err(SingularLink { joint }) = InverseInertia::of(model.tree())
        {
            return Err(DetailError::NoInertia { joint: model.joints()[joint.index()].name.clone() });
        }
        Ok(())
    }

    /// Whether this can be asked of a model whose metric is known to exist: in time that does not grow with the body.
    pub(crate) fn check_all_but_metric(&self, model: &Model) -> Result<(), DetailError> {
        self.target.check(model)?;
        if self.update_every == 0 {
            return Err(DetailError::NoUpdates);
        }
        if !(self.on_change >= 0.0) {
            return Err(DetailError::BadChange { value: self.on_change });
        }
        let moves = |joint: JointId| model.joints().get(joint.index()).is_some_and(|j| j.link.is_some());
        if let Some((joint, _)) = self.keep.iter().find(|(joint, _)| !moves(*joint)) {
            return Err(DetailError::NoSuchJoint { joint: joint.index() });
        }
        Ok(())
    }

    /// Whether it is the turn of a step to choose the active joints.
    pub(crate) fn is_turn(&self, step: u64) -> bool {
        (step + u64::from(self.phase)).is_multiple_of(u64::from(self.update_every))
    }

    /// Whether all joints are simulated, always.
    pub fn is_full(&self) -> bool {
        self.target == Target::Full && self.keep.is_empty()
    }
}

impl Target {
    /// Whether this can be asked of a model.
    pub fn check(&self, model: &Model) -> Result<(), DetailError> {
        let not_negative = |what, value: f64, unit| {
            if value >= 0.0 { Ok(()) } else { Err(DetailError::BadError { what, value, unit }) }
        };
        match *self {
            Self::Full => Ok(()),
            Self::Joints(wanted) | Self::Price { most: wanted, .. } if wanted > model.moving_joints() => {
                Err(DetailError::TooManyJoints { wanted, joints: model.moving_joints() })
            }
            Self::Joints(_) => Ok(()),
            Self::Error { acceleration, velocity } => {
                not_negative("acceleration", acceleration, "rad²/s⁴")?;
                not_negative("velocity", velocity, "rad²/s²")
            }
            Self::Pixels { error } => not_negative("pixel", error, "pixels"),
            Self::Guaranteed { acceleration } => not_negative("acceleration", acceleration, "rad²/s⁴"),
            Self::Price { price, .. } => not_negative("velocity", price, "rad²/s²"),
        }
    }
}
