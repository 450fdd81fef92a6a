//! Runs that are compared take turns, so that all of them see the same machine.

use std::ops::Range;

/// The turns of a round: ranges of steps, each `turn` long but for the first and the last. They begin elsewhere in every
/// round: the first steps of a turn are slow, since others have used the cache meanwhile, and must not be the same
/// steps each time.
pub(crate) fn turns(round: u64, steps: usize, turn: usize) -> impl Iterator<Item = Range<usize>> {
    // no divisor of common lengths, so that rounds differ for long
    let early = (7 * round as usize) % turn;
    let at = move |i: usize| (i * turn).saturating_sub(early).min(steps);
    (0..=steps.div_ceil(turn)).map(move |i| at(i)..at(i + 1)).filter(|steps| !steps.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_round_takes_every_step_once_and_in_other_turns() {
        for (steps, turn) in [(240, 20), (2000, 100), (7, 3), (1, 20)] {
            for round in 0..30 {
                let taken: Vec<usize> = turns(round, steps, turn).flatten().collect();
                assert_eq!(taken, (0..steps).collect::<Vec<_>>(), "{steps} by {turn}, round {round}");
            }
        }
        assert_eq!(turns(0, 240, 20).next(), Some(0..20));
        assert_eq!(turns(1, 240, 20).next(), Some(0..13));
    }
}
