use crate::model::BodyId;

use super::{ArticulationId, SingleId};

/// A body of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyRef {
    /// The world itself: what never moves.
    World,
    /// A single body.
    Single(SingleId),
    /// A body of an articulation.
    Of(ArticulationId, BodyId),
}

impl From<SingleId> for BodyRef {
    fn from(id: SingleId) -> Self {
        Self::Single(id)
    }
}

impl From<(ArticulationId, BodyId)> for BodyRef {
    fn from((articulation, body): (ArticulationId, BodyId)) -> Self {
        Self::Of(articulation, body)
    }
}
