//! supple simulates articulated bodies (characters, chains, robots, plants) in reduced coordinates.
//!
//! ```
//! use glam::DVec3;
//! use supple::{Body, Joint, ModelBuilder, Pose, RigidInertia, Simulation};
//!
//! let rod = RigidInertia::solid_capsule(1.0, DVec3::ZERO, DVec3::X, 0.02);
//! let model = ModelBuilder::new()
//!     .body(Body::new("upper", Joint::revolute(DVec3::Y)).inertia(rod))
//!     .body(Body::new("lower", Joint::revolute(DVec3::Y)).on("upper").at(Pose::from_xyz(1.0, 0.0, 0.0)).inertia(rod))
//!     .finish()?;
//! let mut simulation = Simulation::new(model);
//! for _ in 0..60 {
//!     simulation.step(1.0 / 60.0)?;
//! }
//! println!("after one second: {:?} rad, {} J", simulation.state.q, simulation.energy().total());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`model`]: bodies and joints, and the immutable [`Model`] made of them;
//! - [`Simulation`]: a model in motion; [`Crowd`]: many of them on all cores;
//! - [`dynamics`]: the algorithms themselves, one per file, on plain slices;
//! - [`detail`]: which joints matter now: assembly tree, divide and conquer, motion metrics;
//! - [`view`]: cameras, and how much of a body is seen;
//! - [`simulation`]: what belongs to a model in motion, and what compares it with its like at full detail;
//! - [`constraint`], [`contact`]: what joins bodies outside of their trees, and what touches;
//! - [`world`]: articulations and single bodies with both;
//! - [`spatial`]: poses, motions, forces, inertias.
//!
//! On wasm32-unknown-unknown, which has no clock, the times in reports are zero, or with the feature `web-time` those of the browser
//! or of Node.
//!
//! Units are SI. Spatial vectors are angular first, then linear; quaternions are (x, y, z, w).
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod bodies;
pub mod constraint;
pub mod contact;
mod crowd;
pub mod detail;
pub mod dynamics;
pub mod model;
mod shape;
pub mod simulation;
pub mod spatial;
mod util;
pub mod view;
pub mod world;

pub use crowd::{Crowd, Cue};
pub use dynamics::actuator::Actuator;
pub use dynamics::integrate::{Axes, Integrator, Load, StepReport, Workspace};
pub use dynamics::spring::Spring;
pub use dynamics::{JointForces, LoadError, State};
pub use model::{Body, BodyId, Joint, JointId, JointKind, Model, ModelBuilder, ModelError};
pub use simulation::{Commands, Controller, Energy, Simulation, StepError, View};
pub use spatial::{Force, Motion, Pose, RigidInertia};
pub use util::{SparseSet, names};
