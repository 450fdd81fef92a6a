use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use supple::constraint::{
    Action, Ball, Constraint, Coupling, Cylindrical, Distance, DofRef, Hinge, JointModel, OnCircle,
    PlaneToPlane, PointOnLine, PointOnPlane, Prismatic, Rigid, Rope, Softness, Strength, Universal,
};
use supple::world::BodyRef;

use super::PrintError;
use super::body::check_place;
use super::fault::{At, Fault};
use super::numbers::{Numbers, Resolver};
use crate::place::Place;
use crate::script::Soft;
use crate::{Ref, number};

/// Kinds of joints.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum JointKind {
    /// A point stays at a point.
    Ball,
    /// Turns about z.
    Hinge,
    /// Does not move.
    Rigid,
    /// A rod of `length` between two points.
    Distance,
    /// At most `length` between two points.
    Rope,
    /// Turns about z and slides along it.
    Cylindrical,
    /// Slides along the axes that are `free`; z if left out.
    Prismatic,
    /// Two axes: Cardan's.
    Universal,
    /// A point stays on a circle of `radius` about z.
    OnCircle,
    /// A plane stays on a plane.
    PlaneToPlane,
    /// A point stays on the line along z.
    PointOnLine,
    /// A point stays on the plane across z.
    PointOnPlane,
}

/// All kinds, with the names that files and the library have for them.
const KINDS: [(&str, JointKind); 12] = [
    ("ball", JointKind::Ball),
    ("hinge", JointKind::Hinge),
    ("rigid", JointKind::Rigid),
    ("distance", JointKind::Distance),
    ("rope", JointKind::Rope),
    ("cylindrical", JointKind::Cylindrical),
    ("prismatic", JointKind::Prismatic),
    ("universal", JointKind::Universal),
    ("on-circle", JointKind::OnCircle),
    ("plane-to-plane", JointKind::PlaneToPlane),
    ("point-on-line", JointKind::PointOnLine),
    ("point-on-plane", JointKind::PointOnPlane),
];

/// A joint between two bodies, or a body and the world.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// What messages, and the rest of the file, call it.
    #[serde(default)]
    pub name: String,
    /// What it allows.
    pub kind: JointKind,
    /// Of a rod or a rope \[m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// Of a circle \[m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// Which of x, y and z a prismatic joint slides along.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free: Option<[bool; 3]>,
    /// What carries it; -1 or "world" is the world.
    #[serde(default = "world")]
    pub parent: Ref,
    /// What it holds.
    pub child: Ref,
    /// The parent's side of the joint, in the parent's frame.
    #[serde(default)]
    pub parent_frame: Place,
    /// The child's side of the joint, in the child's frame.
    #[serde(default)]
    pub child_frame: Place,
    /// Limits, motors, friction and servos, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<JointAction>,
    /// A spring with a damper instead of a hard joint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soft: Option<Soft>,
    /// What it can hold before it breaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strength: Option<Breaks>,
    /// Whether its two bodies touch each other.
    #[serde(default)]
    pub collide: bool,
}

fn world() -> Ref {
    Ref::Number(-1)
}

/// What a joint can hold.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Breaks {
    /// \[N]
    #[serde(with = "number", default = "number::infinite")]
    #[schemars(schema_with = "number::schema")]
    pub force: f64,
    /// \[N·m]
    #[serde(with = "number", default = "number::infinite")]
    #[schemars(schema_with = "number::schema")]
    pub moment: f64,
}

