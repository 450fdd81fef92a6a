//! Adaptive dynamics: simulate only the joints that matter.
//!
//! Redon, Galoppo & Lin, "Adaptive Dynamics of Articulated Bodies", 2005, with handles on links instead of
//! joints, so that every node of every assembly tree has at most two.
//!
//! ```text
//!  Tree ──► assembly_tree   order in which joints join parts to larger parts, depth O(log n)
//!  active joints ─► reduced_tree   rigid groups and the joints between them, again a Tree
//!                        └─► any algorithm of `dynamics`, any integrator
//!  joints leave  ─► rigidify   momenta of the old groups projected on the new, smaller tree
//!  what would move? ─► select  priority queue over the assembly tree by a motion metric
//!  all of it in turn ─► region  the update of the active region
//! ```

pub mod assembly_tree;
mod detail;
mod heavy_path;
mod min_max_tree;
mod reduced_tree;
mod region;
mod rigidify;
mod select;

pub use assembly_tree::{AssemblyTree, Bottom, Handle, Join, JoinJoint, Node, NodeId, NodeKind};
pub use detail::{Detail, DetailError, Keep, Rule, Target};
pub use reduced_tree::reduce;
pub use region::{Region, RegionReport};
pub use rigidify::{Rigidifier, rigidify};
pub use select::{Selector, choose};
