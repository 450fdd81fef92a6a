//! Tells how far work is that takes long.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Between lines where stderr is no terminal: often enough to see that it goes on, and a night's run has a few thousand.
const LINES: Duration = Duration::from_secs(10);
/// Between looks at the clock's answer: a bar that moves more often is not seen to.
const LOOKS: Duration = Duration::from_millis(50);

/// A bar on stderr; where that is no terminal, a line every ten seconds.
pub(crate) struct Progress {
    bar: ProgressBar,
    steps: u64,
    began: Instant,
    looked: Instant,
    /// When the next line is due, where there are lines.
    due: Option<Duration>,
}

/// Begins to tell of so many steps.
pub(crate) fn progress(steps: u64) -> Progress {
    let bar = ProgressBar::new(steps);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {percent:>3} %  {per_sec}  {eta} left  {msg}") {
        bar.set_style(style);
    }
    let now = Instant::now();
    let due = (!io::stderr().is_terminal()).then_some(LINES);
    Progress { bar, steps, began: now, looked: now, due }
}

impl Progress {
    /// What is being made.
    pub(crate) fn set_message(&self, message: String) {
        self.bar.set_message(message);
    }

    /// So many steps are done.
    pub(crate) fn set_position(&mut self, done: u64) {
        let now = Instant::now();
        if now.duration_since(self.looked) < LOOKS {
            return;
        }
        self.looked = now;
        self.bar.set_position(done);
        self.tell(now, done);
    }

    /// A line, if it is due.
    fn tell(&mut self, now: Instant, done: u64) {
        let took = now.duration_since(self.began);
        if self.due.is_some_and(|due| took >= due) {
            // who does not read it is not told
            let _ = writeln!(io::stderr(), "{}", line(done, self.steps, took));
            self.due = Some(took + LINES);
        }
    }

    /// One more step is done.
    pub(crate) fn inc(&mut self, more: u64) {
        self.bar.inc(more);
        self.tell(Instant::now(), self.bar.position());
    }

    pub(crate) fn finish_and_clear(&self) {
        self.bar.finish_and_clear();
    }
}

fn line(done: u64, steps: u64, took: Duration) -> String {
    let (took, share) = (took.as_secs_f64(), done as f64 / steps.max(1) as f64);
    let left = if done == 0 {
        String::new()
    } else {
        format!(", about {} s left", (took * (1.0 - share) / share).round())
    };
    format!("{:.0} %: {done} of {steps} steps after {} s{left}", 100.0 * share, took.round())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_how_far_it_is() {
        let seconds = Duration::from_secs;
        assert_eq!(line(0, 100, seconds(10)), "0 %: 0 of 100 steps after 10 s");
        assert_eq!(line(25, 100, seconds(20)), "25 %: 25 of 100 steps after 20 s, about 60 s left");
    }
}
