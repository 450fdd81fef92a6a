//! What every room may need, and what knows nothing of bodies: the clock of reports, names that were probably meant, sets of numbers,
//! places in lists.

pub(crate) mod clock;
mod index;
pub mod names;
mod sparse_set;

pub(crate) use index::Ix;
pub use sparse_set::SparseSet;
