//! Times of the steps of a run that is repeated: the same steps each time, so noise can be told from cost.

use super::median::{mean, median};

/// Times of every step of a run, round by round \[ns].
#[derive(Clone, Debug, Default)]
pub(crate) struct StepTimes {
    rounds: Vec<Vec<f64>>,
}

impl StepTimes {
    /// Takes note of the time of a step, counted from 0, in one more round \[ns].
    pub(crate) fn push(&mut self, step: usize, ns: f64) {
        if self.rounds.len() <= step {
            self.rounds.resize_with(step + 1, Vec::new);
        }
        self.rounds[step].push(ns);
    }

    /// The first step \[ns]: rigid groups are made for the first time, which looks at all of the body.
    pub(crate) fn first(&self) -> f64 {
        self.rounds.first().map_or(f64::NAN, |rounds| median(rounds))
    }

    /// Mean over all steps but the first, each by its middle time \[ns].
    pub(crate) fn mean(&self) -> f64 {
        mean(&self.middle())
    }

    /// The slowest step but the first, by its middle time \[ns].
    pub(crate) fn worst(&self) -> f64 {
        self.middle().into_iter().fold(0.0, f64::max)
    }

    /// Middle times of all steps but the first \[ns].
    pub(crate) fn middle(&self) -> Vec<f64> {
        self.rounds.iter().skip(1).map(|rounds| median(rounds)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slow_round_does_not_count_and_neither_does_the_first_step() {
        let mut times = StepTimes::default();
        for round in 0..3 {
            for step in 0..5 {
                let noise = if round == 1 { 1e6 } else { 0.0 };
                times.push(step, if step == 0 { 900.0 } else { step as f64 } + noise);
            }
        }
        assert_eq!((times.first(), times.mean(), times.worst()), (900.0, 2.5, 4.0));
    }
}
