//! Which joints matter now: the assembly tree of an articulated body and what is known at its nodes.
//!
//! Redon, Galoppo & Lin, "Adaptive Dynamics of Articulated Bodies", 2005, with handles on links instead of
//! joints, so that every node of every tree has at most two.
//!
//! ```text
//!  Tree ──► assembly_tree   order in which joints join parts to larger parts, depth O(log n)
//! ```

pub mod assembly_tree;
mod heavy_path;
mod min_max_tree;

pub use assembly_tree::{AssemblyTree, Bottom, Handle, Join, JoinJoint, Node, NodeId, NodeKind};
