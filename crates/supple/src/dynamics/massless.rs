//! Is there inertia to resist every joint?
//!
//! Massless links inside a chain are common in robot files and harmless: what matters is the articulated
//! inertia about each joint, which must be positive. It depends on the pose, so a few poses are tried; a joint
//! that nothing resists in any of them is an error.

use crate::model::{Model, ModelError};
use crate::spatial::math;

use super::articulated::{Sweep, joint_inertias};
use super::kinematics::Kinematics;

/// Below this share of the largest inertia that its subtree could show, a joint counts as unresisted. Chosen above what
/// rounding leaves in a sweep where inertias cancel, 1e-16 of them and a digit or two.
const SMALLEST_SHARE: f64 = 1e-13;
/// Poses tried besides the neutral one. Chosen: a joint that inertia resists at all is unresisted in special poses only, and one generic pose
/// would do; the others are for links that happen to line up in it.
const POSES: u32 = 4;

/// An error where a joint moves nothing in any pose tried.
pub(super) fn resisted(model: &Model) -> Result<(), ModelError> {
    let tree = model.tree();
    let mut kinematics = Kinematics::new(tree);
    let mut sweep = Sweep::new(tree);
    let zero = vec![0.0; model.nv()];
    let mut q = model.neutral().to_vec();
    let mut inertias = |q: &[f64]| {
        kinematics.update(tree, q, &zero);
        joint_inertias(tree, &kinematics, model.armature(), &mut sweep)
    };
    let neutral = inertias(&q);
    let scale = scales(model);
    let weak =
        |d: &[f64]| -> Vec<usize> { (0..d.len()).filter(|&i| !(d[i] > SMALLEST_SHARE * scale[i])).collect() };
    let mut unresisted = weak(&neutral);
    for pose in 1..=POSES {
        if unresisted.is_empty() {
            return Ok(());
        }
        // any generic pose will do; quaternions stay as they are
        for joint in model.joints().iter().filter(|j| j.nq == j.nv) {
            for i in joint.q..joint.q + joint.nq {
                q[i] = math::sin(f64::from(pose) + 0.7 * i as f64);
            }
        }
        // both lists ascend
        let still = weak(&inertias(&q));
        unresisted.retain(|i| still.binary_search(i).is_ok());
    }
    let Some(&dof) = unresisted.last() else { return Ok(()) };
    let at = model.joints().iter().position(|j| (j.v..j.v + j.nv).contains(&dof)).unwrap_or(0);
    Err(ModelError::MasslessMotion {
        joint: model.joints()[at].name.clone(),
        body: model.bodies()[at].name.clone(),
        inertia: neutral[dof],
    })
}

/// What a joint's subtree could weigh at most: its mass, and its mass times its reach squared plus inertia.
fn scales(model: &Model) -> Vec<f64> {
    let links = &model.tree().links;
    let mut mass = vec![0.0; links.len()];
    let mut reach = vec![0.0f64; links.len()];
    let mut spin = vec![0.0; links.len()];
    let mut scale = vec![0.0; model.nv()];
    for (i, link) in links.iter().enumerate().rev() {
        mass[i] += link.inertia.mass;
        spin[i] += link.inertia.inertia.trace();
        if let Some(p) = link.parent {
            let arm = reach[i] + link.placement.translation.length();
            mass[p.index()] += mass[i];
            spin[p.index()] += spin[i] + mass[i] * arm * arm;
            reach[p.index()] = reach[p.index()].max(arm);
        }
        let v = link.v as usize;
        scale[v..v + link.joint.dofs()].fill(mass[i].min(spin[i]).max(f64::MIN_POSITIVE));
    }
    scale
}
