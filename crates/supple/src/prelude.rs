//! The names that most programs need: `use supple::prelude::*;`.
//!
//! The vectors of [`glam`] are among them, so that a program need not depend on it.

pub use glam::{DMat3, DQuat, DVec3};

pub use crate::constraint::{
    Action, Ball, Constraint, Coupling, Cylindrical, Distance, DofRef, Hinge, JointModel, OnCircle,
    PlanarTwist, PlaneToPlane, PointOnLine, PointOnPlane, Prismatic, Rigid, Rope, Softness, Twist, Universal,
};
pub use crate::contact::{Collider, Shape};
pub use crate::detail::{Detail, Target, Weights};
pub use crate::view::{Camera, Viewer};
pub use crate::world::{
    ArticulationId, BodyRef, ColliderId, ConstraintId, Cue, Event, Failure, QueryFilter, SingleBody,
    SingleId, World, WorldError,
};
pub use crate::{
    Actuator, Axes, Body, BodyId, Force, Frame, Integrator, Joint, JointId, Load, Model, ModelBuilder,
    Motion, Pose, RigidInertia, Simulation, Spring, StepError,
};
