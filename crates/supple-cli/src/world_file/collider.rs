use anyhow::Result;
use serde::Serialize;
use supple::contact;
use supple::world::BodyRef;

use super::shape::{Shapes, placed};
use super::{Numbers, Place};

/// A shape on a body.
#[derive(Serialize)]
pub(crate) struct Collider {
    body: i64,
    frame: Place,
    /// Number of its shape.
    shape: usize,
    friction: f64,
    restitution: f64,
    rolling: f64,
    member: u32,
    touches: u32,
    sensor: bool,
    continuous: bool,
}

impl Collider {
    pub(super) fn new(
        collider: &contact::Collider,
        body: BodyRef,
        numbers: &Numbers,
        shapes: &mut Shapes,
    ) -> Result<Self> {
        let of_parry = collider.frame * collider.shape.axes();
        let (frame, shape) = placed(of_parry, collider.shape.parry(), shapes)?;
        let contact::Material { friction, restitution, rolling } = collider.material;
        Ok(Self {
            body: numbers.of(body)?,
            frame: frame.into(),
            shape,
            friction,
            restitution,
            rolling,
            member: collider.groups.member,
            touches: collider.groups.touches,
            sensor: collider.is_sensor,
            continuous: collider.is_continuous,
        })
    }
}
