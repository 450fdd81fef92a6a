//! What the nodes of an island answer to impulses, `M⁻¹`, and the diagonal of its matrix.

use glam::DVec3;

use crate::bodies::{Articulations, Node};
use crate::spatial::{Force, Motion};

use super::island::Island;
use super::row_states::{Line, RowStates};
use super::topology::{Joint, NodeIx};

/// A row is deaf when its bodies answer so little, relative to the row of the joint that they answer most.
const DEAF: f64 = 1e-11;

impl Island {
    /// What nodes answer to the rows' impulses, and the diagonal of the matrix.
    pub(crate) fn answer(&mut self, articulations: &Articulations) {
        if !self.has_ports() {
            self.answer_singly();
            return;
        }
        for j in 0..self.topology.joints.len() {
            let joint = self.topology.joints[j];
            let shared = self.topology.shared_ends(&joint);
            for k in joint.range() {
                let push = self.rows.lines[k].push;
                let mut answers = [Motion::ZERO; 2];
                let mut diagonal = 0.0;
                for (side, node) in joint.pushed() {
                    answers[side] = self.respond(articulations, node, node, push[side]);
                    diagonal += push[side].dot(answers[side]);
                }
                if let Some([a, b]) = shared {
                    diagonal += 2.0 * push[0].dot(self.respond(articulations, a, b, push[1]));
                }
                self.rows.answers[k] = answers;
                self.rows.lines[k].diagonal = diagonal;
            }
            self.rows.forget_deaf(&joint);
        }
    }

    /// Finds what bodies answer where all of them are single: each answers for itself, and every push.
    fn answer_singly(&mut self) {
        let Self { topology, states, rows, .. } = self;
        for joint in &topology.joints {
            let rows = rows.lines[joint.range()].iter_mut().zip(&mut rows.answers[joint.range()]);
            for (line, answers) in rows {
                line.diagonal = 0.0;
                *answers = [Motion::ZERO; 2];
                for (side, node) in joint.pushed() {
                    answers[side] = states.respond(node.get(), line.push[side]);
                    line.diagonal += line.push[side].dot(answers[side]);
                }
            }
        }
    }

    /// What an impulse at node `from` changes of the velocity at node `to`, both of one single body or articulation.
    #[inline(always)]
    pub(super) fn respond(
        &self,
        articulations: &Articulations,
        to: NodeIx,
        from: NodeIx,
        impulse: Force,
    ) -> Motion {
        match (self.topology.nodes[to], self.topology.nodes[from]) {
            (Node::Port { articulation, port: i }, Node::Port { port: j, .. }) => {
                articulations.at(articulation as usize).respond(i as usize, j as usize, impulse)
            }
            _ => self.states.respond(to.get(), impulse),
        }
    }

    /// What the single body at node `i` answers to the impulses on it.
    pub(crate) fn answer_of_body(&self, i: usize) -> Motion {
        self.states.respond(i, self.states.impulses[i])
    }

    /// What all nodes answer to impulses on all nodes.
    pub(super) fn respond_all(
        &self,
        articulations: &Articulations,
        impulses: &[Force],
        motions: &mut Vec<Motion>,
    ) {
        let nodes = &self.topology.nodes;
        motions.clear();
        motions.resize(nodes.len(), Motion::ZERO);
        let mut i = 0;
        while i < nodes.len() {
            match nodes[i] {
                Node::Single { .. } => {
                    motions[i] = self.states.respond(i, impulses[i]);
                    i += 1;
                }
                Node::Port { articulation, .. } => {
                    // the ports of one articulation stand together, in their order
                    let owner = articulations.at(articulation as usize);
                    let end = i + owner.ports.list.len();
                    owner.respond_at_all(&impulses[i..end], &mut motions[i..end]);
                    i = end;
                }
            }
        }
    }

    /// Velocities of the nodes with the impulses that they have.
    pub(super) fn velocities_with_impulses(&mut self, articulations: &Articulations) {
        let mut velocities = std::mem::take(&mut self.states.velocities);
        self.respond_all(articulations, &self.states.impulses, &mut velocities);
        for ((v, node), body) in velocities.iter_mut().zip(&self.topology.nodes).zip(&self.states.bodies) {
            *v += match *node {
                Node::Single { .. } => body.motion(),
                Node::Port { articulation, port } => {
                    articulations.at(articulation as usize).port_velocity(port as usize)
                }
            };
        }
        self.states.velocities = velocities;
    }

    /// An entry of A between rows `k` and `m` of one joint.
    pub(super) fn entry(&self, articulations: &Articulations, joint: &Joint, k: usize, m: usize) -> f64 {
        let (own, other) = (&self.rows.lines[k].push, &self.rows.lines[m].push);
        let answers = &self.rows.answers[m];
        let mut sum = own[0].dot(answers[0]) + own[1].dot(answers[1]);
        if let Some([a, b]) = self.topology.shared_ends(joint) {
            sum += own[0].dot(self.respond(articulations, a, b, other[1]));
            sum += own[1].dot(self.respond(articulations, b, a, other[0]));
        }
        sum
    }
}

impl RowStates {
    /// Rows that nothing answers but rounding, in comparison with the other rows of their kind, are as good as not there: a chain that
    /// moves in a plane cannot be pushed out of it.
    fn forget_deaf(&mut self, joint: &Joint) {
        let slides = |line: &Line| line.push[1].linear != DVec3::ZERO;
        for kind in [true, false] {
            let of_kind = |line: &&mut Line| slides(line) == kind;
            let lines = &mut self.lines[joint.range()];
            let greatest = lines.iter_mut().filter(of_kind).fold(0.0f64, |g, line| g.max(line.diagonal));
            for line in lines.iter_mut().filter(of_kind) {
                if !(line.diagonal > DEAF * greatest) {
                    line.diagonal = 0.0;
                }
            }
        }
    }
}
