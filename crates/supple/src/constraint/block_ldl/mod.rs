//! Sparse block LDLᵀ of A = J M⁻¹ Jᵀ, the matrix between the constraints of jointed bodies.
//!
//! A node is a constraint with a few scalar rows; two nodes share a block of A when they act on a common body.
//!
//! ```text
//!  once per topology      Pattern::new   minimum degree → groups of columns → tree of fronts
//!  once per configuration Factor::clear, add …, factor     ↑ multifrontal: children add to their parent
//!  per right side         Factor::solve                    ↑↓
//! ```
//!
//! Columns with (nearly) the same rows are eliminated together, as a front: a dense trapezoid, stored in tiles of four
//! rows so that all loops run over short vectors. What a front subtracts from later columns goes to its parent.
//! Duff & Reid, "The multifrontal solution of indefinite sparse symmetric linear equations", 1983.
//!
//! A pivot that is zero up to rounding (a constraint that repeats others) is set aside: D⁻¹ = 0 and its unknown is 0.
//! The same is done to rows that are switched off. Same inputs, same bits.

mod dense;
mod graph;
mod numeric;
mod order;
mod solve;
mod symbolic;
#[cfg(test)]
mod tests;
mod tree;

pub(crate) use numeric::Factor;
pub(crate) use symbolic::{Pattern, Place};

/// Rows of a tile.
const TILE: usize = 4;

/// Rows when filled up to whole tiles.
fn padded(rows: usize) -> usize {
    rows.next_multiple_of(TILE)
}
