use crate::spatial::{Pose, RigidInertia};

use super::{Joint, JointKind};

/// A rigid body as the user describes it: its mass, and the joint that carries it.
#[derive(Clone, Debug)]
pub struct Body {
    /// Unique name.
    pub name: String,
    /// Name of the body that carries the joint; `None` is the world.
    pub parent: Option<String>,
    /// The joint between parent and body.
    pub joint: Joint,
    /// Joint frame in the parent body's frame.
    pub placement: Pose,
    /// Mass, centre of mass and inertia in the body's frame.
    pub inertia: RigidInertia,
    /// Body frame in the outboard frame of its joint: identity unless a file format wants them apart.
    pub frame: Pose,
}

impl Body {
    /// A massless body named `name`, carried by the world through `joint`.
    pub fn new(name: impl Into<String>, joint: impl Into<Joint>) -> Self {
        Self {
            name: name.into(),
            parent: None,
            joint: joint.into(),
            placement: Pose::IDENTITY,
            inertia: RigidInertia::ZERO,
            frame: Pose::IDENTITY,
        }
    }

    /// Carried by the body named `parent`.
    pub fn on(mut self, parent: impl Into<String>) -> Self {
        self.parent = Some(parent.into());
        self
    }

    /// With its joint at this pose in the parent's frame.
    pub fn at(mut self, placement: Pose) -> Self {
        self.placement = placement;
        self
    }

    /// With this inertia.
    pub fn inertia(mut self, inertia: RigidInertia) -> Self {
        self.inertia = inertia;
        self
    }
}

impl From<JointKind> for Joint {
    fn from(kind: JointKind) -> Self {
        Self::new(kind)
    }
}
