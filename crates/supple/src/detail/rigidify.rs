//! Stopping joints by conserving momentum, in linear time.
//!
//! Theory, section 7: the joint impulses that stop a set of joints leave the generalised momentum of all others as it
//! was. So the momenta of the old groups, summed up in the new ones, are projected on what the new, smaller tree
//! allows: one articulated-body sweep. Kinetic energy never rises, and the paper's O(N³) solve for the impulses is
//! not needed.

use crate::dynamics::articulated::{Sweep, eliminate, own_inertia, substitute};
use crate::dynamics::kinematics::Kinematics;
use crate::model::{Link, Tree};
use crate::spatial::{ArticulatedInertia, Force};

/// Scratch of [`rigidify`].
#[derive(Clone, Debug, Default)]
pub struct Rigidifier {
    before: Kinematics,
    after: Kinematics,
    momenta: Vec<Force>,
    sweep: Sweep,
    impulses: Vec<f64>,
}

/// Velocities after a change from `old` groups to `new` ones at the same positions: joints that are active in `old` but
/// not in `new` stop, those that stay active keep their generalised momentum. No joint may be active in `new` only, and the
/// links of `old` must be located in `new`. Returns the kinetic energy that is lost \[J]; it is never negative.
pub fn rigidify(
    old: &Tree,
    new: &Tree,
    q: &[f64],
    armature: &[f64],
    v: &mut [f64],
    work: &mut Rigidifier,
) -> f64 {
    let Rigidifier { before, after, momenta, sweep, impulses } = work;
    before.update_without_bias(old, q, v);
    after.update_poses(new, q);
    momenta.clear();
    momenta.resize(new.links.len(), Force::ZERO);
    let mut twice_lost = 0.0;
    // momenta of the old groups, link by link of the old tree, gathered where those links are now
    for (link, motion) in old.links.iter().zip(&before.links) {
        let momentum = link.inertia.rotated(motion.rotation).momentum(motion.velocity);
        twice_lost += momentum.dot(motion.velocity);
        let Some(group) = new.member(link.full).group else { continue };
        let lever = motion.position - after.links[group.index()].position;
        momenta[group.index()] += momentum.about(lever);
    }
    impulses.resize(v.len(), 0.0);
    for dof in new.links.iter().flat_map(Link::dofs) {
        impulses[dof] = armature[dof] * v[dof];
    }
    for dof in old.links.iter().flat_map(Link::dofs) {
        twice_lost += armature[dof] * v[dof] * v[dof];
        v[dof] = 0.0;
    }
    sweep.resize(new);
    eliminate::<ArticulatedInertia>(new, after, armature, impulses, sweep, |i| {
        (own_inertia(&new.links[i], after, i), -momenta[i])
    });
    substitute(new, after, sweep, v);
    // the energy that is left is half the momenta times the new motion, since the new motion is what they project on
    for (momentum, motion) in momenta.iter().zip(&sweep.motions) {
        twice_lost -= momentum.dot(*motion);
    }
    for dof in new.links.iter().flat_map(Link::dofs) {
        twice_lost -= impulses[dof] * v[dof];
    }
    (0.5 * twice_lost).max(0.0)
}
