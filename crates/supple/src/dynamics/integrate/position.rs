//! Position updates: `q ⊕ v`, on the manifold of each joint, and rates `q̇(q, v)`.

use glam::{DQuat, DVec3};

use crate::model::{Element, Link, LinkJoint, Tree};
use crate::spatial::rotation;

/// `out = q ⊕ h v`: every joint moves for `h` \[s] with constant v; rotations by the exponential map.
pub fn advance(tree: &Tree, q: &[f64], v: &[f64], h: f64, out: &mut [f64]) {
    for link in &tree.links {
        let range = link.q as usize..link.q as usize + positions(tree, link);
        out[range.clone()].copy_from_slice(&q[range]);
        advance_link(tree, link, out, v, h);
    }
}

/// `q ⊕= h v`.
pub fn advance_in_place(tree: &Tree, q: &mut [f64], v: &[f64], h: f64) {
    for link in &tree.links {
        advance_link(tree, link, q, v, h);
    }
}

/// `q ⊕= h v` for the joint of one link.
#[inline(always)]
pub(crate) fn advance_link(tree: &Tree, link: &Link, q: &mut [f64], v: &[f64], h: f64) {
    let (iq, iv) = (link.q as usize, link.v as usize);
    match link.joint {
        LinkJoint::Revolute | LinkJoint::Prismatic | LinkJoint::Helical { .. } => q[iq] += h * v[iv],
        LinkJoint::Spherical => turn(q, iq, v, iv, h),
        LinkJoint::Free => {
            let at = DQuat::from_slice(&q[iq + 3..iq + 7]);
            let spin = DVec3::from_slice(&v[iv..iv + 3]) * h;
            let slide = DVec3::from_slice(&v[iv + 3..iv + 6]) * h;
            let moved = at * screw_translation(spin, slide);
            turn(q, iq + 3, v, iv, h);
            for k in 0..3 {
                q[iq + k] += moved[k];
            }
        }
        LinkJoint::Compound { first, count, .. } => {
            let (mut iq, mut iv) = (iq, iv);
            for element in &tree.elements[first as usize..(first + count) as usize] {
                if let Element::Ball { .. } = element {
                    turn(q, iq, v, iv, h);
                } else {
                    q[iq] += h * v[iv];
                }
                let (nq, nv) = element.sizes();
                (iq, iv) = (iq + nq, iv + nv);
            }
        }
    }
}

/// How many numbers of q a link's joint has.
#[inline(always)]
pub(crate) fn positions(tree: &Tree, link: &Link) -> usize {
    match link.joint {
        LinkJoint::Revolute | LinkJoint::Prismatic | LinkJoint::Helical { .. } => 1,
        LinkJoint::Spherical => 4,
        LinkJoint::Free => 7,
        LinkJoint::Compound { first, count, .. } => {
            tree.elements[first as usize..(first + count) as usize].iter().map(|e| e.sizes().0).sum()
        }
    }
}

fn turn(q: &mut [f64], iq: usize, v: &[f64], iv: usize, h: f64) {
    let turned = rotation::step(DQuat::from_slice(&q[iq..iq + 4]), DVec3::from_slice(&v[iv..iv + 3]) * h);
    turned.write_to_slice(&mut q[iq..iq + 4]);
}

/// Where a body gets, in its old axes, that turns by `spin` \[rad] and slides by `slide` \[m] in its own axes at
/// the same time: `∫ exp(s·spin) slide ds`.
fn screw_translation(spin: DVec3, slide: DVec3) -> DVec3 {
    let angle2 = spin.length_squared();
    // (1 − cos a)/a² and (a − sin a)/a³, by their series where the quotients would lose digits
    let (b, c) = if angle2 < 1e-3 {
        (0.5 - angle2 * (1.0 / 24.0 - angle2 / 720.0), 1.0 / 6.0 - angle2 * (1.0 / 120.0 - angle2 / 5040.0))
    } else {
        let angle = angle2.sqrt();
        let (sin, cos) = rotation::sin_cos(angle);
        ((1.0 - cos) / angle2, (angle - sin) / (angle2 * angle))
    };
    let once = spin.cross(slide);
    slide + once * b + spin.cross(once) * c
}

/// `q̇` as plain numbers: quaternions by `q̇ = q ω / 2`.
pub fn rates(tree: &Tree, q: &[f64], v: &[f64], out: &mut [f64]) {
    let spin = |iq: usize, iv: usize, out: &mut [f64]| {
        let at = DQuat::from_slice(&q[iq..iq + 4]);
        let w = DQuat::from_xyzw(v[iv], v[iv + 1], v[iv + 2], 0.0);
        (at * w * 0.5).write_to_slice(&mut out[iq..iq + 4]);
    };
    for link in &tree.links {
        let (iq, iv) = (link.q as usize, link.v as usize);
        match link.joint {
            LinkJoint::Revolute | LinkJoint::Prismatic | LinkJoint::Helical { .. } => out[iq] = v[iv],
            LinkJoint::Spherical => spin(iq, iv, out),
            LinkJoint::Free => {
                spin(iq + 3, iv, out);
                let at = DQuat::from_slice(&q[iq + 3..iq + 7]);
                (at * DVec3::from_slice(&v[iv + 3..iv + 6])).write_to_slice(&mut out[iq..iq + 3]);
            }
            LinkJoint::Compound { first, count, .. } => {
                let (mut iq, mut iv) = (iq, iv);
                for element in &tree.elements[first as usize..(first + count) as usize] {
                    if let Element::Ball { .. } = element {
                        spin(iq, iv, out);
                    } else {
                        out[iq] = v[iv];
                    }
                    let (nq, nv) = element.sizes();
                    (iq, iv) = (iq + nq, iv + nv);
                }
            }
        }
    }
}

/// Brings all quaternions back to unit length.
pub fn normalize(tree: &Tree, q: &mut [f64]) {
    for link in &tree.links {
        for_each_quaternion(tree, link, |at| {
            let unit = DQuat::from_slice(&q[at..at + 4]).normalize();
            unit.write_to_slice(&mut q[at..at + 4]);
        });
    }
}

/// Calls `each` with the place in q of every quaternion of a link's joint.
pub fn for_each_quaternion(tree: &Tree, link: &Link, mut each: impl FnMut(usize)) {
    let iq = link.q as usize;
    match link.joint {
        LinkJoint::Spherical => each(iq),
        LinkJoint::Free => each(iq + 3),
        LinkJoint::Compound { first, count, .. } => {
            let mut at = iq;
            for element in &tree.elements[first as usize..(first + count) as usize] {
                if let Element::Ball { .. } = element {
                    each(at);
                }
                at += element.sizes().0;
            }
        }
        _ => {}
    }
}
