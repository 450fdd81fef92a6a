//! In which order to eliminate the nodes: approximate minimum degree on the quotient graph.
//!
//! Amestoy, Davis & Duff, "An approximate minimum degree ordering algorithm", 1996. The node with the fewest scalar rows
//! next to it goes first and becomes an *element*: the clique of its neighbours. Nodes that have become alike are
//! eliminated together. Degrees are upper bounds; ties go to the node that was put in its list last.

use super::graph::Graph;

/// Nodes in the order of their elimination; a group has the same rows below it and is eliminated at once.
pub(super) struct Groups {
    nodes: Vec<u32>,
    /// Where each group starts in `nodes`, and the end of the last one.
    starts: Vec<u32>,
}

impl Groups {
    pub(super) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn of(&self, group: usize) -> &[u32] {
        &self.nodes[self.starts[group] as usize..self.starts[group + 1] as usize]
    }
}

const NONE: u32 = u32::MAX;

/// Nodes by degree: a doubly linked list for each.
struct Queue {
    head: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
    lowest: usize,
}

impl Queue {
    fn push(&mut self, node: u32, degree: usize) {
        let old = self.head[degree];
        self.next[node as usize] = old;
        self.previous[node as usize] = NONE;
        if old != NONE {
            self.previous[old as usize] = node;
        }
        self.head[degree] = node;
        self.lowest = self.lowest.min(degree);
    }

    fn remove(&mut self, node: u32, degree: usize) {
        let (next, previous) = (self.next[node as usize], self.previous[node as usize]);
        if next != NONE {
            self.previous[next as usize] = previous;
        }
        if previous == NONE {
            self.head[degree] = next;
        } else {
            self.next[previous as usize] = next;
        }
    }

    fn lowest(&mut self) -> u32 {
        while self.head[self.lowest] == NONE {
            self.lowest += 1;
        }
        self.head[self.lowest]
    }
}

/// The quotient graph.
struct Quotient {
    /// Lists of all nodes and elements. A node has first its elements, then its remaining neighbours; an element has its
    /// nodes. New elements are put at the end.
    pool: Vec<u32>,
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
    after: Vec<u32>,
    last: Vec<u32>,
}

impl Quotient {
    fn list(&self, of: u32) -> std::ops::Range<usize> {
        let start = self.start[of as usize] as usize;
        start..start + self.len[of as usize] as usize
    }

    /// Node `b` shall be eliminated right after `a`.
    fn merge(&mut self, a: u32, b: u32) {
        self.after[self.last[a as usize] as usize] = b;
        self.last[a as usize] = self.last[b as usize];
        self.weight[b as usize] = 0;
    }

    /// Turns a node into an element, with all nodes next to it; returns their rows.
    fn new_element(&mut self, pivot: u32, queue: &mut Queue) -> i32 {
        let born = self.pool.len();
        let mut rows = 0;
        self.weight[pivot as usize] *= -1;
        for at in self.list(pivot) {
            let entry = self.pool[at];
            let is_element =
                at - (self.start[pivot as usize] as usize) < self.elements[pivot as usize] as usize;
            let range = if is_element { self.list(entry) } else { at..at + 1 };
            if is_element && std::mem::replace(&mut self.absorbed[entry as usize], true) {
                continue;
            }
            for at in range {
                let node = self.pool[at];
                let weight = self.weight[node as usize];
                if weight > 0 {
                    rows += weight;
                    self.weight[node as usize] = -weight;
                    queue.remove(node, self.degree[node as usize] as usize);
                    self.pool.push(node);
                }
            }
        }
        self.start[pivot as usize] = born as u32;
        self.len[pivot as usize] = (self.pool.len() - born) as u32;
        rows
    }

    /// Takes from the list of `node` what the new element covers; returns the rows next to it that the element does not
    /// cover, and a sum over the list by which to find equal ones.
    fn prune(&mut self, node: u32, pivot: u32, outside: &[i32]) -> (i32, u32) {
        let (mut rows, mut sum) = (0, 0_u32);
        let range = self.list(node);
        let neighbours = range.start + self.elements[node as usize] as usize;
        let mut kept = range.start;
        for at in range.start..neighbours {
            let element = self.pool[at];
            if self.absorbed[element as usize] {
                continue;
            }
            if outside[element as usize] > 0 {
                rows += outside[element as usize];
                sum = sum.wrapping_add(element);
                self.pool[kept] = element;
                kept += 1;
            } else {
                self.absorbed[element as usize] = true; // all its nodes are in the new one
            }
        }
        let elements = kept;
        for at in neighbours..range.end {
            let other = self.pool[at];
            if self.weight[other as usize] > 0 {
                rows += self.weight[other as usize];
                sum = sum.wrapping_add(other);
                self.pool[kept] = other;
                kept += 1;
            }
        }
        // The pivot, or an element it was in, has left a free place.
        self.pool[kept] = self.pool[elements];
        self.pool[elements] = pivot;
        self.elements[node as usize] = (elements + 1 - range.start) as u32;
        self.len[node as usize] = (kept + 1 - range.start) as u32;
        (rows, sum)
    }
}

