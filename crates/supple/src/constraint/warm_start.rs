//! Impulses with which a step starts: those that ended the last one.

use std::ops::Range;

/// Impulses of the rows of an island to start with, and those of the step before, to go back to.
#[derive(Clone, Debug, Default)]
pub(crate) struct WarmStart {
    next: Start,
    before: Start,
}

/// Impulses, by row.
#[derive(Clone, Debug, Default)]
pub(super) struct Start {
    impulses: Vec<f64>,
    /// Whether they solved their step; from others none begins.
    solved: bool,
}

impl WarmStart {
    /// No impulses, for so many rows.
    pub(super) fn new(rows: usize) -> Self {
        Self { next: Start { impulses: vec![0.0; rows], solved: false }, before: Start::default() }
    }

    /// Impulses of some rows.
    pub(crate) fn impulses(&self, rows: Range<usize>) -> &[f64] {
        &self.next.impulses[rows]
    }

    /// Sets the impulses of some rows.
    pub(crate) fn set(&mut self, rows: Range<usize>, impulses: &[f64]) {
        self.next.impulses[rows].copy_from_slice(impulses);
    }

    /// The next step starts with these impulses, one per row.
    pub(super) fn take(&mut self, impulses: &[f64]) {
        self.next.impulses.copy_from_slice(impulses);
    }

    /// What was found for row `k` is not for it any more.
    pub(super) fn forget_row(&mut self, k: usize) {
        self.next.impulses[k] = 0.0;
    }

    /// Whether the impulses solved their step.
    pub(crate) fn is_solved(&self) -> bool {
        self.next.solved
    }

    /// Says whether the impulses solved their step.
    pub(crate) fn set_solved(&mut self, solved: bool) {
        self.next.solved = solved;
    }

    /// A step begins, which may be taken back.
    pub(crate) fn keep(&mut self) {
        self.before.impulses.clone_from(&self.next.impulses);
        self.before.solved = self.next.solved;
    }

    /// The step is taken back.
    pub(crate) fn take_back(&mut self) {
        self.next.impulses.clone_from(&self.before.impulses);
        self.next.solved = self.before.solved;
    }

    /// What the next step starts with.
    pub(super) fn next(&self) -> &Start {
        &self.next
    }

    /// The next step starts with this.
    pub(super) fn restore(&mut self, next: Start) {
        self.next = next;
    }
}
