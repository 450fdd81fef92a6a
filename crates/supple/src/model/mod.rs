//! What is simulated: bodies, joints, and the immutable [`Model`] that a [`ModelBuilder`] makes of them.
//!
//! ```text
//!  Body, Joint ──► ModelBuilder::finish ──► Model { bodies, joints, tree }
//!  (names, any order)     validates once            bodies: all, in the order given
//!                                                   tree:   moving links only, depth first
//! ```
//!
//! Bodies joined by fixed joints move as one **link**; algorithms see links, users see bodies.

mod body;
mod builder;
mod error;
mod id;
mod joint;
#[expect(clippy::module_inception, reason = "the type gives the folder its name")]
mod model;
mod tree;
pub(crate) mod validate;

pub use body::Body;
pub use builder::ModelBuilder;
pub use error::ModelError;
pub use id::{BodyId, JointId, LinkId};
pub use joint::{Dof, Element, Joint, JointKind, Limit};
pub(crate) use model::Passive;
pub use model::{BodyInfo, JointInfo, Model};
pub use tree::{Central, Link, LinkJoint, Member, Members, Tree};
