//! What acts inside a joint: drives, springs, dampers, friction and stops, as the metric sees them.

use crate::dynamics::actuator::Drives;
use crate::dynamics::integrate::Loads;
use crate::dynamics::passive;
use crate::model::{LinkId, Model};

/// Sets the joint force and what is added to the joint inertia (both by v) of one link's joint at (q, v), passive forces
/// and actuators (`drives`) implicit over `h` \[s]: the same terms as in a step. Of a joint that stands still they stay as they
/// are.
pub(super) fn joint_terms(
    model: &Model,
    loads: &Loads,
    drives: &Drives,
    link: LinkId,
    q: &[f64],
    v: &[f64],
    h: f64,
    tau: &mut [f64],
    diagonal: &mut [f64],
) {
    let tree = model.tree();
    let link = &tree.links[link.index()];
    let first = link.v as usize;
    for (k, dof) in link.dofs().enumerate() {
        tau[k] = loads.drive(model, dof);
        diagonal[k] = model.armature()[dof];
        if let Some(drive) = drives.at(dof) {
            tau[k] += drive.joint_force(v[dof], h);
            diagonal[k] += drive.diagonal(h);
        }
    }
    if link.passive {
        passive::couples(model, tree, link, q, v, (v, h), |dof, c| {
            let k = c.k + c.stop_k;
            tau[dof - first] += c.spring_force + c.stop_force - (c.d + h * k) * v[dof];
            diagonal[dof - first] += h * c.d + h * h * k;
        });
    }
}
