//! Bars for work that takes long.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar on stderr; hidden where that is not a terminal.
pub(crate) fn progress(steps: u64) -> ProgressBar {
    let bar = ProgressBar::new(steps);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {percent:>3} %  {per_sec}  {eta} left  {msg}") {
        bar.set_style(style);
    }
    bar
}
