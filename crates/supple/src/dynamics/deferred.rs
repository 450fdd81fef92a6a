//! Sweeps over many ports of one articulation, impulses deferred.
//!
//! A solver visits one port after the other: asks for its velocity, pushes. An impulse changes all velocities, but only
//! those on the way to the next port are needed now. So it waits, and moves with the visitor along the tree of nodes:
//!
//! ```text
//!       a          climb i → a: the waiting impulse F of each node passes its segment,
//!      ╱ ╲             W += G F,   F_parent += Pᵀ F,   F = 0
//!     ·   ·        at a: V_a += Λ_a F_new; what waits at a is for the nodes above it
//!    ╱     ╲       descend a → j:
//!   i       j          V_child = P V_parent + W
//! ```
//!
//! F: impulses on the node and from below it that were not passed on. W: its velocity by impulses on it and below it,
//! with its parent held. V: its velocity change since the beginning, valid between root and visitor. A sweep in the
//! order of [`Deferred::order`] passes every segment twice: O(k) for k ports, however long the ways between them are.
//! For up to some five ports [`super::response_blocks`] is faster.

use crate::model::Tree;
use crate::spatial::mat6::{Mat6, Vec6, add_scaled};
use crate::spatial::{Force, Motion};

use super::kinematics::Kinematics;
use super::port::Port;
use super::port_segment::{dot, rows_times};
use super::port_tree::PortTree;
use super::response::Response;

/// What waits and moves at one node.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// F: impulses to be passed on to the parent.
    waiting: Vec6,
    /// W: velocity with the parent fixed.
    parent_fixed: Vec6,
    /// V: velocity change since the beginning.
    velocity: Vec6,
}

/// A visitor of the ports of one articulation, and all impulses since the beginning.
#[derive(Clone, Debug, Default)]
pub struct Deferred {
    ports: PortTree,
    /// By node.
    states: Vec<State>,
    /// By entry of the tree's rates: rate with the upper end of the segment held.
    rates: Vec<f64>,
    /// By port.
    impulses: Vec<Force>,
    /// The node where the visitor is.
    at: u32,
    /// Scratch: nodes on the way down, last first.
    down: Vec<u32>,
}

impl Deferred {
    /// Begins at rest. `response` must have been factored at the pose of `kinematics`.
    pub fn begin(&mut self, response: &Response, tree: &Tree, kinematics: &Kinematics, ports: &[Port]) {
        self.ports.update(response, tree, kinematics, ports);
        self.down.clear();
        self.down.reserve(self.ports.nodes.len());
        self.restart();
    }

    /// Begins again at rest, at the same pose and with the same ports.
    pub fn restart(&mut self) {
        self.states.clear();
        self.states.resize(self.ports.nodes.len(), State::default());
        self.rates.clear();
        self.rates.resize(self.ports.rates.len(), 0.0);
        self.impulses.clear();
        self.impulses.resize(self.ports.len(), Force::ZERO);
        self.at = 0;
    }

    /// How many ports there are.
    pub fn len(&self) -> usize {
        self.ports.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ports.is_empty()
    }

    /// Ports in the order that makes sweeps short.
    pub fn order(&self) -> &[u32] {
        self.ports.order()
    }

    /// Λᵢⱼ, as in [`super::response_blocks::ResponseBlocks::block`]; at hand for a link with itself, else computed.
    pub fn block(&self, i: usize, j: usize) -> Mat6 {
        self.ports.block(i, j)
    }

    /// Sum of the impulses on each port so far.
    pub fn impulses(&self) -> &[Force] {
        &self.impulses
    }

    /// Goes to a port: its velocity change by all impulses so far.
    #[inline]
    pub fn velocity_at(&mut self, port: usize) -> Motion {
        let place = self.ports.places[port];
        match place.rate {
            None => {
                self.go(place.node);
                Motion::from_array(self.states[place.node as usize].velocity)
            }
            // a degree of freedom is seen from the upper end of its segment
            Some(rate) => {
                let parent = self.ports.nodes[place.node as usize].parent;
                self.go(parent);
                let terms = &self.ports.rates[rate as usize];
                let carried = dot(&terms.g, &self.states[parent as usize].velocity);
                Port::joint_rate(self.rates[rate as usize] + carried)
            }
        }
    }

    /// Pushes a port.
    #[inline]
    pub fn push(&mut self, port: usize, impulse: Force) {
        self.impulses[port] += impulse;
        let place = self.ports.places[port];
        match place.rate {
            None => {
                self.go(place.node);
                self.feel(place.node, &impulse.to_array());
            }
            Some(rate) => {
                let node = &self.ports.nodes[place.node as usize];
                let (parent, range, tau) = (node.parent, node.rates(), impulse.angular.x);
                self.go(parent);
                let terms = &self.ports.rates[rate as usize];
                for (x, c) in self.rates[range].iter_mut().zip(&terms.c) {
                    *x += c * tau;
                }
                add_scaled(&mut self.states[place.node as usize].parent_fixed, tau, &terms.h);
                let felt = terms.g.map(|g| g * tau);
                self.feel(parent, &felt);
            }
        }
    }

    /// The jump `dv` (by v) of the whole body for all impulses since the beginning.
    pub fn finish(&mut self, response: &mut Response, tree: &Tree, kinematics: &Kinematics, dv: &mut [f64]) {
        response.apply_ports(tree, kinematics, self.ports.ports(), &self.impulses, dv);
    }

    /// An impulse on the node where the visitor is.
    #[inline(always)]
    fn feel(&mut self, node: u32, impulse: &Vec6) {
        let state = &mut self.states[node as usize];
        add_scaled(&mut state.waiting, 1.0, impulse);
        let jump = rows_times(&self.ports.nodes[node as usize].lambda, impulse);
        add_scaled(&mut state.velocity, 1.0, &jump);
    }

    /// Moves the visitor.
    #[inline(always)]
    fn go(&mut self, node: u32) {
        if self.at != node {
            self.travel(node);
        }
    }

    fn travel(&mut self, target: u32) {
        let Self { ports, states, rates, down, .. } = self;
        // parents have smaller numbers: the larger of both ends is never the common ancestor
        down.clear();
        let (mut at, mut to) = (self.at, target);
        let mut arrived = [0.0; 6];
        while at != to {
            if to > at {
                down.push(to);
                to = ports.nodes[to as usize].parent;
                continue;
            }
            let node = &ports.nodes[at as usize];
            let state = &mut states[at as usize];
            let mut f = std::mem::take(&mut state.waiting);
            add_scaled(&mut f, 1.0, &arrived);
            add_scaled(&mut state.parent_fixed, 1.0, &rows_times(&node.parent_fixed, &f));
            for k in node.rates() {
                rates[k] += dot(&ports.rates[k].h, &f);
            }
            arrived = rows_times(&node.p, &f);
            at = node.parent;
        }
        let top = &mut states[at as usize];
        add_scaled(&mut top.waiting, 1.0, &arrived);
        add_scaled(&mut top.velocity, 1.0, &rows_times(&ports.nodes[at as usize].lambda, &arrived));
        let mut velocity = top.velocity;
        while let Some(node) = down.pop() {
            let state = &mut states[node as usize];
            velocity = rows_times(&ports.nodes[node as usize].p_transposed, &velocity);
            add_scaled(&mut velocity, 1.0, &state.parent_fixed);
            state.velocity = velocity;
        }
        self.at = target;
    }
}
