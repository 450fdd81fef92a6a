//! Colliders of a world: attaching and detaching them, and rules of what may touch what.

use crate::contact::Collider;
use crate::contact::body_colliders::{BodyColliders, Part};
use crate::model::BodyId;
use crate::world::{BodyRef, ColliderId, Contacts, Known, World, WorldError, checks};

/// A collider and the body that it is attached to.
#[derive(Clone, Debug)]
pub(crate) struct Attached {
    pub(crate) collider: Collider,
    pub(crate) body: BodyRef,
    /// Place of the body's collider set.
    pub(crate) collider_set: u32,
    /// Whether no step has seen it yet.
    pub(crate) is_new: bool,
}

impl World {
    /// Attaches a collider to a body, or to the world itself.
    ///
    /// ```
    /// use glam::DVec3;
    /// use supple::constraint::Frame;
    /// use supple::contact::{Collider, Shape};
    /// use supple::world::{BodyRef, SingleBody, World};
    ///
    /// let mut world = World::new();
    /// world.add_collider(BodyRef::World, Collider::new(Shape::half_space()))?;
    /// let ball = Collider::new(Shape::sphere(0.1)?);
    /// let body = SingleBody::new("ball", ball.inertia(1000.0)?).at(Frame::at(DVec3::Z));
    /// let body = world.add_body(body)?;
    /// world.add_collider(body, ball)?;
    /// for _ in 0..120 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// assert!((world.frame(body)?.position.z - 0.1).abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn add_collider(
        &mut self,
        body: impl Into<BodyRef>,
        collider: Collider,
    ) -> Result<ColliderId, WorldError> {
        let body = body.into();
        self.frame(body)?;
        checks::collider(&collider)?;
        self.couple_body(body)?;
        let frame = collider.frame * collider.shape.axes();
        // colliders of the world are far from each other: each has a box of its own
        let known =
            self.contacts.registry.collider_set_of.get(&Ordered(body)).filter(|_| body != BodyRef::World);
        let collider_set = match known.copied() {
            Some(collider_set) => collider_set as usize,
            None => self.contacts.new_collider_set(body) as usize,
        };
        let shape = collider.shape.parry().clone();
        let id = self.contacts.registry.colliders.insert(Attached {
            collider,
            body,
            collider_set: collider_set as u32,
            is_new: true,
        });
        let it = &mut self.contacts.registry.collider_sets[collider_set];
        let pose = crate::shape::to_parry(frame);
        it.parts.push(Part { collider: id.index() as u32, shape, frame, pose });
        it.measure();
        self.contacts.registry.has_new = true;
        self.collider_changed(body);
        Ok(id)
    }

    /// A collider and its body.
    pub fn collider(&self, id: ColliderId) -> Result<(&Collider, BodyRef), WorldError> {
        let attached = self.contacts.registry.colliders.get(id);
        attached
            .map(|w| (&w.collider, w.body))
            .ok_or(WorldError::Gone { what: "collider", index: id.index() })
    }

    /// All colliders and their bodies.
    pub fn colliders(&self) -> impl Iterator<Item = (ColliderId, &Collider, BodyRef)> {
        self.contacts.registry.colliders.iter().map(|(id, attached)| (id, &attached.collider, attached.body))
    }

    /// Exchanges a collider for another on the same body.
    pub fn set_collider(&mut self, id: ColliderId, collider: Collider) -> Result<(), WorldError> {
        checks::collider(&collider)?;
        let gone = WorldError::Gone { what: "collider", index: id.index() };
        let attached = self.contacts.registry.colliders.get_mut(id).ok_or(gone)?;
        let (collider_set, body) = (attached.collider_set, attached.body);
        let it = &mut self.contacts.registry.collider_sets[collider_set as usize];
        for part in it.parts.iter_mut().filter(|part| part.collider as usize == id.index()) {
            part.shape = collider.shape.parry().clone();
            part.frame = collider.frame * collider.shape.axes();
        }
        (attached.collider, attached.is_new) = (collider, true);
        it.measure();
        self.contacts.detection.broad.forget(collider_set);
        self.contacts.registry.has_new = true;
        self.collider_changed(body);
        Ok(())
    }

    /// Detaches a collider.
    pub fn remove_collider(&mut self, id: ColliderId) -> Result<Collider, WorldError> {
        let gone = WorldError::Gone { what: "collider", index: id.index() };
        let attached = self.contacts.registry.colliders.remove(id).ok_or(gone)?;
        self.contacts.detection.broad.forget(attached.collider_set);
        self.schedule.note_freed();
        let collider_set = &mut self.contacts.registry.collider_sets[attached.collider_set as usize];
        collider_set.parts.retain(|part| part.collider as usize != id.index());
        collider_set.measure();
        if collider_set.parts.is_empty() {
            // of no body any more
            *collider_set = BodyColliders::new(BodyRef::World, attached.collider_set);
            self.contacts.registry.free_collider_sets.push(attached.collider_set);
            if self.contacts.registry.collider_set_of.get(&Ordered(attached.body))
                == Some(&attached.collider_set)
            {
                self.contacts.registry.collider_set_of.remove(&Ordered(attached.body));
            }
        }
        self.collider_changed(attached.body);
        Ok(attached.collider)
    }

    /// Two bodies that never touch. Those that a joint or a constraint joins do not anyway.
    pub fn ignore(&mut self, a: impl Into<BodyRef>, b: impl Into<BodyRef>) -> Result<(), WorldError> {
        let (a, b) = (a.into(), b.into());
        self.frame(a)?;
        self.frame(b)?;
        self.contacts.registry.ignored.insert(both(a, b));
        self.contacts.registry.checked = false;
        Ok(())
    }

    /// Pairs of bodies that [`World::ignore`], [`World::ignore_overlaps`] or [`World::ignore_within`] told never to touch.
    pub fn ignored(&self) -> impl Iterator<Item = (BodyRef, BodyRef)> {
        self.contacts.registry.ignored.iter().map(|(a, b)| (a.0, b.0))
    }

    pub(super) fn is_ignored(&self, a: BodyRef, b: BodyRef) -> bool {
        self.contacts.registry.ignored.contains(&both(a, b))
    }

    /// Detaches the colliders of bodies that are gone.
    pub(super) fn detach(&mut self, gone: impl Fn(BodyRef) -> bool) {
        let ids: Vec<ColliderId> = self
            .contacts
            .registry
            .colliders
            .iter()
            .filter(|(_, attached)| gone(attached.body))
            .map(|(id, _)| id)
            .collect();
        for id in ids {
            // all of them exist
            let _ = self.remove_collider(id);
        }
        self.contacts.registry.ignored.retain(|(a, b)| !gone(a.0) && !gone(b.0));
    }

    fn collider_changed(&mut self, body: BodyRef) {
        self.contacts.registry.checked = false;
        self.note_entry();
        self.known = self.known.min(Known::Islands);
        self.wake(body);
    }
}

