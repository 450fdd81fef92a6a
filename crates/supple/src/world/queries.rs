//! Questions about where colliders are: rays, nearest points, overlaps, shapes that move.
//!
//! Answers are about the world as it is now. After a step the hierarchy of the broad phase knows that; once bodies or colliders were
//! changed by hand it does not, and every collider is looked at until the next step or [`World::refresh`].

use glam::DVec3;
use parry3d_f64::bounding_volume::{Aabb, BoundingVolume};
use parry3d_f64::math::Pose3;
use parry3d_f64::partitioning::BvhLeafCost;
use parry3d_f64::query::{self, PointQuery, Ray, RayCast, ShapeCastHit, ShapeCastOptions};
use parry3d_f64::shape::{Shape as ParryShape, ShapeType};

use crate::constraint::Frame;
use crate::contact::Shape;
use crate::contact::body_colliders::{BodyColliders, Part};
use crate::contact::volume;
use crate::shape::to_parry;
use crate::world::{ColliderId, Known, PointHit, QueryFilter, RayHit, ShapeHit, World, WorldError, checks};

/// Nothing is looked for farther away than this \[m].
const FARTHEST: f64 = 1e18;

/// Beside a point that has no nearest one \[m].
const ASIDE: f64 = 1e-9;

/// The best answer so far.
struct Best<H> {
    cost: f64,
    collider: ColliderId,
    hit: H,
}

impl<H> BvhLeafCost for Best<H> {
    fn cost(&self) -> f64 {
        self.cost
    }
}

