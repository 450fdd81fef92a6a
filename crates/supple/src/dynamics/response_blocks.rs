//! Blocks of the response between a few ports: Λᵢⱼ, the velocity jump of port i per impulse on port j.
//!
//! The sweeps of a solver then touch nothing but the velocities of the ports: [`ResponseBlocks::push`]. The blocks of a
//! node with all nodes met before follow from those of its parent, `Λ_cm = P_c Λ_pm`: one product for each
//! pair of ports, whatever is between them. For many ports see [`super::deferred`].

use crate::model::Tree;
use crate::spatial::mat6::{Mat6, Vec6, ZERO, add_scaled};
use crate::spatial::{Force, Motion};

use super::kinematics::Kinematics;
use super::port::Port;
use super::port_segment::{dot, product, rows_times};
use super::port_tree::{Place, PortTree};
use super::response::Response;

/// All blocks between the ports of one articulation, at one pose.
#[derive(Clone, Debug, Default)]
pub struct ResponseBlocks {
    ports: PortTree,
    /// Square: a row of blocks for each port, then for each node that has no port and others below it.
    blocks: Vec<Mat6>,
    /// Length of a row.
    stride: usize,
    // --- scratch of update ---
    /// By node: its row; none for the world and for nodes that nothing depends on.
    rows: Vec<Option<u32>>,
    /// Ports whose rows are filled.
    done: Vec<u32>,
    /// Rows of the nodes without ports on the way up from a node.
    above: Vec<u32>,
}

impl ResponseBlocks {
    /// Computes all blocks between `ports`. `response` must have been factored at the pose of `kinematics`.
    pub fn update(&mut self, response: &Response, tree: &Tree, kinematics: &Kinematics, ports: &[Port]) {
        self.ports.update(response, tree, kinematics, ports);
        self.number_rows();
        self.done.clear();
        for n in 1..self.ports.nodes.len() {
            self.fill_rates(n);
            self.fill_node(n);
        }
        self.fill_rest();
    }

    /// How many ports there are.
    pub fn len(&self) -> usize {
        self.ports.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ports.is_empty()
    }

    /// Λᵢⱼ. Rows: velocity of port i, angular first; columns: impulse on port j. A degree of freedom has the first row or
    /// column, zeros elsewhere.
    #[inline(always)]
    pub fn block(&self, i: usize, j: usize) -> &Mat6 {
        &self.blocks[i * self.stride + j]
    }

    /// Adds what an impulse on port i does to the velocities of all ports.
    #[inline]
    pub fn push(&self, i: usize, impulse: Force, velocities: &mut [Motion]) {
        let f = impulse.to_array();
        let row = &self.blocks[i * self.stride..][..self.len()];
        for (block, velocity) in row.iter().zip(velocities) {
            // Λⱼᵢ f = Λᵢⱼᵀ f
            add_answer(block, &f, velocity);
        }
    }

    /// The jump `dv` (by v) of the whole body for impulses on all ports, one for each.
    pub fn spread(
        &self,
        response: &mut Response,
        tree: &Tree,
        kinematics: &Kinematics,
        impulses: &[Force],
        dv: &mut [f64],
    ) {
        response.apply_ports(tree, kinematics, self.ports.ports(), impulses, dv);
    }

    fn number_rows(&mut self) {
        let mut stride = self.ports.len() as u32;
        self.rows.clear();
        self.rows.push(None);
        self.above.clear();
        self.above.reserve(self.ports.nodes.len());
        for node in &self.ports.nodes[1..] {
            let row = node.port.or_else(|| {
                (node.children > 0).then(|| {
                    stride += 1;
                    stride - 1
                })
            });
            self.rows.push(row);
        }
        self.stride = stride as usize;
        let size = self.stride * self.stride;
        if self.blocks.len() < size {
            self.blocks.resize(size, ZERO);
        }
    }

    /// Notes Λ of rows i and j, and its transpose.
    #[inline(always)]
    fn set(&mut self, i: u32, j: u32, block: &Mat6) {
        self.blocks[i as usize * self.stride + j as usize] = *block;
        let other = &mut self.blocks[j as usize * self.stride + i as usize];
        for i in 0..6 {
            for j in 0..6 {
                other[j][i] = block[i][j];
            }
        }
    }

