//! Which joints of the transient region become active, and what that is worth.

use crate::dynamics::State;
use crate::model::{LinkId, Model, Tree};

use super::super::goal::Goal;
use super::super::hybrid::Hybrid;
use super::super::worth::{Assembled, Worth};
use super::super::{Choice, Keep, LeftOut, NodeId, Rule, Target};
use super::{Region, Update};

impl Region {
    /// Chooses the next active joints among those of the transient region, by the `velocity` of each degree of freedom, which is told the
    /// state and the rates that were solved for last.
    pub(super) fn choose(
        &mut self,
        update: &mut Update<'_>,
        goal: &Goal,
        velocity: impl Fn(&State, &[f64], usize) -> f64,
    ) -> LeftOut {
        let Update { model, detail, .. } = *update;
        let (state, rates, full) = (&*update.state, &update.work.rates[..], model.tree());
        let Self {
            selector, assembly, transient, now, rigid, keep, weights, never_frozen, next, worths, ..
        } = self;
        let metric = |link: LinkId| {
            let dofs = full.links[link.index()].dofs();
            let mut x = [0.0; 6];
            for (x, dof) in x.iter_mut().zip(dofs.clone()) {
                *x = velocity(state, rates, dof);
            }
            weights.norm(full, link, &state.q, &x[..dofs.len()])
        };
        // a price is one for nodes, or one for joints
        let rule = match (detail.target, detail.rule) {
            (Target::Price { .. }, Rule::Split) => Rule::Tree,
            // the error is that of the front, which worths of single joints do not add up to
            (Target::Pixels { .. }, _) => Rule::Tree,
            (_, rule) => rule,
        };
        let choice = Choice {
            assembly,
            hybrid: transient,
            candidate: |link| is_free(full, keep, link),
            rule,
            allowed: goal.velocity,
        };
        let body = Assembled { tree: full, assembly, rigid };
        let weigh = weigh(&mut update.worth, body, now, 1.0);
        let left = choice.make(selector, metric, weigh, &mut next.active, worths);
        for link in never_frozen {
            next.active.insert(link.0);
        }
        left
    }

    /// Sum over all joints of the transient region that may be frozen of the metric of `rates`, by v.
    pub(super) fn sum_of_free(&self, model: &Model, q: &[f64], rates: &[f64]) -> f64 {
        let full = model.tree();
        let links = self.transient.active.members().iter().map(|i| LinkId(*i));
        let of = |link: LinkId| self.weights.norm(full, link, q, &rates[full.links[link.index()].dofs()]);
        links.filter(|link| is_free(full, &self.keep, *link)).map(of).sum()
    }
}

/// The velocity that a degree of freedom has.
pub(super) fn present_velocity(state: &State, _rates: &[f64], dof: usize) -> f64 {
    state.v[dof]
}

/// What a metric is worth in a node: itself, or pixels to a viewer, of velocities that are `gained` times the metric.
pub(super) fn weigh<'a>(
    worth: &'a mut Option<&mut dyn Worth>,
    body: Assembled<'a>,
    now: &'a Hybrid,
    gained: f64,
) -> impl FnMut(NodeId, f64) -> f64 {
    move |node, metric| match worth {
        Some(worth) if !worth.is_idle() => worth.worth(&body, node, gained * metric, now.is_open(node)),
        _ => metric,
    }
}

/// Whether the metric decides about a joint: it is no floating base, and the user does not keep it active or frozen.
pub(super) fn is_free(full: &Tree, keep: &[Keep], link: LinkId) -> bool {
    !full.links[link.index()].floats() && keep.get(link.index()).is_none_or(|k| *k == Keep::Free)
}
