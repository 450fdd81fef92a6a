//! Colliders of one body that overlap, and what is inside of what from the start.
//!
//! Models that were not made for contact have links whose shapes overlap in every pose. Such pairs are to be ignored: moved apart they
//! would go against the joints. Who does not know hears of it by [`Event::StartsInside`].

use parry3d_f64::math::Pose3;
use parry3d_f64::query;

use crate::contact::body_colliders::{BodyColliders, Part};
use crate::model::BodyId;
use crate::shape::to_parry;
use crate::world::contacts::{ColliderRegistry, Detection};
use crate::world::kin::Kin;
use crate::world::{ArticulationId, BodyRef, ColliderId, Contacts, Event, World, WorldError};

/// What overlaps deeper than this share of the thickness of the thinner of two colliders was not meant to touch: shapes that only meet,
/// or that were put on each other with rounded numbers, stay well below, and links whose shapes run into each other far above.
const SHARE: f64 = 0.01;

/// Two bodies of one tree whose colliders overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// The bodies, the smaller number first.
    pub bodies: [BodyId; 2],
    /// Of their colliders those that overlap most.
    pub colliders: [ColliderId; 2],
    /// How deep \[m].
    pub depth: f64,
}

impl World {
    /// Bodies of one tree of an articulation whose colliders overlap deeper than `depth` \[m] as it is now, those that a joint joins too, in
    /// the order of their numbers. Without `depth` it is a hundredth of the thickness of the thinner collider (the shortest side of the box
    /// around it in its own axes), and [`slop`](crate::world::ContactSettings::slop) at least.
    ///
    /// A tree is what hangs together by joints: a free body is one of its own, and so is what stands still, unless the others stand on it.
    pub fn overlaps(
        &self,
        articulation: ArticulationId,
        depth: Option<f64>,
    ) -> Result<Vec<Overlap>, WorldError> {
        self.articulation(articulation)?;
        if let Some(depth) = depth.filter(|depth| !(depth.is_finite() && *depth >= 0.0)) {
            return Err(WorldError::BadNumber {
                what: "depth [m]",
                name: "overlaps".into(),
                value: depth,
                must: "a finite number that is not negative",
            });
        }
        Ok(self.find_overlaps(articulation, depth).into_iter().map(|(overlap, _)| overlap).collect())
    }

