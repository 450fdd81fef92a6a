//! Runge–Kutta of Dormand and Prince, 5(4), in sub-steps as small as the tolerance asks for.
//!
//! Hairer, Nørsett & Wanner, *Solving Ordinary Differential Equations I*, table II.5.2; step size by a plain
//! proportional rule. Deterministic: the sub-steps depend on the state alone (the last size is part of it).

use crate::dynamics::State;
use crate::spatial::math;

use super::joints_of::{copy_q, copy_v, for_each_place};
use super::{Step, StepReport, Workspace, position};

const A: [[f64; 6]; 7] = [
    [0.0; 6],
    [1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
/// Fifth-order minus fourth-order weights.
const E: [f64; 7] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339_200.0, 22.0 / 525.0, -1.0 / 40.0];
/// Sub-steps are never shorter than this share of the step: below it the state is on its way to infinity. Chosen; it bounds the time that
/// a step may take.
const SMALLEST_SHARE: f64 = 1e-4;
/// What is aimed at of the size that the tolerance would just allow, so that few sub-steps are taken again (Hairer, section II.4).
const SAFETY: f64 = 0.9;
/// Bounds of the change of size from one sub-step to the next: the estimate knows nothing of what is farther away. Hairer, section II.4, has
/// 1.5 to 5 for the upper one.
const CHANGES: [f64; 2] = [0.2, 5.0];

pub(super) fn step(step: &Step<'_>, tolerance: f64, state: &mut State, work: &mut Workspace) -> StepReport {
    let Step { tree, loads, dt, .. } = *step;
    let mut report = StepReport::default();
    let mut stages = work.take_stages(8, state);
    let mut done = 0.0;
    let mut h = if state.substep > 0.0 { state.substep.min(dt) } else { dt };
    let mut have_first = false;
    while done < dt {
        let last = done + h >= dt * (1.0 - 1e-12);
        let h_now = if last { dt - done } else { h };
        let (trial, slopes) = stages.split_at_mut(1);
        let (q, v) = &mut trial[0];
        for (i, row) in A.iter().enumerate() {
            if i == 0 && have_first {
                continue;
            }
            copy_q(tree, &state.q, q);
            copy_v(tree, &state.v, v);
            for (a, (q_slope, v_slope)) in row.iter().zip(slopes.iter()).take(i) {
                let h = h_now * a;
                for_each_place(tree, |i| q[i] += h * q_slope[i], |i| v[i] += h * v_slope[i]);
            }
            work.accelerate(&step.at(q, v), loads, 0.0);
            report.sweeps += 1;
            let (q_slope, v_slope) = &mut slopes[i];
            position::rates(tree, q, v, q_slope);
            copy_v(tree, &work.rates, v_slope);
        }
        // positions to the tolerance, velocities to the tolerance per second
        let (mut of_q, mut of_v) = (0.0, 0.0);
        for_each_place(
            tree,
            |i| of_q = larger(of_q, difference(slopes, h_now, |s| s.0[i])),
            |i| of_v = larger(of_v, difference(slopes, h_now, |s| s.1[i]) * dt),
        );
        let error = if of_v.is_nan() { of_v } else { of_q.max(of_v) };
        let ratio = error / tolerance;
        let accepted = ratio <= 1.0 || h_now <= SMALLEST_SHARE * dt;
        if accepted {
            // the last trial is the fifth-order solution, its slope the first of the next sub-step
            copy_q(tree, q, &mut state.q);
            copy_v(tree, v, &mut state.v);
            position::normalize(tree, &mut state.q);
            slopes.swap(0, 6);
            report.substeps += 1;
            done += h_now;
            if !ratio.is_finite() {
                // no shorter step helps: let the caller see which joint has no finite acceleration
                copy_v(tree, &slopes[0].1, &mut state.v);
                break;
            }
        }
        have_first = true;
        // a trial that left the finite numbers was too long
        let growth = if ratio.is_finite() { SAFETY * math::pow(ratio.max(1e-10), -0.2) } else { 0.0 };
        if !(last && accepted && growth >= 1.0) {
            h = h_now * growth.clamp(CHANGES[0], CHANGES[1]);
        }
        h = h.max(SMALLEST_SHARE * dt);
        if last && accepted {
            break;
        }
    }
    state.substep = h;
    work.stages = stages;
    report
}

type Slope = (Vec<f64>, Vec<f64>);

/// One entry of `h Σ E_i k_i`, its size.
fn difference(slopes: &[Slope], h: f64, of: impl Fn(&Slope) -> f64) -> f64 {
    (h * E.iter().zip(slopes).map(|(e, s)| e * of(s)).sum::<f64>()).abs()
}

/// The larger of two numbers; `max` would drop a NaN.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}
