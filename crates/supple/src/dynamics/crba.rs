//! Joint-space mass matrix by the composite-rigid-body algorithm.
//!
//! Featherstone 2008, table 6.2, in the frames of [`super::kinematics`].

use crate::model::Tree;
use crate::spatial::RigidInertia;

use super::kinematics::Kinematics;

/// A dense square matrix over the degrees of freedom of a model, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MassMatrix {
    /// Degrees of freedom.
    pub n: usize,
    /// Entries, row by row \[kg·m², kg·m, kg].
    pub entries: Vec<f64>,
}

impl MassMatrix {
    /// Entry in row `i`, column `j`.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        self.entries[i * self.n + j]
    }

    /// `M x`.
    pub fn mul(&self, x: &[f64]) -> Vec<f64> {
        self.entries.chunks(self.n.max(1)).map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum()).collect()
    }

    /// Solves `M x = b` by Cholesky; `None` when the matrix is not positive definite.
    pub fn solve(&self, b: &[f64]) -> Option<Vec<f64>> {
        let n = self.n;
        let mut l = self.entries.clone();
        for i in 0..n {
            for j in 0..=i {
                let sum: f64 = (0..j).map(|k| l[i * n + k] * l[j * n + k]).sum();
                let x = l[i * n + j] - sum;
                if i == j {
                    if !(x > 0.0) {
                        return None;
                    }
                    l[i * n + i] = x.sqrt();
                } else {
                    l[i * n + j] = x / l[j * n + j];
                }
            }
        }
        let mut x = b.to_vec();
        for i in 0..n {
            let sum: f64 = (0..i).map(|k| l[i * n + k] * x[k]).sum();
            x[i] = (x[i] - sum) / l[i * n + i];
        }
        for i in (0..n).rev() {
            let sum: f64 = (i + 1..n).map(|k| l[k * n + i] * x[k]).sum();
            x[i] = (x[i] - sum) / l[i * n + i];
        }
        Some(x)
    }
}

/// The mass matrix at the pose of `kinematics`, with `diagonal` (armature) added. `n` is the length of v.
pub fn mass_matrix(tree: &Tree, kinematics: &Kinematics, diagonal: &[f64], n: usize) -> MassMatrix {
    let mut m = MassMatrix { n, entries: vec![0.0; n * n] };
    let mut composite = composites(tree, kinematics);
    for (i, link) in tree.links.iter().enumerate().rev() {
        let motion = &kinematics.links[i];
        for k in 0..link.joint.dofs() {
            let row = link.v as usize + k;
            let mut force = composite[i].momentum(kinematics.axis(link, motion, k).motion());
            // own columns, then those of all ancestors
            let mut at = i;
            loop {
                let (here, here_motion) = (&tree.links[at], &kinematics.links[at]);
                for j in 0..here.joint.dofs() {
                    let column = here.v as usize + j;
                    let x = force.dot(kinematics.axis(here, here_motion, j).motion());
                    m.entries[row * n + column] = x;
                    m.entries[column * n + row] = x;
                }
                let Some(parent) = here.parent else { break };
                force = force.about(here_motion.offset);
                at = parent.index();
            }
            m.entries[row * n + row] += diagonal[row];
        }
        if let Some(p) = link.parent {
            let moved = composite[i].about(motion.offset);
            composite[p.index()] += moved;
        }
    }
    m
}

/// Diagonal of the mass matrix, in O(n): the inertia about each degree of freedom of all that it carries, with the
/// other joints locked \[kg·m² or kg].
pub fn carried_inertias(tree: &Tree, kinematics: &Kinematics, diagonal: &[f64]) -> Vec<f64> {
    let mut carried = diagonal.to_vec();
    let mut composite = composites(tree, kinematics);
    for (i, link) in tree.links.iter().enumerate().rev() {
        let motion = &kinematics.links[i];
        for k in 0..link.joint.dofs() {
            let axis = kinematics.axis(link, motion, k).motion();
            carried[link.v as usize + k] += composite[i].twice_kinetic_energy(axis);
        }
        if let Some(p) = link.parent {
            let moved = composite[i].about(motion.offset);
            composite[p.index()] += moved;
        }
    }
    carried
}

/// Inertias of the links alone, world axes about their origins: what composites are summed up from.
fn composites(tree: &Tree, kinematics: &Kinematics) -> Vec<RigidInertia> {
    let links = tree.links.iter().zip(&kinematics.links);
    links.map(|(link, motion)| link.inertia.rotated(motion.rotation)).collect()
}
