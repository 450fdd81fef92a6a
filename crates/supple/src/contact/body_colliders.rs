use glam::DVec3;
use parry3d_f64::bounding_volume::{Aabb, BoundingVolume};
use parry3d_f64::math::Pose3;
use parry3d_f64::shape::{ShapeType, SharedShape};

use super::volume::Place;
use crate::bodies::BodyRef;
use crate::shape::to_parry;
use crate::spatial::Frame;

/// Boxes have this margin around their contents, as a share of the size and at least \[m]: while the contents stay inside, nothing is updated.
const ROOM: f64 = 0.05;
const LEAST_ROOM: f64 = 0.005;

/// The collider set of one body: its colliders, where they are and how they move.
#[derive(Clone)]
pub(crate) struct BodyColliders {
    pub(crate) body: BodyRef,
    pub(crate) parts: Vec<Part>,
    /// From the body's frame to the farthest point of its colliders \[m]; without end for half-spaces.
    pub(crate) radius: f64,
    /// From the body's frame to the farthest points of its colliders, along the body's axes \[m].
    reach: DVec3,
    /// Where the body's frame is.
    pub(crate) at: Frame,
    /// A box around all colliders and where they may be in the next step.
    pub(crate) room: Aabb,
    /// The rigid group that it is in: collider sets of one group do not touch each other.
    pub(crate) group: Group,
    /// Its place in the volume of that group.
    pub(crate) place: Place,
    /// Where its body is in that group, for a body of an articulation, and in which tree of groups.
    pub(crate) in_group: (u64, Frame),
    /// Whether its colliders changed since the broad phase took their boxes.
    pub(crate) changed: bool,
    /// Velocity \[m/s] and angular velocity \[rad/s] at the body's frame.
    pub(crate) velocity: DVec3,
    pub(crate) omega: DVec3,
    /// Velocity and angular velocity that contacts would leave it with, while they are solved for, if an impact makes it fast.
    pub(crate) fast_after_impact: Option<(DVec3, DVec3)>,
    /// How much faster forces make it within the step \[m/s], if that is much.
    pub(crate) surge: f64,
    /// Whether its velocity is one that it came with or that the user set, and it turns fast since.
    pub(crate) moved_by_user: bool,
    /// Whether nothing of it moves: of the world, asleep, or kinematic and at rest.
    pub(crate) still: bool,
    /// Whether it left its box, or its pairs must be updated for another reason.
    pub(crate) left: bool,
}

/// The rigid group that a body belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    World,
    Single(u32),
    /// Articulation and link of its reduced tree.
    Link(u32, u32),
}

/// A collider of the set.
#[derive(Clone)]
pub(crate) struct Part {
    /// Place in the world's list.
    pub(crate) collider: u32,
    pub(crate) shape: SharedShape,
    /// Where parry's shape is in the body's frame, and in the world.
    pub(crate) frame: Frame,
    pub(crate) pose: Pose3,
}

impl BodyColliders {
    /// An empty collider set of a body; `number` is its place in the list.
    pub(crate) fn new(body: BodyRef, number: u32) -> Self {
        let nowhere = Aabb::new(DVec3::splat(f64::MAX), DVec3::splat(f64::MAX));
        Self {
            body,
            parts: Vec::new(),
            radius: 0.0,
            reach: DVec3::ZERO,
            at: Frame::IDENTITY,
            room: nowhere,
            group: Group::World,
            place: Place::alone(number, Group::World),
            in_group: (u64::MAX, Frame::IDENTITY),
            changed: true,
            velocity: DVec3::ZERO,
            omega: DVec3::ZERO,
            fast_after_impact: None,
            surge: 0.0,
            moved_by_user: true,
            still: false,
            left: false,
        }
    }

    /// Whether one of its parts has no end.
    pub(crate) fn is_endless(&self) -> bool {
        self.parts.iter().any(|part| part.shape.shape_type() == ShapeType::HalfSpace)
    }

    /// Computes how far its parts reach.
    pub(crate) fn measure(&mut self) {
        let reach = |part: &Part| {
            let ball = part.shape.compute_local_bounding_sphere();
            part.frame.point(ball.center).length() + ball.radius
        };
        self.radius = self.parts.iter().map(reach).fold(0.0, f64::max);
        self.reach = self.parts.iter().fold(DVec3::ZERO, |most, part| {
            let bounds = part.shape.compute_aabb(&to_parry(part.frame));
            most.max(bounds.mins.abs()).max(bounds.maxs.abs())
        });
        self.changed = true;
    }

    /// Fastest speed of a point of it by turning alone \[m/s]: a rod that spins about its axis has none to speak of.
    pub(crate) fn turning(&self) -> f64 {
        self.turning_by(self.omega)
    }

    /// Fastest speed of a point of it by turning with `omega` \[rad/s] alone \[m/s].
    pub(crate) fn turning_by(&self, omega: DVec3) -> f64 {
        let w = (self.at.rotation.conjugate() * omega).abs();
        let h = self.reach.min(DVec3::splat(1e6));
        DVec3::new(w.y * h.z + w.z * h.y, w.z * h.x + w.x * h.z, w.x * h.y + w.y * h.x).length()
    }

    /// Moves it with its body.
    pub(crate) fn place(&mut self, at: Frame) {
        self.at = at;
        for part in &mut self.parts {
            part.pose = to_parry(at * part.frame);
        }
    }

    /// The box around its parts.
    pub(crate) fn bounds(&self) -> Aabb {
        let mut boxes = self.parts.iter().map(|part| part.shape.compute_aabb(&part.pose));
        let first = boxes.next().unwrap_or(Aabb::new(self.at.position, self.at.position));
        boxes.fold(first, |a, b| a.merged(&b))
    }

    /// Takes the room that it needs at other velocities too; whether it had to.
    pub(crate) fn widen(&mut self, velocity: DVec3, omega: DVec3, dt: f64) -> bool {
        let bounds = self.bounds();
        let turn = LEAST_ROOM.max(dt * self.turning_by(omega)).min(1e6);
        let swept = bounds.merged(&bounds.translated(dt * velocity)).loosened(turn);
        let enough = self.room.contains(&swept);
        self.room = self.room.merged(&swept);
        !enough
    }

    /// Takes more room if it may leave what it has within a step of `dt` \[s]; whether it did.
    pub(crate) fn spread(&mut self, dt: f64, gravity: DVec3) -> bool {
        let bounds = self.bounds();
        let drift = dt * (self.velocity + dt * gravity);
        let turn = LEAST_ROOM.max(dt * (self.turning() + self.surge));
        let swept = bounds.merged(&bounds.translated(drift)).loosened(turn.min(1e6));
        if self.room.contains(&swept) && !self.changed {
            return false;
        }
        let extra = LEAST_ROOM.max(ROOM * bounds.half_extents().max_element().min(1e3));
        self.room = swept.loosened(extra);
        self.changed = false;
        true
    }
}
