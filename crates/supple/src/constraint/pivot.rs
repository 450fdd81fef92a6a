//! Which rows with bounds act, found for all of them together.
//!
//! To switch each row by its own trial is a primal–dual active-set iteration. It is done in a step or two where rows hardly feel each
//! other, and goes round in circles where they do: a motor that stalls at a limit elsewhere in its loop. Here the linear problem
//!
//! ```text
//!  w = residual + A (x' − x),   low ≤ x' ≤ high:   w ≥ 0 at low,   w ≤ 0 at high,   w = 0 between
//! ```
//!
//! is solved by block principal pivoting: all rows that are wrong change sides as long as they become fewer; when they did not for a
//! while, the last one alone does, which ends for every positive definite matrix. Júdice & Pires, "A block principal pivoting
//! algorithm for large-scale strictly monotone linear complementarity problems", 1994; Murty, 1974.

use crate::bodies::Articulations;
use crate::spatial::{Force, Motion};

use super::displacement::Operator;
use super::island::Island;
use super::matrix::compliance;

/// Exchanges of all wrong rows at once that may fail to make them fewer; the authors take 10 and find that it hardly matters.
const PATIENCE: u32 = 5;
/// Exchanges at most. One row at a time may take as many as there are subsets, and in practice takes about as many as there are rows; each
/// costs a factor, so that a step is not to wait for more.
const EXCHANGES: u32 = 60;

/// The linear problem beside its rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Linear {
    /// What the matrix has on its diagonal in addition, relative to it.
    pub(super) damping: f64,
    /// Speeds below this are none \[m/s or rad/s].
    pub(super) least: f64,
    /// \[s]
    pub(super) dt: f64,
}

/// Memory of the exchanges.
#[derive(Clone, Debug, Default)]
pub(super) struct Pivots {
    /// Impulses and residuals \[m/s or rad/s] that they start from.
    pub(super) start: Vec<f64>,
    pub(super) residuals: Vec<f64>,
    /// Rows that were off before.
    pub(super) off_before: Vec<bool>,
    /// Impulses of the moment, and least and greatest ones of the rows with bounds.
    pub(super) x: Vec<f64>,
    bounds: Vec<(f64, f64)>,
    change: Vec<f64>,
    w: Vec<f64>,
    /// Places among the rows with bounds.
    wrong: Vec<usize>,
    impulses: Vec<Force>,
    motions: Vec<Motion>,
}

impl Island {
    /// Impulses `pivots.x` and rows that are on, for the residuals `pivots.residuals` at the impulses `pivots.start`. `solve` makes
    /// the residuals of rows that are on the change of impulses that they ask for.
    pub(super) fn pivot(
        &mut self,
        articulations: &Articulations,
        linear: Linear,
        bounds: impl Fn(&Self, usize) -> (f64, f64),
        mut solve: impl FnMut(&mut Self),
    ) {
        let mut p = std::mem::take(&mut self.pivots);
        p.bounds.clear();
        p.bounds.extend(self.rows.bounded.iter().map(|k| bounds(self, *k)));
        p.x.clone_from(&p.start);
        for (k, (low, high)) in self.rows.bounded.iter().zip(&p.bounds) {
            if self.rows.off[*k] {
                p.x[*k] = nearest_bound(p.x[*k], *low, *high);
            }
        }
        let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
        for exchange in 0.. {
            self.solve_rows_on(articulations, &mut p, linear, &mut solve);
            self.find_wrong(&mut p, linear);
            if exchange >= EXCHANGES {
                // at least no impulse is beyond its bounds: from here on rows only go off
                p.wrong.retain(|i| !self.rows.off[self.rows.bounded[*i]]);
            }
            if p.wrong.is_empty() {
                break;
            }
            if exchange >= EXCHANGES {
                self.exchange(&mut p);
                continue;
            }
            if p.wrong.len() < fewest {
                (fewest, patience) = (p.wrong.len(), PATIENCE);
            } else if patience > 0 {
                patience -= 1;
            } else {
                p.wrong.drain(..p.wrong.len() - 1);
            }
            self.exchange(&mut p);
        }
        for (k, (low, high)) in self.rows.bounded.iter().zip(&p.bounds) {
            p.x[*k] = p.x[*k].clamp(*low, *high);
        }
        self.pivots = p;
    }

