//! A camera that sees all of a scene, for those that have none of their own.

use std::sync::Arc;

use glam::DVec3;
use supple::view::Camera;
use supple::world::BodyRef;
use supple::{BodyId, Model, Simulation};

use crate::world_stage::WorldStage;
use crate::{Gaze, Stage};
use supple::spatial::math;

/// Angle between the upper and the lower edge of the image \[rad].
const FIELD: f64 = std::f64::consts::FRAC_PI_3;
/// From how high worlds are looked at, and those with walls \[rad].
const SLANT: f64 = 0.3;
const STEEP: f64 = 0.8;
/// Nothing is looked at from nearer than if it were this large \[m].
const SMALLEST: f64 = 0.01;

impl Stage {
    /// From where it is looked at: its own gaze, or a camera that sees all bodies as they are now.
    pub fn gaze_or_framed(&self) -> Gaze {
        self.gaze.clone().unwrap_or_else(|| Gaze::fixed(self.framed()))
    }

    /// A camera that sees all bodies as they are now. One that hangs on the world is seen wherever it swings.
    pub fn framed(&self) -> Camera {
        let mut bounds = Bounds::default();
        let looks = self.looks();
        let mut known: Option<(*const Model, bool)> = None;
        for body in self.bodies() {
            // crowds mostly share one model
            let model = Arc::as_ptr(&body.model);
            let (_, drawn) =
                known.filter(|(of, _)| *of == model).unwrap_or_else(|| (model, looks.fits(&body.model)));
            known = Some((model, drawn));
            let (points, floats) = (self.points(body, drawn), floats(body));
            let root = body.pose_of(BodyId::new(0)).translation;
            let reach = points.iter().map(|(at, radius)| at.distance(root) + radius).fold(0.0, f64::max);
            if floats {
                points.iter().for_each(|(at, radius)| bounds.add(*at, *radius));
            } else {
                bounds.add(root, reach);
            }
        }
        bounds.framed(self.simulation.gravity, 0.0)
    }

    /// Balls that the bodies of a simulation are about where it is: ends of capsules if the scene has them `drawn`, or centres of mass \[m].
    fn points(&self, simulation: &Simulation, drawn: bool) -> Vec<(DVec3, f64)> {
        let kinematics = simulation.kinematics();
        let at = |body, point| simulation.body_pose(&kinematics, body).point(point);
        if self.shapes.is_empty() || !drawn {
            let bodies = simulation.model.bodies().iter().enumerate();
            return bodies.map(|(i, body)| (at(BodyId::new(i), body.inertia.com()), 0.0)).collect();
        }
        self.shapes.iter().flat_map(|c| [c.from, c.to].map(|end| (at(c.body, end), c.radius))).collect()
    }
}

impl WorldStage {
    /// From where it is looked at: its own gaze, or a camera that sees all shapes as they are now.
    pub fn gaze_or_framed(&self) -> Gaze {
        self.gaze.clone().unwrap_or_else(|| Gaze::fixed(self.framed()))
    }

    /// A camera that sees all shapes as they are now.
    pub fn framed(&self) -> Camera {
        let mut bounds = Bounds::default();
        for shape in &self.shapes {
            if let Ok(frame) = self.world.frame(shape.body) {
                [shape.from, shape.to].iter().for_each(|end| bounds.add(frame.point(*end), shape.radius));
            }
        }
        // what is in a pit, or on a floor, is seen from above
        let fixed = self.world.colliders().filter(|(_, _, body)| *body == BodyRef::World).count();
        bounds.framed(self.world.gravity, if fixed > 1 { STEEP } else { SLANT })
    }
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
