//! Joints that are not in a tree: closed loops, joints between articulations, a mouse that holds a limb. They act by impulses on
//! bodies, and know nothing of trees.
//!
//! ```text
//!  joint_model, models/, constraint, coupling   what a user adds;   holder: what a world keeps of it;   measure: its rows at one joint frame
//!  island            constraints that hang together, by parts:
//!    topology        which nodes, and which joints between them
//!    node_states     bodies, frames, velocities, impulses;   turns: whole turns of bodies
//!    row_states      lines of the rows, residuals, impulses λ and μ, which are off
//!    matrix          A = J M⁻¹ Jᵀ and its factor (block_ldl/)
//!    newton          how far the iteration is;   closing: how joints that are apart come together
//!    warm_start, gaps   impulses to start with; how far joints are off
//!  linearize → responses → begin → predict → improve (residuals → active_set or pivot → step, mixing) → … → finish → post_stabilize
//!  cut, tension, isolated   parts of a step; bodies that are pulled; momenta that stay
//!  sweep, joint_newton      the paper's solver;   displacement, krylov, stoermer: Faure's
//! ```

mod active_set;
mod block_ldl;
mod closing;
#[allow(clippy::module_inception)]
mod constraint;
mod coupling;
pub(crate) mod cut;
mod dense;
mod displacement;
mod gaps;
pub(crate) mod holder;
pub(crate) mod island;
mod isolated;
mod joint_model;
mod joint_newton;
pub(crate) mod krylov;
mod least_squares;
mod linearize;
mod matrix;
pub(crate) mod measure;
mod mixing;
mod models;
mod newton;
mod node_states;
mod pivot;
mod post_stabilize;
mod pre_stabilize;
mod residuals;
mod responses;
mod row_states;
mod settings;
mod side;
mod span;
mod stoermer;
mod stops;
mod sweep;
mod tension;
pub(crate) mod topology;
mod turns;
mod warm_start;

pub use crate::spatial::Frame;
pub use constraint::{Action, Constraint, Softness, Strength, Touching};
pub use coupling::{Coupling, DofRef};
pub use holder::{ConstraintId, ConstraintMark};
pub use joint_model::{Coordinate, Coordinates, JointModel, MAX_ROWS, Row, Rows};
pub use joint_newton::{JointPair, Newton, Solved};
pub use krylov::Method;
pub(crate) use linearize::Arms;
pub use models::{
    Ball, Cylindrical, Distance, Hinge, OnCircle, PlanarTwist, PlaneToPlane, PointOnLine, PointOnPlane,
    Prismatic, Rigid, Rope, Twist, Universal,
};
pub(crate) use settings::Settings;
pub use settings::Solver;
pub use side::{Side, predict};
pub use span::Span;
pub use stoermer::GREATEST_TURN;
