//! Joints that are not in a tree: closed loops, joints between articulations, a mouse that holds a limb. They act by impulses on
//! bodies, and know nothing of trees.

mod block_ldl;
mod closing;
#[allow(clippy::module_inception)]
mod constraint;
mod coupling;
mod dense;
mod displacement;
pub(crate) mod holder;
pub(crate) mod island;
mod isolated;
mod joint_model;
mod joint_newton;
pub(crate) mod krylov;
mod least_squares;
mod matrix;
pub(crate) mod measure;
mod mixing;
mod models;
mod pivot;
mod post_stabilize;
mod pre_stabilize;
mod settings;
mod side;
mod span;
mod stoermer;
mod stops;
mod sweep;
mod tension;

pub use crate::spatial::Frame;
pub use constraint::{Action, Constraint, Softness, Strength};
pub use coupling::{Coupling, DofRef};
pub use holder::{ConstraintId, ConstraintMark};
pub use joint_model::{Coordinate, Coordinates, JointModel, MAX_ROWS, Row, Rows};
pub use joint_newton::{JointPair, Newton, Solved};
pub use krylov::Method;
pub use models::{
    Ball, Cylindrical, Distance, Hinge, OnCircle, PlanarTwist, PlaneToPlane, PointOnLine, PointOnPlane,
    Prismatic, Rigid, Rope, Twist, Universal,
};
pub(crate) use settings::Settings;
pub use settings::Solver;
pub use side::{Side, predict};
pub use span::Span;
pub use stoermer::GREATEST_TURN;
