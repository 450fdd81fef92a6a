//! Tension stiffness: a body that is pulled at both ends does not turn freely.
//!
//! Impulses act along the directions of the start of the step. Where a body is pulled hard, its turning changes their moments: a
//! string under tension swings fast, and a step longer than a third of its period cannot follow; energy would explode. With `p` the
//! impulses at arms `r`, the moment changes by `−Σ ((r·p) 1 − r pᵀ) φ` for a turn φ, so that with a share θ of it taken at the end of
//! the step the body turns as if it had the inertia `I + θ dt K`, K = Σ (r·p) (1 − r̂ r̂ᵀ) over the arms in tension. Likewise a
//! body on a taut rope of length l is drawn back by `p/l` per sideways travel, as if it had the mass `m + θ dt p/l` across the rope. In
//! the mode of ratio `a = dt K / I` a step is stable if `a (1 − θ) < 2` and damps by `1 / (1 + a θ)`: with θ = a² / (1 + a²) it
//! holds for any tension, and what the step can follow is left alone. Momenta are not touched: only the way that a body goes with
//! them is shorter.

use glam::DVec3;

use crate::bodies::Articulations;
use crate::spatial::Sym3;

use super::island::Island;
use super::node_states::NodeStates;
use super::topology::Joint;

/// Below this ratio a share of tension would change nothing that can be seen: the damping of a step is a³.
const SLACK: f64 = 0.01;

impl Island {
    /// Tension of the single bodies by the impulses that the step starts with, for `dt` \[s]: they answer otherwise than at the end of
    /// the last step.
    pub(crate) fn tighten(&mut self, articulations: &Articulations, dt: f64) {
        let Self { topology, states, rows, .. } = self;
        let mut terms = std::mem::take(&mut states.tension_terms);
        terms.clear();
        terms.resize(topology.nodes.len(), [Sym3::ZERO; 2]);
        for joint in &topology.joints {
            let push: DVec3 = joint.range().map(|k| rows.lines[k].push[1].linear * rows.lambda[k]).sum();
            // a rope pulls its child towards the parent
            let rope = if joint.bend == 0.0 { 0.0 } else { joint.bend * states.pull_along(joint, push) };
            for (side, node) in joint.pushed().filter(|(_, node)| topology.is_single(*node)) {
                let push = if side == 0 { -push } else { push };
                let [turn, slide] = &mut terms[node];
                let arm = states.frames[node].rotation * joint.frames[side].position;
                let pull = arm.dot(push);
                if pull > 0.0 {
                    *turn += across(arm) * (pull * dt);
                }
                if rope > 0.0 {
                    *slide += across(push) * (rope * dt);
                }
            }
        }
        let mut is_tight = false;
        let bodies = states.bodies.iter().zip(&states.inverse_inertias);
        for (((body, inverse), terms), tension) in bodies.zip(&terms).zip(&mut states.tension) {
            let [turn, slide] = *terms;
            // the greatest of the ratios, from above
            let ratio_turn = 0.5 * turn.trace() * inverse.trace();
            let ratio_slide = 0.5 * slide.trace() * body.inverse_mass;
            let share = |a: f64| a * a / (1.0 + a * a);
            *tension = if ratio_turn.max(ratio_slide) > SLACK {
                body.tightened(turn * share(ratio_turn), slide * share(ratio_slide))
            } else {
                None
            };
            is_tight |= tension.is_some();
        }
        states.tension_terms = terms;
        if is_tight {
            self.answer(articulations);
            self.matrix.forget();
        }
    }
}

impl NodeStates {
    /// How hard a joint draws its child towards its parent \[N·s].
    fn pull_along(&self, joint: &Joint, push: DVec3) -> f64 {
        let apart = self.side(joint, 1).position - self.side(joint, 0).position;
        -apart.normalize_or_zero().dot(push)
    }
}

/// `1 − d̂ d̂ᵀ`.
fn across(d: DVec3) -> Sym3 {
    Sym3::diagonal(DVec3::ONE) - Sym3::outer(d.normalize_or_zero())
}
