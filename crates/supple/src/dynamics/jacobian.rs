//! Jacobians: velocity of a body, or of a point on it, per joint velocity.
//!
//! `V = J v`: the columns are the joint axes between root and body, moved to the point asked for.

use glam::DVec3;

use crate::model::{BodyId, Model};
use crate::spatial::{Force, Motion};

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

/// A dense Jacobian of a point of a body: 6 rows, one column per degree of freedom of the model.
///
/// With v the joint velocities, `J v` is the angular velocity of the body \[rad/s] in rows 0 to 2 and the velocity of the point \[m/s] in
/// rows 3 to 5, world axes. `Jᵀ f` are the joint forces that do the work of a moment and a force on the body at that point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Jacobian {
    columns: Vec<Motion>,
}

impl Jacobian {
    /// With these columns, all others of `nv` zero.
    pub(crate) fn new(nv: usize, columns: &[Column]) -> Self {
        let mut all = vec![Motion::ZERO; nv];
        for column in columns {
            all[column.dof] = column.motion;
        }
        Self { columns: all }
    }

    /// Columns: degrees of freedom of the model.
    pub fn nv(&self) -> usize {
        self.columns.len()
    }

    /// What one unit of velocity of degree of freedom `dof` (index in v) gives: angular velocity of the body, velocity of the point, world axes.
    pub fn column(&self, dof: usize) -> Motion {
        self.columns[dof]
    }

    /// All columns, in the order of v.
    pub fn columns(&self) -> &[Motion] {
        &self.columns
    }

    /// Entry in row 0 to 5, angular first, and column `dof`.
    pub fn get(&self, row: usize, dof: usize) -> f64 {
        self.columns[dof].to_array()[row]
    }

    /// All entries, row by row: 6 rows of nv numbers.
    pub fn to_rows(&self) -> Vec<f64> {
        (0..6).flat_map(|row| self.columns.iter().map(move |column| column.to_array()[row])).collect()
    }

    /// `J v`: angular velocity of the body \[rad/s] and velocity of the point \[m/s], world axes, at the joint velocities `v`.
    pub fn mul(&self, v: &[f64]) -> Motion {
        self.columns.iter().zip(v).fold(Motion::ZERO, |sum, (column, v)| sum + *column * *v)
    }

    /// `Jᵀ f`: joint forces, dual to v \[N·m or N], that a moment \[N·m] and a force \[N] on the body at the point amount to, world axes.
    pub fn transpose_mul(&self, f: Force) -> Vec<f64> {
        self.columns.iter().map(|column| f.dot(*column)).collect()
    }
}
