//! Two clocks: the one on the wall, and the time that this thread had a processor, which other programs disturb less.

use std::time::Instant;

/// A moment.
pub(crate) struct Clock {
    wall: Instant,
    processor: f64,
}

/// What passed since \[ns].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passed {
    pub(crate) wall: f64,
    /// The same as on the wall where the system does not tell.
    pub(crate) processor: f64,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self { wall: Instant::now(), processor: processor() }
    }

    pub(crate) fn passed(&self) -> Passed {
        let wall = self.wall.elapsed().as_secs_f64() * 1e9;
        let processor = processor() - self.processor;
        Passed { wall, processor: if processor > 0.0 { processor } else { wall } }
    }
}

/// Time that this thread had a processor \[ns].
#[cfg(unix)]
fn processor() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

#[cfg(not(unix))]
fn processor() -> f64 {
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_sleeps_needs_no_processor() {
        let clock = Clock::start();
        std::thread::sleep(std::time::Duration::from_millis(20));
        let passed = clock.passed();
        assert!(passed.wall >= 20e6, "{passed:?}");
        assert!(cfg!(not(unix)) || passed.processor < 10e6, "{passed:?}");
    }
}
