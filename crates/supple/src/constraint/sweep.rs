//! The paper's solver: sweeps over the joints, one after the other, from cold (Weinstein et al., sections IV and V).
//!
//! Each visit solves one joint exactly, by Newton with the exact derivatives of the appendix where both bodies are single, and by the
//! responses of the articulations where they are not; an ε that grows to 1 over the sweeps lets early visits correct a part only.
//! What acts on coordinates (limits, motors, friction, springs) is visited row by row, within its bounds. Positions advance by the
//! paper's equation 1, with the angular velocity of the start of the step.

use crate::bodies::{Articulations, Moving, Node};
use crate::spatial::{Force, Motion, Sym3, rotation};

use super::Settings;
use super::active_set::bounds;
use super::closing::left_open;
use super::dense;
use super::holder::{AnyConstraint, Holders};
use super::island::{Impulses, Island};
use super::joint_newton::{JointPair, Newton};
use super::matrix::compliance;
use super::measure::{Ask, difference};
use super::node_states::NodeStates;
use super::residuals::unwrapped;
use super::side::{Side, predict};
use super::topology::{Joint, NodeIx};
use super::{Frame, MAX_ROWS, Rows, Span};

/// Steps of Newton in one visit: the next sweep goes on.
const STEPS: usize = 3;

/// What a sweep visits joints with.
struct Sweep<'a> {
    constraints: &'a Holders,
    articulations: &'a Articulations,
    settings: &'a Settings,
    /// ε: the part of what is wrong that a visit corrects.
    epsilon: f64,
    /// Length of the step \[s].
    dt: f64,
}

impl Island {
    /// Pre-stabilization: impulses on the nodes, left in `impulses` and, for the rows, in `lambda`; predicted frames in `frames`.
    pub(crate) fn sweep_positions(
        &mut self,
        constraints: &Holders,
        articulations: &Articulations,
        settings: &Settings,
        sweeps: u32,
        dt: f64,
    ) {
        let mut sides = self.states.sides();
        let free: Vec<Frame> = self.free_frames(articulations, &sides, dt);
        self.clear_impulses();
        self.rows.lambda.fill(0.0);
        self.states.closing.clear();
        let mut worst = 0.0f64;
        let sweeps = sweeps.max(1);
        for sweep in 1..=sweeps {
            let epsilon = f64::from(sweep) / f64::from(sweeps);
            let sweep = Sweep { constraints, articulations, settings, epsilon, dt };
            worst = 0.0;
            for j in 0..self.topology.joints.len() {
                let joint = self.topology.joints[j];
                self.predict_ends(articulations, &joint, &sides, &free, dt);
                let error = match &constraints.at(joint.constraint()).constraint {
                    AnyConstraint::Joint(c) if c.softness.is_none() && self.ends_are_single(&joint) => {
                        self.visit_pair(&sweep, &joint, c, &mut sides)
                    }
                    _ => self.visit_rows(&sweep, &joint, &mut sides),
                };
                worst = worst.max(error);
                self.visit_actions(&sweep, j, &mut sides, &free);
            }
        }
        for j in 0..self.topology.joints.len() {
            let joint = self.topology.joints[j];
            self.predict_ends(articulations, &joint, &sides, &free, dt);
        }
        self.newton.end(worst <= settings.tolerance, sweeps, worst);
        self.start.set_solved(false);
        if self.closes_fast(settings, dt) {
            self.let_go();
        }
    }

