//! What an island does after a step that could not be solved even in the shortest parts, until it is whole again.

use crate::world::Settings;

/// Steps at most that are not cut after one that could not be solved: constraints may contradict.
const HOPELESS: u32 = 100;
/// How often the speed at which joints come together is halved at most.
const MOST_CAUTIOUS: u32 = 6;

/// Steps that could not be solved, and what followed from them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Trouble {
    /// Whether some joints came apart, and are not all together again. Impulses then act on each body at its own point: at the midpoint
    /// they would spin what is thinner than the gap, and not close it.
    pub(crate) apart: bool,
    /// Steps for which none is cut into halves on its account.
    pub(crate) hopeless: u32,
    /// Whether a part of the present step could not be solved.
    failed: bool,
    /// Steps in a row that could not be solved.
    failures: u32,
    /// How often the speed at which joints come together is halved.
    caution: u32,
}

impl Trouble {
    /// After a part of a step that could not be solved.
    pub(crate) fn fail(&mut self) {
        (self.apart, self.failed) = (true, true);
        self.caution = (self.caution + 1).min(MOST_CAUTIOUS);
    }

    /// After a whole step; `whole` where no joint is apart. The first that fails is no reason not to cut the next one, but there is
    /// no use in trying again and again.
    pub(crate) fn end_step(&mut self, whole: bool) {
        if std::mem::take(&mut self.failed) {
            if self.hopeless == 0 {
                self.hopeless = HOPELESS.min((1 << self.failures.min(16)) - 1);
                self.failures += 1;
            } else {
                self.hopeless -= 1;
            }
        } else {
            (self.hopeless, self.failures) = (0, 0);
            self.caution = self.caution.saturating_sub(1);
            self.apart &= !whole;
        }
    }

    /// Fastest speed at which joints that are apart come together \[m/s or rad/s]: what asks for too much cannot be solved again.
    pub(crate) fn approach(&self, settings: &Settings) -> f64 {
        settings.approach / f64::from(1u32 << self.caution)
    }
}