    /// Lets bodies of one tree of an articulation that overlap as it is now never touch each other: pairs as [`World::overlaps`] finds them,
    /// without those that do not touch anyway. Bodies of different trees go on to touch. What is ignored from now on is returned.
    ///
    /// ```
    /// use glam::DVec3;
    /// use supple::contact::{Collider, Shape};
    /// use supple::world::World;
    /// use supple::{Body, BodyId, Joint, ModelBuilder, Pose, RigidInertia, Simulation};
    ///
    /// let ball = RigidInertia::solid_sphere(1.0, 0.1, DVec3::ZERO);
    /// let mut builder = ModelBuilder::new().body(Body::new("a", Joint::free()).inertia(ball));
    /// for (name, on) in [("b", "a"), ("c", "b")] {
    ///     let body = Body::new(name, Joint::revolute(DVec3::Y)).on(on).inertia(ball);
    ///     builder = builder.body(body.at(Pose::from_xyz(0.08, 0.0, 0.0)));
    /// }
    /// let mut world = World::new();
    /// let id = world.add_articulation(Simulation::new(builder.finish()?));
    /// for body in 0..3 {
    ///     world.add_collider((id, BodyId::new(body)), Collider::new(Shape::sphere(0.1)?))?;
    /// }
    /// let ignored = world.ignore_overlaps(id, None)?;
    /// let model = &world.articulation(id)?.model;
    /// let names = ignored[0].bodies.map(|body| &*model.bodies()[body.index()].name);
    /// assert_eq!((names, ignored.len()), (["a", "c"], 1));
    /// assert!((ignored[0].depth - 0.04).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ignore_overlaps(
        &mut self,
        articulation: ArticulationId,
        depth: Option<f64>,
    ) -> Result<Vec<Overlap>, WorldError> {
        self.overlaps(articulation, depth)?;
        self.note_joined();
        let found = self.find_overlaps(articulation, depth);
        let rule = self.rule();
        let touching: Vec<Overlap> = found
            .into_iter()
            .filter(|(_, [first, second])| {
                rule.may_touch([first.0, second.0], [first.1, second.1]) == Some(false)
            })
            .map(|(overlap, _)| overlap)
            .collect();
        for overlap in &touching {
            let [a, b] = overlap.bodies.map(|body| BodyRef::Of(articulation, body));
            self.ignore(a, b)?;
        }
        Ok(touching)
    }

    /// Lets the bodies of each tree of an articulation never touch each other (trees as in [`World::overlaps`]): those that wear colliders
    /// now. What is ignored from now on is returned.
    pub fn ignore_within(&mut self, articulation: ArticulationId) -> Result<Vec<[BodyId; 2]>, WorldError> {
        self.articulation(articulation)?;
        let kin = self.kin(articulation);
        let bodies: Vec<(BodyId, BodyId)> =
            self.collider_sets_of(articulation).map(|(body, _)| (body, kin.root(body))).collect();
        let mut pairs = Vec::new();
        for (i, (a, root)) in bodies.iter().enumerate() {
            let kin = bodies[i + 1..].iter().filter(|(_, other)| other == root);
            pairs.extend(kin.map(|(b, _)| [*a, *b]));
        }
        let of = |body: BodyId| BodyRef::Of(articulation, body);
        pairs.retain(|[a, b]| !self.is_ignored(of(*a), of(*b)));
        for [a, b] in &pairs {
            self.ignore(of(*a), of(*b))?;
        }
        Ok(pairs)
    }

    /// Bodies of an articulation that have colliders, in their order, with the number of their collider set.
    fn collider_sets_of(&self, articulation: ArticulationId) -> impl Iterator<Item = (BodyId, u32)> + '_ {
        self.contacts.registry.collider_set_of.iter().filter_map(move |(body, collider_set)| match body.0 {
            BodyRef::Of(id, body) if id == articulation => Some((body, *collider_set)),
            _ => None,
        })
    }

    /// What hangs together in an articulation that is there.
    fn kin(&self, articulation: ArticulationId) -> Kin<'_> {
        let model = &self.articulations.simulation_at(articulation.index()).model;
        Kin { model, articulation, collider_set_of: &self.contacts.registry.collider_set_of }
    }

    /// All overlaps of an articulation that is there; with the collider set and the part of each side.
    fn find_overlaps(
        &self,
        articulation: ArticulationId,
        depth: Option<f64>,
    ) -> Vec<(Overlap, [(u32, u32); 2])> {
        let kin = self.kin(articulation);
        let place = |(body, s): (BodyId, u32)| {
            let collider_set = &self.contacts.registry.collider_sets[s as usize];
            let at = self.frame_of(collider_set);
            let parts = collider_set.parts.iter().map(|part| (part, to_parry(at * part.frame))).collect();
            Placed { body, root: kin.root(body), number: s, parts }
        };
        let placed: Vec<Placed<'_>> = self.collider_sets_of(articulation).map(place).collect();
        let mut found = Vec::new();
        for (i, first) in placed.iter().enumerate() {
            for second in placed[i + 1..].iter().filter(|second| second.root == first.root) {
                found.extend(self.deepest(first, second, depth));
            }
        }
        found
    }

    /// The parts of two bodies that overlap most, if any overlap deeper than `depth`.
    fn deepest(
        &self,
        first: &Placed<'_>,
        second: &Placed<'_>,
        depth: Option<f64>,
    ) -> Option<(Overlap, [(u32, u32); 2])> {
        let mut best: Option<(Overlap, [(u32, u32); 2])> = None;
        for (i, (a, at)) in (0u32..).zip(&first.parts) {
            for (j, (b, bt)) in (0u32..).zip(&second.parts) {
                let both = [a, b].map(|part| self.contacts.registry.colliders.at(part.collider as usize));
                if both.iter().any(|attached| attached.collider.is_sensor) {
                    continue;
                }
                let (shapes, least) = ((&*a.shape.0, &*b.shape.0), depth.unwrap_or(self.deep(a, b)));
                let contact = query::contact(at, shapes.0, bt, shapes.1, 0.0).ok().flatten();
                let Some(deep) = contact.map(|contact| -contact.dist).filter(|deep| *deep > least) else {
                    continue;
                };
                if best.is_none_or(|(known, _)| deep > known.depth) {
                    let colliders =
                        [a, b].map(|part| self.contacts.registry.colliders.id_at(part.collider as usize));
                    let overlap = Overlap { bodies: [first.body, second.body], colliders, depth: deep };
                    best = Some((overlap, [(first.number, i), (second.number, j)]));
                }
            }
        }
        best
    }

    /// What is deeper than this was not meant to touch \[m].
    fn deep(&self, a: &Part, b: &Part) -> f64 {
        (SHARE * thickness(a).min(thickness(b))).max(self.settings.contact.slop)
    }

    /// Notes of colliders that are new what they are inside of.
    pub(super) fn note_inside(&mut self) {
        if !self.contacts.registry.has_new {
            return;
        }
        let Contacts {
            detection: Detection { broad, .. },
            registry: ColliderRegistry { collider_sets, colliders, .. },
            ..
        } = &self.contacts;
        let mut inside = Vec::new();
        for pair in broad.pairs.iter().filter(|pair| !pair.sensor) {
            let both: [&BodyColliders; 2] = pair.collider_sets.map(|s| &collider_sets[s as usize]);
            let is_new = pair.colliders.iter().any(|place| colliders.at(*place as usize).is_new);
            if !is_new || (both[0].still && both[1].still) {
                continue;
            }
            let points = pair.manifolds.iter().flat_map(|manifold| &manifold.points);
            let depth = points.map(|point| -point.dist).fold(0.0, f64::max);
            let parts = [0, 1].map(|i| &both[i].parts[pair.parts[i] as usize]);
            if depth > self.deep(parts[0], parts[1]) {
                let [a, b] = pair.colliders.map(|place| colliders.id_at(place as usize));
                inside.push(Event::StartsInside { a, b, depth });
            }
        }
        self.contacts.detection.inside.extend(inside);
        self.contacts.registry.has_new = false;
        self.contacts.registry.colliders.iter_mut().for_each(|(_, attached)| attached.is_new = false);
    }
}

/// The colliders of a body where they are now.
struct Placed<'a> {
    body: BodyId,
    root: BodyId,
    number: u32,
    parts: Vec<(&'a Part, Pose3)>,
}

/// The shortest side of the box around a collider, in its own axes \[m].
fn thickness(part: &Part) -> f64 {
    part.shape.compute_local_aabb().extents().min_element()
}
