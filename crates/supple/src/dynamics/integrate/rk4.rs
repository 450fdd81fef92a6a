//! Classical Runge–Kutta of fourth order on (q, v) as plain numbers: `q̇ = q ω / 2` for quaternions, brought
//! back to unit length after the step. Passive forces are explicit.

use crate::State;
use crate::model::{Model, Tree};

use super::{Loads, StepReport, Workspace, position};

pub(super) fn step(
    model: &Model,
    tree: &Tree,
    state: &mut State,
    loads: &Loads,
    dt: f64,
    work: &mut Workspace,
) -> StepReport {
    let nodes = [0.0, 0.5, 0.5, 1.0];
    let weights = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];
    let mut stages = work.take_stages(3, state);
    {
        let [(q, v), (q_rate, v_rate), (q_sum, v_sum), ..] = &mut stages[..] else {
            return StepReport::default();
        };
        q_sum.copy_from_slice(&state.q);
        v_sum.copy_from_slice(&state.v);
        q_rate.fill(0.0);
        v_rate.fill(0.0);
        for (node, weight) in nodes.into_iter().zip(weights) {
            combine(q, &state.q, q_rate, node * dt);
            combine(v, &state.v, v_rate, node * dt);
            work.accelerate(model, tree, q, v, loads, 0.0);
            position::rates(tree, q, v, q_rate);
            v_rate.copy_from_slice(&work.qdd);
            add(q_sum, q_rate, weight * dt);
            add(v_sum, v_rate, weight * dt);
        }
        state.q.copy_from_slice(q_sum);
        state.v.copy_from_slice(v_sum);
    }
    position::normalize(tree, &mut state.q);
    work.stages = stages;
    StepReport { sweeps: 4, substeps: 1, capped: false }
}

fn combine(out: &mut [f64], x: &[f64], y: &[f64], h: f64) {
    for ((o, x), y) in out.iter_mut().zip(x).zip(y) {
        *o = x + h * y;
    }
}

fn add(x: &mut [f64], y: &[f64], h: f64) {
    for (x, y) in x.iter_mut().zip(y) {
        *x += h * y;
    }
}
