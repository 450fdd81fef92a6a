//! Keeps a body on the side of a joint on which it is seen, as a contact does.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use supple::constraint::{Constraint, Frame, JointModel, Rows};
use supple::world::{Assembly, World, WorldError};

use super::{Cue, Cues};
use crate::Ref;
use crate::file::Joint;

/// What the contact is called.
const NAME: &str = "contact";

/// Looks where a body is, before every step, and keeps it on that side of a joint along x (Weinstein et al., figure 10).
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Beside {
    /// The body.
    pub body: Ref,
    /// What it must not pass: this body, at the parent's side of the joint.
    pub other: Ref,
    /// How near it may come \[m].
    pub clearance: f64,
    /// The joint. It is made by `post` alone: where impulses act before positions, it is one of the world's.
    pub joint: Joint,
    /// When positions are set right.
    pub stabilize: Stabilize,
}

/// When positions are set right.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stabilize {
    /// Impulses before positions.
    Pre,
    /// Positions first, then the nearest allowed ones.
    Post,
}

/// Keeps the child's point on one side of a plane.
#[derive(Debug)]
struct Apart {
    /// To where the child's point is to be, parent's axes.
    normal: DVec3,
    /// At least so far \[m].
    clearance: f64,
}

impl JointModel for Apart {
    fn nearest(&self, joint: Frame) -> Frame {
        let excess = self.clearance - joint.position.dot(self.normal);
        Frame { position: joint.position + self.normal * excess.max(0.0), ..joint }
    }

    fn held(&self, joint: Frame, rows: &mut Rows) {
        rows.limit(DVec3::ZERO, -self.normal, self.clearance - joint.position.dot(self.normal));
    }
}

impl Cues {
    pub(super) fn keep_beside(&mut self, k: usize, world: &mut World) -> Result<(), WorldError> {
        let (Cue::Beside(it), Some(knuckle)) = (&self.cues[k], &self.made[k]) else { return Ok(()) };
        let old = world.constraints().find(|(_, c)| c.name == NAME).map(|(id, _)| id);
        old.map_or(Ok(()), |id| world.cut(id))?;
        let contact = world.add(self.contact(it, knuckle, world)?)?;
        if it.stabilize == Stabilize::Post {
            // bodies moved freely; now they are put where joint and contact allow them to be
            let knuckle = world.add(knuckle.clone())?;
            world.assemble(&Assembly::default())?;
            world.cut(knuckle)?;
            world.cut(contact)?;
        }
        Ok(())
    }

    /// What keeps the body where it is seen now: there is nothing else to tell the side by.
    fn contact(&self, it: &Beside, knuckle: &Constraint, world: &World) -> Result<Constraint, WorldError> {
        let (body, other, end) = (self.body(&it.body)?, self.body(&it.other)?, knuckle.parent_frame);
        let ahead = world.frame(other)?.point(end.position).x - world.frame(body)?.position.x;
        let model = Apart { normal: DVec3::X * ahead.signum(), clearance: it.clearance };
        Ok(Constraint::new(model, body, other).child_frame(end).named(NAME))
    }
}
