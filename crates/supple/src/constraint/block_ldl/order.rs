//! In which order to eliminate the nodes: approximate minimum degree on the quotient graph.
//!
//! Amestoy, Davis & Duff, "An approximate minimum degree ordering algorithm", 1996. The node with the fewest scalar rows
//! next to it goes first and becomes an *element*: the clique of its neighbours. Nodes that have become alike are
//! eliminated together. Degrees are upper bounds; ties go to the node that was put in its list last.

/// Neighbours of each node, without repetition, sorted.
pub(super) struct Graph {
    starts: Vec<u32>,
    list: Vec<u32>,
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
        Self { starts, list: ends }
    }

    pub(super) fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn of(&self, node: u32) -> &[u32] {
        let i = node as usize;
        &self.list[self.starts[i] as usize..self.starts[i + 1] as usize]
    }
}

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
    let mut seen = vec![0_u32; n];
    let mut tag = 0;
    let mut alike_head = vec![NONE; n];
    let mut alike_next = vec![NONE; n];
    let mut sums = vec![0_u32; n];
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
                sums[node as usize] = sum;
                let bucket = sum as usize % n;
                alike_next[node as usize] = std::mem::replace(&mut alike_head[bucket], node);
            }
        }
        // Merge nodes with equal lists.
        for at in members.clone() {
            let node = q.pool[at] as usize;
            if q.weight[node] == 0 {
                continue;
            }
            let mut a = std::mem::replace(&mut alike_head[sums[node] as usize % n], NONE);
            while a != NONE && alike_next[a as usize] != NONE {
                tag += 1;
                for at in q.list(a) {
                    seen[q.pool[at] as usize] = tag;
                }
                let mut previous = a;
                let mut b = alike_next[a as usize];
                while b != NONE {
                    let equal = sums[a as usize] == sums[b as usize]
                        && q.len[a as usize] == q.len[b as usize]
                        && q.elements[a as usize] == q.elements[b as usize]
                        && q.pool[q.list(b)].iter().all(|&x| seen[x as usize] == tag);
                    let next = alike_next[b as usize];
                    if equal {
                        q.weight[a as usize] += q.weight[b as usize];
                        q.merge(a, b);
                        alike_next[previous as usize] = next;
                    } else {
                        previous = b;
                    }
                    b = next;
                }
                a = alike_next[a as usize];
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
