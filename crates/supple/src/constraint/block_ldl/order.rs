//! In which order to eliminate the nodes: approximate minimum degree on the quotient graph.
//!
//! Amestoy, Davis & Duff, "An approximate minimum degree ordering algorithm", 1996. The node with the fewest scalar rows
//! next to it goes first and becomes an *element*: the clique of its neighbours. Nodes that have become alike are
//! eliminated together. Degrees are upper bounds; ties go to the node that was put in its list last.

use super::graph::{Graph, Vertex};

/// Nodes in the order of their elimination; a group has the same rows below it and is eliminated at once.
pub(super) struct Groups {
    nodes: Vec<Vertex>,
    /// Where each group starts in `nodes`, and the end of the last one.
    starts: Vec<u32>,
}

impl Groups {
    /// How many groups there are.
    pub(super) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The nodes of a group.
    pub(super) fn of(&self, group: usize) -> &[Vertex] {
        &self.nodes[self.starts[group] as usize..self.starts[group + 1] as usize]
    }
}

/// Nodes by degree: a doubly linked list for each.
struct Queue {
    head: Vec<Option<Vertex>>,
    next: Vec<Option<Vertex>>,
    previous: Vec<Option<Vertex>>,
    lowest: usize,
}

impl Queue {
    fn push(&mut self, node: Vertex, degree: usize) {
        let old = self.head[degree].replace(node);
        self.next[node] = old;
        self.previous[node] = None;
        if let Some(old) = old {
            self.previous[old] = Some(node);
        }
        self.lowest = self.lowest.min(degree);
    }

    fn remove(&mut self, node: Vertex, degree: usize) {
        let (next, previous) = (self.next[node], self.previous[node]);
        if let Some(next) = next {
            self.previous[next] = previous;
        }
        match previous {
            None => self.head[degree] = next,
            Some(previous) => self.next[previous] = next,
        }
    }

    /// A node of least degree; `None` if there is none left.
    fn lowest(&mut self) -> Option<Vertex> {
        let empty = self.head[self.lowest..].iter().take_while(|head| head.is_none()).count();
        self.lowest += empty;
        *self.head.get(self.lowest)?
    }
}

/// The quotient graph.
struct Quotient {
    /// Lists of all nodes and elements. A node has first its elements, then its remaining neighbours; an element has its
    /// nodes. New elements are put at the end.
    pool: Vec<Vertex>,
    start: Vec<u32>,
    len: Vec<u32>,
    /// How many of a node's list are elements.
    elements: Vec<u32>,
    /// Scalar rows of a node and of all that were merged into it; 0 when it is no more, negative while it is in the
    /// element under construction.
    weight: Vec<i32>,
    /// Of a node: a bound on the rows next to it. Of an element: its rows.
    degree: Vec<i32>,
    absorbed: Vec<bool>,
    /// Nodes merged into each node: a list by `after`, with its last entry.
    after: Vec<Option<Vertex>>,
    last: Vec<Vertex>,
}

impl Quotient {
    fn list(&self, of: Vertex) -> std::ops::Range<usize> {
        let start = self.start[of] as usize;
        start..start + self.len[of] as usize
    }

    /// Node `b` shall be eliminated right after `a`.
    fn merge(&mut self, a: Vertex, b: Vertex) {
        self.after[self.last[a]] = Some(b);
        self.last[a] = self.last[b];
        self.weight[b] = 0;
    }

    /// Turns a node into an element, with all nodes next to it; returns their rows.
    fn new_element(&mut self, pivot: Vertex, queue: &mut Queue) -> i32 {
        let born = self.pool.len();
        let mut rows = 0;
        self.weight[pivot] *= -1;
        for at in self.list(pivot) {
            let entry = self.pool[at];
            let is_element = at - (self.start[pivot] as usize) < self.elements[pivot] as usize;
            let range = if is_element { self.list(entry) } else { at..at + 1 };
            if is_element && std::mem::replace(&mut self.absorbed[entry], true) {
                continue;
            }
            for at in range {
                let node = self.pool[at];
                let weight = self.weight[node];
                if weight > 0 {
                    rows += weight;
                    self.weight[node] = -weight;
                    queue.remove(node, self.degree[node] as usize);
                    self.pool.push(node);
                }
            }
        }
        self.start[pivot] = born as u32;
        self.len[pivot] = (self.pool.len() - born) as u32;
        rows
    }

    /// Takes from the list of `node` what the new element covers; returns the rows next to it that the element does not
    /// cover, and a sum over the list by which to find equal ones.
    fn prune(&mut self, node: Vertex, pivot: Vertex, outside: &[i32]) -> (i32, u32) {
        let (mut rows, mut sum) = (0, 0_u32);
        let range = self.list(node);
        let neighbours = range.start + self.elements[node] as usize;
        let mut kept = range.start;
        for at in range.start..neighbours {
            let element = self.pool[at];
            if self.absorbed[element] {
                continue;
            }
            if outside[element] > 0 {
                rows += outside[element];
                sum = sum.wrapping_add(element.get() as u32);
                self.pool[kept] = element;
                kept += 1;
            } else {
                self.absorbed[element] = true; // all its nodes are in the new one
            }
        }
        let elements = kept;
        for at in neighbours..range.end {
            let other = self.pool[at];
            if self.weight[other] > 0 {
                rows += self.weight[other];
                sum = sum.wrapping_add(other.get() as u32);
                self.pool[kept] = other;
                kept += 1;
            }
        }
        // The pivot, or an element it was in, has left a free place.
        self.pool[kept] = self.pool[elements];
        self.pool[elements] = pivot;
        self.elements[node] = (elements + 1 - range.start) as u32;
        self.len[node] = (kept + 1 - range.start) as u32;
        (rows, sum)
    }
}

