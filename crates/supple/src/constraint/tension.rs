//! Tension stiffness: a body that is pulled at both ends does not turn freely.
//!
//! Impulses act along the directions of the start of the step. Where a body is pulled hard, its turning changes their moments: a
//! string under tension swings fast, and a step longer than a third of its period cannot follow; energy would explode. With `p` the
//! impulses at arms `r`, the moment changes by `−Σ ((r·p) 1 − r pᵀ) φ` for a turn φ, so that with a share θ of it taken at the end of
//! the step the body turns as if it had the inertia `I + θ dt K`, K = Σ (r·p) (1 − r̂ r̂ᵀ) over the arms in tension. In
//! the mode of ratio `a = dt K / I` a step is stable if `a (1 − θ) < 2` and damps by `1 / (1 + a θ)`: with θ = a² / (1 + a²) it
//! holds for any tension, and what the step can follow is left alone.

use glam::DVec3;

use crate::spatial::Sym3;

use super::island::{FIXED, Island, Node};

/// Below this ratio a share of tension would change nothing that can be seen: the damping of a step is a³.
const SLACK: f64 = 0.01;

impl Island {
    /// Tension of the single bodies by the impulses that the step starts with, for `dt` \[s].
    pub(super) fn tighten(&mut self, dt: f64) {
        let mut tight = std::mem::take(&mut self.tensions);
        tight.clear();
        tight.resize(self.nodes.len(), Sym3::ZERO);
        for joint in &self.joints {
            let push: DVec3 =
                joint.range().map(|k| self.lines[k].push[1].linear * self.lambda[k]).sum();
            for (side, push) in [-push, push].into_iter().enumerate() {
                let end = joint.ends[side];
                if end == FIXED || !matches!(self.nodes[end as usize], Node::Single { .. }) {
                    continue;
                }
                let arm = self.frames[end as usize].rotation * joint.frames[side].position;
                let pull = arm.dot(push);
                if pull > 0.0 {
                    let r = arm.normalize();
                    tight[end as usize] += (Sym3::diagonal(DVec3::ONE) - Sym3::outer(r)) * (pull * dt);
                }
            }
        }
        let mut changed = false;
        for (i, body) in self.bodies.iter_mut().enumerate() {
            // the greatest ratio of the two, from above
            let ratio = tight[i].trace() * 0.5 * self.inverse_inertias[i].trace();
            let tension = (ratio > SLACK).then(|| tight[i] * (ratio * ratio / (1.0 + ratio * ratio)));
            if tension.is_some() {
                changed = true;
                self.inverse_inertias[i] = body.yielding_inertia(tension.unwrap_or(Sym3::ZERO));
            }
            body.tension = tension;
        }
        self.tensions = tight;
        self.is_tight = changed;
    }
}
