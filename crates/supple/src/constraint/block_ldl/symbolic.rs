//! Everything about the factor but its numbers: the layout of the fronts, and where each block of A goes.

use std::ops::Range;

use super::graph::{Graph, Vertex};
use super::order::minimum_degree;
use super::tree::Tree;
use super::{TILE, padded};

/// Columns that are eliminated together, and the rows that they touch.
///
/// Its rows are counted from its first column: those of the columns themselves, filled up to whole tiles, then the
/// rows below. The number (row, column) stands at `panel + (row / 4 · width + column) · 4 + row % 4`.
#[derive(Clone, Debug)]
pub(super) struct Front {
    /// Its first scalar row, in the order of elimination.
    pub(super) first: usize,
    pub(super) width: usize,
    /// Rows below its columns.
    pub(super) below: usize,
    /// Where these rows are described in `Pattern::below` and `Pattern::targets`.
    pub(super) below_at: usize,
    /// Where its numbers start in the factor.
    pub(super) panel: usize,
    pub(super) blocks: Range<usize>,
    /// The fronts that add to it, in `Pattern::children`.
    pub(super) children: Range<usize>,
    /// What it subtracts from its parent is kept on one of two stacks: fronts and their parents alternate, so that one
    /// is read while the other is written.
    pub(super) stack: usize,
    pub(super) update_at: usize,
}

impl Front {
    pub(super) fn panel_len(&self) -> usize {
        (padded(self.width) + padded(self.below)) * self.width
    }

    pub(super) fn rows_below(&self) -> Range<usize> {
        self.below_at..self.below_at + self.below
    }
}

/// Where a row of a front starts in its panel; its columns stand `TILE` apart.
pub(super) fn place_in_panel(row: usize, width: usize) -> usize {
    row / TILE * TILE * width + row % TILE
}

/// A block of A, and where it stands in its front.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// Where its numbers start among the values, row after row.
    pub(super) index: usize,
    /// The node of its rows; the one of its columns is eliminated earlier, or is the same.
    node: Vertex,
    pub(super) row: u32,
    pub(super) column: u32,
    pub(super) rows: u8,
    pub(super) columns: u8,
}

/// Where the block of a pair of nodes stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// First number among the values.
    pub(super) index: usize,
    /// Rows of the stored block, which is kept row after row.
    pub(super) rows: u8,
    /// Columns of the stored block.
    pub(super) columns: u8,
    /// The stored block is that of the pair (j, i): its rows are those of j.
    transposed: bool,
}

impl Place {
    /// Whether the stored block is that of the pair (j, i): its rows are those of j.
    #[inline(always)]
    pub(super) fn is_transposed(self) -> bool {
        self.transposed
    }
}

/// Which blocks of A are not zero, and how to eliminate them. Made once per topology.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pattern {
    /// First scalar row of each node in vectors, and the number of rows.
    offsets: Vec<usize>,
    /// First scalar row of each node in the order of elimination.
    position: Vec<u32>,
    /// Blocks of the columns of each node: the diagonal one, then the others sorted by the node of their rows.
    blocks_of: Vec<Range<u32>>,
    pub(super) blocks: Vec<Block>,
    /// Numbers in all blocks.
    pub(super) values: usize,
    pub(super) fronts: Vec<Front>,
    pub(super) children: Vec<u32>,
    /// Row in vectors of each row in the order of elimination.
    pub(super) natural: Vec<u32>,
    /// Of each row below a front: its number in the order of elimination.
    pub(super) below: Vec<u32>,
    /// Of each row below a front: its number in the parent's front, and where that starts in the parent's panel.
    pub(super) targets: Vec<u32>,
    pub(super) target_places: Vec<u32>,
    /// Numbers in all fronts.
    pub(super) panels: usize,
    /// Height of the two stacks.
    pub(super) stacks: [usize; 2],
    /// The most rows of a front, and the most columns.
    pub(super) tallest: usize,
    pub(super) widest: usize,
}

impl Pattern {
    /// Nodes with `sizes` scalar rows each, connected by `edges` (between different nodes; they may repeat).
    pub(crate) fn new(sizes: &[u8], edges: &[(u32, u32)]) -> Self {
        let graph = Graph::new(sizes.len(), edges);
        let groups = minimum_degree(&graph, sizes);
        let mut tree = Tree::new(&graph, &groups, sizes);
        let mut pattern = Self::default();
        pattern.number_rows(&tree, sizes);
        pattern.lay_out(&graph, &mut tree, sizes);
        pattern.stack_updates(&tree);
        pattern
    }

    /// Number of scalar rows.
    pub(crate) fn rows(&self) -> usize {
        self.natural.len()
    }

    /// First scalar row of a node in right sides and solutions.
    #[cfg(test)]
    pub(crate) fn offset(&self, node: usize) -> usize {
        self.offsets[node]
    }

    /// Where the block with the rows of node `i` and the columns of node `j` stands.
    ///
    /// # Panics
    /// If the two are not connected.
    pub(crate) fn place(&self, i: usize, j: usize) -> Place {
        let transposed = self.position[i] < self.position[j];
        let (later, earlier) = if transposed { (j, i) } else { (i, j) };
        let column = &self.blocks_of[earlier];
        let blocks = &self.blocks[column.start as usize..column.end as usize];
        let block = if i == j {
            &blocks[0]
        } else {
            match blocks[1..].binary_search_by_key(&later, |b| b.node.get()) {
                Ok(at) => &blocks[1 + at],
                Err(_) => panic!("nodes {i} and {j} are not connected"),
            }
        };
        Place { index: block.index, rows: block.rows, columns: block.columns, transposed }
    }

