//! Euler's steps: one articulated-body sweep, first order. Long undamped chains explode in them.

use crate::dynamics::State;
use crate::model::Tree;

use super::{Step, StepReport, Workspace, position};

/// `v += h a`, then `q ⊕= h v`; dampers and springs implicit.
pub(super) fn semi_implicit(step: &Step<'_>, state: &mut State, work: &mut Workspace) -> StepReport {
    let Step { tree, loads, dt, .. } = *step;
    let sweeps = work.accelerate(&step.at(&state.q, &state.v), loads, dt);
    add_scaled(tree, &mut state.v, &work.rates, dt);
    position::advance_in_place(tree, &mut state.q, &state.v, dt);
    StepReport { sweeps, substeps: 1, capped: false }
}

/// `q ⊕= h v`, `v += h a`, both from the old state; dampers and springs explicit, as in the 2005 paper.
pub(super) fn explicit(step: &Step<'_>, state: &mut State, work: &mut Workspace) -> StepReport {
    let Step { tree, loads, dt, .. } = *step;
    work.accelerate(&step.at(&state.q, &state.v), loads, 0.0);
    position::advance_in_place(tree, &mut state.q, &state.v, dt);
    add_scaled(tree, &mut state.v, &work.rates, dt);
    StepReport { sweeps: 1, substeps: 1, capped: false }
}

/// `x += h y` over the degrees of freedom of `tree`.
pub(super) fn add_scaled(tree: &Tree, x: &mut [f64], y: &[f64], h: f64) {
    for link in &tree.links {
        for dof in link.dofs() {
            x[dof] += h * y[dof];
        }
    }
}
