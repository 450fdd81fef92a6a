//! The algebra of parts: what is known of a part of a body from its two halves and the joint between them.
//!
//! Featherstone's divide and conquer, with the metrics of Redon, Galoppo & Lin 2005. Nothing here knows who asks: which parts are frozen, and
//! which joints are worth their price, is said above.
//!
//! ```text
//!  tree            order in which joints join parts to larger parts, depth O(log n);   heavy_path, min_max_tree: how it is found
//!  leaf, rigid     links and pieces of them;   poses of parts
//!  join            Φ, b of a part from those of its two parts and a joint;   joint_motion: what the joint does
//!  dca             the divide-and-conquer algorithm: forces → accelerations;   problem: what it is given
//!  metric, linear  Ψ of a part, and b, p, η: what its joints would do;   body_metric: of a whole body;   weights: what a joint is worth
//!  tensors         b, p, η of a rigid part as functions of its angular velocity
//!  frozen          all that is kept of a rigid part;   part_cache: parts that were asked for
//! ```

pub mod body_metric;
mod chosen;
pub mod dca;
pub mod frozen;
mod heavy_path;
pub mod join;
pub mod joint_motion;
pub mod leaf;
pub mod linear;
pub mod metric;
mod min_max_tree;
pub(super) mod part_cache;
pub mod problem;
pub mod rigid;
pub mod tensors;
pub mod tree;
pub mod weights;

pub use body_metric::BodyMetric;
pub use dca::Dca;
pub use frozen::{Freezer, Frozen, FrozenParts};
pub use leaf::SingularLink;
pub use rigid::RigidParts;
pub use tree::{AssemblyTree, Bottom, Handle, Join, JoinJoint, Node, NodeId, NodeKind};
pub use weights::{BadWeight, JointWeight, Weights};
