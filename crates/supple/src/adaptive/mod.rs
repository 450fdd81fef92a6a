//! Adaptive dynamics: simulate only the joints that matter.
//!
//! Redon, Galoppo & Lin, "Adaptive Dynamics of Articulated Bodies", 2005, with handles on links instead of
//! joints, so that every node of every assembly tree has at most two.
//!
//! ```text
//!  what the user asks for
//!    detail          how many joints or how much error, when, by which rule;   weights: what a joint is worth
//!  which joints hang together
//!    assembly_tree   order in which joints join parts to larger parts, depth O(log n)
//!  a body with frozen joints
//!    hybrid          open nodes, rigid pieces, groups and their tree, from what is open alone;   rigid: poses of parts
//!    reduced_tree    the same tree link by link, for small bodies and as a second opinion
//!    rigidify        joints stop: momenta of the old groups projected on the new, smaller tree
//!  which joints matter
//!    region          the update of the active region, from top to bottom;   goal: what it is to reach
//!    motion_metric   what would every joint do?   metric_by_sweep | metric_by_assembly with force_paths, by cost
//!    select          priority queue over the assembly tree;   shared_queue: over many bodies, for reference
//!  what is known of parts
//!    join            Φ, b of a part from those of its two parts and a joint
//!    dca             the divide-and-conquer algorithm: forces → accelerations
//!    metric, linear  Ψ of a part, and b, p, η: what its joints would do;   body_metric: of a whole body
//!    tensors         b, p, η of a rigid part as functions of its angular velocity;   frozen: all that is kept of it
//! ```

pub mod assembly_tree;
pub mod body_metric;
mod chosen;
mod cost;
pub mod dca;
mod detail;
mod force_paths;
pub mod frozen;
mod goal;
mod heavy_path;
mod hybrid;
pub mod join;
pub mod joint_motion;
mod joint_terms;
pub mod leaf;
pub mod linear;
pub mod metric;
mod metric_by_assembly;
mod metric_by_sweep;
mod min_max_tree;
mod motion_metric;
mod part_cache;
pub mod problem;
mod reduced_tree;
mod region;
mod region_report;
pub mod rigid;
mod rigidify;
mod scene;
mod select;
mod shared_queue;
pub mod tensors;
pub mod weights;
mod worths;

pub use assembly_tree::{AssemblyTree, Bottom, Handle, Join, JoinJoint, Node, NodeId, NodeKind};
pub use body_metric::BodyMetric;
pub use dca::Dca;
pub use detail::{Detail, DetailError, Keep, Metric, Rule, Target};
pub use frozen::{Freezer, Frozen, FrozenParts};
pub use hybrid::{Child, Hybrid, OpenNode, Piece};
pub use leaf::SingularLink;
pub use metric_by_assembly::MetricByAssembly;
pub use reduced_tree::reduce;
pub use region::Region;
pub use region_report::{RegionReport, RegionTotals, Stages};
pub use rigid::RigidParts;
pub use rigidify::{Rigidifier, rigidify};
pub use scene::Scene;
pub use select::{Allowance, LeftOut, Parts, Selector, Verdict, choose};
pub use shared_queue::{Bidder, choose_together};
pub use weights::{BadWeight, JointWeight, Weights};
pub use worths::Worths;
