//! What every room may need, and what knows nothing of bodies: the clock of reports, names that were probably meant, sets of numbers.

pub(crate) mod clock;
pub mod names;
mod sparse_set;

pub use sparse_set::SparseSet;
