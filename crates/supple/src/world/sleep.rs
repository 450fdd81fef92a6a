//! What rests sleeps, what is touched wakes.

use crate::world::{BodyRef, World};

/// How long something has been calm.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sleep {
    asleep: bool,
    /// For so long it hardly moved \[s].
    pub(crate) calm: f64,
}

impl Sleep {
    #[inline]
    pub(crate) fn is_asleep(&self) -> bool {
        self.asleep
    }

    pub(crate) fn wake(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn fall_asleep(&mut self) {
        self.asleep = true;
    }
}

impl World {
    /// Wakes a body.
    pub fn wake(&mut self, body: impl Into<BodyRef>) {
        match body.into() {
            BodyRef::World => {}
            BodyRef::Single(id) => {
                if let Some(body) = self.singles.get_mut(id) {
                    body.sleep.wake();
                }
            }
            BodyRef::Of(id, _) => {
                if let Some(articulated) = self.articulations.get_mut(id) {
                    articulated.sleep.wake();
                }
            }
        }
    }
}
