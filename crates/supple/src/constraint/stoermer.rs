//! Dynamics by displacement constraints (Faure, section 4.2): bodies first move as if they were free, then displacements close the
//! joints, and the velocity is what became of the way over the step. No velocity is ever projected.
//!
//! ```text
//!  predict freely;   `outer` times:  directions at the predicted pose;  A δλ = −errors / dt, at most `inner` products;  displace
//! ```
//!
//! Directions at the end of the step make it robust: what a step cannot follow is damped, where impulses along the directions of its
//! start would make it grow. Impulses act on each body at its own joint point, and momenta turn with the body as it is displaced: a
//! thin rod that is held at its ends would spin about its axis otherwise, ever faster.
//!
//! Two things differ from the paper. Angular momenta are carried on, not rotations, so that free bodies tumble as they should. And
//! since arms at the end of the step do not quite fit positions at its start, bodies that nothing outside holds get back the angular
//! momentum that they lose so, by turning as one: that moves no joint.

use glam::DVec3;

use crate::bodies::{Articulations, Node};
use crate::spatial::{Force, rotation};

use super::Arms;
use super::Settings;
use super::active_set::bounds_or_none;
use super::holder::Holders;
use super::island::Island;
use super::krylov::Method;
use super::node_states::NodeStates;
use super::pivot::Linear;

/// Greatest turn of a body in one iteration \[rad]; Faure finds 0.8 a good value.
pub const GREATEST_TURN: f64 = 0.8;

impl Island {
    /// The start: no impulses, the others of the last step to begin with.
    pub(crate) fn begin_displacement(&mut self, dt: f64, last_dt: f64) {
        self.begin(dt, last_dt);
        self.states.slacken();
        self.clear_impulses();
        self.predict_singles(dt);
    }

    /// One outer iteration, from where the nodes are predicted to be, with at most so many `products` with A; without any, at the last, only
    /// the error is taken.
    pub(crate) fn improve_displacement(
        &mut self,
        constraints: &Holders,
        articulations: &Articulations,
        settings: &Settings,
        products: Option<u32>,
        dt: f64,
    ) {
        let error = self.predicted_error(constraints, settings, dt);
        let switched = self.switch(dt, 1.0);
        // at first the impulses of the last step have not acted yet
        let first = self.newton.iterations() == 0;
        let waiting = switched || (first && self.rows.lambda.iter().any(|x| *x != 0.0));
        let exact = 0.1 * settings.tolerance / dt;
        let Some(products) = products.filter(|_| !(error <= settings.tolerance) || waiting) else {
            self.newton.end(error <= settings.tolerance, self.newton.iterations(), error);
            if first {
                self.rows.lambda.fill(0.0);
            }
            return;
        };
        self.newton.note_iteration(error);
        let values: Vec<f64> = self.rows.lines.iter().map(|line| line.value).collect();
        let sides: Vec<u16> = self.topology.joints.iter().map(|joint| joint.low_sides).collect();
        self.linearize(constraints, Arms::Own);
        self.keep_stops(&sides);
        let NodeStates { inverse_inertias, bodies, frames, .. } = &mut self.states;
        for ((inverse, body), frame) in inverse_inertias.iter_mut().zip(bodies).zip(frames) {
            *inverse = body.inverse_inertia_at(frame.rotation);
        }
        self.answer(articulations);
        // what rows were at the start of the step is what springs and motors go by
        for (line, value) in self.rows.lines.iter_mut().zip(values) {
            line.value = value;
        }
        for r in &mut self.rows.residuals {
            *r /= dt;
        }
        let before = if first { vec![0.0; self.rows.lambda.len()] } else { self.rows.lambda.clone() };
        if first {
            // the impulses of the last step, along the directions of this one
            let mut change = vec![0.0; self.rows.lambda.len()];
            self.multiply(articulations, dt, &mut change);
            for (r, c) in self.rows.residuals.iter_mut().zip(change) {
                *r += c;
            }
        }
        std::mem::swap(&mut self.pivots.residuals, &mut self.rows.residuals);
        self.pivots.start.clone_from(&self.rows.lambda);
        let bounds = |island: &Self, k: usize| bounds_or_none(island.rows.lines[k].ask, dt, 1.0);
        self.pivot(articulations, Linear { damping: 0.0, least: exact, dt }, bounds, |island| {
            island.solve_iteratively(articulations, Method::Gradients, products, exact, dt);
        });
        let mut change = std::mem::take(&mut self.rows.residuals);
        change.clear();
        change.extend(self.pivots.x.iter().zip(&before).map(|(x, before)| x - before));
        let mut pushes = vec![Force::ZERO; self.topology.nodes.len()];
        for joint in &self.topology.joints {
            for (side, node) in joint.pushed() {
                for k in joint.range() {
                    pushes[node] += self.rows.lines[k].push[side] * change[k];
                }
            }
        }
        // a linear approximation is good for no greater turns
        let mut answers = Vec::new();
        self.respond_all(articulations, &pushes, &mut answers);
        let turn = answers.iter().fold(0.0f64, |turn, v| turn.max(dt * v.angular.length()));
        let share = if turn > GREATEST_TURN { GREATEST_TURN / turn } else { 1.0 };
        for (i, push) in pushes.into_iter().enumerate() {
            self.displace(i, push * share, answers[i].angular * (share * dt), dt);
        }
        for k in 0..self.rows.lambda.len() {
            self.rows.lambda[k] = before[k] + share * change[k];
        }
        self.rows.residuals = change;
    }

    /// Limits look at the stops of these `sides` again, which were chosen with the start of the step in view.
    fn keep_stops(&mut self, sides: &[u16]) {
        for (joint, sides) in self.topology.joints.iter_mut().zip(sides) {
            for (i, k) in joint.range().enumerate() {
                let line = &mut self.rows.lines[k];
                if line.ask.is_limit() && (joint.low_sides ^ sides) >> i & 1 == 1 {
                    line.push = line.push.map(|push| -push);
                }
            }
            joint.low_sides = *sides;
        }
    }

    /// Moves a predicted body by what an impulse does in `dt` \[s], and its angular momentum with its `turn` \[rad], so that a thin rod
    /// which is pushed at its ends does not begin to spin about its axis. Ports only note the impulse.
    fn displace(&mut self, i: usize, push: Force, turn: DVec3, dt: f64) {
        let (body, impulse, frame) =
            (&self.states.bodies[i], &mut self.states.impulses[i], &mut self.states.frames[i]);
        if let Node::Single { .. } = self.topology.nodes[i] {
            let q = rotation::exp(turn);
            let momentum = q * (body.angular_momentum + impulse.angular + push.angular);
            frame.position += push.linear * (body.inverse_mass * dt);
            frame.rotation = (q * frame.rotation).normalize();
            *impulse = Force::new(momentum - body.angular_momentum, impulse.linear + push.linear);
        } else {
            *impulse += push;
        }
    }
}
