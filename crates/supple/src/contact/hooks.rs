use glam::DVec3;

use super::{Collider, ColliderId, Material};
use crate::bodies::BodyRef;

/// What a user has to say about contacts. Called from several threads, and more than once for a contact: the answers must depend on
/// nothing but what is asked.
pub trait ContactHooks: Send + Sync + std::fmt::Debug {
    /// Whether two colliders may touch. Asked when they come near.
    fn allows(&self, _a: Side<'_>, _b: Side<'_>) -> bool {
        true
    }

    /// Changes what two colliders do where they meet: surfaces, or whether they push at all (a platform that lets through from below).
    fn meets(&self, _meeting: &mut Meeting<'_>) {}
}

/// One of two colliders.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Which one.
    pub id: ColliderId,
    /// What it is.
    pub collider: &'a Collider,
    /// The body that it is attached to.
    pub body: BodyRef,
}

/// Two colliders that are near each other.
#[derive(Debug)]
pub struct Meeting<'a> {
    /// Who meets.
    pub sides: [Side<'a>; 2],
    /// From the first to the second.
    pub normal: DVec3,
    /// What the two surfaces are to each other.
    pub material: Material,
    /// Whether they push.
    pub pushes: bool,
}
