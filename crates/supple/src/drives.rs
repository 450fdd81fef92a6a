use std::ops::{Deref, DerefMut, Index, IndexMut};

use crate::sparse_set::SparseSet;

/// Joint forces of drives, dual to v \[N·m or N]: a list of numbers that remembers which of them were ever set, so that
/// nobody needs to look through all of them.
///
/// ```
/// let mut tau = supple::Drives::new(1_000_000);
/// tau[17] = 3.0;
/// assert_eq!(tau.driven(), [17]);
/// ```
///
/// Setting one entry by its index notes that entry; any other way to change the list (`iter_mut`, `fill`, …) notes all.
#[derive(Clone, Debug, Default)]
pub struct Drives {
    values: Vec<f64>,
    driven: SparseSet,
}

impl Drives {
    /// No force on any of so many degrees of freedom.
    pub fn new(dofs: usize) -> Self {
        Self { values: vec![0.0; dofs], driven: SparseSet::new(dofs) }
    }

    /// The degrees of freedom that may have a force.
    pub fn driven(&self) -> &[u32] {
        self.driven.members()
    }
}

impl From<Vec<f64>> for Drives {
    fn from(values: Vec<f64>) -> Self {
        let mut drives = Self { driven: SparseSet::new(values.len()), values };
        for i in 0..drives.values.len() {
            if drives.values[i] != 0.0 {
                drives.driven.insert(i as u32);
            }
        }
        drives
    }
}

impl PartialEq for Drives {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values
    }
}

impl Deref for Drives {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.values
    }
}

impl DerefMut for Drives {
    fn deref_mut(&mut self) -> &mut [f64] {
        for i in 0..self.values.len() {
            self.driven.insert(i as u32);
        }
        &mut self.values
    }
}

impl Index<usize> for Drives {
    type Output = f64;

    fn index(&self, dof: usize) -> &f64 {
        &self.values[dof]
    }
}

impl IndexMut<usize> for Drives {
    fn index_mut(&mut self, dof: usize) -> &mut f64 {
        self.driven.insert(dof as u32);
        &mut self.values[dof]
    }
}
