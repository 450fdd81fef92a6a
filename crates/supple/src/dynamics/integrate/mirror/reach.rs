//! How far a floating body gets in a step: no further than its energy reaches.
//!
//! Momenta of a floating body are given. With all joints locked they take the least energy that the pose allows,
//! `L·I⁻¹L/2 + l²/2m`, and a chain that crumples in one step may need more than there is: then no cap on the motion of
//! the joints helps, and the pose must be another. Joints go a half, a quarter … of their way; in the end all is
//! locked and turns about its angular momentum, which takes no energy. Small excesses are met by a turn δ of the
//! whole body against the gradient of its energy, `dE = δ·(w × L)`.

use glam::{DQuat, DVec3};

use crate::State;
use crate::model::Tree;
use crate::spatial::{Sym3, rotation};

use super::super::position;
use super::floating::{Rigid, Total};
use super::{Plan, Scratch};

/// Poses tried at most.
const POSES: u32 = 12;
/// Energies closer than this share of them are equal.
const ROUNDING: f64 = 1e-13;
/// The whole body is turned by no more than this to make up for missing energy \[rad].
const LARGEST_TURN: f64 = 1e-2;

/// The search for a pose that can be reached.
pub(super) struct Reach {
    pose: u32,
    /// Share of their way that the joints go.
    share: f64,
    last_excess: f64,
}

impl Reach {
    pub(super) const fn new() -> Self {
        Self { pose: 0, share: 1.0, last_excess: f64::INFINITY }
    }

    /// Looks for another pose if the present one takes more kinetic energy than `allowed` \[J]; writes it to the state and
    /// says whether it did. `exact`: a single body under no loads but gravity, whose energy is kept both ways.
    pub(super) fn another(
        &mut self,
        plan: &Plan,
        tree: &Tree,
        rigid: &Rigid,
        start: &Total,
        allowed: f64,
        exact: bool,
        state: &mut State,
        scratch: &mut Scratch,
    ) -> bool {
        let excess = rigid.energy - allowed;
        let small = ROUNDING * rigid.energy;
        if excess <= small && !(exact && excess < -small) || self.pose == POSES {
            return false;
        }
        self.pose += 1;
        let root = &tree.links[0];
        let at = root.q as usize + 3;
        let gradient = rigid.spin.cross(rigid.angular);
        let turn = gradient * (-excess / gradient.length_squared().max(f64::MIN_POSITIVE));
        // Newton's method, as long as it converges: the least energy of this shape may be too much
        let converges = excess.abs() < 0.25 * self.last_excess && self.pose < POSES;
        if converges && turn.length() < LARGEST_TURN {
            self.last_excess = excess.abs();
            let in_joint = root.placement.rotation.transpose() * turn;
            let turned = rotation::exp(in_joint) * DQuat::from_slice(&state.q[at..at + 4]);
            turned.normalize().write_to_slice(&mut state.q[at..at + 4]);
            return true;
        }
        if tree.links.len() == 1 {
            return false;
        }
        self.share = if self.pose < POSES { 0.5 * self.share } else { 0.0 };
        self.last_excess = f64::INFINITY;
        let Some(spin) = locked_spin(tree, start, scratch) else { return false };
        let Scratch { start, start_q, v_middle, v_pass, .. } = scratch;
        for (slow, v) in v_pass.iter_mut().zip(&*v_middle) {
            *slow = self.share * v;
        }
        let in_root = start.links[0].rotation.transpose() * spin * (1.0 - self.share);
        for k in 0..3 {
            v_pass[root.v as usize + k] += in_root[k];
        }
        position::advance(tree, start_q, v_pass, plan.dt, &mut state.q);
        true
    }
}

/// Angular velocity of the start's pose, all joints locked, along the angular momentum.
fn locked_spin(tree: &Tree, start: &Total, scratch: &Scratch) -> Option<DVec3> {
    let mut locked = Sym3::ZERO;
    for (central, motion) in tree.central.iter().zip(&scratch.start.links) {
        let arm = motion.pose().point(central.com) - start.com;
        locked += central.inertia.rotated(motion.rotation) + Sym3::point_mass(arm) * central.mass;
    }
    let axis = start.angular.normalize_or_zero();
    Some(axis * axis.dot(locked.inverse_positive()? * start.angular))
}
