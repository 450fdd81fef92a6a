//! The tree of fronts: which columns are eliminated together, which rows they touch, and who adds to whom.

use crate::util::Ix;

use super::graph::{Graph, Vertex};
use super::order::Groups;
use super::padded;

/// A group of nodes, as they are eliminated, or a front that was made of some.
type Group = Ix<GroupMark>;

/// What [`Group`] is a place of.
enum GroupMark {}

/// Lists of nodes one after the other: where each starts, and the end of the last.
#[derive(Default)]
pub(super) struct Lists {
    starts: Vec<u32>,
    items: Vec<Vertex>,
}

impl Lists {
    fn with_capacity(lists: usize, items: usize) -> Self {
        let mut starts = Vec::with_capacity(lists + 1);
        starts.push(0);
        Self { starts, items: Vec::with_capacity(items) }
    }

    fn close(&mut self) {
        self.starts.push(self.items.len() as u32);
    }

    fn range(&self, i: usize) -> std::ops::Range<usize> {
        self.starts[i] as usize..self.starts[i + 1] as usize
    }

    pub(super) fn of(&self, i: usize) -> &[Vertex] {
        &self.items[self.range(i)]
    }

    pub(super) fn of_mut(&mut self, i: usize) -> &mut [Vertex] {
        let range = self.range(i);
        &mut self.items[range]
    }
}

/// Fronts, each after all that add to it.
pub(super) struct Tree {
    /// Nodes whose columns a front eliminates, in this order.
    pub(super) columns: Lists,
    /// Later nodes whose rows it touches, in any order.
    pub(super) rows: Lists,
    /// The front that it adds to.
    pub(super) parent: Vec<Option<u32>>,
}

impl Tree {
    pub(super) fn new(graph: &Graph, groups: &Groups, sizes: &[u8]) -> Self {
        let (rows, parent) = structure(graph, groups);
        let merged = merged_with_parent(groups, &rows, &parent, sizes);
        let count = parent.len();

        // The group in which each one ends up, and the number of fronts in the subtree of each front.
        let mut front: Vec<Group> = (0..count).map(Group::new).collect();
        for g in (0..count).rev() {
            if let (true, Some(p)) = (merged[g], parent[g]) {
                front[g] = front[p];
            }
        }
        let mut subtree = vec![0_u32; count];
        for g in 0..count {
            if !merged[g] {
                subtree[g] += 1;
                if let Some(p) = parent[g] {
                    subtree[front[p]] += subtree[g];
                }
            }
        }
        // Number the fronts so that each subtree is in one piece: from the last to the first, each takes the last numbers
        // that its parent has not given away.
        let fronts = merged.iter().filter(|m| !**m).count();
        let mut free = vec![0_u32; count];
        let mut free_for_roots = fronts as u32;
        let mut group_of = vec![0_u32; fronts];
        let mut rank = vec![0_u32; count];
        let mut parents = vec![None; fronts];
        for g in (0..count).rev() {
            if merged[g] {
                continue;
            }
            let above = parent[g].map(|p| front[p]);
            let end = match above {
                Some(p) => &mut free[p],
                None => &mut free_for_roots,
            };
            rank[g] = *end - 1;
            *end -= subtree[g];
            free[g] = rank[g];
            group_of[rank[g] as usize] = g as u32;
            parents[rank[g] as usize] = above.map(|p| rank[p]);
        }
        // Members of each front, in the order of their elimination.
        let mut last = vec![None; fronts];
        let mut before = vec![None; count];
        for g in (0..count).rev() {
            let f = rank[front[g]] as usize;
            before[g] = last[f].replace(Group::new(g));
        }
        let mut tree = Self {
            columns: Lists::with_capacity(fronts, sizes.len()),
            rows: Lists::with_capacity(fronts, rows.items.len()),
            parent: parents,
        };
        for f in 0..fronts {
            let mut member = last[f];
            while let Some(g) = member {
                tree.columns.items.extend_from_slice(groups.of(g.get()));
                member = before[g];
            }
            tree.columns.close();
            tree.rows.items.extend_from_slice(rows.of(group_of[f] as usize));
            tree.rows.close();
        }
        tree
    }

    pub(super) fn fronts(&self) -> usize {
        self.parent.len()
    }
}

/// Later nodes that the columns of each group touch, and the group to which it adds: the first one among them.
fn structure(graph: &Graph, groups: &Groups) -> (Lists, Vec<Option<Group>>) {
    let (nodes, count) = (graph.nodes(), groups.count());
    let mut group_of = vec![Group::new(0); nodes];
    for g in 0..count {
        for &node in groups.of(g) {
            group_of[node] = Group::new(g);
        }
    }
    let mut rows = Lists::with_capacity(count, 4 * nodes);
    let mut parent = Vec::with_capacity(count);
    let mut child = vec![None; count];
    let mut sibling = vec![None; count];
    let mut seen = vec![None; nodes];
    for g in 0..count {
        let (this, mut first) = (Group::new(g), None::<Group>);
        let mut visit = |node: Vertex, items: &mut Vec<Vertex>| {
            let group = group_of[node];
            if group.get() > g && seen[node].replace(this) != Some(this) {
                items.push(node);
                if first.is_none_or(|first| group.get() < first.get()) {
                    first = Some(group);
                }
            }
        };
        let mut next: Option<Group> = child[g];
        while let Some(c) = next {
            for at in rows.range(c.get()) {
                let node = rows.items[at];
                visit(node, &mut rows.items);
            }
            next = sibling[c];
        }
        for &node in groups.of(g) {
            for &other in graph.of(node) {
                visit(other, &mut rows.items);
            }
        }
        rows.close();
        if let Some(first) = first {
            sibling[g] = child[first].replace(this);
        }
        parent.push(first);
    }
    (rows, parent)
}

/// Time to eliminate a front \[ns, about]: something for its existence, its arithmetic, and passing on what is below.
fn cost(width: usize, below: usize) -> f64 {
    let (w, n) = (width as f64, padded(below) as f64);
    let wp = padded(width) as f64;
    120.0 + 0.14 * w * (wp * wp / 3.0 + wp * n + n * n / 2.0) + 0.6 * w * (w + n) + 0.5 * n * n
}

/// Which groups are better eliminated together with their parent, though this fills in zeros.
fn merged_with_parent(groups: &Groups, rows: &Lists, parent: &[Option<Group>], sizes: &[u8]) -> Vec<bool> {
    let scalars = |nodes: &[Vertex]| nodes.iter().map(|&n| usize::from(sizes[n])).sum::<usize>();
    let mut width: Vec<usize> = (0..parent.len()).map(|g| scalars(groups.of(g))).collect();
    let below: Vec<usize> = (0..parent.len()).map(|g| scalars(rows.of(g))).collect();
    let mut merged = vec![false; parent.len()];
    for g in 0..parent.len() {
        if let Some(p) = parent[g].map(Group::get) {
            let apart = cost(width[g], below[g]) + cost(width[p], below[p]);
            if cost(width[g] + width[p], below[p]) <= apart {
                merged[g] = true;
                width[p] += width[g];
            }
        }
    }
    merged
}
