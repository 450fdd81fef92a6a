use anyhow::{Context, Result, bail};
use serde::Serialize;
use supple::constraint::Constraint;

use super::{Numbers, Place};

/// Joints that a file can have.
const KINDS: [&str; 5] = ["ball", "hinge", "rigid", "distance", "rope"];

/// A constraint.
#[derive(Serialize)]
pub(crate) struct Joint {
    name: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<f64>,
    /// Number of a body, -1 for the world.
    parent: i64,
    child: i64,
    parent_frame: Place,
    child_frame: Place,
    /// Whether its two bodies touch each other.
    collide: bool,
}

impl Joint {
    pub(super) fn new(number: usize, constraint: &Constraint, numbers: &Numbers) -> Result<Self> {
        let name = match constraint.name.as_str() {
            "" => format!("joint {number}"),
            name => name.to_owned(),
        };
        let kind = constraint.model.name();
        if !KINDS.contains(&kind) {
            bail!(
                "constraint {name:?} is a {kind} joint, which cannot be written: a file has {}",
                KINDS.join(", ")
            );
        }
        if constraint.softness.is_some() || !constraint.actions.is_empty() {
            let what =
                if constraint.softness.is_some() { "is a spring" } else { "has limits, motors or friction" };
            bail!(
                "constraint {name:?} {what}, which cannot be written: a file has hard joints that nothing drives"
            );
        }
        let index = |body| numbers.of(body).with_context(|| format!("constraint {name:?}"));
        Ok(Self {
            kind,
            length: constraint.model.length(),
            parent: index(constraint.parent)?,
            child: index(constraint.child)?,
            parent_frame: constraint.parent_frame.into(),
            child_frame: constraint.child_frame.into(),
            collide: constraint.collide,
            name,
        })
    }
}
