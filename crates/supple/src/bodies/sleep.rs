use super::motion_history::MotionHistory;

/// Whether something sleeps, and how it has moved lately.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sleep {
    asleep: bool,
    /// Whether it sleeps until it is released, whatever would wake it.
    held: bool,
    history: MotionHistory,
}

impl Sleep {
    #[inline]
    pub(crate) fn is_asleep(&self) -> bool {
        self.asleep
    }

    pub(crate) fn fall(&mut self) {
        self.asleep = true;
    }

    pub(crate) fn wake(&mut self) {
        if !self.held {
            *self = Self::default();
        }
    }

    pub(crate) fn is_held(&self) -> bool {
        self.held
    }

    /// Sleeps until it is released.
    pub(crate) fn hold(&mut self) {
        (self.asleep, self.held) = (true, true);
    }

    /// Wakes what was held.
    pub(crate) fn release(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn history(&mut self) -> &mut MotionHistory {
        &mut self.history
    }
}
