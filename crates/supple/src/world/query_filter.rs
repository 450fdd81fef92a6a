use crate::contact::{Collider, Groups};
use crate::world::{BodyRef, ColliderId};

/// Which colliders a query sees. By default all but sensors.
///
/// ```
/// use supple::world::{BodyRef, QueryFilter};
///
/// let smooth = |_, collider: &supple::contact::Collider, _| collider.material.friction < 0.1;
/// let filter = QueryFilter::new().with_sensors().without(BodyRef::World).only(&smooth);
/// assert_eq!(filter.ignored, Some(BodyRef::World));
/// ```
#[derive(Clone, Copy, Default)]
pub struct QueryFilter<'a> {
    /// Groups of what asks: it sees what it could touch.
    pub groups: Groups,
    /// A body that is not seen: most often the one that asks.
    pub ignored: Option<BodyRef>,
    /// Whether sensors are seen too.
    pub sensors: bool,
    /// Which colliders are seen, if the user has something to say about it.
    pub predicate: Option<&'a Predicate>,
}

/// Whether a query sees a collider.
pub type Predicate = dyn Fn(ColliderId, &Collider, BodyRef) -> bool;

impl std::fmt::Debug for QueryFilter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QueryFilter")
            .field("groups", &self.groups)
            .field("ignored", &self.ignored)
            .field("sensors", &self.sensors)
            .finish_non_exhaustive()
    }
}

impl<'a> QueryFilter<'a> {
    /// All colliders but sensors.
    pub fn new() -> Self {
        Self::default()
    }

    /// Only what a collider of these groups could touch.
    pub fn groups(mut self, member: u32, touches: u32) -> Self {
        self.groups = Groups { member, touches };
        self
    }

    /// Not the colliders of this body.
    pub fn without(mut self, body: impl Into<BodyRef>) -> Self {
        self.ignored = Some(body.into());
        self
    }

    /// Sensors too.
    pub fn with_sensors(mut self) -> Self {
        self.sensors = true;
        self
    }

    /// Only colliders of which this is true.
    pub fn only(mut self, predicate: &'a Predicate) -> Self {
        self.predicate = Some(predicate);
        self
    }

    /// Whether it sees a collider.
    pub(super) fn sees(&self, id: ColliderId, collider: &Collider, body: BodyRef) -> bool {
        (self.sensors || !collider.is_sensor)
            && self.ignored != Some(body)
            && self.groups.allow(&collider.groups)
            && self.predicate.is_none_or(|sees| sees(id, collider, body))
    }
}