impl World {
    /// The first collider that a ray meets within `most` \[m] of its origin. The direction need not be of unit length. A ray that begins
    /// inside a solid meets it there, and the normal is that against the ray.
    ///
    /// ```
    /// use glam::DVec3;
    /// use supple::contact::{Collider, Shape};
    /// use supple::world::{BodyRef, QueryFilter, World};
    ///
    /// let mut world = World::new();
    /// let ball = world.add_collider(BodyRef::World, Collider::new(Shape::sphere(0.5)?))?;
    /// let hit = world.cast_ray(DVec3::Z * 2.0, -DVec3::Z, 10.0, &QueryFilter::new())?.unwrap();
    /// assert_eq!((hit.collider, hit.distance, hit.normal), (ball, 1.5, DVec3::Z));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast_ray(
        &self,
        origin: DVec3,
        direction: DVec3,
        most: f64,
        filter: &QueryFilter<'_>,
    ) -> Result<Option<RayHit>, WorldError> {
        checks::finite_vector("origin [m]", "the ray", origin)?;
        let direction = checks::unit("direction", "the ray", direction)?;
        let most = checks::reach("the ray", most)?.min(FARTHEST);
        let ray = Ray::new(origin, direction);
        let best = self.nearest(
            most,
            filter,
            |room, best| room.cast_local_ray(&ray, best, true).unwrap_or(f64::MAX),
            |part, pose, best| {
                let hit = part.shape.cast_ray_and_get_normal(pose, &ray, best, true)?;
                Some((hit.time_of_impact, hit.normal))
            },
        );
        Ok(best.map(|Best { cost, collider, hit: normal }| RayHit {
            collider,
            body: self.wearer(collider),
            distance: cost,
            point: ray.point_at(cost),
            normal: against(direction, normal),
        }))
    }

    /// The point of a collider's surface that is nearest to `point`, if there is one within `most` \[m]. What the point is inside of comes
    /// before what it is outside of, the deepest first.
    ///
    /// ```
    /// use glam::DVec3;
    /// use supple::contact::{Collider, Shape};
    /// use supple::world::{BodyRef, QueryFilter, World};
    ///
    /// let mut world = World::new();
    /// world.add_collider(BodyRef::World, Collider::new(Shape::half_space()))?;
    /// let above = world.closest_point(DVec3::new(1.0, 2.0, 3.0), 10.0, &QueryFilter::new())?.unwrap();
    /// assert_eq!((above.point, above.distance, above.is_inside), (DVec3::new(1.0, 2.0, 0.0), 3.0, false));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn closest_point(
        &self,
        point: DVec3,
        most: f64,
        filter: &QueryFilter<'_>,
    ) -> Result<Option<PointHit>, WorldError> {
        checks::finite_vector("coordinates [m]", "the point", point)?;
        let most = checks::reach("the point", most)?.min(FARTHEST);
        let best = self.nearest(
            most,
            filter,
            |room, _| room.distance_to_local_point(point, false),
            |part, pose, _| {
                let mut nearest = part.shape.project_point(pose, point, false);
                if !nearest.point.is_finite() {
                    // the middle of a ball: all of its surface is as near
                    nearest = part.shape.project_point(pose, point + DVec3::X * ASIDE, false);
                }
                let distance = point.distance(nearest.point);
                let signed = if nearest.is_inside { -distance } else { distance };
                Some((signed, nearest))
            },
        );
        Ok(best.map(|Best { cost, collider, hit }| PointHit {
            collider,
            body: self.wearer(collider),
            point: hit.point,
            is_inside: hit.is_inside,
            distance: cost.abs(),
        }))
    }

    /// All colliders that a shape at a frame of the world touches or overlaps, in the order of their ids. Half-spaces and height fields
    /// cannot be asked with.
    ///
    /// ```
    /// use glam::DVec3;
    /// use supple::constraint::Frame;
    /// use supple::contact::{Collider, Shape};
    /// use supple::world::{BodyRef, QueryFilter, World};
    ///
    /// let mut world = World::new();
    /// let ground = world.add_collider(BodyRef::World, Collider::new(Shape::half_space()))?;
    /// let ball = Shape::sphere(1.0)?;
    /// let low = world.overlapping(&ball, Frame::at(0.9 * DVec3::Z), &QueryFilter::new())?;
    /// let high = world.overlapping(&ball, Frame::at(1.1 * DVec3::Z), &QueryFilter::new())?;
    /// assert_eq!((low, high), (vec![ground], vec![]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn overlapping(
        &self,
        shape: &Shape,
        at: Frame,
        filter: &QueryFilter<'_>,
    ) -> Result<Vec<ColliderId>, WorldError> {
        let pose = asked(shape, at)?;
        let room = shape.parry().compute_aabb(&pose);
        let mut found = Vec::new();
        let mut test = |collider_set: &BodyColliders, at: Option<Frame>| {
            for part in &collider_set.parts {
                let Some(id) = self.seen_by(filter, part) else { continue };
                let (there, asked) = (at.map_or(part.pose, |at| to_parry(at * part.frame)), &**shape.parry());
                if overlap(&there, &*part.shape.0, &pose, asked) {
                    found.push(id);
                }
            }
        };
        let contacts = &self.contacts;
        if contacts.detection.detected {
            let near = contacts.detection.broad.tree().intersect_aabb(&room);
            let near = near.flat_map(|lead| volume::members(&contacts.registry.collider_sets, lead));
            for collider_set in near.chain(contacts.detection.broad.endless().iter().copied()) {
                test(&contacts.registry.collider_sets[collider_set as usize], None);
            }
        } else {
            for collider_set in
                contacts.registry.collider_sets.iter().filter(|collider_set| !collider_set.parts.is_empty())
            {
                test(collider_set, Some(self.frame_of(collider_set)));
            }
        }
        found.sort_unstable();
        Ok(found)
    }

    /// The first collider that a shape meets when it moves by `motion` \[m] without turning. Half-spaces and height fields cannot be asked
    /// with.
    ///
    /// ```
    /// use glam::DVec3;
    /// use supple::constraint::Frame;
    /// use supple::contact::{Collider, Shape};
    /// use supple::world::{BodyRef, QueryFilter, World};
    ///
    /// let mut world = World::new();
    /// world.add_collider(BodyRef::World, Collider::new(Shape::half_space()))?;
    /// let from = Frame::at(DVec3::Z * 3.0);
    /// let hit = world.cast_shape(&Shape::sphere(1.0)?, from, DVec3::Z * -4.0, &QueryFilter::new())?.unwrap();
    /// assert!((hit.fraction - 0.5).abs() < 1e-6 && hit.point.length() < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast_shape(
        &self,
        shape: &Shape,
        from: Frame,
        motion: DVec3,
        filter: &QueryFilter<'_>,
    ) -> Result<Option<ShapeHit>, WorldError> {
        let pose = asked(shape, from)?;
        let direction = checks::unit("motion [m]", "the shape", motion)?;
        let room = shape.parry().compute_aabb(&pose);
        let (ray, half) = (Ray::new(room.center(), motion), room.half_extents());
        let best = self.nearest(
            // the whole motion counts
            1.0f64.next_up(),
            filter,
            |room, best| {
                let wider = Aabb::new(room.mins - half, room.maxs + half);
                wider.cast_local_ray(&ray, best, true).unwrap_or(f64::MAX)
            },
            |part, there, best| {
                let options = ShapeCastOptions::with_max_time_of_impact(best);
                let hit = meet(there, &*part.shape.0, &pose, &**shape.parry(), motion, options)?;
                Some((hit.time_of_impact, (*there * hit.witness1, there.rotation * hit.normal1)))
            },
        );
        Ok(best.map(|Best { cost, collider, hit: (point, normal) }| ShapeHit {
            collider,
            body: self.wearer(collider),
            fraction: cost.min(1.0),
            point: if point.is_finite() { point } else { ray.point_at(cost) },
            normal: against(direction, normal),
        }))
    }

    /// Sees where colliders are now, so that many queries after changes by hand are fast. Nothing moves.
    pub fn refresh(&mut self) {
        let dt = self.last_dt;
        if self.has_contacts_for(dt) {
            return;
        }
        if self.known == Known::Nothing {
            // an articulation that was exchanged for another is told by the next step
            if self.check_ends().is_err() {
                return;
            }
            self.connect();
        }
        self.articulations
            .iter_mut()
            .filter(|(_, a)| !a.sleep.is_asleep())
            .for_each(|(_, a)| a.update_kinematics());
        self.detect(dt);
    }

    /// The collider of least cost below `most`. `bound` is what a box costs at least, both know the best so far.
    fn nearest<H>(
        &self,
        most: f64,
        filter: &QueryFilter<'_>,
        bound: impl Fn(&Aabb, f64) -> f64,
        cost: impl Fn(&Part, &Pose3, f64) -> Option<(f64, H)>,
    ) -> Option<Best<H>> {
        let of_collider_set = |collider_set: &BodyColliders, at: Option<Frame>, most: f64| {
            let mut best: Option<Best<H>> = None;
            for part in &collider_set.parts {
                let Some(collider) = self.seen_by(filter, part) else { continue };
                let least = best.as_ref().map_or(most, |best| best.cost);
                let pose = at.map_or(part.pose, |at| to_parry(at * part.frame));
                if let Some((cost, hit)) = cost(part, &pose, least)
                    && cost < least
                {
                    best = Some(Best { cost, collider, hit });
                }
            }
            best
        };
        let contacts = &self.contacts;
        let mut best: Option<Best<H>> = None;
        let mut keep = |collider_set: &BodyColliders, at: Option<Frame>| {
            let least = best.as_ref().map_or(most, |best| best.cost);
            if let Some(better) = of_collider_set(collider_set, at, least) {
                best = Some(better);
            }
        };
        if !contacts.detection.detected {
            for collider_set in
                contacts.registry.collider_sets.iter().filter(|collider_set| !collider_set.parts.is_empty())
            {
                keep(collider_set, Some(self.frame_of(collider_set)));
            }
            return best;
        }
        for collider_set in contacts.detection.broad.endless() {
            keep(&contacts.registry.collider_sets[*collider_set as usize], None);
        }
        let least = best.as_ref().map_or(most, |best| best.cost);
        let of_leaf = |leaf: u32, most: f64| {
            let collider_sets = volume::members(&contacts.registry.collider_sets, leaf)
                .map(|s| &contacts.registry.collider_sets[s as usize]);
            collider_sets.fold(None, |best: Option<Best<H>>, collider_set| {
                let least = best.as_ref().map_or(most, |best| best.cost);
                of_collider_set(collider_set, None, least).or(best)
            })
        };
        let better =
            contacts.detection.broad.tree().find_best(least, |node, b| bound(&node.aabb(), b), of_leaf);
        better.map(|(_, better)| better).or(best)
    }

    pub(super) fn seen_by(&self, filter: &QueryFilter<'_>, part: &Part) -> Option<ColliderId> {
        let place = part.collider as usize;
        let (id, attached) =
            (self.contacts.registry.colliders.id_at(place), self.contacts.registry.colliders.at(place));
        filter.sees(id, &attached.collider, attached.body).then_some(id)
    }

    fn wearer(&self, id: ColliderId) -> super::BodyRef {
        self.contacts.registry.colliders.at(id.index()).body
    }

    /// Where the body of a collider set is now.
    pub(super) fn frame_of(&self, collider_set: &BodyColliders) -> Frame {
        // bodies take their colliders with them when they go
        self.frame(collider_set.body).unwrap_or(collider_set.at)
    }
}