    /// Velocity post-stabilization by sweeps: impulses in `mu` and `impulses`.
    pub(crate) fn sweep_velocities(
        &mut self,
        articulations: &Articulations,
        settings: &Settings,
        sweeps: u32,
        dt: f64,
    ) {
        self.clear_impulses();
        self.rows.mu.fill(0.0);
        self.velocities_with_impulses(articulations);
        for sweep in 1..=sweeps {
            let epsilon = f64::from(sweep) / f64::from(sweeps);
            for j in 0..self.topology.joints.len() {
                let joint = self.topology.joints[j];
                let (mut b, mut on) = ([0.0; MAX_ROWS], [false; MAX_ROWS]);
                for (i, k) in joint.range().enumerate() {
                    on[i] = self.rows.lines[k].ask == Ask::Hold && self.rows.lines[k].diagonal > 0.0;
                    b[i] = -epsilon * self.speed(&joint, k);
                }
                self.push_block(articulations, &joint, b, on, Impulses::Mu);
                for k in joint.range() {
                    let line = self.rows.lines[k];
                    let met = line.diagonal > 0.0
                        && match line.ask {
                            Ask::Limit { .. } => line.value > -settings.tolerance,
                            Ask::Speed { .. } => true,
                            _ => false,
                        };
                    let Some((low, high)) = bounds(line.ask, dt, 0.0).filter(|_| met) else { continue };
                    let wish = if let Ask::Speed { speed, .. } = line.ask { speed } else { 0.0 };
                    let step = -epsilon * (self.speed(&joint, k) - wish) / line.diagonal;
                    let next = (self.rows.mu[k] + step).clamp(low, high);
                    let change = next - self.rows.mu[k];
                    self.rows.mu[k] = next;
                    self.push_row(articulations, &joint, k, change);
                }
            }
        }
    }

    fn ends_are_single(&self, joint: &Joint) -> bool {
        joint.pushed().all(|(_, node)| self.topology.is_single(node))
    }

    /// Where the nodes would be without impulses: for ports, as their articulation predicts.
    fn free_frames(&self, articulations: &Articulations, sides: &[Side], dt: f64) -> Vec<Frame> {
        let frame = |(i, node): (usize, &Node)| match *node {
            Node::Single { .. } => predict(&sides[i], dt),
            Node::Port { articulation, port } => {
                articulations.at(articulation as usize).port_frame(port as usize)
            }
        };
        self.topology.nodes.iter().enumerate().map(frame).collect()
    }

    /// Predicted frames of the ends of a joint. Those of ports move from their free prediction by the velocities that impulses gave
    /// them since: linear in the impulses.
    fn predict_ends(
        &mut self,
        articulations: &Articulations,
        joint: &Joint,
        sides: &[Side],
        free: &[Frame],
        dt: f64,
    ) {
        for (_, node) in joint.pushed() {
            let i = node.get();
            self.states.frames[i] = match self.topology.nodes[i] {
                Node::Single { .. } => predict(&sides[i], dt),
                Node::Port { .. } => {
                    let moved = self.port_answer(articulations, i) * dt;
                    Frame {
                        position: free[i].position + moved.linear,
                        rotation: (rotation::exp(moved.angular) * free[i].rotation).normalize(),
                    }
                }
            };
        }
    }

    /// What a port answers to the impulses that its articulation has so far.
    fn port_answer(&self, articulations: &Articulations, i: usize) -> Motion {
        let articulation = self.topology.articulation(i);
        let mut sum = Motion::ZERO;
        for (j, impulse) in self.states.impulses.iter().enumerate() {
            if articulation.is_some() && self.topology.articulation(j) == articulation {
                sum += self.respond(articulations, NodeIx::new(i), NodeIx::new(j), *impulse);
            }
        }
        sum
    }

