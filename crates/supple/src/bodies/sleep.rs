use super::motion_history::MotionHistory;

/// Whether something sleeps, and how it has moved lately.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sleep {
    asleep: bool,
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
        *self = Self::default();
    }

    pub(crate) fn history(&mut self) -> &mut MotionHistory {
        &mut self.history
    }
}
