//! Tension stiffness: how strings get their stiffness against turning, body by body.
//!
//! Theory, section 15.2. Let body i hang on its joint and carry children at levers r_c that pull with F_c; its
//! own share (weight, inertia, loads) F_0 pulls at its centre of mass r_0. Turning the body by dφ changes the
//! work of these forces, held fixed in space, by dφᵀ K dφ with
//!
//! ```text
//! K_i = Σ_{c,0} max(r·F, 0) (1 − r rᵀ / r²)
//! ```
//!
//! (the positive part). Added, times a step squared, to the angular block of the body's inertia it makes an
//! articulated-body sweep implicit in tension: transverse waves no longer explode.

use glam::DVec3;

use crate::model::{LinkJoint, Tree};
use crate::spatial::Sym3;

use super::super::kinematics::Kinematics;
use super::super::spring::Ties;

/// `dt² K` is kept below this many times the body's own inertia: beyond it digits are lost, D turns negative
/// (theory, section 15.2).
const LARGEST_SHARE: f64 = 2e5;

/// Stiffness of all links, and what it is summed up from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tension {
    /// K of each link, world axes \[N·m/rad].
    pub(super) k: Vec<Sym3>,
    /// F_0: what pulls at each link's own centre of mass \[N].
    own: Vec<DVec3>,
    /// Length of the step \[s].
    dt: f64,
    /// s: the largest ratio of `dt² K / 4` to a body's own inertia, how stiff the step is.
    pub(super) stiffest: f64,
}

impl Tension {
    /// Begins a step of `dt` \[s] with so many links.
    pub(super) fn begin(&mut self, links: usize, dt: f64) {
        self.dt = dt;
        self.k.clear();
        self.k.resize(links, Sym3::ZERO);
        self.own.clear();
        self.own.resize(links, DVec3::ZERO);
        self.stiffest = 0.0;
    }

    /// Springs to the world pull links at their points, not at the centres of mass, where the rest of what acts on a link
    /// is taken to pull. To be called before links are visited.
    pub(super) fn pull(&mut self, tree: &Tree, poses: &Kinematics, ties: &Ties) {
        for tie in ties.all() {
            let i = tie.link as usize;
            self.own[i] -= tie.pull;
            let root = tree.links[i].parent.is_none();
            let pivot = if root { pivot(tree, poses, i) } else { DVec3::ZERO };
            self.k[i] += string(tie.lever - pivot, tie.pull);
        }
    }

    /// Stiffness of link `i`, from the force that its joint transmitted onto it in the last step. Links must come
    /// in descending order: children add to their parents. `com` is the lever to the centre of mass, world axes.
    #[inline(always)]
    pub(super) fn visit(
        &mut self,
        tree: &Tree,
        poses: &Kinematics,
        i: usize,
        com: DVec3,
        transmitted: DVec3,
    ) {
        let (link, central) = (&tree.links[i], &tree.central[i]);
        let floating = link.parent.is_none() && link.joint == LinkJoint::Free;
        // what this subtree pulls its parent with
        let pull = -transmitted;
        if let Some(p) = link.parent {
            let p = p.index();
            self.own[p] -= pull;
            let mut lever = poses.links[i].offset;
            if tree.links[p].parent.is_none() {
                lever -= pivot(tree, poses, p);
            }
            self.k[p] += string(lever, pull);
        }
        let lever = if floating { DVec3::ZERO } else { com };
        let mut k = self.k[i] + string(lever, self.own[i] + pull);
        // the body's own inertia against turning about its joint
        let inertia = central.mass * central.com.length_squared() + 0.5 * central.inertia.trace();
        let stiff = self.dt * self.dt * k.trace();
        if stiff > LARGEST_SHARE * inertia {
            k = k * (LARGEST_SHARE * inertia / stiff);
        }
        self.k[i] = k;
        if stiff > 8.0 * self.stiffest * inertia {
            self.stiffest = 0.125 * stiff.min(LARGEST_SHARE * inertia) / inertia.max(f64::MIN_POSITIVE);
        }
    }
}

/// Levers on a root are measured from its joint; a floating base has none, its centre of mass takes the place.
fn pivot(tree: &Tree, poses: &Kinematics, root: usize) -> DVec3 {
    if tree.links[root].joint == LinkJoint::Free {
        poses.links[root].rotation * tree.central[root].com
    } else {
        DVec3::ZERO
    }
}

/// `max(r·F, 0) (1 − r rᵀ / r²)`; none of a lever so short that its square is none (1e-154 m).
#[inline(always)]
fn string(r: DVec3, f: DVec3) -> Sym3 {
    let (tension, square) = (r.dot(f), r.length_squared());
    if tension > 0.0 && square >= f64::MIN_POSITIVE {
        Sym3::point_mass(r) * (tension / square)
    } else {
        Sym3::ZERO
    }
}
