//! Bodies that look like what they weigh, and joints where they are.

use glam::DVec3;
use supple::RigidInertia;
use supple::constraint::{Action, Constraint, Frame, JointModel};
use supple::world::{BodyRef, ConstraintId, SingleBody, SingleId, World, WorldError};

use crate::{Capsule, Stage};

/// Adds a capsule between two points of the world \[m] as a single body whose frame is at the middle, world axes.
pub(crate) fn rod(
    world: &mut World,
    shapes: &mut Vec<Capsule>,
    name: impl Into<String>,
    mass: f64,
    [from, to]: [DVec3; 2],
    radius: f64,
) -> Result<SingleId, WorldError> {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let inertia = RigidInertia::solid_capsule(mass, -half, half, radius);
    let id = world.add_body(SingleBody::new(name, inertia).at(Frame::at(middle)))?;
    shapes.push(Capsule { body: id.into(), from: -half, to: half, radius });
    Ok(id)
}

/// Adds a ball \[m, kg] as a single body.
pub(crate) fn ball(
    stage: &mut Stage,
    name: impl Into<String>,
    mass: f64,
    at: DVec3,
    radius: f64,
) -> Result<SingleId, WorldError> {
    let inertia = RigidInertia::solid_sphere(mass, radius, DVec3::ZERO);
    let id = stage.world.add_body(SingleBody::new(name, inertia).at(Frame::at(at)))?;
    stage.shapes.push(Capsule { body: id.into(), from: DVec3::ZERO, to: DVec3::ZERO, radius });
    Ok(id)
}

/// Adds a box of this size \[m] with its centre at a frame, as a single body. It is drawn as a capsule along its longest side, as thick as
/// the next one.
pub(crate) fn block(
    stage: &mut Stage,
    name: impl Into<String>,
    mass: f64,
    at: Frame,
    size: DVec3,
) -> Result<SingleId, WorldError> {
    let inertia = RigidInertia::solid_box(mass, size, DVec3::ZERO);
    let id = stage.world.add_body(SingleBody::new(name, inertia).at(at))?;
    let longest = if size.max_element() == size.x {
        DVec3::X
    } else if size.max_element() == size.y {
        DVec3::Y
    } else {
        DVec3::Z
    };
    let radius = 0.5 * (size - longest * size).max_element();
    let half = longest * (0.5 * size.max_element() - radius);
    stage.shapes.push(Capsule { body: id.into(), from: -half, to: half, radius });
    Ok(id)
}

/// A joint at a frame of the world, in which both bodies are as they are to be; not yet in the world.
pub(crate) fn joint(
    world: &World,
    name: impl Into<String>,
    model: impl JointModel + 'static,
    parent: impl Into<BodyRef>,
    child: impl Into<BodyRef>,
    at: Frame,
) -> Result<Constraint, WorldError> {
    let (parent, child) = (parent.into(), child.into());
    let sides = [world.frame(parent)?.inverse() * at, world.frame(child)?.inverse() * at];
    Ok(Constraint::new(model, parent, child).named(name).parent_frame(sides[0]).child_frame(sides[1]))
}

/// A motor as strong as it must be on the first coordinate of a constraint, in place of what acted on it \[rad/s or m/s].
pub(crate) fn drive(world: &mut World, id: ConstraintId, speed: f64) -> Result<(), WorldError> {
    let Some(mut constraint) = world.constraint(id)?.cloned() else { return Ok(()) };
    constraint.actions = vec![Action::Motor { coordinate: 0, speed, force: f64::INFINITY }];
    world.change(id, constraint)
}
