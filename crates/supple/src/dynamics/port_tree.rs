//! The tree that ports see: bodies where ports are and where the ways to them fork, with the segments between.
//!
//! ```text
//!   world ─── a ── b ── c ─┬─ d ── e        ports: e, g, the hinge of i
//!                          └─ f ── g ── h ── i
//!
//!   node 0 ─────────── c ─┬─────── e        nodes, each with P and G of the segment above it
//!   (the world)           └─── g ────── i   (i carries its hinge's terms)
//! ```
//!
//! At most two nodes a port, however long the ways are; to find them costs as many steps as there are links between
//! ports and root. [`super::response_blocks`] and [`super::deferred`] both work on nodes alone.
//!
//! A port on a degree of freedom belongs to the segment that ends with its joint. With x its rate, τ its impulse and V
//! the velocity jump of the upper end:
//!
//! ```text
//! x = g·V + h·f + C τ,   the upper end feels  g τ,   the lower end jumps by  P V + G f + h τ
//! ```

use std::ops::Range;

use crate::adaptive::mat6::{Mat6, Vec6, ZERO, add_scaled, product, transposed};
use crate::model::{Link, Tree};

use super::articulated::Row;
use super::dof_links::DofLinks;
use super::kinematics::{Kinematics, axis_of};
use super::port::Port;
use super::port_segment::{Segment, Step, dot, rows_times};
use super::response::Response;

/// A body where ports are or where ways fork.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The node above; the world is its own.
    pub(crate) parent: u32,
    /// How many nodes are right below it.
    pub(crate) children: u32,
    /// Its first port on the link itself.
    pub(crate) port: Option<u32>,
    /// Its ports on the joint that carries it, among the tree's [`DofTerms`].
    pub(crate) dofs: (u32, u32),
    /// P of the segment above it.
    pub(crate) p: Mat6,
    /// G of the segment above it.
    pub(crate) held: Mat6,
    /// Λ: its velocity jump per impulse on it.
    pub(crate) lambda: Mat6,
}

impl Node {
    const WORLD: Self =
        Self { parent: 0, children: 0, port: None, dofs: (0, 0), p: ZERO, held: ZERO, lambda: ZERO };

    /// Its entries among the tree's [`DofTerms`].
    #[inline(always)]
    pub(crate) fn dofs(&self) -> Range<usize> {
        self.dofs.0 as usize..self.dofs.1 as usize
    }
}

/// A port on a degree of freedom.
#[derive(Clone, Debug)]
pub(crate) struct DofTerms {
    /// Its first port.
    pub(crate) port: u32,
    /// g: its rate per motion of the upper end.
    pub(crate) g: Vec6,
    /// h: its rate per impulse on the lower end, while the upper one is held.
    pub(crate) h: Vec6,
    /// C: its rate per impulse on the degrees of freedom of the same joint that have ports, while the upper end is held.
    pub(crate) c: [f64; 6],
}

/// Where a port is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    /// The node of the link, or of the link that the joint carries. The world for a frozen joint.
    pub(crate) node: u32,
    /// For a degree of freedom: which of the [`DofTerms`].
    pub(crate) dof: Option<u32>,
}

impl Place {
    /// Where nothing moves.
    pub(crate) const NOWHERE: Self = Self { node: 0, dof: None };
}

/// A port of a link, on the way to its place: `dof` counts within the joint, or is [`LINK`] for the link itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    link: u32,
    dof: u32,
    port: u32,
}

/// After all degrees of freedom.
const LINK: u32 = u32::MAX;

/// What is known of a link while nodes are being found; else the number of its node.
const UNSEEN: u32 = u32::MAX;
const PASSED: u32 = u32::MAX - 1;
const FORK: u32 = u32::MAX - 2;

/// Nodes of the ports of one articulation, at one pose.
#[derive(Clone, Debug, Default)]
pub struct PortTree {
    /// The world, then parents before children.
    pub(crate) nodes: Vec<Node>,
    pub(crate) dofs: Vec<DofTerms>,
    ports: Vec<Port>,
    /// By port.
    pub(crate) places: Vec<Place>,
    /// Ports by link.
    order: Vec<u32>,
    // --- scratch of update ---
    entries: Vec<Entry>,
    /// Links between ports and root, parents before children; the last of each way is a port's.
    path: Vec<u32>,
    /// By link.
    seen: Vec<u32>,
    dof_links: DofLinks,
}

impl PortTree {
    /// Finds the nodes of `ports` and what is between them. `response` must have been factored at the pose of
    /// `kinematics`.
    pub fn update(&mut self, response: &Response, tree: &Tree, kinematics: &Kinematics, ports: &[Port]) {
        self.ports.clear();
        self.ports.extend_from_slice(ports);
        self.sort(tree, ports);
        self.find_ways(tree);
        self.walk(response.rows(), tree, kinematics);
        for &link in &self.path {
            self.seen[link as usize] = UNSEEN;
        }
    }

