//! What Newton knows of an island during a step: how far it is, and the best impulses so far.

use super::closing::Closing;
use super::matrix::LEAST_DAMPING;
use super::mixing::Mixing;

/// Damping after the first setback, how much it grows with each, and where it ends.
const FIRST_DAMPING: f64 = 1e-8;
const DAMPING_GROWS: f64 = 100.0;
const GREATEST_DAMPING: f64 = 1.0;
/// Setbacks after which there is nothing more to be gained.
const SETBACKS: u32 = 6;
/// Switches of rows after which their sets go round in circles: then they are found together. A rope that goes taut in a net, or a
/// character that is stopped by several of its limits, takes fewer.
const SWITCHES: u32 = 4;
/// Impulses that lead so many times farther from a solution than others are not gone on with.
const ASTRAY: f64 = 100.0;

/// Newton of an island.
#[derive(Clone, Debug, Default)]
pub(crate) struct Newton {
    progress: Progress,
    /// Iterations since the last start, and those before it.
    iterations: u32,
    spent: u32,
    /// Greatest error of a row at the best impulses \[m or rad].
    error: f64,
    /// Added to the diagonal of the matrix, relative to it.
    pub(super) damping: f64,
    setbacks: u32,
    active_set: ActiveSet,
    best: Best,
    nearest: Nearest,
    /// How joints that are apart come together.
    pub(super) closing: Closing,
    pub(super) mixing: Mixing,
    /// Residuals of the present iteration \[m/s or rad/s].
    pub(super) residuals: Vec<f64>,
}

/// How far Newton is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Progress {
    /// It goes on.
    #[default]
    Iterating,
    /// Done: the tolerance was met.
    Solved,
    /// Done, with the best impulses there were.
    Unsolved,
    /// Likewise, and ports are not predicted with these yet.
    Unpredicted,
}

/// How it is found which rows with bounds act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ActiveSet {
    /// Each by its own trial, and so many times some were others than before.
    Switching { switches: u32 },
    /// All together ([`super::pivot`]).
    Pivoting,
}

impl Default for ActiveSet {
    fn default() -> Self {
        Self::Switching { switches: 0 }
    }
}

/// Impulses with the least error while the same rows were on, and their residuals.
#[derive(Clone, Debug, Default)]
struct Best {
    impulses: Vec<f64>,
    residuals: Vec<f64>,
}

/// Impulses with the least distance from a solution that was seen, whatever rows were on \[m or rad].
#[derive(Clone, Debug, Default)]
struct Nearest {
    distance: f64,
    impulses: Vec<f64>,
}

impl Newton {
    /// Starts from these impulses.
    pub(super) fn resume(&mut self, impulses: &[f64]) {
        self.progress = Progress::Iterating;
        self.active_set = ActiveSet::default();
        self.restart();
        self.mixing.forget();
        copy(&mut self.best.impulses, impulses);
        self.best.residuals.clear();
        self.best.residuals.resize(impulses.len(), 0.0);
        self.nearest.distance = f64::INFINITY;
        copy(&mut self.nearest.impulses, impulses);
    }

    fn restart(&mut self) {
        (self.iterations, self.setbacks) = (0, 0);
        (self.error, self.damping) = (f64::INFINITY, LEAST_DAMPING);
    }

    /// A step begins.
    pub(super) fn begin_step(&mut self) {
        self.closing.begin_step(self.iterations);
        self.spent = 0;
    }

    /// Whether there is nothing more to do.
    pub(crate) fn is_done(&self) -> bool {
        self.progress != Progress::Iterating
    }

    /// Whether the tolerance was met.
    pub(crate) fn is_solved(&self) -> bool {
        self.progress == Progress::Solved
    }

    /// Whether ports are to be predicted: with impulses to try, or with those to take.
    pub(crate) fn wants_prediction(&self) -> bool {
        matches!(self.progress, Progress::Iterating | Progress::Unpredicted)
    }

    /// Whether it is done and ports are not predicted with the impulses to take.
    pub(crate) fn is_unpredicted(&self) -> bool {
        self.progress == Progress::Unpredicted
    }

    /// Iterations in this step so far.
    pub(crate) fn iterations(&self) -> u32 {
        self.iterations
    }

    /// Greatest error of a row at the best impulses \[m or rad].
    pub(crate) fn error(&self) -> f64 {
        self.error
    }

    /// The island sleeps: there is nothing to do.
    pub(super) fn rest(&mut self) {
        if !self.is_solved() {
            self.progress = Progress::Unsolved;
        }
    }

    /// It is done: whether the tolerance was met, after so many iterations, with this error \[m or rad].
    pub(super) fn end(&mut self, solved: bool, iterations: u32, error: f64) {
        self.progress = if solved { Progress::Solved } else { Progress::Unsolved };
        (self.iterations, self.error) = (iterations, error);
    }

