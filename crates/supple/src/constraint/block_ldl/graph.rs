//! Which nodes are connected.

use crate::util::Ix;

/// A node of the graph: in the order that it came in.
pub(super) type Vertex = Ix<VertexMark>;

/// What [`Vertex`] is a place of.
pub(super) enum VertexMark {}

/// Neighbours of each node, without repetition, sorted.
pub(super) struct Graph {
    pub(super) starts: Vec<u32>,
    pub(super) list: Vec<Vertex>,
}

impl Graph {
    pub(super) fn new(nodes: usize, edges: &[(u32, u32)]) -> Self {
        // Two counting sorts: by one end, then by the other, which leaves the first end sorted in each list.
        let mut counts = vec![0_u32; nodes + 1];
        for &(i, j) in edges {
            assert!(i != j, "node {i} is connected to itself");
            counts[i as usize + 1] += 1;
            counts[j as usize + 1] += 1;
        }
        for i in 0..nodes {
            counts[i + 1] += counts[i];
        }
        let mut next = counts.clone();
        let mut ends = vec![0_u32; 2 * edges.len()];
        for &(i, j) in edges {
            for (a, b) in [(i, j), (j, i)] {
                ends[next[a as usize] as usize] = b;
                next[a as usize] += 1;
            }
        }
        next.copy_from_slice(&counts);
        let mut list = vec![0_u32; ends.len()];
        for i in 0..nodes {
            for &j in &ends[counts[i] as usize..counts[i + 1] as usize] {
                list[next[j as usize] as usize] = i as u32;
                next[j as usize] += 1;
            }
        }
        // Repetitions are neighbours now.
        let mut starts = vec![0_u32; nodes + 1];
        let mut kept = 0;
        for i in 0..nodes {
            for at in counts[i] as usize..counts[i + 1] as usize {
                if at == counts[i] as usize || list[at] != list[at - 1] {
                    ends[kept] = list[at];
                    kept += 1;
                }
            }
            starts[i + 1] = kept as u32;
        }
        ends.truncate(kept);
        Self { starts, list: ends.into_iter().map(|node| Vertex::new(node as usize)).collect() }
    }

    /// How many nodes there are.
    pub(super) fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// Neighbours of a node.
    pub(super) fn of(&self, node: Vertex) -> &[Vertex] {
        let i = node.get();
        &self.list[self.starts[i] as usize..self.starts[i + 1] as usize]
    }
}
