use std::ops::{Deref, DerefMut, Index, IndexMut};

use crate::util::SparseSet;

/// Joint forces of drives, dual to v \[N·m or N]: a list of numbers that remembers which of them were ever set, so that
/// nobody needs to look through all of them.
///
/// ```
/// let mut tau = supple::JointForces::new(1_000_000);
/// tau[17] = 3.0;
/// assert_eq!(tau.driven(), [17]);
/// ```
///
/// Setting one entry by its index notes that entry; any other way to change the list (`iter_mut`, `fill`, …) notes all.
#[derive(Clone, Debug, Default)]
pub struct JointForces {
    values: Vec<f64>,
    driven: SparseSet,
}

impl JointForces {
    /// No force on any of so many degrees of freedom.
    pub fn new(dofs: usize) -> Self {
        Self { values: vec![0.0; dofs], driven: SparseSet::new(dofs) }
    }

    /// The degrees of freedom that may have a force.
    pub fn driven(&self) -> &[u32] {
        self.driven.members()
    }
}

impl From<Vec<f64>> for JointForces {
    fn from(values: Vec<f64>) -> Self {
        let mut forces = Self { driven: SparseSet::new(values.len()), values };
        for i in 0..forces.values.len() {
            if forces.values[i] != 0.0 {
                forces.driven.insert(i as u32);
            }
        }
        forces
    }
}

impl PartialEq for JointForces {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values
    }
}

impl Deref for JointForces {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.values
    }
}

impl DerefMut for JointForces {
    fn deref_mut(&mut self) -> &mut [f64] {
        for i in 0..self.values.len() {
            self.driven.insert(i as u32);
        }
        &mut self.values
    }
}

impl Index<usize> for JointForces {
    type Output = f64;

    fn index(&self, dof: usize) -> &f64 {
        &self.values[dof]
    }
}

impl IndexMut<usize> for JointForces {
    fn index_mut(&mut self, dof: usize) -> &mut f64 {
        self.driven.insert(dof as u32);
        &mut self.values[dof]
    }
}
