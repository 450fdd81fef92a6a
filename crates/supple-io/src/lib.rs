//! Files in, models out: URDF, MJCF and JSON cases, and states by joint name.
//!
//! ```text
//!  .urdf ─► lenient pass ─► urdf-rs ─┐
//!  .xml  ─► includes, defaults ─► mjcf-rs ─► joints, inertia ─┼─► ModelBuilder::finish ─► Loaded
//!  .json ─► case ────────────────────┘
//! ```
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
#![forbid(unsafe_code)]

pub mod case;
mod error;
mod loaded;
mod mjcf;
mod names;
mod read;
mod state;
mod urdf;
mod warning;
mod xml;

pub use error::IoError;
pub use loaded::{Format, LoadOptions, Loaded, NamedJoint};
pub use read::{load, load_bytes, load_case_str, load_mjcf_str, load_urdf_str};
pub use state::{JointState, ModelState, StateByName};
pub use warning::Warning;
