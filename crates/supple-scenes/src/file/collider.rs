use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use supple::contact::{Collider, Groups, Material, Shape};
use supple::world::BodyRef;

use super::PrintError;
use super::body::check_place;
use super::fault::{At, Fault};
use super::numbers::Numbers;
use super::shape::{Shapes, find};
use crate::Ref;
use crate::place::Place;

/// A shape on a body, and what it is made of.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ColliderFile {
    /// What wears it; -1 or "world" is the world.
    pub body: Ref,
    /// Where on it.
    #[serde(default)]
    pub frame: Place,
    /// Number of its shape.
    pub shape: usize,
    /// Coulomb's coefficient; of two the geometric mean counts.
    #[serde(default = "friction")]
    pub friction: f64,
    /// Of two the greater counts.
    #[serde(default)]
    pub restitution: f64,
    /// Arm of the moment against rolling \[m]; of two the greater counts.
    #[serde(default)]
    pub rolling: f64,
    /// Groups that it belongs to, a bit each.
    #[serde(default = "all")]
    pub member: u32,
    /// Groups that it touches, a bit each.
    #[serde(default = "all")]
    pub touches: u32,
    /// Whether it only tells what overlaps it.
    #[serde(default)]
    pub sensor: bool,
    /// Whether its body must not pass through others within a step.
    #[serde(default)]
    pub continuous: bool,
}

fn friction() -> f64 {
    Material::default().friction
}

const fn all() -> u32 {
    u32::MAX
}

impl ColliderFile {
    pub(crate) fn of(
        collider: &Collider,
        body: BodyRef,
        numbers: &Numbers,
        shapes: &mut Shapes,
    ) -> Result<Self, PrintError> {
        let Material { friction, restitution, rolling } = collider.material;
        Ok(Self {
            body: numbers.number(body)?,
            frame: collider.frame.into(),
            shape: shapes.number(&collider.shape)?,
            friction,
            restitution,
            rolling,
            member: collider.groups.member,
            touches: collider.groups.touches,
            sensor: collider.is_sensor,
            continuous: collider.is_continuous,
        })
    }

    pub(crate) fn collider(&self, shapes: &[Shape], at: &At) -> Result<Collider, Fault> {
        check_place(&at.key("frame"), &self.frame)?;
        let mut collider = Collider::new(find(self.shape, shapes, &at.key("shape"))?).at(self.frame.into());
        let (friction, restitution, rolling) = (self.friction, self.restitution, self.rolling);
        collider.material = Material { friction, restitution, rolling };
        collider.groups = Groups { member: self.member, touches: self.touches };
        (collider.is_sensor, collider.is_continuous) = (self.sensor, self.continuous);
        Ok(collider)
    }
}
