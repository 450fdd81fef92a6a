//! Pre-stabilization of one joint: the impulse at time n after which the joint is in its target frame at time n + 1.
//!
//! Weinstein, Teran & Fedkiw, "Dynamic Simulation of Articulated Rigid Bodies with Contact and Collision", sections III, IV
//! and appendix. The impulse is + on the parent and − on the child, at the midpoint of the two articulation points (figure 5).
//!
//! Where this departs from the paper:
//! - the appendix differentiates q̂ by way of an angle and an axis, and a body at rest has no axis. Here the derivative of exp
//!   serves for both equations: the same numbers, by series where angles are small;
//! - q and −q are one rotation, so the angular equation takes the sign in which the two sides are nearer;
//! - the paper solves for the linear impulse, then for the angular one, and so on in turns. [`JointPair::solve`] takes either or
//!   both at once: in turns, the error of a rigid joint shrinks by a few percent per sweep when arms are long.

use glam::{DMat3, DQuat, DVec3, DVec4};

use super::least_squares::least_squares;
use super::side::predict;
use super::{Frame, Side, Span};
use crate::spatial::rotation::{exp_derivative, skew};

/// Two bodies and the joint between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointPair {
    /// The parent's side.
    pub parent: Side,
    /// The child's side.
    pub child: Side,
    /// Joint frame fixed in the parent, relative to its centre of mass and orientation.
    pub parent_joint: Frame,
    /// Joint frame fixed in the child, likewise.
    pub child_joint: Frame,
    /// The joint frame wanted at time n + 1.
    pub target: Frame,
    /// From time n to n + 1 \[s].
    pub dt: f64,
}

/// How far to go, and when to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newton {
    /// Share of the error to remove, in (0, 1]: the paper's ε, which grows to 1 over the sweeps.
    pub epsilon: f64,
    /// Steps at most.
    pub iterations: usize,
    /// Error that counts as none \[m or rad].
    pub tolerance: f64,
}

impl Default for Newton {
    fn default() -> Self {
        Self { epsilon: 1.0, iterations: 20, tolerance: 1e-12 }
    }
}

/// What Newton's method found. Always finite, except that the residual of a pair that is not is infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solved {
    /// Linear impulse, + on the parent \[N·s]; within the span that was asked for.
    pub linear: DVec3,
    /// Angular impulse, + on the parent \[N·m·s]; likewise.
    pub angular: DVec3,
    /// Error without the impulses, along the spans \[m and rad].
    pub before: f64,
    /// Error with them.
    pub residual: f64,
    /// Steps taken.
    pub iterations: usize,
}

/// The error of a joint and its derivatives: linear (position) and angular (rotation vector), by linear and angular impulse.
struct Errors {
    linear: DVec3,
    angular: DVec3,
    linear_by_linear: DMat3,
    linear_by_angular: DMat3,
    angular_by_linear: DMat3,
    angular_by_angular: DMat3,
}

/// One side at time n + 1.
struct Moved {
    /// Centre of mass.
    position: DVec3,
    /// From there to the articulation point.
    arm: DVec3,
    /// Orientation of the joint frame.
    rotation: DQuat,
    /// How the body turns for an angular impulse: Δt ∂exp I⁻¹.
    turn: DMat3,
}

impl JointPair {
    /// The joint frame J at time n + 1, without further impulses.
    pub fn predicted(&self) -> Frame {
        let parent = predict(&self.parent, self.dt) * self.parent_joint;
        parent.inverse() * predict(&self.child, self.dt) * self.child_joint
    }

    /// From each centre of mass to the target point on that body, at time n, world axes: what turns with the body in
    /// equation 5.
    fn target_arms(&self) -> (DVec3, DVec3) {
        let parent = self.parent.rotation * self.parent_joint.point(self.target.position);
        (parent, self.child.rotation * self.child_joint.position)
    }

    /// From each centre of mass to the midpoint of the articulation points, where the impulse acts: r of equation 2.
    pub fn impulse_arms(&self) -> (DVec3, DVec3) {
        let (parent, child) = self.target_arms();
        let point = 0.5 * (self.parent.position + parent + self.child.position + child);
        (point - self.parent.position, point - self.child.position)
    }