    /// Scalars of L with its diagonal, among them zeros that make fronts dense.
    #[cfg(test)]
    pub(crate) fn fill(&self) -> usize {
        self.fronts.iter().map(|f| f.width * (f.width + 1) / 2 + f.width * f.below).sum()
    }

    fn number_rows(&mut self, tree: &Tree, sizes: &[u8]) {
        self.offsets = Vec::with_capacity(sizes.len() + 1);
        let mut rows = 0;
        for &size in sizes {
            self.offsets.push(rows);
            rows += usize::from(size);
        }
        self.offsets.push(rows);
        self.position = vec![0; sizes.len()];
        self.natural = Vec::with_capacity(rows);
        for f in 0..tree.fronts() {
            for &node in tree.columns.of(f) {
                self.position[node] = self.natural.len() as u32;
                let (start, end) = (self.offsets[node], self.offsets[node.get() + 1]);
                self.natural.extend(start as u32..end as u32);
            }
        }
    }

    /// Gives each front its place, the rows below it, its children and its blocks of A.
    fn lay_out(&mut self, graph: &Graph, tree: &mut Tree, sizes: &[u8]) {
        let size = |node: Vertex| usize::from(sizes[node]);
        let mut local = vec![0_u32; sizes.len()]; // first row of each node in the present front
        let mut waiting: Vec<u32> = Vec::new(); // fronts whose parent has not come yet
        self.blocks_of = vec![0..0; sizes.len()];
        self.fronts.reserve_exact(tree.fronts());
        let mut first = 0;
        for f in 0..tree.fronts() {
            tree.rows.of_mut(f).sort_unstable_by_key(|&node| self.position[node]);
            let mut width = 0;
            for &node in tree.columns.of(f) {
                local[node] = width as u32;
                width += size(node);
            }
            let (below_at, mut row) = (self.below.len(), padded(width));
            for &node in tree.rows.of(f) {
                local[node] = row as u32;
                row += size(node);
                let position = self.position[node];
                self.below.extend(position..position + size(node) as u32);
            }
            let (blocks_at, children_at) = (self.blocks.len(), self.children.len());
            for &node in tree.columns.of(f) {
                self.add_blocks(node, graph, &local, sizes);
            }
            // In this order the children of a front are the last ones that wait.
            while let Some(&child) = waiting.last()
                && tree.parent[child as usize] == Some(f as u32)
            {
                self.children.push(child);
                waiting.pop();
            }
            self.children[children_at..].reverse();
            for at in children_at..self.children.len() {
                let child = self.children[at] as usize;
                let mut target = self.fronts[child].below_at;
                for &node in tree.rows.of(child) {
                    for k in 0..size(node) {
                        let row = local[node] as usize + k;
                        self.targets[target] = row as u32;
                        self.target_places[target] = place_in_panel(row, width) as u32;
                        target += 1;
                    }
                }
            }
            self.targets.resize(self.below.len(), 0);
            self.target_places.resize(self.below.len(), 0);
            let front = Front {
                first,
                width,
                below: row - padded(width),
                below_at,
                panel: self.panels,
                blocks: blocks_at..self.blocks.len(),
                children: children_at..self.children.len(),
                stack: 0,
                update_at: 0,
            };
            first += width;
            self.panels += front.panel_len();
            self.tallest = self.tallest.max(padded(width) + padded(front.below));
            self.widest = self.widest.max(width);
            self.fronts.push(front);
            waiting.push(f as u32);
        }
    }

    fn add_blocks(&mut self, column: Vertex, graph: &Graph, local: &[u32], sizes: &[u8]) {
        let start = self.blocks.len() as u32;
        let position = self.position[column];
        let below = graph.of(column).iter().filter(|&&node| self.position[node] > position);
        for &node in std::iter::once(&column).chain(below) {
            let (rows, columns) = (sizes[node], sizes[column]);
            self.blocks.push(Block {
                index: self.values,
                node,
                row: local[node],
                column: local[column],
                rows,
                columns,
            });
            self.values += usize::from(rows) * usize::from(columns);
        }
        self.blocks_of[column] = start..self.blocks.len() as u32;
    }

    /// Decides where on the stacks each front leaves what it subtracts.
    fn stack_updates(&mut self, tree: &Tree) {
        for f in (0..tree.fronts()).rev() {
            self.fronts[f].stack = tree.parent[f].map_or(0, |p| 1 - self.fronts[p as usize].stack);
        }
        let mut top = [0; 2];
        for f in 0..self.fronts.len() {
            let stack = self.fronts[f].stack;
            // The children's are no longer needed afterwards.
            if let Some(&child) = self.children[self.fronts[f].children.clone()].first() {
                top[1 - stack] = self.fronts[child as usize].update_at;
            }
            self.fronts[f].update_at = top[stack];
            top[stack] += padded(self.fronts[f].below).pow(2);
            self.stacks[stack] = self.stacks[stack].max(top[stack]);
        }
    }
}
