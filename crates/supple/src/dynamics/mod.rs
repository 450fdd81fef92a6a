//! Algorithms of articulated bodies, one per file. All run on a [`Tree`](crate::model::Tree).
//!
//! ```text
//!  (q, v) ──► kinematics ──► aba       forces → accelerations        O(n)
//!                       ├──► rnea      accelerations → forces        O(n)
//!                       ├──► crba      mass matrix                   O(n²)
//!                       ├──► jacobian  joint rates → body velocity
//!                       ├──► response  impulses → velocity jumps     O(n)
//!                       │      └──► port_tree    ways between ports    response_blocks: few ports, deferred: many
//!                       ├──► energy, momentum, power
//!                       └──► integrate the time step
//! ```
//!
//! `finish` is the end of making a model: it asks whether inertia resists every joint (`massless`).

pub mod aba;
pub mod actuator;
pub(crate) mod afloat;
pub mod articulated;
mod backup;
mod body_state;
pub mod crba;
pub mod deferred;
mod dof_links;
mod drives;
pub mod energy;
mod equation;
mod finish;
pub mod integrate;
pub mod jacobian;
mod joint_forces;
pub mod kinematics;
mod load_error;
mod massless;
pub mod momentum;
pub mod passive;
pub mod port;
mod port_block;
mod port_segment;
pub mod port_tree;
pub mod power;
pub mod response;
pub mod response_blocks;
pub mod rnea;
pub mod spring;
pub(crate) mod square_root;
mod state;
pub mod wrench;

pub(crate) use backup::Backup;
pub use body_state::BodyState;
pub use equation::EquationOfMotion;
pub use joint_forces::JointForces;
pub use load_error::LoadError;
pub use load_error::{check_actuators, check_springs};
pub use state::State;
