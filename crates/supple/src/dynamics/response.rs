//! The response: the velocity jump `M⁻¹ (Jᵀ λ + τ)` that impulses on links and joints cause, in O(n).
//!
//! This is the operation that all solvers of constraints and contacts stand on. [`Response::factor`] eliminates
//! once per pose (U, D of the articulated-body sweep); each [`Response::apply`] is one sweep of vectors up and
//! down. Theory, sections 7 and 8: the sweep with zero velocity, zero bias and the world at rest.

use crate::model::Tree;
use crate::spatial::{ArticulatedInertia, Force, Motion};

use super::articulated::{Row, Sweep, eliminate, own_inertia};
use super::kinematics::{Kinematics, axis_of};
use super::port::Port;

/// Factors of the mass matrix at one pose, ready to answer impulses.
#[derive(Clone, Debug, Default)]
pub struct Response {
    sweep: Sweep,
    forces: Vec<Force>,
    /// Zeros by v; joint impulses during [`Response::apply_ports`].
    zero: Vec<f64>,
}

impl Response {
    /// Factors the mass matrix at the pose of `kinematics`; `diagonal` (armature) is added to it.
    pub fn factor(&mut self, tree: &Tree, kinematics: &Kinematics, diagonal: &[f64]) {
        self.sweep.resize(tree);
        self.zero.resize(diagonal.len(), 0.0);
        self.forces.resize(tree.links.len(), Force::ZERO);
        eliminate::<ArticulatedInertia>(tree, kinematics, diagonal, &self.zero, &mut self.sweep, |i| {
            (own_inertia(&tree.links[i], kinematics, i), Force::ZERO)
        });
    }

    /// The jump `dv` (by v) for `impulses` on links, world axes about their origins, and joint impulses `tau`
    /// (empty: none). `kinematics` must be the one that was factored.
    pub fn apply(
        &mut self,
        tree: &Tree,
        kinematics: &Kinematics,
        impulses: &[(u32, Force)],
        tau: &[f64],
        dv: &mut [f64],
    ) {
        self.forces.fill(Force::ZERO);
        for &(link, impulse) in impulses {
            self.forces[link as usize] -= impulse;
        }
        solve(&mut self.sweep, &mut self.forces, tree, kinematics, tau, dv);
    }

    /// The jump `dv` (by v) for impulses on ports, one for each port.
    pub fn apply_ports(
        &mut self,
        tree: &Tree,
        kinematics: &Kinematics,
        ports: &[Port],
        impulses: &[Force],
        dv: &mut [f64],
    ) {
        let Self { sweep, forces, zero: tau } = self;
        forces.fill(Force::ZERO);
        for (&port, &impulse) in ports.iter().zip(impulses) {
            match port {
                Port::Link(link) => forces[link as usize] -= impulse,
                Port::Dof(dof) => tau[dof as usize] += impulse.angular.x,
            }
        }
        solve(sweep, forces, tree, kinematics, tau, dv);
        for &port in ports {
            if let Port::Dof(dof) = port {
                tau[dof as usize] = 0.0;
            }
        }
    }

    /// Velocity jumps of the links, world axes at their origins, of the last [`Response::apply`].
    pub fn link_motions(&self) -> &[Motion] {
        &self.sweep.motions
    }

    /// U and D of all degrees of freedom.
    pub(crate) fn rows(&self) -> &[Row] {
        &self.sweep.rows
    }
}

/// One sweep up and down. `forces` are the negative impulses on the links at first, and hold sums after.
#[inline(always)]
fn solve(
    sweep: &mut Sweep,
    forces: &mut [Force],
    tree: &Tree,
    kinematics: &Kinematics,
    tau: &[f64],
    dv: &mut [f64],
) {
    let Sweep { rows, motions, .. } = sweep;
    // mostly the parent is the link before: then what passes between them stays at hand
    let mut passed = Force::ZERO;
    for (i, link) in tree.links.iter().enumerate().rev() {
        let motion = &kinematics.links[i];
        let mut force = forces[i] + passed;
        passed = Force::ZERO;
        for k in (0..link.joint.dofs()).rev() {
            let axis = axis_of(&kinematics.screws, link, motion, k);
            let row = &mut rows[link.row as usize + k];
            let tau = tau.get(link.v as usize + k).copied().unwrap_or(0.0);
            row.rate = (tau - axis.dot(force)) * row.d_inv;
            force += row.u * row.rate;
        }
        match link.parent {
            Some(p) if p.index() + 1 == i => passed = force.about(motion.offset),
            Some(p) => forces[p.index()] += force.about(motion.offset),
            None => {}
        }
    }
    let mut last = Motion::ZERO;
    for (i, link) in tree.links.iter().enumerate() {
        let motion = &kinematics.links[i];
        let mut v = match link.parent {
            Some(p) if p.index() + 1 == i => last.at(motion.offset),
            Some(p) => motions[p.index()].at(motion.offset),
            None => Motion::ZERO,
        };
        for k in 0..link.joint.dofs() {
            let row = &rows[link.row as usize + k];
            let x = row.rate - row.u.dot(v) * row.d_inv;
            dv[link.v as usize + k] = x;
            axis_of(&kinematics.screws, link, motion, k).add_to(&mut v, x);
        }
        motions[i] = v;
        last = v;
    }
}
