//! Classical Runge–Kutta of fourth order on (q, v) as plain numbers: `q̇ = q ω / 2` for quaternions, brought
//! back to unit length after the step. Passive forces are explicit.

use crate::dynamics::State;

use super::joints_of::{copy_q, copy_v, for_each_place};
use super::{Step, StepReport, Workspace, position};

pub(super) fn step(step: &Step<'_>, state: &mut State, work: &mut Workspace) -> StepReport {
    let Step { tree, loads, dt, .. } = *step;
    let nodes = [0.0, 0.5, 0.5, 1.0];
    let weights = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];
    let mut stages = work.take_stages(3, state);
    {
        let [(q, v), (q_rate, v_rate), (q_sum, v_sum), ..] = &mut stages[..] else {
            return StepReport::default();
        };
        copy_q(tree, &state.q, q_sum);
        copy_v(tree, &state.v, v_sum);
        for_each_place(tree, |i| q_rate[i] = 0.0, |i| v_rate[i] = 0.0);
        for (node, weight) in nodes.into_iter().zip(weights) {
            let h = node * dt;
            for_each_place(
                tree,
                |i| q[i] = state.q[i] + h * q_rate[i],
                |i| v[i] = state.v[i] + h * v_rate[i],
            );
            work.accelerate(&step.at(q, v), loads, 0.0);
            position::rates(tree, q, v, q_rate);
            copy_v(tree, &work.rates, v_rate);
            let h = weight * dt;
            for_each_place(tree, |i| q_sum[i] += h * q_rate[i], |i| v_sum[i] += h * v_rate[i]);
        }
        copy_q(tree, q_sum, &mut state.q);
        copy_v(tree, v_sum, &mut state.v);
    }
    position::normalize(tree, &mut state.q);
    work.stages = stages;
    StepReport { sweeps: 4, substeps: 1, capped: false }
}
