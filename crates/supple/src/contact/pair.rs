use glam::DVec3;
use parry3d_f64::query::{ContactManifold, ContactManifoldsWorkspace};

use super::skin::Skin;

/// Two colliders whose boxes overlap.
#[derive(Clone)]
pub(crate) struct Pair {
    /// Skins, the smaller number first, and which of their parts.
    pub(crate) skins: [u32; 2],
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
    /// What the first gave the second in the last step \[N·s].
    pub(crate) impulse: DVec3,
    /// Along the normals, before the step moved anything \[N·s].
    pub(crate) entry: f64,
    /// What the first gave the second when one of the two fell asleep \[N·s].
    pub(crate) asleep_impulse: DVec3,
}

/// Points in which two convex pieces touch.
pub(crate) type Manifold = ContactManifold<(), Kept>;

/// What a contact point remembers from step to step, world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Kept {
    /// Impulse on the second body in the last step \[N·s].
    pub(crate) impulse: DVec3,
    /// Along the normal, collisions with restitution too \[N·s].
    pub(crate) normal: f64,
}

impl Pair {
    pub(crate) fn new(skins: [u32; 2], parts: [u32; 2], colliders: [u32; 2], sensor: bool) -> Self {
        Self {
            skins,
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

    /// Separation and speed along the normal of all points, as their skins move \[m, m/s].
    pub(crate) fn points<'a>(&'a self, skins: &'a [Skin]) -> impl Iterator<Item = (f64, f64)> + 'a {
        let [a, b] = self.skins.map(|s| &skins[s as usize]);
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
    pub(crate) fn closing(&self, skins: &[Skin]) -> f64 {
        self.points(skins).map(|(_, speed)| -speed).fold(0.0, f64::max)
    }

    /// Whether they touch anywhere, or may within the next step.
    pub(crate) fn has_points(&self) -> bool {
        self.manifolds.iter().any(|m| !m.points.is_empty())
    }

    /// Whether they neither touch nor did, and gave each other nothing.
    pub(crate) fn is_idle(&self) -> bool {
        !self.touched
            && !self.touches
            && self.impulse == DVec3::ZERO
            && self.asleep_impulse == DVec3::ZERO
            && self.entry == 0.0
    }

    pub(crate) fn key(&self) -> [u32; 4] {
        [self.skins[0], self.skins[1], self.parts[0], self.parts[1]]
    }
}
