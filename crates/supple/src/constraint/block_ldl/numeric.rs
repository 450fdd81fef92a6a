//! The numbers of the factor.

use super::dense::{Pivots, eliminate, subtract_products};
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
        if place.is_transposed() {
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
                let row_of_panel = block.row as usize + r;
                let at =
                    place_in_panel(row_of_panel - row_of_panel % TILE, width) + TILE * block.column as usize;
                for (column, &value) in panel[at..].as_chunks_mut::<TILE>().0.iter_mut().zip(row) {
                    column[row_of_panel % TILE] = value;
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