impl Contacts {
    /// Makes a collider set for a body.
    fn new_collider_set(&mut self, body: BodyRef) -> u32 {
        let collider_set = self.registry.free_collider_sets.pop().unwrap_or_else(|| {
            self.registry
                .collider_sets
                .push(BodyColliders::new(body, self.registry.collider_sets.len() as u32));
            self.registry.collider_sets.len() as u32 - 1
        });
        self.registry.collider_sets[collider_set as usize] = BodyColliders::new(body, collider_set);
        self.registry.collider_set_of.insert(Ordered(body), collider_set);
        collider_set
    }
}

/// A body in an order of its own, for lists of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ordered(pub(crate) BodyRef);

impl Ordered {
    /// The first body of the articulation that it is of, or itself.
    pub(crate) fn owner(self) -> Self {
        match self.0 {
            BodyRef::Of(id, _) => Self(BodyRef::Of(id, BodyId::new(0))),
            other => Self(other),
        }
    }

    fn key(&self) -> (u8, usize, usize) {
        match self.0 {
            BodyRef::World => (0, 0, 0),
            BodyRef::Single(id) => (1, id.index(), 0),
            BodyRef::Of(id, body) => (2, id.index(), body.index()),
        }
    }
}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

/// Two bodies, in the order of lists.
pub(crate) fn both(a: BodyRef, b: BodyRef) -> (Ordered, Ordered) {
    let (a, b) = (Ordered(a), Ordered(b));
    if a <= b { (a, b) } else { (b, a) }
}
