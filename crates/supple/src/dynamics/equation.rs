use glam::DVec3;

use crate::model::Tree;

use super::kinematics::Kinematics;
use super::wrench::Wrenches;

/// All of the equation of motion `(H + D) q̈ + c = τ` of a body at one state, but for the joint forces τ and the accelerations q̈:
/// [`aba`](super::aba) finds q̈ from τ, [`rnea`](super::rnea) τ from q̈.
#[derive(Clone, Copy, Debug)]
pub struct EquationOfMotion<'a> {
    /// The links that move.
    pub tree: &'a Tree,
    /// Where they are, and how they move.
    pub kinematics: &'a Kinematics,
    /// Acceleration of gravity \[m/s²].
    pub gravity: DVec3,
    /// D: what is added to the joint inertia, by v: armature, implicit terms.
    pub diagonal: &'a [f64],
    /// What acts on links from outside.
    pub wrenches: &'a Wrenches,
}
