//! Files in, models out: URDF, MJCF and JSON cases, and states by joint name. Cases are also written.
//!
//! ```text
//!  .urdf ─► lenient pass ─► urdf-rs ─┐
//!  .xml  ─► includes, defaults ─► mjcf-rs ─► joints, inertia ─┼─► ModelBuilder::finish ─► Loaded
//!  .json ─► case ────────────────────┘
//!  Simulation ─► case_to_string ─► .json
//! ```
//!
//! JSON cases are supple's own format: `docs/case-format.md` of the repository tells it, [`case`] reads and writes it.
//!
//! ```
//! use supple_io::{LoadOptions, StateByName, load_urdf_str};
//!
//! let urdf = r#"<robot name="arm">
//!   <link name="base"/>
//!   <link name="rod"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>
//!   <joint name="elbow" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
//! </robot>"#;
//! let state = StateByName::parse(r#"{"joints": {"elbow": {"q": [0.1], "qd": [0.2]}}}"#)?;
//! let loaded = load_urdf_str(urdf, &state.load_options())?;
//! let state = state.of(&loaded)?;
//! assert_eq!((state.q, state.v), (vec![0.1], vec![0.2]));
//! # Ok::<(), supple_io::IoError>(())
//! ```
//!
//! # What is an error, what a warning
//!
//! A model must not be wrong silently. What changes the motion and is not supported is an error that names its
//! element; what does not is at most an entry in [`Loaded::warnings`], one per kind of thing. Between the two lie
//! *forces* that act on a model whose bodies and joints are all there; see [`LoadOptions::ignore_forces`]. No
//! input makes this crate panic, hang, or read without bound: see [`IoError`].
//!
//! | URDF | |
//! |---|---|
//! | missing limits, mass or inertia components, limits of effort or velocity that are not positive | warning |
//! | `<mimic>` | read: [`Loaded::loops`] |
//! | inertia that no mass distribution has | counted with the links it is fixed to, if the sum is possible: warning; else error |
//! | `<collision>`: box, sphere, cylinder, capsule, meshes (STL, OBJ) as their convex hulls | read: [`Loaded::colliders`]; a mesh that is not there or not read is a warning |
//! | visuals, transmissions, Gazebo and other elements | ignored |
//!
//! | MJCF | |
//! |---|---|
//! | `<composite>`, `<flexcomp>`, `<replicate>`, `<attach>`, `<flex>`, body plugins, unknown elements | error |
//! | joints in a `<frame>`, global coordinates, `alignfree`, tendon armature | error |
//! | geoms that give their body mass with `shellinertia`, fitted to a mesh, or with the convex hull of a mesh | error |
//! | fluid density, viscosity and wind, `gravcomp`, tendon springs, dampers and friction, nonlinear joint springs and dampers | error, or warning with `ignore_forces` |
//! | `<connect>`, `<weld>` and `<joint>` among the equality constraints | read: [`Loaded::loops`]; hard, a warning if the file gives their softness |
//! | geoms with `contype` or `conaffinity`: plane, sphere, capsule, cylinder, box, ellipsoid (a hull of 256 points), meshes as their convex hulls | read: [`Loaded::colliders`], with sliding and, if `condim` is 6, rolling friction |
//! | `<exclude>` | read: [`Loaded::ignored`] |
//! | height fields, SDFs, `<pair>`, other equality constraints, limits of tendons | warning: left out |
//! | margin, gap, priority and softness of geoms | ignored |
//! | actuators of the kinds general, motor, position and velocity on hinges and slides | read: [`Loaded::actuators`]; as in MuJoCo, a servo pulls to zero until told otherwise |
//! | other actuators, those with a state of their own, through tendons, sites or bodies, on ball or free joints | warning: they drive nothing |
//! | sensors, plugins elsewhere, unknown attributes | warning |
//! | keyframes, visuals, sites, cameras, lights, solver options | ignored |
//!
//! Bodies of one tree that overlap in the position in which it is loaded never touch in [`Loaded::world`]
//! ([`World::ignore_overlaps`](supple::world::World::ignore_overlaps)). They are in [`Loaded::ignored`], and a warning names them, with their
//! depth. Free bodies, and what stands still next to others, touch whatever they begin in. Bodies that a joint or a loop joins do not touch.
//!
//! MJCF's world is the root body `world` of the model (or `world-2`, … if a body has that name), so that a file may
//! have several bodies on it. Several joints on one body are one compound joint of the model;
//! [`Loaded::joints`] lists them one by one. A free joint's position is its body's pose in the world, as in MuJoCo;
//! its velocity is (angular; linear) in body axes, while MuJoCo's is (linear in world axes; angular in body axes).
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod case;
mod collision;
mod error;
mod loaded;
mod loops;
mod mjcf;
mod names;
mod read;
mod state;
mod surface;
mod urdf;
mod warning;
mod xml;

pub use case::case_to_string;
pub use collision::NamedCollider;
pub use error::IoError;
pub use loaded::{Format, LoadOptions, Loaded, NamedJoint};
pub use loops::Loop;
pub use read::{load, load_bytes, load_case_str, load_mjcf_str, load_urdf_str};
pub use state::{JointState, ModelState, StateByName};
pub use warning::Warning;