    /// Impulses of the rows that are on, with those of the others as they are, and what is left of all.
    fn solve_rows_on(
        &mut self,
        articulations: &Articulations,
        p: &mut Pivots,
        linear: Linear,
        solve: &mut impl FnMut(&mut Self),
    ) {
        self.leave(articulations, p, linear.dt);
        let rows = &mut self.rows;
        rows.residuals.clone_from(&p.w);
        for (k, r) in rows.residuals.iter_mut().enumerate() {
            *r = if rows.off[k] { 0.0 } else { -(*r + linear.damping * rows.lines[k].diagonal * p.x[k]) };
        }
        solve(self);
        for ((x, step), off) in p.x.iter_mut().zip(&self.rows.residuals).zip(&self.rows.off) {
            *x += if *off { 0.0 } else { *step };
        }
        self.leave(articulations, p, linear.dt);
    }

    /// What is left of all rows: `w = residual + A (x − start)`.
    fn leave(&mut self, articulations: &Articulations, p: &mut Pivots, dt: f64) {
        if self.rows.bounded.is_empty() {
            // nobody asks
            p.w.clone_from(&p.residuals);
            return;
        }
        p.change.clear();
        p.change.extend(p.x.iter().zip(&p.start).map(|(x, start)| x - start));
        p.w.resize(p.change.len(), 0.0);
        let Pivots { change, w, impulses, motions, .. } = p;
        self.times_a(&Operator { articulations, dt, on: |_| true }, change, w, impulses, motions);
        for (w, residual) in p.w.iter_mut().zip(&p.residuals) {
            *w += residual;
        }
    }

    /// Rows that are on with impulses beyond their bounds, and rows that are off and would not stay there.
    fn find_wrong(&self, p: &mut Pivots, linear: Linear) {
        let Linear { least, dt, .. } = linear;
        p.wrong.clear();
        let rows = &self.rows;
        let is_stopped = |k: usize| rows.is_stopped(&self.topology.joints, k);
        for (i, (low, high)) in p.bounds.iter().enumerate() {
            let k = rows.bounded[i];
            let line = &rows.lines[k];
            if low == high || !line.answers() {
                continue;
            }
            let (x, w) = (p.x[k], p.w[k]);
            let is_wrong = if rows.off[k] {
                !(is_stopped(k) || x >= *high && w <= least || x <= *low && w >= -least)
            } else {
                let slack = least / (line.diagonal + compliance(line.ask, dt) / dt);
                is_stopped(k) || !(x >= low - slack && x <= high + slack)
            };
            if is_wrong {
                p.wrong.push(i);
            }
        }
    }

    /// Wrong rows change sides.
    fn exchange(&mut self, p: &mut Pivots) {
        let Self { topology, rows, .. } = self;
        for i in &p.wrong {
            let (k, (low, high)) = (rows.bounded[*i], p.bounds[*i]);
            rows.off[k] = !rows.off[k];
            if rows.off[k] {
                // what a stop holds is not for its motor to hold: that keeps what it has
                p.x[k] = if rows.is_stopped(&topology.joints, k) {
                    p.x[k].clamp(low, high)
                } else {
                    nearest_bound(p.x[k], low, high)
                };
            }
        }
    }
}

/// The bound that is nearer to `x`; `x` where there is none.
fn nearest_bound(x: f64, low: f64, high: f64) -> f64 {
    let bound = if high - x <= x - low { high } else { low };
    if bound.is_finite() { bound } else { x }
}
