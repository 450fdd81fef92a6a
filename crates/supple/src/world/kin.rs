//! Which bodies of an articulation hang together: its kinematic trees, and the neighbours in them.

use std::collections::BTreeMap;

use crate::model::{BodyId, LinkJoint, Model};
use crate::world::colliders::Ordered;
use crate::world::{ArticulationId, BodyRef};

/// An articulation, and which of its bodies have colliders.
pub(crate) struct Kin<'a> {
    pub(crate) model: &'a Model,
    pub(crate) articulation: ArticulationId,
    pub(crate) collider_set_of: &'a BTreeMap<Ordered, u32>,
}

impl Kin<'_> {
    /// The body at the root of the tree that a body is in. What a free joint carries has a tree of its own, and so has what stands in the
    /// world next to others.
    pub(crate) fn root(&self, mut body: BodyId) -> BodyId {
        loop {
            match self.carrier(body) {
                Some(carrier) if !self.is_frame(carrier) => body = carrier,
                _ => return body,
            }
        }
    }

    /// The body that carries it, but by a free joint.
    fn carrier(&self, body: BodyId) -> Option<BodyId> {
        let (bodies, links) = (self.model.bodies(), &self.model.tree().links);
        let info = &bodies[body.index()];
        let parent = info.parent?;
        let afloat = info.link.is_some_and(|link| {
            bodies[parent.index()].link != Some(link) && links[link.index()].joint == LinkJoint::Free
        });
        (!afloat).then_some(parent)
    }

    /// Whether a body is but the frame in which others stand: the world by another name, as in MJCF.
    fn is_frame(&self, body: BodyId) -> bool {
        let info = &self.model.bodies()[body.index()];
        let bare = info.parent.is_none() && info.link.is_none() && info.inertia.mass == 0.0;
        bare && !self.collider_set_of.contains_key(&Ordered(BodyRef::Of(self.articulation, body)))
    }

    /// Whether a joint joins two bodies, or nothing moves one relative to the other.
    pub(crate) fn are_neighbours(&self, bodies: [BodyId; 2]) -> bool {
        let links = bodies.map(|body| self.model.bodies()[body.index()].link);
        let parent = |link: crate::model::LinkId| self.model.tree().links[link.index()].parent;
        match links {
            [Some(a), Some(b)] => a == b || parent(a) == Some(b) || parent(b) == Some(a),
            [None, None] => true,
            [Some(link), None] => parent(link).is_none() && self.stands_on(bodies[0], bodies[1]),
            [None, Some(link)] => parent(link).is_none() && self.stands_on(bodies[1], bodies[0]),
        }
    }

    /// Whether the joint of the link of `body`, which no other link carries, is on what stands still with `still`.
    fn stands_on(&self, mut body: BodyId, still: BodyId) -> bool {
        while let Some(carrier) = self.carrier(body) {
            if self.model.bodies()[carrier.index()].link.is_none() {
                // what stands still in one tree is fixed to each other
                return self.root(carrier) == self.root(still);
            }
            body = carrier;
        }
        false
    }
}
