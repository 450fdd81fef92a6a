//! The rope bridge as something to fall on.

use supple::contact::{Collider, Shape};
use supple::world::{BodyRef, SingleId};

use super::props::{JOINTED, rough};
use crate::worlds::bridge;
use crate::{Kind, Parameter, SceneError, Stage};

/// How long the bridge is.
pub(crate) const PLANKS: Parameter = Parameter {
    name: "planks",
    kind: Kind::Count { default: 20, min: 3, max: 1000 },
    doc: "how many planks the bridge has",
};

/// Groups: parts of the bridge do not touch each other, what falls touches all.
const BRIDGE: u32 = 1;
const CARGO: u32 = 2;
/// Wood on wood.
pub(crate) const FRICTION: f64 = 0.5;

/// A bridge whose planks and ropes can be touched; its planks.
pub(crate) fn bridge(stage: &mut Stage, planks: usize) -> Result<Vec<SingleId>, SceneError> {
    stage.world.settings.tolerance = JOINTED;
    let planks = bridge::bridge(stage, planks)?;
    let ids: Vec<SingleId> = planks.iter().map(|(id, _)| *id).collect();
    for (id, size) in planks {
        stage.world.add_collider(id, of_bridge(Shape::cuboid(size)?))?;
    }
    // all else that it is made of are ropes, drawn as what they are
    for rope in stage.shapes.clone() {
        if !ids.iter().any(|id| BodyRef::from(*id) == rope.body) {
            let shape = Shape::capsule(rope.from, rope.to, rope.radius)?;
            stage.world.add_collider(rope.body, of_bridge(shape))?;
        }
    }
    Ok(ids)
}

fn of_bridge(shape: Shape) -> Collider {
    Collider { material: rough(FRICTION), ..Collider::new(shape) }.groups(BRIDGE, CARGO)
}

/// The collider as something that falls on the bridge.
pub(crate) fn falls(collider: Collider) -> Collider {
    collider.friction(FRICTION).groups(CARGO, BRIDGE | CARGO)
}
