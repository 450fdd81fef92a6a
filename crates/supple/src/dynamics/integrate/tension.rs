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

use crate::model::{Central, LinkJoint, Tree};
use crate::spatial::Sym3;

use super::super::kinematics::Kinematics;

/// `dt² K` is kept below this many times the body's own inertia: beyond it digits are lost, D turns negative.
const LARGEST_SHARE: f64 = 2e5;

/// Stiffness of all links at the pose of `kinematics`, from the transmitted forces of the last step.
/// Returns s, the largest ratio of `dt² K / 4` to a body's own inertia: how stiff the step is.
pub(super) fn stiffness(
    tree: &Tree,
    kinematics: &Kinematics,
    transmitted: &[DVec3],
    dt: f64,
    k: &mut Vec<Sym3>,
    own: &mut Vec<DVec3>,
) -> f64 {
    let n = tree.links.len();
    k.clear();
    k.resize(n, Sym3::ZERO);
    own.clear();
    own.resize(n, DVec3::ZERO);
    for (i, link) in tree.links.iter().enumerate() {
        let motion = &kinematics.links[i];
        // what this subtree pulls its parent with
        let pull = -transmitted[link.id.index()];
        own[i] += pull;
        if let Some(p) = link.parent {
            own[p.index()] -= pull;
            let lever = motion.offset - pivot(tree, kinematics, p.index());
            k[p.index()] += string(lever, pull);
        }
    }
    let mut stiffest = 0.0f64;
    for (i, link) in tree.links.iter().enumerate() {
        let central = &tree.central[i];
        let lever = if is_floating(link.joint, link.parent.is_none()) {
            DVec3::ZERO
        } else {
            kinematics.links[i].rotation * central.com
        };
        let mut sum = k[i] + string(lever, own[i]);
        let inertia = own_inertia(central);
        let stiff = dt * dt * sum.trace();
        if stiff > LARGEST_SHARE * inertia {
            sum = sum * (LARGEST_SHARE * inertia / stiff);
        }
        k[i] = sum;
        if inertia > 0.0 {
            stiffest = stiffest.max(0.125 * stiff.min(LARGEST_SHARE * inertia) / inertia);
        }
    }
    stiffest
}

/// A floating base has no joint to measure levers from: its centre of mass takes the place.
fn pivot(tree: &Tree, kinematics: &Kinematics, i: usize) -> DVec3 {
    let link = &tree.links[i];
    if is_floating(link.joint, link.parent.is_none()) {
        kinematics.links[i].rotation * tree.central[i].com
    } else {
        DVec3::ZERO
    }
}

fn is_floating(joint: LinkJoint, is_root: bool) -> bool {
    is_root && joint == LinkJoint::Free
}

/// `max(r·F, 0) (1 − r rᵀ / r²)`.
#[inline(always)]
fn string(r: DVec3, f: DVec3) -> Sym3 {
    let tension = r.dot(f);
    if tension > 0.0 { Sym3::point_mass(r) * (tension / r.length_squared()) } else { Sym3::ZERO }
}

/// A body's own inertia against turning, about its joint: `m r² + tr Ic / 2` \[kg·m²].
#[inline(always)]
fn own_inertia(central: &Central) -> f64 {
    central.mass * central.com.length_squared() + 0.5 * central.inertia.trace()
}