    /// Both sides after a linear and an angular impulse.
    #[must_use]
    pub fn after(mut self, linear: DVec3, angular: DVec3) -> Self {
        let (parent, child) = self.impulse_arms();
        self.parent = self.parent.pushed(linear, parent).turned(angular);
        self.child = self.child.pushed(-linear, child).turned(-angular);
        self
    }

    /// Both sides at time n + 1 after impulses: the two that equations 5 and 6 want equal.
    fn moved(&self, linear: DVec3, angular: DVec3) -> (Moved, Moved) {
        let moved = |now: &Side, after: &Side, arm: DVec3, joint: DQuat| {
            let there = predict(after, self.dt);
            Moved {
                position: there.position,
                arm: there.rotation * (now.rotation.conjugate() * arm),
                rotation: there.rotation * joint,
                turn: exp_derivative(self.dt * after.omega) * after.inverse_inertia.to_mat3() * self.dt,
            }
        };
        let after = self.after(linear, angular);
        let (arm_p, arm_c) = self.target_arms();
        (
            moved(&self.parent, &after.parent, arm_p, self.parent_joint.rotation * self.target.rotation),
            moved(&self.child, &after.child, arm_c, self.child_joint.rotation),
        )
    }

    /// f(j) of section IV for a linear impulse, and ∂f/∂j: from the child's articulation point to the parent's at time n + 1
    /// \[m].
    pub fn linear(&self, j: DVec3) -> (DVec3, DMat3) {
        let errors = self.errors(j, DVec3::ZERO);
        (errors.linear, errors.linear_by_linear)
    }

    /// f(j_τ) of section IV for an angular impulse, and the columns of ∂f/∂j_τ (4×3): the difference of the two quaternions at
    /// time n + 1, as (x, y, z, w).
    pub fn angular(&self, j: DVec3) -> (DVec4, [DVec4; 3]) {
        let (p, c) = self.moved(DVec3::ZERO, j);
        let sign = same_side(p.rotation, c.rotation);
        // q̇ = ½ ω q
        let rate = |side: &Moved, i: usize| {
            DVec4::from(DQuat::from_vec4(0.5 * side.turn.col(i).extend(0.0)) * side.rotation)
        };
        let f = sign * DVec4::from(p.rotation) - DVec4::from(c.rotation);
        (f, [0, 1, 2].map(|i| sign * rate(&p, i) + rate(&c, i)))
    }

    /// Both equations. The four angular ones become three, f q_c⁻¹ = q_p q_c⁻¹ − 1 of which the real part says nothing new: with
    /// (s, v) = q_p q_c⁻¹, the error is 2 v = 2 sin(φ/2) axis.
    fn errors(&self, linear: DVec3, angular: DVec3) -> Errors {
        let (p, c) = self.moved(linear, angular);
        let (r_p, r_c) = self.impulse_arms();
        let e = p.rotation * c.rotation.conjugate() * same_side(p.rotation, c.rotation);
        // the child has − twice, by its impulse and in the equation
        let linear_by = [skew(-p.arm) * p.turn, skew(-c.arm) * c.turn];
        let (s, v) = (DMat3::from_diagonal(DVec3::splat(e.w)), skew(e.xyz()));
        let angular_by = [(s - v) * p.turn, (s + v) * c.turn];
        let mass = self.dt * (self.parent.inverse_mass + self.child.inverse_mass);
        Errors {
            linear: p.position + p.arm - c.position - c.arm,
            angular: 2.0 * e.xyz(),
            linear_by_linear: DMat3::from_diagonal(DVec3::splat(mass))
                + linear_by[0] * skew(r_p)
                + linear_by[1] * skew(r_c),
            linear_by_angular: linear_by[0] + linear_by[1],
            angular_by_linear: angular_by[0] * skew(r_p) + angular_by[1] * skew(r_c),
            angular_by_angular: angular_by[0] + angular_by[1],
        }
    }

