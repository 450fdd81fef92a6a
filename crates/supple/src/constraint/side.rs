use glam::{DQuat, DVec3};

use super::Frame;
use crate::spatial::{Sym3, rotation};

/// What pre-stabilization knows of one side of a joint: a rigid body at time n. An infinite mass has zeros for its inverses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    /// Centre of mass, world \[m].
    pub position: DVec3,
    /// Orientation of the body, world.
    pub rotation: DQuat,
    /// Velocity of the centre of mass, world \[m/s].
    pub velocity: DVec3,
    /// Angular velocity, world axes \[rad/s].
    pub omega: DVec3,
    /// \[1/kg]
    pub inverse_mass: f64,
    /// About the centre of mass, world axes \[1/(kg·m²)].
    pub inverse_inertia: Sym3,
}

impl Side {
    /// The world.
    pub const FIXED: Self = Self {
        position: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
        velocity: DVec3::ZERO,
        omega: DVec3::ZERO,
        inverse_mass: 0.0,
        inverse_inertia: Sym3::ZERO,
    };

    /// Where the body is at time n: centre of mass and orientation.
    pub fn frame(&self) -> Frame {
        Frame { position: self.position, rotation: self.rotation }
    }

    /// An impulse \[N·s] at a point `arm` away from the centre of mass \[m] (Weinstein et al., equation 2).
    #[must_use]
    pub fn pushed(mut self, impulse: DVec3, arm: DVec3) -> Self {
        self.velocity += impulse * self.inverse_mass;
        self.omega += self.inverse_inertia * arm.cross(impulse);
        self
    }

    /// A purely angular impulse \[N·m·s] (equation 3).
    #[must_use]
    pub fn turned(mut self, impulse: DVec3) -> Self {
        self.omega += self.inverse_inertia * impulse;
        self
    }
}

/// Where the body is after `dt` \[s] at constant velocities (equation 1).
pub fn predict(side: &Side, dt: f64) -> Frame {
    Frame {
        position: side.position + dt * side.velocity,
        rotation: rotation::exp(dt * side.omega) * side.rotation,
    }
}
