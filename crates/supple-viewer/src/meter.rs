//! How fast it goes.

use std::time::{Duration, Instant};

/// Times of steps: since the last frame, and over the last second.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    began: Instant,
    /// Of the present second: steps, simulated time, the longest step.
    steps: u32,
    simulated: f64,
    longest: Duration,
    /// Of the second before.
    pub(crate) rate: f64,
    pub(crate) steps_per_second: f64,
    before: Duration,
    /// Since the last frame.
    since: (Duration, u32),
    /// Mean time of a step at the last frame that had any \[ms].
    mean: f64,
}

impl Default for Meter {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            steps: 0,
            simulated: 0.0,
            longest: Duration::ZERO,
            rate: 0.0,
            steps_per_second: 0.0,
            before: Duration::ZERO,
            since: (Duration::ZERO, 0),
            mean: 0.0,
        }
    }
}

impl Meter {
    /// A step took this long, and was so long \[s].
    pub(crate) fn step(&mut self, took: Duration, dt: f64) {
        self.steps += 1;
        self.simulated += dt;
        self.longest = self.longest.max(took);
        self.since.0 += took;
        self.since.1 += 1;
    }

    /// Closes the second if it is over.
    pub(crate) fn tick(&mut self) {
        let gone = self.began.elapsed().as_secs_f64();
        if gone >= 1.0 {
            self.rate = self.simulated / gone;
            self.steps_per_second = f64::from(self.steps) / gone;
            self.before = self.longest;
            (self.steps, self.simulated, self.longest) = (0, 0.0, Duration::ZERO);
            self.began = Instant::now();
        }
    }

    /// Mean time of the steps since this was asked last \[ms].
    pub(crate) fn mean(&mut self) -> f64 {
        let (time, steps) = std::mem::take(&mut self.since);
        if steps > 0 {
            self.mean = time.as_secs_f64() * 1e3 / f64::from(steps);
        }
        self.mean
    }

    /// The longest step of this second and the one before \[ms].
    pub(crate) fn worst(&self) -> f64 {
        self.longest.max(self.before).as_secs_f64() * 1e3
    }
}
