use std::sync::Arc;

use crate::bodies::BodyRef;
use crate::constraint::{Ball, Frame, JointModel, Rigid};

/// A joint that is not in a tree, between two bodies of a world, or a body and the world.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// For messages and reports.
    pub name: String,
    /// What carries it: J is seen from here.
    pub parent: BodyRef,
    /// What it holds.
    pub child: BodyRef,
    /// The parent's side of the joint, in the parent's frame.
    pub parent_frame: Frame,
    /// The child's side of the joint, in the child's frame.
    pub child_frame: Frame,
    /// What it allows.
    pub model: Arc<dyn JointModel>,
    /// What acts on its free coordinates.
    pub actions: Vec<Action>,
    /// A spring instead of a hard joint.
    pub softness: Option<Softness>,
    /// Breaks when it must hold more than this.
    pub strength: Strength,
    /// Whether its two bodies touch each other.
    pub touching: Touching,
}

/// What acts on one free coordinate of a joint, numbered as the joint model does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Stays between `low` and `high` \[rad or m].
    Limit {
        /// Number of the coordinate.
        coordinate: usize,
        /// Least value.
        low: f64,
        /// Greatest value.
        high: f64,
    },
    /// Is driven with `speed` \[rad/s or m/s] by `force` \[N·m or N] at most.
    Motor {
        /// Number of the coordinate.
        coordinate: usize,
        /// Speed asked for; 0 is a brake.
        speed: f64,
        /// Greatest drive.
        force: f64,
    },
    /// Rubs with `force` \[N·m or N] at most.
    Friction {
        /// Number of the coordinate.
        coordinate: usize,
        /// Greatest friction.
        force: f64,
    },
    /// Is drawn to `target` \[rad or m] by a spring and a damper, with `force` \[N·m or N] at most.
    Servo {
        /// Number of the coordinate.
        coordinate: usize,
        /// Where to.
        target: f64,
        /// Spring \[N·m/rad or N/m].
        stiffness: f64,
        /// Damper \[N·m·s/rad or N·s/m].
        damping: f64,
        /// Greatest drive.
        force: f64,
    },
}

impl Action {
    /// Number of the coordinate that it acts on.
    pub fn coordinate(&self) -> usize {
        match self {
            Self::Limit { coordinate, .. }
            | Self::Motor { coordinate, .. }
            | Self::Friction { coordinate, .. }
            | Self::Servo { coordinate, .. } => *coordinate,
        }
    }
}

/// A joint that yields as a spring with a damper does, in every direction that it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Softness {
    /// Spring \[N/m or N·m/rad].
    pub stiffness: f64,
    /// Damper \[N·s/m or N·m·s/rad].
    pub damping: f64,
}

/// Whether two bodies that a constraint joins touch each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Touching {
    /// They go through each other, as what a hinge joins does.
    #[default]
    Never,
    /// They touch as others do.
    Allowed,
}

/// What a joint can hold before it breaks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength {
    /// Greatest force \[N].
    pub force: f64,
    /// Greatest moment \[N·m].
    pub moment: f64,
}

impl Default for Strength {
    fn default() -> Self {
        Self { force: f64::INFINITY, moment: f64::INFINITY }
    }
}

impl Constraint {
    /// A joint between two bodies, both sides at the bodies' own frames.
    pub fn new(
        model: impl JointModel + 'static,
        parent: impl Into<BodyRef>,
        child: impl Into<BodyRef>,
    ) -> Self {
        Self {
            name: String::new(),
            parent: parent.into(),
            child: child.into(),
            parent_frame: Frame::IDENTITY,
            child_frame: Frame::IDENTITY,
            model: Arc::new(model),
            actions: Vec::new(),
            softness: None,
            strength: Strength::default(),
            touching: Touching::default(),
        }
    }

    /// The constraint between bodies that touch each other all the same.
    pub fn colliding(mut self) -> Self {
        self.touching = Touching::Allowed;
        self
    }

    /// Whether its two bodies touch each other.
    pub fn collides(&self) -> bool {
        self.touching == Touching::Allowed
    }

    /// A mouse or a tracker that holds a point of a body, `at` in the body's frame: a soft ball joint to a kinematic body. Stable for
    /// any stiffness.
    pub fn drag(
        tracker: impl Into<BodyRef>,
        body: impl Into<BodyRef>,
        at: glam::DVec3,
        softness: Softness,
    ) -> Self {
        Self { softness: Some(softness), ..Self::new(Ball, tracker, body).child_frame(Frame::at(at)) }
    }

    /// A weld: the child stays where it is relative to the parent, with both sides given.
    pub fn weld(parent: impl Into<BodyRef>, child: impl Into<BodyRef>) -> Self {
        Self::new(Rigid, parent, child)
    }

    /// The joint with a name.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The parent's side, in the parent's frame.
    pub fn parent_frame(mut self, frame: Frame) -> Self {
        self.parent_frame = frame;
        self
    }

    /// The child's side, in the child's frame.
    pub fn child_frame(mut self, frame: Frame) -> Self {
        self.child_frame = frame;
        self
    }

    /// Stays between `low` and `high` \[rad or m]. Coordinates are the free ones of the joint model, numbered from 0: the angle of a
    /// [`Hinge`](super::Hinge), the way of a [`Prismatic`](super::Prismatic).
    pub fn limit(self, coordinate: usize, low: f64, high: f64) -> Self {
        self.action(Action::Limit { coordinate, low, high })
    }

    /// Is driven with `speed` \[rad/s or m/s] by `force` \[N·m or N] at most.
    pub fn motor(self, coordinate: usize, speed: f64, force: f64) -> Self {
        self.action(Action::Motor { coordinate, speed, force })
    }

    /// Is drawn to `target` \[rad or m] by a spring of `stiffness` \[N·m/rad or N/m] and a damper of `damping` \[N·m·s/rad or N·s/m], with
    /// `force` \[N·m or N] at most. Stable for any stiffness.
    pub fn servo(self, coordinate: usize, target: f64, stiffness: f64, damping: f64, force: f64) -> Self {
        self.action(Action::Servo { coordinate, target, stiffness, damping, force })
    }

    /// Rubs with `force` \[N·m or N] at most.
    pub fn friction(self, coordinate: usize, force: f64) -> Self {
        self.action(Action::Friction { coordinate, force })
    }

    /// One more thing that acts on a coordinate.
    pub fn action(mut self, action: Action) -> Self {
        self.actions.push(action);
        self
    }

    /// Yields as a spring does \[N/m, N·s/m].
    pub fn soft(mut self, stiffness: f64, damping: f64) -> Self {
        self.softness = Some(Softness { stiffness, damping });
        self
    }

    /// Breaks when it must hold more than `force` \[N] or `moment` \[N·m].
    pub fn breaks_at(mut self, force: f64, moment: f64) -> Self {
        self.strength = Strength { force, moment };
        self
    }
}
