//! A camera that sees all of a scene, for those that have none of their own.

use std::collections::HashMap;
use std::sync::Arc;

use glam::DVec3;
use supple::view::{Camera, Looks};
use supple::world::BodyRef;
use supple::{BodyId, Simulation};

use crate::{Capsule, Gaze, Stage};
use supple::spatial::math;

/// Angle between the upper and the lower edge of the image \[rad].
const FIELD: f64 = std::f64::consts::FRAC_PI_3;
/// From how high is looked at what is tied or touches, and what has walls \[rad].
const SLANT: f64 = 0.3;
const STEEP: f64 = 0.8;
/// Nothing is looked at from nearer than if it were this large \[m].
const SMALLEST: f64 = 0.01;

/// Ends of the capsules of a model, and their radii \[m].
type Ends<'a> = Vec<(BodyId, &'a Capsule)>;

impl Stage {
    /// From where it is looked at: its own gaze, or a camera that sees all of it as it is now.
    pub fn gaze_or_framed(&self) -> Gaze {
        self.gaze.clone().unwrap_or_else(|| Gaze::fixed(self.framed()))
    }

    /// A camera that sees all of it as it is now. What hangs on the world is seen wherever it swings.
    pub fn framed(&self) -> Camera {
        let mut bounds = Bounds::default();
        let mut drawn: HashMap<*const Looks, Ends> = HashMap::new();
        let mut owner = HashMap::new();
        for capsule in &self.shapes {
            let BodyRef::Of(id, body) = capsule.body else {
                if let Ok(frame) = self.world.frame(capsule.body) {
                    [capsule.from, capsule.to]
                        .iter()
                        .for_each(|end| bounds.add(frame.point(*end), capsule.radius));
                }
                continue;
            };
            // those that look alike have their capsules once
            let looks = self.world.articulation(id).ok().and_then(|body| body.looks()).map(Arc::as_ptr);
            if let Some(looks) = looks.filter(|looks| *owner.entry(*looks).or_insert(id) == id) {
                drawn.entry(looks).or_default().push((body, capsule));
            }
        }
        for body in self.articulations() {
            let ends = body.looks().and_then(|looks| drawn.get(&Arc::as_ptr(looks)));
            bounds.add_articulation(body, ends.map_or(&[], Vec::as_slice));
        }
        bounds.framed(self.world.gravity, self.slant())
    }

    /// From how high it is looked at \[rad]: what is alone from the side, what is in a pit, or on a floor, from above.
    fn slant(&self) -> f64 {
        let world = &self.world;
        let fixed = world.colliders().filter(|(_, _, body)| *body == BodyRef::World).count();
        let alone = world.bodies().next().is_none()
            && world.constraints().next().is_none()
            && world.colliders().next().is_none();
        match fixed {
            _ if alone => 0.0,
            0 | 1 => SLANT,
            _ => STEEP,
        }
    }
}

/// Balls that the bodies of a simulation are about where it is: ends of its capsules, or centres of mass \[m].
fn points(simulation: &Simulation, ends: &[(BodyId, &Capsule)]) -> Vec<(DVec3, f64)> {
    let kinematics = simulation.kinematics();
    let at = |body, point| simulation.body_pose(&kinematics, body).point(point);
    if ends.is_empty() {
        let bodies = simulation.model.bodies().iter().enumerate();
        return bodies.map(|(i, body)| (at(BodyId::new(i), body.inertia.com()), 0.0)).collect();
    }
    ends.iter().flat_map(|(body, c)| [c.from, c.to].map(|end| (at(*body, end), c.radius))).collect()
}

/// Whether nothing holds a body.
fn floats(simulation: &Simulation) -> bool {
    simulation.model.tree().links.first().is_none_or(|link| link.floats())
}

/// The box about all that was added.
struct Bounds {
    low: DVec3,
    high: DVec3,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY }
    }
}

impl Bounds {
    fn add(&mut self, center: DVec3, radius: f64) {
        self.low = self.low.min(center - radius);
        self.high = self.high.max(center + radius);
    }

    /// An articulation as it is now, or wherever it swings.
    fn add_articulation(&mut self, simulation: &Simulation, ends: &[(BodyId, &Capsule)]) {
        let points = points(simulation, ends);
        if floats(simulation) {
            points.iter().for_each(|(at, radius)| self.add(*at, *radius));
        } else {
            let root = simulation.pose_of(BodyId::new(0)).translation;
            let reach = points.iter().map(|(at, radius)| at.distance(root) + radius).fold(0.0, f64::max);
            self.add(root, reach);
        }
    }

    /// A camera that sees the ball about the box, upright in this gravity, from the side that x points to the right of and this
    /// angle above \[rad].
    fn framed(&self, gravity: DVec3, above: f64) -> Camera {
        let (center, radius) = if self.low.x <= self.high.x {
            (0.5 * (self.low + self.high), 0.5 * self.low.distance(self.high))
        } else {
            (DVec3::ZERO, 1.0)
        };
        let up = (-gravity).try_normalize().unwrap_or(DVec3::Z);
        let back = DVec3::X.cross(up).try_normalize().unwrap_or(-DVec3::Y);
        let distance = radius.max(SMALLEST) / math::sin(0.5 * FIELD);
        let (sin, cos) = math::sin_cos(above);
        Camera::look_at(center + distance * (cos * back + sin * up), center, up).field(FIELD)
    }
}