/// What acts on a free coordinate of a joint.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum JointAction {
    /// Stays between two values \[rad or m].
    Limit {
        /// Number of the coordinate.
        #[serde(default)]
        coordinate: usize,
        /// Least value.
        #[serde(with = "number")]
        #[schemars(schema_with = "number::schema")]
        low: f64,
        /// Greatest value.
        #[serde(with = "number")]
        #[schemars(schema_with = "number::schema")]
        high: f64,
    },
    /// Is driven.
    Motor {
        /// Number of the coordinate.
        #[serde(default)]
        coordinate: usize,
        /// \[rad/s or m/s]
        speed: f64,
        /// At most \[N·m or N].
        #[serde(with = "number", default = "number::infinite")]
        #[schemars(schema_with = "number::schema")]
        force: f64,
    },
    /// Rubs.
    Friction {
        /// Number of the coordinate.
        #[serde(default)]
        coordinate: usize,
        /// At most \[N·m or N].
        #[serde(with = "number")]
        #[schemars(schema_with = "number::schema")]
        force: f64,
    },
    /// Is drawn to a value.
    Servo {
        /// Number of the coordinate.
        #[serde(default)]
        coordinate: usize,
        /// \[rad or m]
        target: f64,
        /// \[N·m/rad or N/m]
        stiffness: f64,
        /// \[N·m·s/rad or N·s/m]
        damping: f64,
        /// At most \[N·m or N].
        #[serde(with = "number", default = "number::infinite")]
        #[schemars(schema_with = "number::schema")]
        force: f64,
    },
}

impl Joint {
    /// A constraint of a world.
    pub(crate) fn of(constraint: &Constraint, numbers: &Numbers) -> Result<Self, PrintError> {
        let (name, model) = (constraint.name.clone(), &constraint.model);
        let kind = KINDS.iter().find(|(name, _)| *name == model.name()).map(|(_, kind)| *kind);
        let kind = kind.ok_or_else(|| PrintError::Joint {
            name: name.clone(),
            kind: model.name().to_owned(),
            known: KINDS.map(|(name, _)| name).join(", "),
        })?;
        let Strength { force, moment } = constraint.strength;
        Ok(Self {
            name,
            kind,
            length: model.length(),
            radius: model.radius(),
            free: model.slides(),
            parent: numbers.number(constraint.parent)?,
            child: numbers.number(constraint.child)?,
            parent_frame: constraint.parent_frame.into(),
            child_frame: constraint.child_frame.into(),
            actions: constraint.actions.iter().map(JointAction::of).collect(),
            soft: constraint.softness.map(|Softness { stiffness, damping }| Soft { stiffness, damping }),
            strength: (constraint.strength != Strength::default()).then_some(Breaks { force, moment }),
            collide: constraint.collides(),
        })
    }

    /// The constraint between these bodies.
    pub(crate) fn constraint(&self, parent: BodyRef, child: BodyRef) -> Constraint {
        let mut made = Constraint::new(Ball, parent, child).named(&self.name);
        made.model = self.model();
        made.parent_frame = self.parent_frame.into();
        made.child_frame = self.child_frame.into();
        made.actions = self.actions.iter().map(JointAction::action).collect();
        made.softness = self.soft.map(|Soft { stiffness, damping }| Softness { stiffness, damping });
        made.strength =
            self.strength.map_or(Strength::default(), |Breaks { force, moment }| Strength { force, moment });
        if self.collide {
            made = made.colliding();
        }
        made
    }

    fn model(&self) -> Arc<dyn JointModel> {
        let length = self.length.unwrap_or(f64::NAN);
        match self.kind {
            JointKind::Ball => Arc::new(Ball),
            JointKind::Hinge => Arc::new(Hinge),
            JointKind::Rigid => Arc::new(Rigid),
            JointKind::Distance => Arc::new(Distance { length }),
            JointKind::Rope => Arc::new(Rope { longest: length }),
            JointKind::Cylindrical => Arc::new(Cylindrical),
            JointKind::Prismatic => Arc::new(Prismatic { free: self.free.unwrap_or(Prismatic::Z.free) }),
            JointKind::Universal => Arc::new(Universal),
            JointKind::OnCircle => Arc::new(OnCircle { radius: self.radius.unwrap_or(f64::NAN) }),
            JointKind::PlaneToPlane => Arc::new(PlaneToPlane),
            JointKind::PointOnLine => Arc::new(PointOnLine),
            JointKind::PointOnPlane => Arc::new(PointOnPlane),
        }
    }

