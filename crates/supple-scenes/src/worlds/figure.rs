//! Bodies that look like what they weigh: mass properties and shape from one call.

use glam::DVec3;
use supple::RigidInertia;
use supple::constraint::{Action, Frame};
use supple::world::{ConstraintId, SingleBody, SingleId, World, WorldError};

use crate::world_stage::WorldShape;

/// Adds a capsule between two points of the world \[m] as a single body whose frame is at the middle, world axes.
pub(crate) fn rod(
    world: &mut World,
    shapes: &mut Vec<WorldShape>,
    name: impl Into<String>,
    mass: f64,
    from: DVec3,
    to: DVec3,
    radius: f64,
) -> Result<SingleId, WorldError> {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let inertia = RigidInertia::solid_capsule(mass, -half, half, radius);
    let id = world.add_body(SingleBody::new(name, inertia).at(Frame::at(middle)))?;
    shapes.push(WorldShape { body: id.into(), from: -half, to: half, radius });
    Ok(id)
}

/// A motor as strong as it must be on the first coordinate of a constraint, in place of what acted on it \[rad/s or m/s].
pub(crate) fn drive(world: &mut World, id: ConstraintId, speed: f64) -> Result<(), WorldError> {
    let Some(mut constraint) = world.constraint(id)?.cloned() else { return Ok(()) };
    constraint.actions = vec![Action::Motor { coordinate: 0, speed, force: f64::INFINITY }];
    world.change(id, constraint)
}
