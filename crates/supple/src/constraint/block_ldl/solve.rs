//! Substitution: L z = b, then Lᵀ x = D⁻¹ z.

use super::numeric::Factor;
use super::symbolic::{Front, Pattern};
use super::{TILE, padded};

impl Factor {
    /// Solves A x = b: the right side in, the solution out, both by `Pattern::offset`. Unknowns of pivots set aside are 0.
    pub(crate) fn solve(&self, pattern: &Pattern, b: &mut [f64], scratch: &mut Vec<f64>) {
        assert_eq!(b.len(), pattern.rows(), "the right side has one number per row");
        scratch.resize(pattern.rows() + pattern.tallest, 0.0);
        let (x, local) = scratch.split_at_mut(pattern.rows());
        for (x, &row) in x.iter_mut().zip(&pattern.natural) {
            *x = b[row as usize];
        }
        for front in &pattern.fronts {
            self.down(pattern, front, x, local);
        }
        for front in pattern.fronts.iter().rev() {
            self.up(pattern, front, x, local);
        }
        for (x, &row) in x.iter().zip(&pattern.natural) {
            b[row as usize] = *x;
        }
    }

    /// Solves for the rows of a front, and subtracts them from the rows below.
    fn down(&self, pattern: &Pattern, front: &Front, x: &mut [f64], local: &mut [f64]) {
        let width = front.width;
        let panel = &self.panels[front.panel..front.panel + front.panel_len()];
        let (own, below) = panel.split_at(padded(width) * width);
        let z = &mut local[..padded(width)];
        z[width..].fill(0.0);
        z[..width].copy_from_slice(&x[front.first..front.first + width]);
        for (t, tile) in own.chunks_exact(TILE * width).enumerate() {
            let (done, rest) = z.split_at_mut(TILE * t);
            let rest: &mut [f64; TILE] = rest.first_chunk_mut().expect("whole tiles");
            let (before, diagonal) = tile.split_at(TILE * TILE * t);
            let sum = times(before, done);
            for r in 0..TILE {
                rest[r] -= sum[r];
            }
            for (c, l) in diagonal.as_chunks::<TILE>().0.iter().take(TILE).enumerate() {
                let z = rest[c];
                for r in 0..TILE {
                    rest[r] -= l[r] * z;
                }
            }
        }
        let z = &z[..width];
        x[front.first..front.first + width].copy_from_slice(z);
        for (tile, rows) in
            below.chunks_exact(TILE * width).zip(pattern.below[front.rows_below()].chunks(TILE))
        {
            let sum = times(tile, z);
            for (&row, sum) in rows.iter().zip(sum) {
                x[row as usize] -= sum;
            }
        }
    }

    /// Solves for the unknowns of a front, those of the rows below being known.
    fn up(&self, pattern: &Pattern, front: &Front, x: &mut [f64], local: &mut [f64]) {
        let width = front.width;
        let panel = &self.panels[front.panel..front.panel + front.panel_len()];
        let local = &mut local[..padded(width) + padded(front.below)];
        let (own, below) = local.split_at_mut(padded(width));
        let inverse = &self.inverse[front.first..front.first + width];
        for ((own, z), inverse) in own.iter_mut().zip(&x[front.first..]).zip(inverse) {
            *own = z * inverse;
        }
        own[width..].fill(0.0);
        for (below, &row) in below.iter_mut().zip(&pattern.below[front.rows_below()]) {
            *below = x[row as usize];
        }
        below[front.below..].fill(0.0);
        let mut start = padded(width);
        while start > 0 {
            start -= TILE;
            let (panel, local) = (&panel[start * width..], &mut local[start..]);
            match width - start {
                1 => up_columns::<1>(panel, width, start, local),
                2 => up_columns::<2>(panel, width, start, local),
                3 => up_columns::<3>(panel, width, start, local),
                _ => up_columns::<4>(panel, width, start, local),
            }
        }
        x[front.first..front.first + width].copy_from_slice(&local[..width]);
    }
}

/// Four rows times a vector.
#[inline(always)]
fn times(rows: &[f64], z: &[f64]) -> [f64; TILE] {
    // Two sums, so that one addition need not wait for the other.
    let mut sums = [[0.0; TILE]; 2];
    let (row_pairs, last_row) = rows.as_chunks::<TILE>().0.as_chunks::<2>();
    let (pairs, last) = z.as_chunks::<2>();
    for (l, z) in row_pairs.iter().zip(pairs) {
        for k in 0..2 {
            for r in 0..TILE {
                sums[k][r] += l[k][r] * z[k];
            }
        }
    }
    for (l, z) in last_row.iter().zip(last) {
        for r in 0..TILE {
            sums[0][r] += l[r] * z;
        }
    }
    std::array::from_fn(|r| sums[0][r] + sums[1][r])
}

/// The `C` unknowns from `start` on; `panel` and `x` begin with their tile.
#[inline(always)]
fn up_columns<const C: usize>(panel: &[f64], width: usize, start: usize, x: &mut [f64]) {
    let (own, below) = x.split_first_chunk_mut::<TILE>().expect("whole tiles");
    let (diagonal, tiles) = panel.split_at(TILE * width);
    let mut sums = [[0.0; TILE]; C];
    for (tile, x) in tiles.chunks_exact(TILE * width).zip(below.as_chunks::<TILE>().0) {
        let tile = &tile[TILE * start..TILE * (start + C)];
        for (sum, l) in sums.iter_mut().zip(tile.as_chunks::<TILE>().0) {
            for r in 0..TILE {
                sum[r] += l[r] * x[r];
            }
        }
    }
    let diagonal = &diagonal[TILE * start..TILE * (start + C)];
    for c in (0..C).rev() {
        let l = &diagonal[TILE * c..TILE * (c + 1)];
        let sum = &mut sums[c];
        for r in 0..TILE {
            sum[r] += l[r] * own[r];
        }
        own[c] -= (sum[0] + sum[2]) + (sum[1] + sum[3]);
    }
}
