//! Whole turns: an angle of a joint says nothing of how often it went round, the ways of its bodies do.

use std::f64::consts::TAU;

use glam::DVec3;

use super::residuals::unwrapped;
use super::row_states::Line;
use super::topology::{Joint, Topology};

/// Two bodies that turn less than this in a step \[rad] turn by less than half a turn beside each other: their angle is the nearest.
const SPINS: f64 = 1.5;

/// How the single bodies of an island turn on their predicted ways.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns {
    /// \[rad], by node; empty where no row counts turns.
    by_node: Vec<DVec3>,
    /// Whether any turns so far that angles may go round unseen.
    spins: bool,
}

impl Turns {
    /// From here on turns of so many nodes are noted; 0 where nobody asks.
    pub(super) fn reset(&mut self, nodes: usize) {
        self.by_node.clear();
        self.by_node.resize(nodes, DVec3::ZERO);
    }

    /// Begins a prediction.
    pub(super) fn begin(&mut self) {
        self.spins = false;
    }

    /// Notes how far the body at node `i` is predicted to turn \[rad].
    #[inline]
    pub(super) fn note(&mut self, i: usize, turn: DVec3) {
        if let Some(kept) = self.by_node.get_mut(i) {
            *kept = turn;
            self.spins |= turn.length_squared() > SPINS * SPINS;
        }
    }

    /// The value of a row with whole turns counted, which `value` does not know: as the bodies go on their predicted ways. `None` where
    /// none can have been lost. A servo that throws a light link round by a turn would else be said to have held it.
    #[inline]
    pub(super) fn counted(&self, topology: &Topology, joint: &Joint, line: &Line, value: f64) -> Option<f64> {
        if self.spins { self.count(topology, joint, line, value) } else { None }
    }

    fn count(&self, topology: &Topology, joint: &Joint, line: &Line, value: f64) -> Option<f64> {
        if !line.may_go_round() {
            return None;
        }
        let mut way = 0.0;
        for (side, node) in joint.pushed() {
            if !topology.is_single(node) {
                return None;
            }
            way += line.push[side].angular.dot(self.by_node[node]);
        }
        let nearest = unwrapped(line, value);
        Some(nearest + TAU * ((line.value + way - nearest) / TAU).round())
    }
}
