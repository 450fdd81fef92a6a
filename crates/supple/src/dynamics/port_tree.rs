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
//! A port on a degree of freedom belongs to the segment that ends with its joint.

use std::ops::Range;

use crate::model::Tree;
use crate::spatial::mat6::{Mat6, ZERO, add_scaled};

use super::articulated::Row;
use super::dof_links::DofLinks;
use super::kinematics::{Kinematics, axis_of};
use super::port::Port;
use super::port_segment::{Rate, Segment, product};
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
    /// Ports on the joint that carries it: from where to where among the tree's rates.
    rates: (u32, u32),
    /// P of the segment above it; zero below the world.
    pub(crate) p: Mat6,
    /// Pᵀ.
    pub(crate) p_transposed: Mat6,
    /// G of the segment above it: its velocity jump per impulse while its parent is fixed.
    pub(crate) parent_fixed: Mat6,
    /// Λ: its velocity jump per impulse on it.
    pub(crate) lambda: Mat6,
}

impl Node {
    const WORLD: Self = Self {
        parent: 0,
        children: 0,
        port: None,
        rates: (0, 0),
        p: ZERO,
        p_transposed: ZERO,
        parent_fixed: ZERO,
        lambda: ZERO,
    };

    /// The lower end of a segment: `Λ = P Λ_parent Pᵀ + G`.
    fn new(parent: u32, above: &Self, segment: &Segment, port: Option<u32>, rates: (u32, u32)) -> Self {
        let parent_fixed = segment.parent_fixed();
        let mut node = Self { parent, port, rates, parent_fixed, lambda: parent_fixed, ..Self::WORLD };
        if parent != 0 {
            (node.p, node.p_transposed) = (segment.p(), segment.p_transposed());
            let (mut below, mut carried) = (ZERO, ZERO);
            product(&above.lambda, &node.p_transposed, &mut below);
            product(&node.p, &below, &mut carried);
            for (row, carried) in node.lambda.iter_mut().zip(&carried) {
                add_scaled(row, 1.0, carried);
            }
        }
        node
    }

    /// Its entries among the tree's rates.
    #[inline(always)]
    pub(crate) fn rates(&self) -> Range<usize> {
        self.rates.0 as usize..self.rates.1 as usize
    }
}

/// Where a port is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    /// The node of the link, or of the link that the joint carries. The world for a frozen joint.
    pub(crate) node: u32,
    /// For a degree of freedom: which of the rates.
    pub(crate) rate: Option<u32>,
}

impl Place {
    /// Where nothing moves.
    pub(crate) const NOWHERE: Self = Self { node: 0, rate: None };
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
    /// Degrees of freedom that have ports, by node.
    pub(crate) rates: Vec<Rate>,
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

    /// Makes a node wherever a way ends or forks, with the segment up to the node above it.
    fn walk(&mut self, rows: &[Row], tree: &Tree, kinematics: &Kinematics) {
        let Self { nodes, rates, places, entries, path, seen, .. } = self;
        nodes.clear();
        nodes.push(Node::WORLD);
        rates.clear();
        let mut entries = &entries[..];
        for &i in path.iter() {
            if seen[i as usize] != FORK {
                continue;
            }
            let number = nodes.len() as u32;
            // the ports of this link, those on the link itself last; none where ways only fork
            let count = entries.iter().take_while(|e| e.link == i).count();
            let (mut here, rest) = entries.split_at(count);
            entries = rest;
            let mut port = None;
            while let Some(entry) = pop(&mut here, LINK) {
                places[entry.port as usize] = Place { node: number, rate: None };
                port = Some(entry.port);
            }

            // the joint that carries the link, with ports or without
            let first = rates.len();
            let mut segment = Segment::new();
            let (mut link, mut motion) = (&tree.links[i as usize], &kinematics.links[i as usize]);
            for k in (0..link.joint.dofs()).rev() {
                let mut own = false;
                while let Some(entry) = pop(&mut here, k as u32) {
                    if !own {
                        rates.push(Rate::default());
                        own = true;
                    }
                    let last = rates.len() - 1;
                    rates[last].port = entry.port;
                    places[entry.port as usize] = Place { node: number, rate: Some(last as u32) };
                }
                let axis = axis_of(&kinematics.screws, link, motion, k);
                segment.give_way(axis, &rows[link.row as usize + k], &mut rates[first..], own);
            }

            // and those above, up to the next node
            let parent = loop {
                let Some(above) = link.parent else { break 0 };
                segment.shift(motion.offset, &mut rates[first..]);
                if seen[above.index()] != PASSED {
                    break seen[above.index()];
                }
                (link, motion) = (&tree.links[above.index()], &kinematics.links[above.index()]);
                for k in (0..link.joint.dofs()).rev() {
                    let axis = axis_of(&kinematics.screws, link, motion, k);
                    segment.give_way(axis, &rows[link.row as usize + k], &mut rates[first..], false);
                }
            };
            if parent == 0 {
                rates[first..].iter_mut().for_each(|rate| rate.g = [0.0; 6]);
            }
            seen[i as usize] = number;
            let above = &mut nodes[parent as usize];
            above.children += 1;
            let node = Node::new(parent, above, &segment, port, (first as u32, rates.len() as u32));
            nodes.push(node);
        }
    }
}

/// Takes the last of the entries if it is of this degree of freedom.
fn pop<'a>(entries: &mut &'a [Entry], dof: u32) -> Option<&'a Entry> {
    let (last, rest) = entries.split_last().filter(|(last, _)| last.dof == dof)?;
    *entries = rest;
    Some(last)
}