    /// The linear impulse within `linear` and the angular one within `angular` that bring the joint to its target along the
    /// directions of the two spans (world axes). With one of them [`Span::NONE`], one of the paper's two equations.
    pub fn solve(&self, linear: &Span, angular: &Span, newton: &Newton) -> Solved {
        let [b, t] = [linear, angular].map(Span::matrix);
        let impulses = |y: &[f64; 6]| (linear.vector(first(y)), angular.vector(last(y)));
        let (y, mut solved) = newton.solve(|y| {
            let (j, j_tau) = impulses(y);
            let e = self.errors(j, j_tau);
            let by_linear = (b.transpose() * e.linear_by_linear * b, t.transpose() * e.angular_by_linear * b);
            let by_angular =
                (b.transpose() * e.linear_by_angular * t, t.transpose() * e.angular_by_angular * t);
            let columns: [[f64; 6]; 6] = std::array::from_fn(|i| {
                let (m, i) = if i < 3 { (by_linear, i) } else { (by_angular, i - 3) };
                both(m.0.col(i), m.1.col(i))
            });
            (both(linear.components(e.linear), angular.components(e.angular)), columns)
        });
        (solved.linear, solved.angular) = impulses(&y);
        solved
    }
}

/// The sign that brings two quaternions on the same side.
fn same_side(p: DQuat, c: DQuat) -> f64 {
    if p.dot(c) < 0.0 { -1.0 } else { 1.0 }
}

fn both(a: DVec3, b: DVec3) -> [f64; 6] {
    [a.x, a.y, a.z, b.x, b.y, b.z]
}

fn first(y: &[f64; 6]) -> DVec3 {
    DVec3::new(y[0], y[1], y[2])
}

fn last(y: &[f64; 6]) -> DVec3 {
    DVec3::new(y[3], y[4], y[5])
}

impl Newton {
    /// Solves f(y) = 0 from y = 0, with f and the columns of its derivative.
    fn solve(&self, f: impl Fn(&[f64; 6]) -> ([f64; 6], [[f64; 6]; 6])) -> ([f64; 6], Solved) {
        let error = |y: &[f64; 6]| {
            let length = f(y).0.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length.is_finite() { length } else { f64::INFINITY }
        };
        let mut y = [0.0; 6];
        let before = error(&y);
        let (linear, angular) = (DVec3::ZERO, DVec3::ZERO);
        let mut solved = Solved { linear, angular, before, residual: before, iterations: 0 };
        let enough = ((1.0 - self.epsilon) * before).max(self.tolerance);
        while solved.residual > enough && solved.residual.is_finite() && solved.iterations < self.iterations {
            let (value, derivative) = f(&y);
            let step = least_squares(derivative, value);
            let at = |share: f64| -> [f64; 6] { std::array::from_fn(|i| y[i] - share * step[i]) };
            let mut share = self.epsilon;
            let mut there = error(&at(share));
            if !(there < solved.residual) {
                (share, there) = golden_section(self.epsilon, |s| error(&at(s)));
                // not even a part of the step helps
                if !(there < solved.residual) {
                    break;
                }
            }
            y = at(share);
            solved.residual = there;
            solved.iterations += 1;
        }
        (y, solved)
    }
}

/// The smallest value of `f` that golden section search finds in (0, `end`), as (argument, value).
fn golden_section(end: f64, f: impl Fn(f64) -> f64) -> (f64, f64) {
    const RATIO: f64 = 0.618_033_988_749_894_9;
    /// The bracket shrinks by RATIO each time, to 1e-5 of its length.
    const SECTIONS: usize = 24;
    let (mut low, mut high) = (0.0, end);
    let mut left = (high - RATIO * (high - low), 0.0);
    let mut right = (low + RATIO * (high - low), 0.0);
    left.1 = f(left.0);
    right.1 = f(right.0);
    for _ in 0..SECTIONS {
        // where all is infinite, nearer to the start
        if left.1 <= right.1 {
            high = right.0;
            right = left;
            left.0 = high - RATIO * (high - low);
            left.1 = f(left.0);
        } else {
            low = left.0;
            left = right;
            right.0 = low + RATIO * (high - low);
            right.1 = f(right.0);
        }
    }
    if left.1 < right.1 { left } else { right }
}
