//! Adaptive dynamics: simulate only the joints that matter (Redon, Galoppo & Lin 2005).
//!
//! ```text
//!  active joints ─► reduced_tree: rigid groups and the joints between them, again a Tree
//!                        └─► any algorithm of `dynamics`, any integrator
//!  joints leave  ─► rigidify: momenta of the old groups projected on the new, smaller tree
//! ```

mod reduced_tree;
mod rigidify;

pub use reduced_tree::reduce;
pub use rigidify::{Rigidifier, rigidify};