    /// Newton for a joint between single bodies; the error before it.
    fn visit_pair(
        &mut self,
        sweep: &Sweep<'_>,
        joint: &Joint,
        constraint: &super::Constraint,
        sides: &mut [Side],
    ) -> f64 {
        let Sweep { settings, epsilon, dt, .. } = *sweep;
        let approach = settings.approach;
        let side = |s: usize| match joint.ends[s] {
            None => Side::FIXED,
            Some(node) => sides[node],
        };
        let mut pair = JointPair {
            parent: side(0),
            child: side(1),
            parent_joint: joint.frames[0],
            child_joint: joint.frames[1],
            target: Frame::IDENTITY,
            dt,
        };
        let predicted = pair.predicted();
        let now = pair.parent.frame() * pair.parent_joint;
        pair.target = constraint.model.nearest(predicted);
        let apart: f64 = self.rows.lines[joint.range()].iter().map(|line| line.value * line.value).sum();
        if !(apart <= (approach * dt) * (approach * dt)) {
            let joint_now = now.inverse() * (pair.child.frame() * pair.child_joint);
            pair.target = left_open(constraint, joint_now, approach * dt, pair.target);
        }
        let mut rows = Rows::default();
        constraint.model.held(predicted, &mut rows);
        let (linear, angular) = Span::of_rows(&rows, now.rotation);
        let solved = pair.solve(&linear, &angular, &Newton { epsilon, iterations: STEPS, tolerance: 1e-14 });
        let arms = pair.impulse_arms();
        let after = pair.after(solved.linear, solved.angular);
        for (s, (after, arm)) in [(after.parent, arms.0), (after.child, arms.1)].into_iter().enumerate() {
            if let Some(node) = joint.ends[s] {
                let sign = if s == 0 { 1.0 } else { -1.0 };
                sides[node] = after;
                self.states.impulses[node] +=
                    Force::new(solved.angular + arm.cross(solved.linear), solved.linear) * sign;
            }
        }
        // what the rows held: those of a joint are orthonormal
        for (k, row) in joint.range().zip(rows.iter()) {
            let d = row.direction;
            self.rows.lambda[k] -=
                (now.rotation * d.linear).dot(solved.linear) + (now.rotation * d.angular).dot(solved.angular);
        }
        solved.before
    }

    /// One step of Newton for the held rows of a joint, with the responses at the start of the step; the error before it.
    fn visit_rows(&mut self, sweep: &Sweep<'_>, joint: &Joint, sides: &mut [Side]) -> f64 {
        let Sweep { constraints, articulations, settings, epsilon, dt } = *sweep;
        let (mut b, mut on, mut worst) = ([0.0; MAX_ROWS], [false; MAX_ROWS], 0.0f64);
        let first = joint.first();
        self.values(constraints, joint, |k, value| {
            let line = &self.rows.lines[k];
            let i = k - first;
            on[i] = line.ask == Ask::Hold && line.diagonal > 0.0;
            if on[i] {
                let target = line.value - line.value.clamp(-settings.approach * dt, settings.approach * dt);
                b[i] = -epsilon * (value - target) / dt;
                worst = worst.max((value - target).abs());
            }
        });
        self.push_block(articulations, joint, b, on, Impulses::Lambda);
        self.see_sides(joint, sides);
        worst
    }

    /// Rows with bounds, one by one.
    fn visit_actions(&mut self, sweep: &Sweep<'_>, j: usize, sides: &mut [Side], free: &[Frame]) {
        let Sweep { constraints, articulations, settings, epsilon, dt } = *sweep;
        let joint = &self.topology.joints[j].clone();
        if joint.range().all(|k| bounds(self.rows.lines[k].ask, 1.0, 1.0).is_none()) {
            return;
        }
        for k in joint.range() {
            let line = self.rows.lines[k];
            let Some((low, high)) = bounds(line.ask, dt, 1.0) else { continue };
            if !line.answers() {
                continue;
            }
            self.predict_ends(articulations, joint, sides, free, dt);
            let mut value = line.value;
            self.values(constraints, &self.topology.joints[j], |at, v| {
                if at == k {
                    value = v;
                }
            });
            let excess = line.excess(value);
            if self.rows.lambda[k] == 0.0 && line.is_passed(excess, settings.tolerance) {
                value = self.take_other_stop(j, k, excess);
            }
            let line = self.rows.lines[k];
            let soft = compliance(line.ask, dt);
            let left = match line.ask {
                Ask::Speed { speed, .. } => difference(
                    value,
                    line.value + dt * speed,
                    Motion::new(glam::DVec3::ZERO, line.push[1].linear),
                ),
                Ask::Spring { damping, .. } => {
                    unwrapped(&line, value) - damping * soft * line.value + soft * self.rows.lambda[k]
                }
                // what is beyond a stop comes back at a bounded speed
                _ => line.excess(value) - (line.value - settings.approach * dt).max(0.0),
            };
            let next = (self.rows.lambda[k] - epsilon * left / (dt * line.diagonal + soft)).clamp(low, high);
            let change = next - self.rows.lambda[k];
            self.rows.lambda[k] = next;
            self.push_row(articulations, joint, k, change);
            self.see_sides(joint, sides);
        }
    }

