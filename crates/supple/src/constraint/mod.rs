//! Joints that are not in a tree: closed loops, joints between articulations, a mouse that holds a limb. They act by impulses on
//! bodies, and know nothing of trees.

// Nobody solves with it yet.
#[allow(dead_code, unused_imports)]
mod block_ldl;
mod frame;
mod joint_model;
mod models;

pub use frame::Frame;
pub use joint_model::{Coordinate, Coordinates, JointModel, MAX_ROWS, Row, Rows};
pub use models::{
    Ball, Cylindrical, Distance, Hinge, OnCircle, PlanarTwist, PlaneToPlane, PointOnLine, PointOnPlane,
    Prismatic, Rigid, Rope, Twist, Universal,
};
