//! Adaptive dynamics: simulate only the joints that matter.
//!
//! Redon, Galoppo & Lin, "Adaptive Dynamics of Articulated Bodies", 2005, with handles on links instead of
//! joints, so that every node of every assembly tree has at most two.
//!
//! ```text
//!  what the user asks for
//!    detail          how many joints or how much error, when, by which rule
//!  which joints hang together, and what is known of parts
//!    assembly        the algebra of parts: assembly tree, joins, metrics, weights;   a room of its own, which knows nothing of the rest
//!  a body with frozen joints
//!    hybrid          open nodes, rigid pieces, groups and their tree, from what is open alone
//!    reduced_tree    the same tree link by link, for small bodies and as a second opinion
//!    rigidify        joints stop: momenta of the old groups projected on the new, smaller tree
//!  which joints matter
//!    region          the update of the active region, from top to bottom;   goal: what it is to reach
//!    motion_metric   what would every joint do?   metric_by_sweep | metric_by_assembly with force_paths, by cost
//!    worth           what that is worth to somebody who looks: whoever implements it is asked
//!    select          priority queue over the assembly tree;   shared_queue: over many bodies, for reference
//!    choice          among the joints that were tried, by their velocities
//! ```

pub mod assembly;
mod choice;
mod cost;
#[expect(clippy::module_inception, reason = "it is what the user asks for, and gives the folder its name")]
mod detail;
mod force_paths;
mod goal;
mod hybrid;
mod joint_terms;
mod metric_by_assembly;
mod metric_by_sweep;
mod motion_metric;
mod reduced_tree;
mod region;
mod region_report;
mod rigidify;
mod scene;
mod select;
mod shared_queue;
mod worth;
mod worths;

pub use assembly::{
    AssemblyTree, BadWeight, BodyMetric, Bottom, Dca, Freezer, Frozen, FrozenParts, Handle, Join, JoinJoint,
    JointWeight, Node, NodeId, NodeKind, RigidParts, SingularLink, Weights,
};
pub use choice::{Choice, LeftOut};
pub use detail::{Detail, DetailError, Keep, Metric, Rule, Target};
pub use hybrid::{Child, Hybrid, OpenNode, Piece};
pub use metric_by_assembly::MetricByAssembly;
pub use reduced_tree::reduce;
pub use region::Region;
pub(crate) use region::Update;
pub use region_report::{RegionReport, RegionTotals, Stages};
pub use rigidify::{Rigidifier, rigidify};
pub use scene::Scene;
pub use select::{Allowance, Parts, Selector, Verdict};
pub use shared_queue::{Bidder, choose_together};
pub(crate) use worth::{Assembled, Worth};
pub use worths::Worths;