/// Finds nodes with equal lists, by the sums over them.
struct Alike {
    /// Nodes with the same remainder of their sums, linked.
    head: Vec<Option<Vertex>>,
    next: Vec<Option<Vertex>>,
    sums: Vec<u32>,
    seen: Vec<u32>,
    tag: u32,
}

impl Alike {
    fn push(&mut self, node: Vertex, sum: u32) {
        self.sums[node] = sum;
        let bucket = sum as usize % self.head.len();
        self.next[node] = self.head[bucket].replace(node);
    }

    /// Merges the nodes that may be like `node`, where they are alike.
    fn merge(&mut self, node: Vertex, q: &mut Quotient) {
        let bucket = self.sums[node] as usize % self.head.len();
        let mut first = self.head[bucket].take();
        while let Some(a) = first
            && self.next[a].is_some()
        {
            self.tag += 1;
            for at in q.list(a) {
                self.seen[q.pool[at]] = self.tag;
            }
            let mut previous = a;
            let mut other = self.next[a];
            while let Some(b) = other {
                let next = self.next[b];
                if self.equal(a, b, q) {
                    q.weight[a] += q.weight[b];
                    q.merge(a, b);
                    self.next[previous] = next;
                } else {
                    previous = b;
                }
                other = next;
            }
            first = self.next[a];
        }
    }

    /// The list of `a` being marked as seen.
    fn equal(&self, a: Vertex, b: Vertex, q: &Quotient) -> bool {
        self.sums[a] == self.sums[b]
            && q.len[a] == q.len[b]
            && q.elements[a] == q.elements[b]
            && q.pool[q.list(b)].iter().all(|&x| self.seen[x] == self.tag)
    }
}

/// Orders the nodes, `sizes` being their scalar rows.
pub(super) fn minimum_degree(graph: &Graph, sizes: &[u8]) -> Groups {
    let n = graph.nodes();
    let total: i32 = sizes.iter().map(|&s| i32::from(s)).sum();
    let mut q = Quotient {
        pool: Vec::with_capacity(4 * graph.list.len()),
        start: graph.starts[..n].to_vec(),
        len: (0..n).map(|i| graph.starts[i + 1] - graph.starts[i]).collect(),
        elements: vec![0; n],
        weight: sizes.iter().map(|&s| i32::from(s)).collect(),
        degree: (0..n).map(|i| graph.of(Vertex::new(i)).iter().map(|&j| i32::from(sizes[j])).sum()).collect(),
        absorbed: vec![false; n],
        after: vec![None; n],
        last: (0..n).map(Vertex::new).collect(),
    };
    q.pool.extend_from_slice(&graph.list);
    let mut queue = Queue {
        head: vec![None; total as usize + 1],
        next: vec![None; n],
        previous: vec![None; n],
        lowest: total as usize,
    };
    for node in (0..n).rev().map(Vertex::new) {
        queue.push(node, q.degree[node] as usize);
    }
    let mut outside = vec![0_i32; n];
    let mut counted = vec![0_u32; n];
    let mut alike =
        Alike { head: vec![None; n], next: vec![None; n], sums: vec![0; n], seen: vec![0; n], tag: 0 };
    let mut groups = Groups { nodes: Vec::with_capacity(n), starts: vec![0] };
    let mut left = total;

    while groups.nodes.len() < n {
        let round = groups.starts.len() as u32;
        let Some(pivot) = queue.lowest() else { break };
        queue.remove(pivot, q.degree[pivot] as usize);
        left -= q.weight[pivot];
        let mut rows = q.new_element(pivot, &mut queue);
        let members = q.list(pivot);

        // Rows of each older element that are not in the new one.
        for at in members.clone() {
            let node = q.pool[at];
            let from = q.start[node] as usize;
            for at in from..from + q.elements[node] as usize {
                let element = q.pool[at];
                if counted[element] != round {
                    counted[element] = round;
                    outside[element] = q.degree[element];
                }
                outside[element] += q.weight[node];
            }
        }
        // Shorten the lists; a node with nothing outside the new element goes with the pivot.
        for at in members.clone() {
            let node = q.pool[at];
            let (around, sum) = q.prune(node, pivot, &outside);
            if around == 0 {
                rows += q.weight[node];
                left += q.weight[node];
                q.merge(pivot, node);
            } else {
                let known = q.degree[node];
                q.degree[node] = known.min(around);
                alike.push(node, sum);
            }
        }
        for at in members.clone() {
            let node = q.pool[at];
            if q.weight[node] != 0 {
                alike.merge(node, &mut q);
            }
        }
        // The rest stays in the new element and gets its new degree.
        let mut kept = members.start;
        for at in members {
            let node = q.pool[at];
            let weight = -q.weight[node];
            if weight > 0 {
                q.weight[node] = weight;
                let degree = (q.degree[node] + rows - weight).min(left - weight);
                q.degree[node] = degree;
                queue.push(node, degree as usize);
                q.pool[kept] = node;
                kept += 1;
            }
        }
        q.pool.truncate(kept);
        q.len[pivot] = kept as u32 - q.start[pivot];
        q.weight[pivot] = 0;
        q.degree[pivot] = rows;
        groups.nodes.extend(std::iter::successors(Some(pivot), |member| q.after[*member]));
        groups.starts.push(groups.nodes.len() as u32);
    }
    groups
}