/// Finds nodes with equal lists, by the sums over them.
struct Alike {
    /// Nodes with the same remainder of their sums, linked.
    head: Vec<u32>,
    next: Vec<u32>,
    sums: Vec<u32>,
    seen: Vec<u32>,
    tag: u32,
}

impl Alike {
    fn push(&mut self, node: u32, sum: u32) {
        self.sums[node as usize] = sum;
        let bucket = sum as usize % self.head.len();
        self.next[node as usize] = std::mem::replace(&mut self.head[bucket], node);
    }

    /// Merges the nodes that may be like `node`, where they are alike.
    fn merge(&mut self, node: u32, q: &mut Quotient) {
        let bucket = self.sums[node as usize] as usize % self.head.len();
        let mut a = std::mem::replace(&mut self.head[bucket], NONE);
        while a != NONE && self.next[a as usize] != NONE {
            self.tag += 1;
            for at in q.list(a) {
                self.seen[q.pool[at] as usize] = self.tag;
            }
            let mut previous = a;
            let mut b = self.next[a as usize];
            while b != NONE {
                let next = self.next[b as usize];
                if self.equal(a, b, q) {
                    q.weight[a as usize] += q.weight[b as usize];
                    q.merge(a, b);
                    self.next[previous as usize] = next;
                } else {
                    previous = b;
                }
                b = next;
            }
            a = self.next[a as usize];
        }
    }

    /// The list of `a` being marked as seen.
    fn equal(&self, a: u32, b: u32, q: &Quotient) -> bool {
        let (i, j) = (a as usize, b as usize);
        self.sums[i] == self.sums[j]
            && q.len[i] == q.len[j]
            && q.elements[i] == q.elements[j]
            && q.pool[q.list(b)].iter().all(|&x| self.seen[x as usize] == self.tag)
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
        degree: (0..n as u32)
            .map(|i| graph.of(i).iter().map(|&j| i32::from(sizes[j as usize])).sum())
            .collect(),
        absorbed: vec![false; n],
        after: vec![NONE; n],
        last: (0..n as u32).collect(),
    };
    q.pool.extend_from_slice(&graph.list);
    let mut queue = Queue {
        head: vec![NONE; total as usize + 1],
        next: vec![NONE; n],
        previous: vec![NONE; n],
        lowest: total as usize,
    };
    for node in (0..n as u32).rev() {
        queue.push(node, q.degree[node as usize] as usize);
    }
    let mut outside = vec![0_i32; n];
    let mut counted = vec![0_u32; n];
    let mut alike =
        Alike { head: vec![NONE; n], next: vec![NONE; n], sums: vec![0; n], seen: vec![0; n], tag: 0 };
    let mut groups = Groups { nodes: Vec::with_capacity(n), starts: vec![0] };
    let mut left = total;

    while groups.nodes.len() < n {
        let round = groups.starts.len() as u32;
        let pivot = queue.lowest();
        queue.remove(pivot, q.degree[pivot as usize] as usize);
        left -= q.weight[pivot as usize];
        let mut rows = q.new_element(pivot, &mut queue);
        let members = q.list(pivot);

        // Rows of each older element that are not in the new one.
        for at in members.clone() {
            let node = q.pool[at];
            let from = q.start[node as usize] as usize;
            for at in from..from + q.elements[node as usize] as usize {
                let element = q.pool[at] as usize;
                if counted[element] != round {
                    counted[element] = round;
                    outside[element] = q.degree[element];
                }
                outside[element] += q.weight[node as usize];
            }
        }
        // Shorten the lists; a node with nothing outside the new element goes with the pivot.
        for at in members.clone() {
            let node = q.pool[at];
            let (around, sum) = q.prune(node, pivot, &outside);
            if around == 0 {
                rows += q.weight[node as usize];
                left += q.weight[node as usize];
                q.merge(pivot, node);
            } else {
                let known = q.degree[node as usize];
                q.degree[node as usize] = known.min(around);
                alike.push(node, sum);
            }
        }
        for at in members.clone() {
            let node = q.pool[at];
            if q.weight[node as usize] != 0 {
                alike.merge(node, &mut q);
            }
        }
        // The rest stays in the new element and gets its new degree.
        let mut kept = members.start;
        for at in members {
            let node = q.pool[at];
            let weight = -q.weight[node as usize];
            if weight > 0 {
                q.weight[node as usize] = weight;
                let degree = (q.degree[node as usize] + rows - weight).min(left - weight);
                q.degree[node as usize] = degree;
                queue.push(node, degree as usize);
                q.pool[kept] = node;
                kept += 1;
            }
        }
        q.pool.truncate(kept);
        q.len[pivot as usize] = kept as u32 - q.start[pivot as usize];
        q.weight[pivot as usize] = 0;
        q.degree[pivot as usize] = rows;
        let mut member = pivot;
        while member != NONE {
            groups.nodes.push(member);
            member = q.after[member as usize];
        }
        groups.starts.push(groups.nodes.len() as u32);
    }
    groups
}
