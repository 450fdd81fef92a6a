//! Constraints that hang together: their nodes and rows, and the matrix `A = J M⁻¹ Jᵀ` between them.

use glam::DVec3;

use crate::bodies::{Articulations, Moving, Node};
use crate::spatial::{Force, Motion};

use super::Frame;
use super::displacement::Displacement;
use super::gaps::Gaps;
use super::matrix::Matrix;
use super::newton::Newton;
use super::node_states::NodeStates;
use super::pivot::Pivots;
use super::row_states::{Line, RowStates, add_up};
use super::topology::{Joint, Topology};
use super::turns::Turns;
use super::warm_start::WarmStart;

/// Constraints that hang together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Island {
    pub(super) topology: Topology,
    pub(super) states: NodeStates,
    pub(super) turns: Turns,
    pub(super) rows: RowStates,
    pub(super) matrix: Matrix,
    pub(super) pivots: Pivots,
    pub(super) displacement: Displacement,
    pub(crate) newton: Newton,
    pub(crate) start: WarmStart,
    pub(crate) gaps: Gaps,
    /// Whether all of it sleeps.
    asleep: bool,
    /// Steps until one may be cut into halves again on its account.
    idle: u32,
}

impl Island {
    /// An island of these nodes and joints.
    pub(crate) fn new(nodes: Vec<Node>, joints: Vec<Joint>) -> Self {
        let topology = Topology::new(nodes, joints);
        let rows = topology.rows();
        Self {
            states: NodeStates::new(topology.nodes.len()),
            rows: RowStates::new(rows),
            matrix: Matrix::new(&topology),
            start: WarmStart::new(rows),
            topology,
            ..Self::default()
        }
    }

    /// What its joints push.
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.topology.nodes
    }

    /// Its joints.
    pub(crate) fn joints(&self) -> &[Joint] {
        &self.topology.joints
    }

    /// Its rows at the present pose.
    pub(crate) fn lines(&self) -> &[Line] {
        &self.rows.lines
    }

    /// Whether some node is a port.
    pub(crate) fn has_ports(&self) -> bool {
        self.topology.has_ports()
    }

    /// Whether it pushes an articulation.
    pub(crate) fn holds(&self, place: usize) -> bool {
        self.topology.holds(place)
    }

    /// Says whether the last step met its constraints well enough for its impulses to start the next one: to within `failed` \[m or rad].
    pub(crate) fn judge_start(&mut self, failed: f64) {
        self.start.set_solved(self.newton.error() <= failed);
    }

    /// Whether all of it sleeps.
    pub(crate) fn is_asleep(&self) -> bool {
        self.asleep
    }

    /// All of it sleeps from here on.
    pub(crate) fn fall_asleep(&mut self) {
        self.asleep = true;
        self.newton.rest();
    }

    /// It takes part in steps again.
    pub(crate) fn wake(&mut self) {
        self.asleep = false;
    }

    /// Whether a step may be cut into halves on its account.
    pub(crate) fn may_cut(&self) -> bool {
        self.idle == 0
    }

    /// For so many steps none is cut on its account.
    pub(crate) fn idle_for(&mut self, steps: u32) {
        self.idle = self.idle.max(steps);
    }

    /// One step went by.
    pub(crate) fn count_step(&mut self) {
        self.idle = self.idle.saturating_sub(1);
    }

    /// The constraint that is farthest off at the present pose, and by how much \[m or rad].
    pub(crate) fn worst(&self) -> Option<(usize, f64)> {
        let off =
            |joint: &Joint| self.rows.lines[joint.range()].iter().map(Line::is_off_by).fold(0.0, f64::max);
        let worst = self.topology.joints.iter().map(|joint| (joint.constraint(), off(joint)));
        worst.max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Factorizations of the matrix since it was linearized.
    pub(crate) fn factorizations(&self) -> u32 {
        self.matrix.factorizations()
    }

    /// Copies the single bodies into the island.
    pub(crate) fn gather(&mut self, single: impl Fn(usize) -> Moving) {
        self.states.gather(&self.topology.nodes, single);
    }

    /// Computes the frames of the nodes at the present pose.
    pub(crate) fn gather_frames(&mut self, articulations: &Articulations) {
        self.states.gather_frames(&self.topology.nodes, articulations);
    }

    /// Predicted frames of the ports.
    pub(crate) fn gather_ports(&mut self, articulations: &Articulations) {
        self.states.gather_ports(&self.topology.nodes, articulations);
    }

    /// Frames of the nodes, present or predicted.
    pub(crate) fn frames(&self) -> &[Frame] {
        &self.states.frames
    }

    /// Velocities of the nodes.
    pub(crate) fn velocities_mut(&mut self) -> &mut [Motion] {
        &mut self.states.velocities
    }

    /// Impulses on the nodes.
    pub(crate) fn impulses(&self) -> &[Force] {
        &self.states.impulses
    }

    /// Impulses on the nodes that close joints that are apart; empty if there are none.
    pub(crate) fn closing(&self) -> &[Force] {
        &self.states.closing
    }

    /// Nothing pushes the nodes.
    pub(crate) fn clear_impulses(&mut self) {
        self.states.impulses.fill(Force::ZERO);
    }

    /// The next step starts with the impulses of this update.
    pub(crate) fn start_from(&mut self, which: Impulses) {
        self.start.take(match which {
            Impulses::Lambda => &self.rows.lambda,
            Impulses::Mu => &self.rows.mu,
        });
    }

    /// There are no impulses after the position update.
    pub(crate) fn skip_velocities(&mut self) {
        self.rows.mu.fill(0.0);
        self.clear_impulses();
    }

    /// Impulse of row `k` in the whole step: before the position update and after it.
    pub(crate) fn impulse_of_row(&self, k: usize) -> f64 {
        self.rows.lambda[k] + self.rows.mu[k]
    }

    /// The frame of one side of a joint, in the world.
    pub(crate) fn side(&self, joint: &Joint, side: usize) -> Frame {
        self.states.side(joint, side)
    }

    /// From the child's side of a joint to what its impulses on the child are about \[m].
    pub(crate) fn arm(&self, joint: &Joint) -> DVec3 {
        match joint.ends[1] {
            None => DVec3::ZERO,
            Some(node) => self.states.frames[node].position - self.side(joint, 1).position,
        }
    }

    /// Impulses on the nodes by those of the rows.
    pub(crate) fn collect(&mut self, which: Impulses) {
        let Self { topology, rows, states, .. } = self;
        let sizes = match which {
            Impulses::Lambda => &rows.lambda,
            Impulses::Mu => &rows.mu,
        };
        add_up(&topology.joints, &rows.lines, &mut states.impulses, |k| sizes[k]);
    }

    /// Speed of a row \[rad/s or m/s].
    #[inline(always)]
    pub(super) fn speed(&self, joint: &Joint, k: usize) -> f64 {
        let line = &self.rows.lines[k];
        let side = |s: usize| match joint.ends[s] {
            None => 0.0,
            Some(node) => line.push[s].dot(self.states.velocities[node]),
        };
        side(0) + side(1)
    }
}

/// Impulses of which update: before positions (λ) or after (μ).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Impulses {
    Lambda,
    Mu,
}