    /// Ports in the order in which their links stand, depth first: sweeps in this order have the shortest ways.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The ports, as they were given.
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// How many ports there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    fn sort(&mut self, tree: &Tree, ports: &[Port]) {
        let Self { places, order, entries, dof_links, .. } = self;
        places.clear();
        places.resize(ports.len(), Place::NOWHERE);
        entries.clear();
        order.clear();
        for (i, &port) in ports.iter().enumerate() {
            let i = i as u32;
            match port {
                Port::Link(link) => entries.push(Entry { link, dof: LINK, port: i }),
                Port::Dof(dof) => {
                    dof_links.update(tree);
                    match dof_links.get(dof) {
                        Some(link) => entries.push(Entry {
                            link: link.0,
                            dof: dof - tree.links[link.index()].v,
                            port: i,
                        }),
                        None => order.push(i),
                    }
                }
            }
        }
        entries.sort_unstable();
        order.extend(entries.iter().map(|e| e.port));
    }

    /// Climbs from the ports to links seen before: there ways fork.
    fn find_ways(&mut self, tree: &Tree) {
        let Self { entries, path, seen, .. } = self;
        path.clear();
        if seen.len() < tree.links.len() {
            seen.resize(tree.links.len(), UNSEEN);
        }
        for entry in entries.iter() {
            let first = path.len();
            let mut at = entry.link as usize;
            // links stand depth first, so a link seen before its port comes carries the port before
            if seen[at] != UNSEEN {
                continue;
            }
            loop {
                seen[at] = PASSED;
                path.push(at as u32);
                let Some(parent) = tree.links[at].parent else { break };
                at = parent.index();
                if seen[at] != UNSEEN {
                    seen[at] = FORK;
                    break;
                }
            }
            seen[entry.link as usize] = FORK;
            path[first..].reverse();
        }
    }

    /// Goes down all ways, parents before children, and makes a node wherever one ends or forks.
    fn walk(&mut self, rows: &[Row], tree: &Tree, kinematics: &Kinematics) {
        let Self { nodes, dofs, places, entries, path, seen, .. } = self;
        nodes.clear();
        nodes.push(Node::WORLD);
        dofs.clear();
        let mut entries = &entries[..];
        let mut segment = Segment::new(true);
        let mut parent = 0;
        for &i in path.iter() {
            let link = &tree.links[i as usize];
            let motion = &kinematics.links[i as usize];
            match link.parent.map(|p| seen[p.index()]) {
                Some(PASSED) => {}
                Some(node) => (parent, segment) = (node, Segment::new(false)),
                None => (parent, segment) = (0, Segment::new(true)),
            }
            segment.shift(motion.offset);
            let step = |k: usize| {
                let row = &rows[link.row as usize + k];
                let s = axis_of(&kinematics.screws, link, motion, k).motion();
                Step { s: s.to_array(), u: row.u.to_array(), d_inv: row.d_inv }
            };
            if seen[i as usize] == PASSED {
                for k in 0..link.joint.dofs() {
                    segment.give_way(&step(k));
                }
                continue;
            }
            // the ports of this link; none where ways only fork
            let count = entries.iter().take_while(|e| e.link == i).count();
            let (here, rest) = entries.split_at(count);
            entries = rest;
            let number = nodes.len() as u32;
            let first = dofs.len();
            pass_ports(link, step, here, number, &mut segment, dofs, places);
            let mut port = None;
            for entry in here.iter().filter(|e| e.dof == LINK) {
                port = port.or(Some(entry.port));
                places[entry.port as usize] = Place { node: number, dof: None };
            }
            nodes[parent as usize].children += 1;
            let lambda = response_below(&nodes[parent as usize].lambda, &segment, parent);
            nodes.push(Node {
                parent,
                children: 0,
                port,
                dofs: (first as u32, dofs.len() as u32),
                p: segment.p,
                held: segment.held,
                lambda,
            });
            seen[i as usize] = number;
        }
    }
}

/// Λ of the lower end of a segment: `P Λ Pᵀ + G`.
fn response_below(lambda: &Mat6, segment: &Segment, parent: u32) -> Mat6 {
    let mut below = segment.held;
    if parent != 0 {
        // (P Λ)ᵀ = Λ Pᵀ, so that both products are sums of rows
        let carried = product(&segment.p, &transposed(&product(&segment.p, lambda)));
        for (below, carried) in below.iter_mut().zip(&carried) {
            add_scaled(below, 1.0, carried);
        }
    }
    below
}

/// Passes a joint some of whose degrees of freedom have ports, and notes their terms.
fn pass_ports(
    link: &Link,
    step: impl Fn(usize) -> Step,
    mut ports: &[Entry],
    node: u32,
    segment: &mut Segment,
    dofs: &mut Vec<DofTerms>,
    places: &mut [Place],
) {
    let first = dofs.len();
    for k in 0..link.joint.dofs() {
        let step = step(k);
        let Step { s, u, d_inv } = &step;
        // what impulses on the degrees of freedom above do to this one, and with it to all below
        let mut c = [0.0; 6];
        for (j, above) in dofs[first..].iter_mut().enumerate() {
            let x = -d_inv * dot(u, &above.h);
            add_scaled(&mut above.h, x, s);
            c[j] = x;
        }
        let own = dofs.len();
        let mut has_port = false;
        while let Some((entry, rest)) = ports.split_first().filter(|(e, _)| e.dof == k as u32) {
            places[entry.port as usize] = Place { node, dof: Some(own as u32) };
            if !has_port {
                has_port = true;
                let w = rows_times(&segment.held, u);
                let mut h = [0.0; 6];
                let mut g = rows_times(&segment.p, u);
                let x = d_inv + d_inv * d_inv * dot(u, &w);
                for i in 0..6 {
                    h[i] = s[i] * x - d_inv * w[i];
                    g[i] *= -d_inv;
                }
                for j in first..own {
                    dofs[j].c[own - first] = c[j - first];
                }
                c[own - first] = x;
                dofs.push(DofTerms { port: entry.port, g, h, c });
            }
            ports = rest;
        }
        segment.give_way(&step);
    }
}
