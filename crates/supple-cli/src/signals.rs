//! Ctrl-C and SIGTERM: a run that is asked to end does so after the step at hand, with all that it has; asked again, at once.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use anyhow::{Context, Result};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// Who asked a run to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// SIGINT, as Ctrl-C sends it.
    Interrupt,
    /// SIGTERM.
    Terminate,
}

impl Signal {
    /// The exit code that shells expect.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Interrupt => 130,
            Self::Terminate => 143,
        }
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Interrupt => "interrupted (SIGINT)",
            Self::Terminate => "told to end (SIGTERM)",
        })
    }
}

impl std::error::Error for Signal {}

/// Listens from now on; before, signals end the process as they always do.
pub(crate) struct Signals {
    number: Arc<AtomicUsize>,
}

impl Signals {
    pub(crate) fn listen() -> Result<Self> {
        let (number, again) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        for (signal, kind) in [(SIGINT, Signal::Interrupt), (SIGTERM, Signal::Terminate)] {
            // in this order: the first signal finds nothing to end
            flag::register_conditional_shutdown(signal, kind.code().into(), Arc::clone(&again))
                .and_then(|_| flag::register(signal, Arc::clone(&again)))
                .and_then(|_| flag::register_usize(signal, Arc::clone(&number), kind.code().into()))
                .context("cannot listen to signals")?;
        }
        Ok(Self { number })
    }

    /// The signal that came, if one did.
    pub(crate) fn asked(&self) -> Option<Signal> {
        let number = self.number.load(Ordering::Relaxed);
        [Signal::Interrupt, Signal::Terminate].into_iter().find(|signal| usize::from(signal.code()) == number)
    }
}
