//! Which joints matter now: the assembly tree of an articulated body and what is known at its nodes.
//!
//! Redon, Galoppo & Lin, "Adaptive Dynamics of Articulated Bodies", 2005, with handles on links instead of
//! joints, so that every node of every tree has at most two.
//!
//! ```text
//!  Tree ──► assembly_tree   order in which joints join parts to larger parts, depth O(log n)
//!            ├─ join         Φ, b of a part from those of its two parts and a joint
//!            ├─ dca          the divide-and-conquer algorithm: forces → accelerations
//!            ├─ metric       Ψ of a part, and linear: b, p, η: what its joints would do
//!            ├─ body_metric  all of them for a whole body
//!            ├─ tensors      b, p, η of a rigid part as functions of its angular velocity
//!            └─ frozen       all that is kept of rigid parts
//! ```

pub mod assembly_tree;
pub mod body_metric;
mod chosen;
pub mod dca;
pub mod frozen;
mod heavy_path;
pub mod join;
pub mod joint_motion;
pub mod leaf;
pub mod linear;
pub mod mat6;
pub mod metric;
mod min_max_tree;
pub mod problem;
pub mod rigid;
pub mod tensors;
pub mod weights;

pub use assembly_tree::{AssemblyTree, Bottom, Handle, Join, JoinJoint, Node, NodeId, NodeKind};
pub use body_metric::BodyMetric;
pub use dca::Dca;
pub use frozen::{Freezer, Frozen, FrozenParts};
pub use leaf::SingularLink;
pub use weights::{BadWeight, JointWeight, Weights};
