//! Rows of an island at a pose: directions, values, and how far joints are apart.

use glam::{DMat3, DVec3};

use crate::spatial::Force;

use super::holder::{AnyConstraint, Holders};
use super::island::Island;
use super::measure::{Ask, Measure};
use super::row_states::Line;
use super::topology::{Joint, JointKind, NodeIx};
use super::{Constraint, Coupling};

/// Where the impulses of a joint act whose two sides are apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arms {
    /// At the midpoint of the two articulation points (Weinstein et al., Fig. 5): momenta stay.
    Middle,
    /// On each body at its own point: the true derivatives of the errors, for displacements. A rod that is pushed at its end does not
    /// spin about its axis.
    Own,
}

impl Island {
    /// Rows at the frames of the nodes, which are those of the present pose: directions, values, gaps.
    pub(crate) fn linearize(&mut self, constraints: &Holders, arms: Arms) {
        self.gaps = super::gaps::Gaps::default();
        self.matrix.begin();
        for j in 0..self.topology.joints.len() {
            match &constraints.at(self.topology.joints[j].constraint()).constraint {
                AnyConstraint::Joint(constraint) => self.linearize_joint(j, constraint, arms),
                AnyConstraint::Coupling(coupling) => self.linearize_coupling(j, coupling),
            }
        }
        let lines = &self.rows.lines;
        let bounded = &mut self.rows.bounded;
        bounded.clear();
        for joint in self.topology.joints.iter().filter(|joint| joint.kind != JointKind::Point) {
            bounded.extend(joint.range().filter(|k| lines[*k].ask != Ask::Hold));
        }
        let counts = bounded.iter().any(|k| lines[*k].may_go_round());
        self.turns.reset(if counts { self.topology.nodes.len() } else { 0 });
    }

    #[inline]
    fn linearize_joint(&mut self, j: usize, constraint: &Constraint, arms: Arms) {
        let joint = &mut self.topology.joints[j];
        let is_bare = constraint.actions.is_empty() && constraint.softness.is_none();
        if is_bare && joint.rows() == 3 && constraint.model.is_point() {
            joint.kind = JointKind::Point;
            return self.linearize_point(j, arms);
        }
        joint.kind = JointKind::General;
        let joint = &self.topology.joints[j];
        // a spring from what nothing moves may be long: at its midpoint it would spin the body and not draw it
        let leads = constraint.softness.is_some() && joint.ends.iter().any(|end| self.is_led(*end));
        let arms = if leads { Arms::Own } else { arms };
        let Self { topology, states, rows, gaps, .. } = self;
        let joint = &mut topology.joints[j];
        let (parent, child) = (states.side(joint, 0), states.side(joint, 1));
        let own = &mut rows.lines[joint.range()];
        let (mut arm, mut farthest) = ([DVec3::ZERO; 2], 0.0f64);
        let measure = Measure::rows(constraint, parent.inverse() * child, None, |k, measure, row| {
            if k == 0 {
                arm = states.arms(joint, arms, [parent.point(measure.target.position), child.position]);
            }
            let (angular, linear) =
                (parent.rotation * row.direction.angular, parent.rotation * row.direction.linear);
            let push = |arm: DVec3| Force::new(angular + arm.cross(linear), linear);
            if let Some(line) = own.get_mut(k) {
                line.push = [-push(arm[0]), push(arm[1])];
                (line.ask, line.value) = (row.ask, row.value);
                farthest = farthest.max(line.is_off_by());
            }
        });
        gaps.note_row(farthest);
        joint.low_sides = measure.low_sides;
        joint.bend = constraint.model.bend(measure.target);
        if constraint.softness.is_none() {
            gaps.note_joint(measure.gap, measure.angle);
        }
    }

    /// Linearizes a joint that holds a point.
    #[inline]
    fn linearize_point(&mut self, j: usize, arms: Arms) {
        let Self { topology, states, rows, gaps, .. } = self;
        let joint = &topology.joints[j];
        let parent = states.side(joint, 0);
        let own = [parent.position, states.side_point(joint, 1)];
        let arm = states.arms(joint, arms, own);
        let (apart, axes) = (own[1] - own[0], DMat3::from_quat(parent.rotation));
        for (line, axis) in rows.lines[joint.range()].iter_mut().zip([axes.x_axis, axes.y_axis, axes.z_axis])
        {
            line.push = [Force::new(axis.cross(arm[0]), -axis), Force::new(arm[1].cross(axis), axis)];
            (line.ask, line.value) = (Ask::Hold, axis.dot(apart));
            gaps.note_row(line.value.abs());
        }
        gaps.note_joint(apart.length(), 0.0);
    }

    fn linearize_coupling(&mut self, j: usize, coupling: &Coupling) {
        let Self { topology, states, rows, gaps, .. } = self;
        let joint = &topology.joints[j];
        let [leader, follower] = [0, 1].map(|side| states.side(joint, side).position.x);
        let (value, slope) = coupling.error(follower, leader);
        let one = |x: f64| Force::new(DVec3::new(x, 0.0, 0.0), DVec3::ZERO);
        rows.lines[joint.first()] =
            Line { push: [one(slope), one(1.0)], ask: Ask::Hold, value, diagonal: 0.0 };
        gaps.note_joint(0.0, value.abs());
        gaps.note_row(value.abs());
    }

    /// Whether nothing pushes an end of a joint: the world, or a kinematic body.
    fn is_led(&self, end: Option<NodeIx>) -> bool {
        end.is_none_or(|node| self.topology.is_single(node) && self.states.bodies[node].inverse_mass == 0.0)
    }

    /// Values of the rows of a joint at the frames of the nodes, which are predicted ones.
    #[inline]
    pub(super) fn values(&self, constraints: &Holders, joint: &Joint, mut each: impl FnMut(usize, f64)) {
        let (states, first) = (&self.states, joint.first());
        if joint.kind == JointKind::Point {
            let parent = states.side(joint, 0);
            let apart = parent.rotation.conjugate() * (states.side_point(joint, 1) - parent.position);
            for k in 0..3 {
                each(first + k, apart[k]);
            }
            return;
        }
        match &constraints.at(joint.constraint()).constraint {
            AnyConstraint::Joint(constraint) => {
                let frame = states.side(joint, 0).inverse() * states.side(joint, 1);
                Measure::rows(constraint, frame, Some(joint.low_sides), |k, _, row| {
                    // a joint model that breaks its word must not reach the rows of others
                    if k < joint.rows() {
                        each(first + k, row.value);
                    }
                });
            }
            AnyConstraint::Coupling(coupling) => {
                let [leader, follower] = [0, 1].map(|side| states.side(joint, side).position.x);
                each(first, coupling.error(follower, leader).0);
            }
        }
    }
}