    /// Rows of nodes without ports, above a node and so filled.
    fn climb(&mut self, n: usize) {
        let first_extra = self.ports.len() as u32;
        self.above.clear();
        let mut at = self.ports.nodes[n].parent as usize;
        while let Some(row) = self.rows[at] {
            if row >= first_extra {
                self.above.push(row);
            }
            at = self.ports.nodes[at].parent as usize;
        }
    }

    /// Rows of the ports on a node's joint.
    fn fill_rates(&mut self, n: usize) {
        let node = &self.ports.nodes[n];
        let (parent, range) = (self.rows[node.parent as usize], node.rates());
        if range.is_empty() {
            return;
        }
        self.climb(n);
        let before = self.done.len();
        for k in range.clone() {
            let terms = self.ports.rates[k];
            for m in 0..before + self.above.len() {
                let column = self.done.get(m).copied().unwrap_or_else(|| self.above[m - before]);
                let mut block = ZERO;
                if let Some(p) = parent {
                    block[0] = rows_times(&self.blocks[p as usize * self.stride + column as usize], &terms.g);
                }
                self.set(terms.port, column, &block);
            }
            // C + gᵀ Λ g among themselves
            let lambda = &self.ports.nodes[self.ports.nodes[n].parent as usize].lambda;
            let moved = rows_times(lambda, &terms.g);
            for j in range.start..=k {
                let other = &self.ports.rates[j];
                let mut block = ZERO;
                block[0][0] = terms.c[j - range.start] + dot(&moved, &other.g);
                let port = other.port;
                self.set(terms.port, port, &block);
            }
        }
        self.done.extend(self.ports.rates[range].iter().map(|d| d.port));
    }

    /// The row of a node's link.
    fn fill_node(&mut self, n: usize) {
        let Some(row) = self.rows[n] else { return };
        self.climb(n);
        let node = &self.ports.nodes[n];
        let (p, lambda, parent) = (node.p, node.lambda, self.rows[node.parent as usize]);
        let dofs = node.rates();
        for m in 0..self.done.len() + self.above.len() {
            let column = self.done.get(m).copied().unwrap_or_else(|| self.above[m - self.done.len()]);
            let mut block = ZERO;
            if let Some(parent) = parent {
                product(&p, &self.blocks[parent as usize * self.stride + column as usize], &mut block);
            }
            self.set(row, column, &block);
        }
        // its own joint also answers directly
        for k in dofs {
            let terms = &self.ports.rates[k];
            let (h, port) = (terms.h, terms.port);
            let mut block = self.blocks[port as usize * self.stride + row as usize];
            add_scaled(&mut block[0], 1.0, &h);
            self.set(port, row, &block);
        }
        self.set(row, row, &lambda);
        if let Some(port) = self.ports.nodes[n].port {
            self.done.push(port);
        }
    }

    /// Ports in places that have one already, and ports of frozen joints.
    fn fill_rest(&mut self) {
        let (count, stride) = (self.len(), self.stride);
        if self.done.len() == count {
            return;
        }
        for pass in 0..2 {
            for i in 0..count {
                let place = self.ports.places[i];
                let first = match place.rate {
                    Some(rate) => Some(self.ports.rates[rate as usize].port as usize),
                    None if place == Place::NOWHERE => None,
                    None => self.ports.nodes[place.node as usize].port.map(|p| p as usize),
                };
                if first == Some(i) {
                    continue;
                }
                for m in 0..count {
                    // first all rows, then all columns
                    let at = |i: usize| if pass == 0 { i * stride + m } else { m * stride + i };
                    self.blocks[at(i)] = first.map_or(ZERO, |first| self.blocks[at(first)]);
                }
            }
        }
    }
}

/// Not inlined: left to itself the compiler vectorises over the ports, and gathers what is apart in memory.
#[inline(never)]
fn add_answer(block: &Mat6, impulse: &Vec6, velocity: &mut Motion) {
    *velocity += Motion::from_array(rows_times(block, impulse));
}
