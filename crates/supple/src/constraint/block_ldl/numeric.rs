//! The numbers of the factor.

use super::symbolic::{Front, Pattern, Place, place_in_panel};
use super::{TILE, padded};

/// A pivot not above this part of its own diagonal of A is rounding: it is what remains of a row that repeats others.
const ROUNDING: f64 = 1e-13;

/// A and its factors L and D. Nothing is allocated when the same pattern is factored again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Factor {
    /// A: one triangle, block after block.
    values: Vec<f64>,
    /// L without its unit diagonal, front after front (see `Front`). Places above the diagonal are not used.
    pub(super) panels: Vec<f64>,
    /// D⁻¹ of each row in the order of elimination; 0 where the pivot was set aside.
    pub(super) inverse: Vec<f64>,
    /// What fronts subtract from their parents, on two stacks (see `Front::stack`).
    stacks: [Vec<f64>; 2],
    /// Scratch of one front: D, below which its pivots are set aside, and a row of tiles times D.
    d: Vec<f64>,
    limit: Vec<f64>,
    scaled: Vec<f64>,
}

impl Factor {
    /// Makes room for the pattern, and A zero.
    pub(crate) fn clear(&mut self, pattern: &Pattern) {
        self.values.clear();
        self.values.resize(pattern.values, 0.0);
        self.panels.resize(pattern.panels, 0.0);
        self.inverse.resize(pattern.rows(), 0.0);
        for (stack, &len) in self.stacks.iter_mut().zip(&pattern.stacks) {
            stack.resize(len, 0.0);
        }
        self.d.resize(pattern.widest, 0.0);
        self.limit.resize(pattern.widest, 0.0);
        self.scaled.resize(TILE * pattern.widest, 0.0);
    }

    /// The stored block of a place, row after row. Of a diagonal block only the lower triangle is read.
    pub(crate) fn block_mut(&mut self, place: Place) -> &mut [f64] {
        &mut self.values[place.index..place.index + usize::from(place.rows) * usize::from(place.columns)]
    }

    /// Adds to the block of `pattern.place(i, j)`: rows of i, columns of j, row after row.
    pub(crate) fn add(&mut self, place: Place, block: &[f64]) {
        let (rows, columns) = (usize::from(place.rows), usize::from(place.columns));
        assert_eq!(block.len(), rows * columns, "a block has one number per row and column");
        let stored = self.block_mut(place);
        if place.transposed {
            for (r, row) in stored.chunks_exact_mut(columns).enumerate() {
                for (c, value) in row.iter_mut().enumerate() {
                    *value += block[c * rows + r];
                }
            }
        } else {
            for (value, more) in stored.iter_mut().zip(block) {
                *value += more;
            }
        }
    }

    /// Factors A, each diagonal entry a being a (1 + `damping`). Rows for which `off` is true (in the order of vectors;
    /// none if it is empty) count as zero, and so do their unknowns. Returns how many other pivots were not positive beyond
    /// rounding and were set aside: their unknowns are zero too. A can be factored again.
    pub(crate) fn factor(&mut self, pattern: &Pattern, damping: f64, off: &[bool]) -> usize {
        assert!(off.is_empty() || off.len() == pattern.rows(), "one switch per row, or none");
        assert_eq!(self.values.len(), pattern.values, "A has been cleared for this pattern");
        let mut aside = 0;
        for front in &pattern.fronts {
            self.assemble(pattern, front, damping, off);
            let panel = &mut self.panels[front.panel..front.panel + front.panel_len()];
            let pivots = &mut Pivots {
                d: &mut self.d[..front.width],
                inverse: &mut self.inverse[front.first..front.first + front.width],
                limit: &self.limit[..front.width],
                aside: 0,
            };
            eliminate(panel, pivots, &mut self.scaled);
            aside += pivots.aside;
            if front.below > 0 {
                let below = &panel[padded(front.width) * front.width..];
                let update = &mut self.stacks[front.stack][front.update_at..];
                subtract_products(below, pivots.d, front, update, &mut self.scaled);
            }
        }
        aside
    }

    /// Fills a front with its blocks of A and with what its children subtract.
    fn assemble(&mut self, pattern: &Pattern, front: &Front, damping: f64, off: &[bool]) {
        let width = front.width;
        let panel = &mut self.panels[front.panel..front.panel + front.panel_len()];
        panel.fill(0.0);
        for block in &pattern.blocks[front.blocks.clone()] {
            let columns = usize::from(block.columns);
            let values = &self.values[block.index..block.index + usize::from(block.rows) * columns];
            for (r, row) in values.chunks_exact(columns).enumerate() {
                let at = place_in_panel(block.row as usize + r, width) + TILE * block.column as usize;
                for (place, &value) in panel[at..].iter_mut().step_by(TILE).zip(row) {
                    *place = value;
                }
            }
        }
        for (k, limit) in self.limit[..width].iter_mut().enumerate() {
            let a = &mut panel[place_in_panel(k, width) + TILE * k];
            *limit = ROUNDING * *a;
            *a += damping * *a;
            if !off.is_empty() && off[pattern.natural[front.first + k] as usize] {
                *limit = f64::INFINITY;
            }
        }

        let (height, top) = (padded(front.below), padded(width));
        let [even, odd] = &mut self.stacks;
        let (ours, theirs) = if front.stack == 0 { (even, &*odd) } else { (odd, &*even) };
        let ours = &mut ours[front.update_at..front.update_at + height * height];
        if !front.children.is_empty() {
            ours.fill(0.0);
        }
        for &child in &pattern.children[front.children.clone()] {
            let child = &pattern.fronts[child as usize];
            let targets = &pattern.targets[child.rows_below()];
            let columns = theirs[child.update_at..].chunks_exact(padded(child.below));
            let places = &pattern.target_places[child.rows_below()];
            for (j, (column, &target)) in columns.zip(targets).enumerate() {
                if (target as usize) < width {
                    let panel = &mut panel[TILE * target as usize..];
                    for (value, &place) in column[j..].iter().zip(&places[j..]) {
                        panel[place as usize] += value;
                    }
                } else {
                    let ours = &mut ours[(target as usize - top) * height..][..height];
                    for (value, &row) in column[j..].iter().zip(&targets[j..]) {
                        ours[row as usize - top] += value;
                    }
                }
            }
        }
    }
}

/// Pivots of one front.
struct Pivots<'a> {
    d: &'a mut [f64],
    inverse: &'a mut [f64],
    limit: &'a [f64],
    /// How many were set aside though their rows are not switched off.
    aside: usize,
}

/// Eliminates the columns of a front, four at a time.
fn eliminate(panel: &mut [f64], pivots: &mut Pivots, scaled: &mut [f64]) {
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
fn subtract_products(below: &[f64], d: &[f64], front: &Front, update: &mut [f64], scaled: &mut [f64]) {
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
