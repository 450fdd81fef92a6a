//! Rigid parts that updates look at again and again, unpacked and ready for use: the pieces, what stands beside force paths, and
//! what the selection tries.

use glam::DVec3;

use crate::util::SparseSet;

use super::frozen::{Freezer, FrozenParts};
use super::join::HandleMatrix;
use super::linear::Linear;
use super::tensors::{FEATURES, features};
use super::{AssemblyTree, NodeId};

/// A part, unpacked.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// Φ.
    pub(crate) phi: HandleMatrix,
    /// Ψ.
    pub(crate) psi: HandleMatrix,
    /// TB and TP by feature: twelve numbers of b, twelve of p.
    loads: [[f64; 24]; FEATURES],
    /// TE.
    eta: [[f64; 8]; 8],
}

impl Part {
    /// b, p and η while it turns with `w`, frame of its top.
    pub(crate) fn linear(&self, w: DVec3) -> Linear<1> {
        let z = features(w);
        let mut sum = [0.0; 24];
        for (column, z) in self.loads.iter().zip(&z) {
            for (sum, x) in sum.iter_mut().zip(column) {
                *sum += z * x;
            }
        }
        let mut half = [0.0; 8];
        for (row, z) in self.eta.iter().zip(&z) {
            for (half, x) in half.iter_mut().zip(row) {
                *half += z * x;
            }
        }
        let eta = half.iter().zip(&z).map(|(x, z)| x * z).sum();
        Linear {
            b: std::array::from_fn(|i| [sum[i]]),
            p: std::array::from_fn(|i| [sum[12 + i]]),
            eta: [[eta]],
        }
    }
}

/// Rigid parts of a body, unpacked when they are asked for.
pub(crate) struct PartsAtHand<'a> {
    pub(crate) freezer: &'a Freezer<'a>,
    pub(crate) parts: &'a FrozenParts,
    pub(crate) cache: &'a mut PartCache,
}

impl PartsAtHand<'_> {
    /// A part that is rigid.
    #[inline]
    pub(crate) fn part(&mut self, id: NodeId) -> &Part {
        let number = self.cache.fetch(self.freezer, self.parts, id);
        self.cache.part(number)
    }
}

/// The parts used lately.
#[derive(Clone, Debug)]
pub(crate) struct PartCache {
    nodes: SparseSet,
    parts: Vec<Part>,
}

impl PartCache {
    /// None yet.
    pub(crate) fn new(assembly: &AssemblyTree) -> Self {
        Self { nodes: SparseSet::new(assembly.nodes().len()), parts: Vec::new() }
    }

    /// A node froze anew.
    pub(crate) fn forget(&mut self, node: NodeId) {
        if let Some(place) = self.nodes.swap_remove(node.0) {
            self.parts.swap_remove(place);
        }
    }

    /// Keeps no more than so many parts: all are forgotten when there are more.
    pub(crate) fn limit(&mut self, parts: usize) {
        if self.parts.len() > parts {
            self.nodes.clear();
            self.parts.clear();
        }
    }

    /// Number of a part that is rigid, for [`PartCache::part`].
    #[inline]
    pub(crate) fn fetch(&mut self, freezer: &Freezer<'_>, parts: &FrozenParts, id: NodeId) -> usize {
        if let Some(place) = self.nodes.place(id.0) {
            return place;
        }
        let frozen = parts.get(freezer, id);
        let tensors = &frozen.tensors;
        let loads = std::array::from_fn(|k| {
            std::array::from_fn(|i| if i < 12 { tensors.b[i][k] } else { tensors.p[i - 12][k] })
        });
        self.nodes.insert(id.0);
        self.parts.push(Part { phi: frozen.phi, psi: frozen.psi, loads, eta: tensors.eta });
        self.parts.len() - 1
    }

    /// A part that was fetched.
    #[inline]
    pub(crate) fn part(&self, number: usize) -> &Part {
        &self.parts[number]
    }
}
