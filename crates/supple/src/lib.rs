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
//! A world has articulations, single bodies, constraints between any two of them, and shapes that touch:
//!
//! ```
//! use supple::prelude::*;
//!
//! let mut world = World::new();
//! world.add_collider(BodyRef::World, Collider::new(Shape::half_space()))?;
//! let ball = Collider::new(Shape::sphere(0.1)?);
//! let bob = SingleBody::new("bob", ball.inertia(1000.0)?).at(Frame::at(DVec3::new(1.0, 0.0, 1.05)));
//! let bob = world.add_body(bob)?;
//! world.add_collider(bob, ball)?;
//! world.join(Ball, BodyRef::World, bob, Frame::at(DVec3::Z))?;
//! let mut hits = 0;
//! for _ in 0..120 {
//!     world.step(1.0 / 60.0)?;
//!     hits += world.events().iter().filter(|event| matches!(event, Event::Touched { .. })).count();
//! }
//! println!("after two seconds: {:?}, on the floor {hits} times", world.frame(bob)?.position);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What moves:
//!
//! - [`model`]: bodies and joints, and the immutable [`Model`] that a [`ModelBuilder`] makes of them;
//! - [`Simulation`]: a model in motion, with its loads, drives ([`Actuator`]), its Jacobians and its inverse dynamics;
//! - [`World`]: articulations and [`SingleBody`]s on all cores, with constraints and contacts, one budget of joints for all, rays and
//!   other queries, sleep, snapshots ([`world`]);
//! - [`Constraint`]: a joint that is in no tree, between any two bodies of a world: closed loops, ropes, a hand that drags; limits, motors,
//!   servos, breaking; thirteen models and your own ([`constraint`]);
//! - [`Collider`], [`Shape`]: what touches, with friction, restitution, groups, sensors and hooks ([`contact`]).
//!
//! How much of it:
//!
//! - [`Detail`]: which joints matter now, by number or by error ([`detail`]);
//! - [`Camera`], [`Viewer`]: how much of a body is seen, and detail by that ([`view`]).
//!
//! Underneath:
//!
//! - [`dynamics`]: the algorithms themselves, one per file, on plain slices;
//! - [`simulation`]: what belongs to a model in motion, and what compares it with its like at full detail;
//! - [`spatial`]: poses, motions, forces, inertias.
//!
//! [`prelude`] has the names that most programs need; [`glam`], whose vectors are in all interfaces, is re-exported. The folder `examples`
//! has short programs to start from.
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
pub mod detail;
pub mod dynamics;
pub mod model;
pub mod prelude;
mod shape;
pub mod simulation;
pub mod spatial;
mod util;
pub mod view;
pub mod world;

pub use constraint::{Action, Constraint, JointModel};
pub use contact::{Collider, Shape, ShapeError};
pub use detail::{Detail, DetailError, Target, Weights};
pub use dynamics::actuator::Actuator;
pub use dynamics::crba::MassMatrix;
pub use dynamics::integrate::{Axes, Integrator, Load, StepReport, Workspace};
pub use dynamics::jacobian::Jacobian;
pub use dynamics::spring::Spring;
pub use dynamics::{JointForces, LoadError, State};
pub use glam;
pub use model::{Body, BodyId, Joint, JointId, JointKind, Model, ModelBuilder, ModelError};
pub use simulation::{Commands, Controller, Energy, Simulation, StepError, View};
pub use spatial::{Force, Frame, Motion, Pose, RigidInertia};
pub use util::{SparseSet, names};
pub use view::{Camera, Viewer, ViewerError};
pub use world::{
    ArticulationId, BodyRef, ColliderId, ConstraintId, Cue, Event, Failure, QueryFilter, SingleBody,
    SingleId, World, WorldError, WorldReport,
};

/// The programs of the README compile.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