    /// Solves the own block of a joint for the rows that are `on` and pushes.
    fn push_block(
        &mut self,
        articulations: &Articulations,
        joint: &Joint,
        mut b: [f64; MAX_ROWS],
        on: [bool; MAX_ROWS],
        which: Impulses,
    ) {
        let n = joint.rows();
        let mut a = [[0.0; MAX_ROWS]; MAX_ROWS];
        for (i, r) in joint.range().enumerate().filter(|(i, _)| on[*i]) {
            for (j, s) in joint.range().enumerate().filter(|(j, _)| on[*j]) {
                a[i][j] = self.entry(articulations, joint, r, s);
            }
        }
        dense::solve(&mut a, &mut b, &on, n);
        for (i, k) in joint.range().enumerate().filter(|(i, _)| on[*i]) {
            match which {
                Impulses::Lambda => self.rows.lambda[k] += b[i],
                Impulses::Mu => self.rows.mu[k] += b[i],
            }
            self.push_row(articulations, joint, k, b[i]);
        }
    }

    /// An impulse on one row: impulses and velocities of the nodes.
    fn push_row(&mut self, articulations: &Articulations, joint: &Joint, k: usize, size: f64) {
        if size == 0.0 {
            return;
        }
        for (side, node) in joint.pushed() {
            let (i, push) = (node.get(), self.rows.lines[k].push[side] * size);
            self.states.impulses[i] += push;
            match self.topology.nodes[i] {
                Node::Single { .. } => {
                    let answer = self.states.respond(i, push);
                    self.states.velocities[i] += answer;
                }
                Node::Port { articulation, .. } => {
                    for j in 0..self.topology.nodes.len() {
                        if self.topology.articulation(j) == Some(articulation) {
                            let answer = self.respond(articulations, NodeIx::new(j), node, push);
                            self.states.velocities[j] += answer;
                        }
                    }
                }
            }
        }
    }

    /// Velocities of the ends of a joint by the impulses that they have so far.
    fn see_sides(&self, joint: &Joint, sides: &mut [Side]) {
        for (_, node) in joint.pushed() {
            if self.topology.is_single(node) {
                let NodeStates { bodies, impulses, inverse_inertias, .. } = &self.states;
                let (motion, push) = (bodies[node].motion(), impulses[node]);
                sides[node].velocity = motion.linear + push.linear * bodies[node].inverse_mass;
                sides[node].omega = motion.angular + inverse_inertias[node] * push.angular;
            }
        }
    }
}

impl NodeStates {
    /// The single bodies as the paper's equations see them, by node.
    fn sides(&self) -> Vec<Side> {
        let side = |(body, inverse_inertia): (&Moving, &Sym3)| {
            let motion = body.motion();
            Side {
                position: body.at.position,
                rotation: body.at.rotation,
                velocity: motion.linear,
                omega: motion.angular,
                inverse_mass: body.inverse_mass,
                inverse_inertia: *inverse_inertia,
            }
        };
        self.bodies.iter().zip(&self.inverse_inertias).map(side).collect()
    }
}
