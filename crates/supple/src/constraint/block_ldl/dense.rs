//! The arithmetic of one front: loops over tiles of four rows, which compilers turn into vector instructions.

use super::symbolic::Front;
use super::{TILE, padded};

/// Pivots of one front.
pub(super) struct Pivots<'a> {
    pub(super) d: &'a mut [f64],
    pub(super) inverse: &'a mut [f64],
    pub(super) limit: &'a [f64],
    /// How many were set aside though their rows are not switched off.
    pub(super) aside: usize,
}

/// Eliminates the columns of a front, four at a time.
pub(super) fn eliminate(panel: &mut [f64], pivots: &mut Pivots, scaled: &mut [f64]) {
    let width = pivots.d.len();
    let mut start = 0;
    while start < width {
        let (panel, scaled) = (&mut panel[start * width..], &mut *scaled);
        match width - start {
            1 => eliminate_columns::<1>(panel, pivots, start, scaled),
            2 => eliminate_columns::<2>(panel, pivots, start, scaled),
            3 => eliminate_columns::<3>(panel, pivots, start, scaled),
            _ => eliminate_columns::<4>(panel, pivots, start, scaled),
        }
        start += TILE;
    }
}

/// Eliminates the `C` columns from `start` on, in the tiles from their diagonal downwards.
#[inline(always)]
fn eliminate_columns<const C: usize>(
    panel: &mut [f64],
    pivots: &mut Pivots,
    start: usize,
    scaled: &mut [f64],
) {
    let width = pivots.d.len();
    let (diagonal, below) = panel.split_at_mut(TILE * width);
    let scaled = &mut scaled[..start * C];
    scale::<C>(diagonal, &pivots.d[..start], scaled);

    // The tile on the diagonal: X ← X − L D Lᵀ, then column after column.
    let mut x = columns::<C>(diagonal, start, scaled);
    let mut inverse = [0.0; C];
    for c in 0..C {
        let (d, limit) = (x[c][c], pivots.limit[start + c]);
        if d > limit {
            inverse[c] = 1.0 / d;
            pivots.d[start + c] = d;
        } else {
            pivots.d[start + c] = 0.0;
            pivots.aside += usize::from(limit != f64::INFINITY);
        }
        pivots.inverse[start + c] = inverse[c];
        for next in c + 1..C {
            let factor = x[c][next] * inverse[c];
            for r in next..TILE {
                x[next][r] -= x[c][r] * factor;
            }
        }
    }
    for c in 0..C {
        for r in 0..TILE {
            diagonal[TILE * (start + c) + r] = if r > c { x[c][r] * inverse[c] } else { 0.0 };
        }
    }
    // The tiles below it: the same with the pivots known.
    for tile in below.chunks_exact_mut(TILE * width) {
        let mut y = columns::<C>(tile, start, scaled);
        for c in 0..C {
            for r in 0..TILE {
                y[c][r] *= inverse[c];
            }
            for next in c + 1..C {
                for r in 0..TILE {
                    y[next][r] -= y[c][r] * x[c][next];
                }
            }
        }
        for (place, y) in tile[TILE * start..].as_chunks_mut().0.iter_mut().zip(y) {
            *place = y;
        }
    }
}

/// The `C` columns of a row of tiles from `start` on, less what the columns before them subtract.
#[inline(always)]
fn columns<const C: usize>(tile: &[f64], start: usize, scaled: &[f64]) -> [[f64; TILE]; C] {
    let (done, rest) = tile.split_at(TILE * start);
    let mut x = products::<C>(done, scaled);
    for (x, a) in x.iter_mut().zip(rest.as_chunks::<TILE>().0) {
        for r in 0..TILE {
            x[r] = a[r] - x[r];
        }
    }
    x
}

/// Copies the first `C` rows of a row of tiles, times D.
#[inline(always)]
fn scale<const C: usize>(tile: &[f64], d: &[f64], scaled: &mut [f64]) {
    for ((scaled, l), d) in scaled.as_chunks_mut::<C>().0.iter_mut().zip(tile.as_chunks::<TILE>().0).zip(d) {
        for c in 0..C {
            scaled[c] = l[c] * d;
        }
    }
}

/// Four rows times `C` scaled rows: Σ_k l_rk s_ck, as columns.
#[inline(always)]
fn products<const C: usize>(rows: &[f64], scaled: &[f64]) -> [[f64; TILE]; C] {
    let mut sum = [[0.0; TILE]; C];
    for (l, s) in rows.as_chunks::<TILE>().0.iter().zip(scaled.as_chunks::<C>().0) {
        for c in 0..C {
            for r in 0..TILE {
                sum[c][r] += l[r] * s[c];
            }
        }
    }
    sum
}

/// What a front subtracts from later columns: − L D Lᵀ of the rows below it, one triangle, column after column; added
/// to what its children left there.
pub(super) fn subtract_products(
    below: &[f64],
    d: &[f64],
    front: &Front,
    update: &mut [f64],
    scaled: &mut [f64],
) {
    let (width, height) = (front.width, padded(front.below));
    let scaled = &mut scaled[..TILE * width];
    let fresh = front.children.is_empty();
    for (j, columns) in update[..height * height].chunks_exact_mut(TILE * height).enumerate() {
        let below = &below[j * TILE * width..];
        scale::<TILE>(below, d, scaled);
        for (i, tile) in below.chunks_exact(TILE * width).enumerate() {
            let sums = products::<TILE>(tile, scaled);
            for (column, sum) in columns.chunks_exact_mut(height).zip(sums) {
                let places = &mut column[TILE * (i + j)..][..TILE];
                for r in 0..TILE {
                    places[r] = if fresh { -sum[r] } else { places[r] - sum[r] };
                }
            }
        }
    }
}