    /// Whether it has the numbers that its kind needs, and no others.
    pub(crate) fn check(&self, at: &At) -> Result<(), Fault> {
        let word = KINDS.iter().find(|(_, kind)| *kind == self.kind).map_or("", |(word, _)| word);
        let long = matches!(self.kind, JointKind::Distance | JointKind::Rope);
        for (field, given, needed) in
            [("length", self.length, long), ("radius", self.radius, self.kind == JointKind::OnCircle)]
        {
            match given {
                None if needed => return Err(at.wrong(format!("a {word} joint lacks {field:?} [m]"))),
                Some(_) if !needed => {
                    return Err(at.key(field).wrong(format!("a {word} joint has no {field}: leave it out")));
                }
                Some(x) if !(x > 0.0 && x.is_finite()) => {
                    return Err(at.key(field).wrong(format!("must be positive and finite, got {x} m")));
                }
                _ => {}
            }
        }
        if self.free.is_some() && self.kind != JointKind::Prismatic {
            return Err(at.key("free").wrong(format!("a {word} joint has no choice of axes: leave it out")));
        }
        check_place(&at.key("parent_frame"), &self.parent_frame)?;
        check_place(&at.key("child_frame"), &self.child_frame)
    }

    /// Whether other programs that read worlds know it: those of `bench/` do.
    pub fn is_plain(&self) -> bool {
        matches!(
            self.kind,
            JointKind::Ball | JointKind::Hinge | JointKind::Rigid | JointKind::Distance | JointKind::Rope
        )
    }
}

impl JointAction {
    fn of(action: &Action) -> Self {
        match *action {
            Action::Limit { coordinate, low, high } => Self::Limit { coordinate, low, high },
            Action::Motor { coordinate, speed, force } => Self::Motor { coordinate, speed, force },
            Action::Friction { coordinate, force } => Self::Friction { coordinate, force },
            Action::Servo { coordinate, target, stiffness, damping, force } => {
                Self::Servo { coordinate, target, stiffness, damping, force }
            }
        }
    }

    fn action(&self) -> Action {
        match *self {
            Self::Limit { coordinate, low, high } => Action::Limit { coordinate, low, high },
            Self::Motor { coordinate, speed, force } => Action::Motor { coordinate, speed, force },
            Self::Friction { coordinate, force } => Action::Friction { coordinate, force },
            Self::Servo { coordinate, target, stiffness, damping, force } => {
                Action::Servo { coordinate, target, stiffness, damping, force }
            }
        }
    }
}

/// Joints of articulations that move together: `q_follower = offset + Σ_k coefficients[k] (q_leader)^(k+1)`.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct JointCoupling {
    /// For messages.
    #[serde(default)]
    pub name: String,
    /// What follows.
    pub follower: Dof,
    /// What it follows; without one the follower is held at `offset`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leader: Option<Dof>,
    /// \[rad or m]
    #[serde(default)]
    pub offset: f64,
    /// Of the leader's position, from its first power on.
    #[serde(default)]
    pub coefficients: Vec<f64>,
    /// After how many joints it comes, where that matters to the last digit; after all if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<usize>,
}

/// A degree of freedom of an articulation.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Dof {
    /// Number of the articulation.
    #[serde(default)]
    pub articulation: usize,
    /// Number in v.
    pub dof: usize,
}

impl JointCoupling {
    pub(crate) fn of(coupling: &Coupling, after: usize, numbers: &Numbers) -> Result<Self, PrintError> {
        let dof =
            |dof: DofRef| Ok(Dof { articulation: numbers.articulation(dof.articulation)?, dof: dof.dof });
        Ok(Self {
            name: coupling.name.clone(),
            follower: dof(coupling.follower)?,
            leader: coupling.leader.map(dof).transpose()?,
            offset: coupling.offset,
            coefficients: coupling.coefficients.clone(),
            after: Some(after),
        })
    }

    pub(crate) fn coupling(&self, at: &At, resolver: &Resolver) -> Result<Coupling, Fault> {
        let dof = |dof: Dof, field: &str| {
            let articulation = resolver.articulation(dof.articulation, &at.key(field).key("articulation"))?;
            Ok(DofRef { articulation, dof: dof.dof })
        };
        Ok(Coupling {
            name: self.name.clone(),
            follower: dof(self.follower, "follower")?,
            leader: self.leader.map(|leader| dof(leader, "leader")).transpose()?,
            offset: self.offset,
            coefficients: self.coefficients.clone(),
        })
    }
}
