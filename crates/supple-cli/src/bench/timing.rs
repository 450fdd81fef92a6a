//! Best of repeats, warmed up.

use std::time::{Duration, Instant};

/// Length of one batch of calls.
const BATCH: Duration = Duration::from_millis(10);
/// Time given to one measurement.
const TOTAL: Duration = Duration::from_millis(400);
/// At least so many batches, however long they take.
const FEWEST: u32 = 5;

/// Time of one call \[ns]: the best batch counts, for noise only ever adds.
pub(crate) fn best_ns(mut call: impl FnMut()) -> f64 {
    // warm up, and learn how many calls make a batch
    let start = Instant::now();
    let mut calls = 0u32;
    while start.elapsed() < BATCH {
        call();
        calls += 1;
    }
    let begin = Instant::now();
    let (mut best, mut batches) = (f64::INFINITY, 0);
    while batches < FEWEST || begin.elapsed() < TOTAL {
        let start = Instant::now();
        for _ in 0..calls {
            call();
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(calls));
        batches += 1;
    }
    best
}

/// Time of one `call` \[ns] that needs `prepare` before each time; only the call counts.
pub(crate) fn best_prepared_ns<T>(
    state: &mut T,
    mut prepare: impl FnMut(&mut T),
    mut call: impl FnMut(&mut T),
) -> f64 {
    let begin = Instant::now();
    let (mut best, mut repeats) = (f64::INFINITY, 0);
    while repeats < 2 * FEWEST || begin.elapsed() < TOTAL {
        prepare(state);
        let start = Instant::now();
        call(state);
        best = best.min(start.elapsed().as_secs_f64() * 1e9);
        repeats += 1;
    }
    best
}