    /// It is done with an error within the tolerance.
    pub(super) fn end_solved(&mut self, error: f64) {
        self.end(true, self.iterations, error);
    }

    /// It is done with the best impulses there were, which `impulses` become.
    pub(super) fn end_unsolved(&mut self, impulses: &mut Vec<f64>) {
        impulses.clone_from(&self.nearest.impulses);
        self.end(false, self.iterations, self.nearest.distance);
    }

    /// What it found is of no use.
    pub(super) fn fail(&mut self) {
        self.error = f64::INFINITY;
        if self.is_solved() {
            self.progress = Progress::Unsolved;
        }
    }

    /// Ports are yet to be predicted with the impulses to take.
    pub(super) fn ask_for_prediction(&mut self) {
        self.progress = Progress::Unpredicted;
    }

    /// Several parts of a step took so many iterations in all, with this error at most \[m or rad].
    pub(super) fn sum_up(&mut self, iterations: u32, error: f64) {
        (self.iterations, self.error) = (iterations, error);
    }

    /// The iterations so far are done; `more` come before the next start.
    pub(super) fn spend(&mut self, more: u32) {
        self.spent += self.iterations + more;
    }

    /// Counts the iterations before the last start again.
    pub(super) fn count_spent(&mut self) {
        self.iterations += std::mem::take(&mut self.spent);
    }

    /// One more iteration begins, with this error \[m or rad].
    pub(super) fn note_iteration(&mut self, error: f64) {
        self.iterations += 1;
        self.error = error;
    }

    /// One more iteration; `false` if `most` were taken, or there were too many setbacks.
    pub(super) fn count_iteration(&mut self, most: u32) -> bool {
        let goes_on = self.iterations < most && self.setbacks < SETBACKS;
        self.iterations += u32::from(goes_on);
        goes_on
    }

    /// Notes how far from a solution these impulses are \[m or rad]; whether others were so much nearer that these are not gone on with.
    pub(super) fn note_distance(&mut self, distance: f64, impulses: &[f64]) -> bool {
        let astray = !(distance <= ASTRAY * self.nearest.distance);
        if distance < self.nearest.distance {
            self.nearest.distance = distance;
            copy(&mut self.nearest.impulses, impulses);
        }
        astray
    }

    /// Whether this error is the least so far.
    pub(super) fn improves(&self, error: f64) -> bool {
        error < self.error
    }

    /// Notes the best impulses so far and what they leave.
    pub(super) fn note_best(&mut self, error: f64, impulses: &[f64], residuals: &[f64]) {
        self.error = error;
        copy(&mut self.best.impulses, impulses);
        copy(&mut self.best.residuals, residuals);
    }

    /// Back to the best impulses and what they leave, and shorter from there.
    pub(super) fn set_back(&mut self, impulses: &mut Vec<f64>, residuals: &mut Vec<f64>) {
        impulses.clone_from(&self.best.impulses);
        residuals.clone_from(&self.best.residuals);
        self.damping = (self.damping * DAMPING_GROWS).clamp(FIRST_DAMPING, GREATEST_DAMPING);
        self.setbacks += 1;
        self.mixing.forget();
    }

    /// Damps from here on.
    pub(super) fn damp(&mut self, damping: f64) {
        self.damping = damping;
        self.mixing.forget();
    }

    /// Whether rows with bounds are found together.
    pub(super) fn pivots(&self) -> bool {
        self.active_set == ActiveSet::Pivoting
    }

    /// Some rows were switched on or off; whether their sets go round in circles.
    pub(super) fn note_switch(&mut self) -> bool {
        self.mixing.forget();
        let ActiveSet::Switching { switches } = &mut self.active_set else { return false };
        *switches += 1;
        *switches > SWITCHES
    }

    /// Rows with bounds are found together from here on: from the best impulses that there were, which `impulses` become, as if it began.
    pub(super) fn begin_pivots(&mut self, impulses: &mut Vec<f64>) {
        impulses.clone_from(&self.nearest.impulses);
        self.spend(1);
        self.active_set = ActiveSet::Pivoting;
        self.restart();
    }

    /// What was found for row `k` is not for it any more.
    pub(super) fn forget_row(&mut self, k: usize) {
        for impulses in [&mut self.best.impulses, &mut self.nearest.impulses] {
            if let Some(impulse) = impulses.get_mut(k) {
                *impulse = 0.0;
            }
        }
        self.mixing.forget();
    }
}

/// Makes `to` a copy of `from`, in its own memory.
fn copy(to: &mut Vec<f64>, from: &[f64]) {
    to.clear();
    to.extend_from_slice(from);
}
