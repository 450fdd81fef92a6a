use glam::DVec3;
use parry3d_f64::query::{ContactManifold, ContactManifoldsWorkspace};

use super::body_colliders::BodyColliders;

/// Two colliders whose boxes overlap.
#[derive(Clone)]
pub(crate) struct Pair {
    /// Collider sets, the smaller number first, and which of their parts.
    pub(crate) collider_sets: [u32; 2],
    pub(crate) parts: [u32; 2],
    /// The colliders, by their places.
    pub(crate) colliders: [u32; 2],
    pub(crate) manifolds: Vec<Manifold>,
    pub(crate) workspace: Option<ContactManifoldsWorkspace>,
    /// Whether the manifolds are those of the present pose, and whether there are points in any.
    pub(crate) near: bool,
    /// Whether one of the two only senses.
    pub(crate) sensor: bool,
    /// Whether they touched after the last step, and now.
    pub(crate) touched: bool,
    pub(crate) touches: bool,
    /// Impulse of the first on the second in the last step \[N·s].
    pub(crate) impulse: DVec3,
    /// Impulse along the normals at the entry, before the step moved anything \[N·s].
    pub(crate) entry: f64,
    /// Impulse of the first on the second when one of the two fell asleep \[N·s].
    pub(crate) asleep_impulse: DVec3,
}

/// Points at which two convex pieces touch.
pub(crate) type Manifold = ContactManifold<(), WarmStart>;

/// Impulses of a contact point with which the next step is warm started, world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct WarmStart {
    /// Impulse on the second body in the last step \[N·s].
    pub(crate) impulse: DVec3,
    /// Along the normal, collisions with restitution too \[N·s].
    pub(crate) normal: f64,
}

impl Pair {
    pub(crate) fn new(collider_sets: [u32; 2], parts: [u32; 2], colliders: [u32; 2], sensor: bool) -> Self {
        Self {
            collider_sets,
            parts,
            colliders,
            manifolds: Vec::new(),
            workspace: None,
            near: false,
            sensor,
            touched: false,
            touches: false,
            impulse: DVec3::ZERO,
            entry: 0.0,
            asleep_impulse: DVec3::ZERO,
        }
    }

    /// Separation and speed along the normal of all points, as their collider sets move \[m, m/s].
    pub(crate) fn points<'a>(
        &'a self,
        collider_sets: &'a [BodyColliders],
    ) -> impl Iterator<Item = (f64, f64)> + 'a {
        let [a, b] = self.collider_sets.map(|s| &collider_sets[s as usize]);
        let pose = a.parts[self.parts[0] as usize].pose;
        self.manifolds.iter().flat_map(move |manifold| {
            let first = manifold.subshape_pos1().map_or(pose, |p| pose * *p);
            let normal = first.rotation * manifold.local_n1;
            manifold.points.iter().map(move |point| {
                let at = first * point.local_p1;
                (point.dist, normal.dot(b.velocity_at(at) - a.velocity_at(at)))
            })
        })
    }

    /// Fastest speed at which points close \[m/s].
    pub(crate) fn closing(&self, collider_sets: &[BodyColliders]) -> f64 {
        self.points(collider_sets).map(|(_, speed)| -speed).fold(0.0, f64::max)
    }

    /// Whether they touch anywhere, or may within the next step.
    pub(crate) fn has_points(&self) -> bool {
        self.manifolds.iter().any(|m| !m.points.is_empty())
    }

    /// Whether they neither touch nor did, and have no impulse.
    pub(crate) fn is_idle(&self) -> bool {
        !self.touched
            && !self.touches
            && self.impulse == DVec3::ZERO
            && self.asleep_impulse == DVec3::ZERO
            && self.entry == 0.0
    }

    pub(crate) fn key(&self) -> [u32; 4] {
        [self.collider_sets[0], self.collider_sets[1], self.parts[0], self.parts[1]]
    }
}
