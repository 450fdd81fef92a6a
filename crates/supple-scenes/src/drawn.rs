//! An articulated body on its way to the stage.

use glam::DVec3;
use supple::{BodyId, Simulation, World};

use crate::{Capsule, Stage};

/// An articulated body, and what it looks like.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    pub(crate) simulation: Simulation,
    pub(crate) shapes: Vec<Rod>,
}

/// All points of a body within `radius` of a line segment, in the body's frame \[m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rod {
    pub(crate) body: BodyId,
    pub(crate) from: DVec3,
    pub(crate) to: DVec3,
    pub(crate) radius: f64,
}

impl Drawn {
    pub(crate) fn new(simulation: Simulation, shapes: Vec<Rod>) -> Self {
        Self { simulation, shapes }
    }

    /// Alone on the stage, in steps of `dt` \[s].
    pub(crate) fn stage(self, dt: f64) -> Stage {
        let Self { simulation, shapes } = self;
        Self::stage_of([simulation], &shapes, dt)
    }

    /// Several bodies that look like these shapes, in steps of `dt` \[s]; the world has the gravity of the first.
    pub(crate) fn stage_of(bodies: impl IntoIterator<Item = Simulation>, shapes: &[Rod], dt: f64) -> Stage {
        let mut bodies = bodies.into_iter().peekable();
        let mut world = World::new();
        if let Some(first) = bodies.peek() {
            world.gravity = first.gravity;
        }
        let mut stage = Stage { dt: Some(dt), ..Stage::left_to_itself(world) };
        for (i, body) in bodies.enumerate() {
            let id = stage.add(body);
            if i == 0 {
                let capsule = |rod: &Rod| Capsule {
                    body: (id, rod.body).into(),
                    from: rod.from,
                    to: rod.to,
                    radius: rod.radius,
                };
                stage.shapes.extend(shapes.iter().map(capsule));
            }
        }
        stage
    }
}
