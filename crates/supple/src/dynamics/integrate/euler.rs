//! Euler's steps: one articulated-body sweep, first order. Long undamped chains explode in them.

use crate::dynamics::State;
use crate::model::{Model, Tree};

use super::{Loads, StepReport, Workspace, position};

/// `v += h a`, then `q ⊕= h v`; dampers and springs implicit.
pub(super) fn semi_implicit(
    model: &Model,
    tree: &Tree,
    state: &mut State,
    loads: &Loads,
    dt: f64,
    work: &mut Workspace,
) -> StepReport {
    let sweeps = work.accelerate(model, tree, &state.q, &state.v, loads, dt);
    add_scaled(tree, &mut state.v, &work.rates, dt);
    position::advance_in_place(tree, &mut state.q, &state.v, dt);
    StepReport { sweeps, substeps: 1, capped: false }
}

/// `q ⊕= h v`, `v += h a`, both from the old state; dampers and springs explicit, as in the 2005 paper.
pub(super) fn explicit(
    model: &Model,
    tree: &Tree,
    state: &mut State,
    loads: &Loads,
    dt: f64,
    work: &mut Workspace,
) -> StepReport {
    work.accelerate(model, tree, &state.q, &state.v, loads, 0.0);
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
