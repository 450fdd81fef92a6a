//! Jacobians: velocity of a body, or of a point on it, per joint velocity.
//!
//! `V = J v`: the columns are the joint axes between root and body, moved to the point asked for.

use glam::DVec3;

use crate::model::{BodyId, Model};
use crate::spatial::Motion;

use super::kinematics::Kinematics;

/// One column of a body's Jacobian.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// Degree of freedom (index in v).
    pub dof: usize,
    /// Velocity per unit of that degree of freedom, world axes.
    pub motion: Motion,
}

/// The columns that are not zero of the Jacobian of the point `point` \[m], given in body coordinates, of a
/// body. Linear parts are velocities of that point; all in world axes. Ascending from body to root.
pub fn point_jacobian(model: &Model, kinematics: &Kinematics, body: BodyId, point: DVec3) -> Vec<Column> {
    let info = &model.bodies()[body.index()];
    let mut columns = Vec::new();
    let Some(link) = info.link else { return columns };
    let tree = model.tree();
    let target = kinematics.links[link.index()].pose().point(info.link_from_body.point(point));
    let mut at = Some(link);
    while let Some(id) = at {
        let (link, motion) = (&tree.links[id.index()], &kinematics.links[id.index()]);
        for k in 0..link.joint.dofs() {
            let axis = kinematics.axis(link, motion, k).motion();
            columns.push(Column { dof: link.v as usize + k, motion: axis.at(target - motion.position) });
        }
        at = link.parent;
    }
    columns
}

/// The Jacobian of a body at its own origin, world axes: see [`point_jacobian`].
pub fn body_jacobian(model: &Model, kinematics: &Kinematics, body: BodyId) -> Vec<Column> {
    point_jacobian(model, kinematics, body, DVec3::ZERO)
}
