//! Poses that a body has the energy for.
//!
//! Total momenta of a floating body are kept to rounding, so the energy that they alone take with all joints locked must be there. A
//! chain that crumples in one step would need more: its locked inertia shrinks. Then the joints go only a half, a
//! quarter … of their way; what little is missing in the end is gained by a small turn of the whole body against
//! the gradient of its energy, `dE = δ·(w × L)`.

use glam::DQuat;

use crate::dynamics::State;
use crate::model::Link;
use crate::spatial::rotation;

use super::super::super::energy;
use super::super::{Step, position};
use super::floating::{Locked, Target, Total};
use super::survey::potential;
use super::{Plan, Scratch, place};

/// Tries at most to find such a pose. Chosen: eleven halvings leave 5e-4 of the way, and the last try none of it.
const REACHES: u32 = 12;
/// Energies closer than this share of them are equal. Chosen above the rounding of the sums that they are, 1e-16 and a digit or two for a chain;
/// the largest rise in a step was 3e-13 in 540 runs of 30 s with 2 to 20 links.
const ROUNDING: f64 = 1e-13;
/// The body is turned as a whole by no more than this \[rad]. Chosen small: the turn is there to mend what is little, where the energy is linear
/// in it to a hundredth; what is more is left to the joints, which then go only a part of their way.
const LARGEST_TURN: f64 = 1e-2;

/// Changes the pose at the end of the step until its momenta take no more than `energy` \[J], kinetic and potential.
/// Returns the body with its joints locked there.
pub(super) fn reach(
    plan: &Plan<'_>,
    target: &Target,
    before: &Total,
    energy: f64,
    state: &mut State,
    scratch: &mut Scratch,
) -> Option<Locked> {
    let Step { model, tree, loads, dt } = plan.step;
    let root = &tree.links[0];
    let (iq, iv) = (root.q as usize, root.v as usize);
    let single = tree.links.len() == 1;
    let linear_energy = 0.5 * target.linear.length_squared() / target.mass;
    let weight = -target.mass * loads.gravity.dot(target.com);
    let (mut share, mut last_excess) = (1.0, f64::INFINITY);
    let Scratch { start, start_q, end, bodies, v_middle, v_pass: v_share, .. } = scratch;
    for attempt in 1.. {
        let here = Locked::at(tree, end, bodies)?;
        let w = here.inverse * target.angular;
        let locked = 0.5 * w.dot(target.angular);
        let allowed = energy - linear_energy - weight - energy::elastic(model, tree, &state.q);
        let excess = locked - allowed;
        if attempt > REACHES || excess <= 0.0 && !(single && loads.is_none()) {
            return Some(here);
        }
        // Newton's method, as long as it converges: the least energy of this shape may be too much
        let gradient = w.cross(target.angular);
        let turn = gradient * (-excess / gradient.length_squared().max(f64::MIN_POSITIVE));
        let converges = excess.abs() < 0.25 * last_excess && attempt < REACHES;
        if converges && turn.length_squared() < LARGEST_TURN * LARGEST_TURN {
            last_excess = excess.abs();
            let in_joint = root.placement.rotation.transpose() * turn;
            let q = rotation::exp(in_joint) * DQuat::from_slice(&state.q[iq + 3..iq + 7]);
            q.normalize().write_to_slice(&mut state.q[iq + 3..iq + 7]);
        } else if single || excess <= ROUNDING * locked {
            return Some(here);
        } else {
            share = if attempt < REACHES { 0.5 * share } else { 0.0 };
            last_excess = f64::INFINITY;
            // with all joints locked, a turn about the angular momentum changes no energy: in the end this is reached
            place(tree, start, bodies);
            let locked_start = Locked::at(tree, start, bodies)?;
            let axis = before.angular.normalize_or_zero();
            let w = axis * axis.dot(locked_start.inverse * before.angular);
            let spin = start.links[0].rotation.transpose() * w;
            for dof in tree.links.iter().flat_map(Link::dofs) {
                v_share[dof] = share * v_middle[dof];
            }
            for k in 0..3 {
                v_share[iv + k] += (1.0 - share) * spin[k];
            }
            position::advance(tree, start_q, v_share, dt, &mut state.q);
        }
        end.update_poses(tree, &state.q);
        place(tree, end, bodies);
    }
    None
}

/// Bounds the energy of a body that hangs on the world: its weight, its springs and stops must not hold more than `energy` \[J].
/// A joint that is pushed deep into its stop within one step, or a mass at a long lever that is flung up in one, would
/// find more there. Returns the potential energy \[J].
pub(super) fn stay_below(plan: &Plan<'_>, energy: f64, state: &mut State, scratch: &mut Scratch) -> f64 {
    let Step { tree, dt, .. } = plan.step;
    let Scratch { start_q, end, bodies, v_middle, v_pass: v_share, .. } = scratch;
    let mut share = 1.0;
    let mut attempt = 1;
    loop {
        let potential = potential(&plan.step, &state.q, plan.dead, end, bodies);
        if potential <= energy || attempt > REACHES {
            return potential;
        }
        share = if attempt < REACHES { 0.5 * share } else { 0.0 };
        for dof in tree.links.iter().flat_map(Link::dofs) {
            v_share[dof] = share * v_middle[dof];
        }
        position::advance(tree, start_q, v_share, dt, &mut state.q);
        end.update_poses(tree, &state.q);
        place(tree, end, bodies);
        attempt += 1;
    }
}
