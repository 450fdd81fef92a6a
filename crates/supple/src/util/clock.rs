//! The clock, for the times that reports have. No result depends on it; nothing else in the library reads it.

use std::time::Duration;

/// `wasm32-unknown-unknown` has no clock of its own, and `std::time::Instant::now` panics there: with the feature `web-time` it is
/// that of the browser or of Node, without it all times are zero.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
type Instant = std::time::Instant;
#[cfg(all(target_family = "wasm", target_os = "unknown", feature = "web-time"))]
type Instant = web_time::Instant;

/// How long something takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch {
    #[cfg(any(not(all(target_family = "wasm", target_os = "unknown")), feature = "web-time"))]
    started: Instant,
}

#[cfg(any(not(all(target_family = "wasm", target_os = "unknown")), feature = "web-time"))]
impl Stopwatch {
    /// Starts to count.
    #[allow(clippy::disallowed_methods, reason = "this is the one place")]
    pub(crate) fn start() -> Self {
        Self { started: Instant::now() }
    }

    /// Time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

#[cfg(all(target_family = "wasm", target_os = "unknown", not(feature = "web-time")))]
impl Stopwatch {
    /// Starts to count.
    pub(crate) fn start() -> Self {
        Self {}
    }

    /// Time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
}

impl Stopwatch {
    /// Time since the start \[s].
    pub(crate) fn seconds(&self) -> f64 {
        self.elapsed().as_secs_f64()
    }
}