/// The pose of a shape that is asked about.
fn asked(shape: &Shape, at: Frame) -> Result<Pose3, WorldError> {
    checks::finite_frame("position or orientation", shape.name(), at)?;
    if matches!(shape.parry().shape_type(), ShapeType::HalfSpace | ShapeType::HeightField) {
        return Err(WorldError::NoQuery { shape: shape.name() });
    }
    Ok(to_parry(at * shape.axes()))
}

/// Whether two shapes overlap. Height fields answer about contact alone.
fn overlap(a: &Pose3, first: &dyn ParryShape, b: &Pose3, second: &dyn ParryShape) -> bool {
    match query::intersection_test(a, first, b, second) {
        Ok(touch) => touch.intersecting,
        Err(_) => query::contact(a, first, b, second, 0.0).is_ok_and(|contact| contact.is_some()),
    }
}

/// Where a shape that moves by `motion` first meets another one. Of a height field all triangles on its way are asked, since the library
/// leaves out some of them.
fn meet(
    there: &Pose3,
    other: &dyn ParryShape,
    pose: &Pose3,
    shape: &dyn ParryShape,
    motion: DVec3,
    options: ShapeCastOptions,
) -> Option<ShapeCastHit> {
    let cast = |other: &dyn ParryShape, options| {
        query::cast_shapes(there, DVec3::ZERO, other, pose, motion, shape, options).ok().flatten()
    };
    let Some(field) = other.as_heightfield() else { return cast(other, options) };
    let from = shape.compute_aabb(&there.inv_mul(pose));
    let way = from.merged(&from.translated(there.rotation.inverse() * motion));
    let mut first: Option<ShapeCastHit> = None;
    field.map_elements_in_local_aabb(&way, &mut |_, triangle| {
        let most = first.map_or(options.max_time_of_impact, |hit| hit.time_of_impact);
        let hit = cast(triangle, ShapeCastOptions { max_time_of_impact: most, ..options });
        first = hit.filter(|hit| hit.time_of_impact < most).or(first);
    });
    first
}

/// A unit normal against a direction; its opposite where there is none.
fn against(direction: DVec3, normal: DVec3) -> DVec3 {
    match normal.try_normalize() {
        Some(normal) if normal.dot(direction) > 0.0 => -normal,
        Some(normal) => normal,
        None => -direction,
    }
}
