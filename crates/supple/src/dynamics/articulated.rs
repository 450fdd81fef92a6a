//! The articulated-body sweep: one elimination from the leaves to the root and one substitution back.
//!
//! It solves, in time linear in the links, for joint rates x (accelerations, velocities or velocity jumps):
//!
//! ```text
//! Σ_i J_iᵀ (I_i V_i + p_i) + E x = τ,     V_i = V_parent at i + S_i x_i
//! ```
//!
//! with any inertia I and force p per link, and a diagonal E (armature, implicit dampers and springs).
//! Featherstone 2008, section 7.3: `U = I S`, `D = Sᵀ U + E`, `u = τ − Sᵀ p`, `I ← I − U D⁻¹ Uᵀ`,
//! `p ← p + U D⁻¹ u`, then `x = D⁻¹ (u − Uᵀ V')` (accelerations at q̈ = 0 are in p, so there is no c). A joint with several degrees of freedom is eliminated one
//! degree after the other: Gaussian elimination does not mind, no D is ever inverted as a matrix, and three
//! short formulas (turning, sliding, both) serve every joint type.
//!
//! Forward dynamics, response to impulses, rigidification and the steps of the momentum integrators are this
//! sweep with different I and p.

use glam::DVec3;

use crate::model::{Link, LinkJoint, Tree};
use crate::spatial::{ArticulatedInertia, Force, Motion, UnsymmetricInertia};

use super::kinematics::{Axis, Kinematics, axis_of};

/// What the elimination leaves of one degree of freedom.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row {
    /// `U = I S` (for an unsymmetric inertia `W = Iᵀ S`).
    pub u: Force,
    /// `1 / D` \[1/(kg·m²) or 1/kg].
    pub d_inv: f64,
    /// `u / D`: the rate that this degree of freedom would take if its parent stood still.
    pub rate: f64,
}

/// Working memory of the sweep, and its factors after it.
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    /// The tree that the rows are of.
    pub(crate) tree: u64,
    /// One entry per degree of freedom of the tree.
    pub rows: Vec<Row>,
    /// Result: V of each link, world axes at its origin.
    pub motions: Vec<Motion>,
    pub(crate) stack: Vec<(ArticulatedInertia, Force)>,
    unsymmetric_stack: Vec<(UnsymmetricInertia, Force)>,
}

/// Inertia that the sweep can eliminate joints from.
pub(crate) trait Articulated: Copy + std::ops::AddAssign {
    fn zero() -> Self;
    /// `(I S, Iᵀ S, Sᵀ I S)` for one axis.
    fn columns(&self, axis: Axis) -> (Force, Force, f64);
    fn eliminate(&mut self, u: Force, w: Force, d_inv: f64);
    fn about(&self, r: DVec3) -> Self;
    fn stack(sweep: &mut Sweep) -> (&mut Vec<Row>, &mut Vec<(Self, Force)>);
}

impl Articulated for ArticulatedInertia {
    #[inline(always)]
    fn zero() -> Self {
        Self::ZERO
    }
    #[inline(always)]
    fn columns(&self, axis: Axis) -> (Force, Force, f64) {
        let (u, d) = match axis {
            Axis::Angular(a) => {
                let u = self.angular_column(a);
                (u, a.dot(u.angular))
            }
            Axis::Linear(a) => {
                let u = self.linear_column(a);
                (u, a.dot(u.linear))
            }
            Axis::Screw(s) => {
                let u = self.force(s);
                (u, u.dot(s))
            }
        };
        (u, u, d)
    }
    #[inline(always)]
    fn eliminate(&mut self, u: Force, _: Force, d_inv: f64) {
        ArticulatedInertia::eliminate(self, u, d_inv);
    }
    #[inline(always)]
    fn about(&self, r: DVec3) -> Self {
        ArticulatedInertia::about(self, r)
    }
    #[inline(always)]
    fn stack(sweep: &mut Sweep) -> (&mut Vec<Row>, &mut Vec<(Self, Force)>) {
        (&mut sweep.rows, &mut sweep.stack)
    }
}

impl Articulated for UnsymmetricInertia {
    #[inline(always)]
    fn zero() -> Self {
        Self::default()
    }
    #[inline(always)]
    fn columns(&self, axis: Axis) -> (Force, Force, f64) {
        let s = axis.motion();
        let u = UnsymmetricInertia::force(self, s);
        (u, self.transposed_force(s), u.dot(s))
    }
    #[inline(always)]
    fn eliminate(&mut self, u: Force, w: Force, d_inv: f64) {
        UnsymmetricInertia::eliminate(self, u, w, d_inv);
    }
    #[inline(always)]
    fn about(&self, r: DVec3) -> Self {
        UnsymmetricInertia::about(self, r)
    }
    #[inline(always)]
    fn stack(sweep: &mut Sweep) -> (&mut Vec<Row>, &mut Vec<(Self, Force)>) {
        (&mut sweep.rows, &mut sweep.unsymmetric_stack)
    }
}

impl Sweep {
    /// Room for a tree.
    pub fn new(tree: &Tree) -> Self {
        let mut sweep = Self::default();
        sweep.resize(tree);
        sweep
    }

    /// Makes room for a tree; allocates only when it is larger than any before.
    pub fn resize(&mut self, tree: &Tree) {
        self.tree = tree.id;
        self.rows.resize(tree.rows, Row::default());
        self.motions.resize(tree.links.len(), Motion::ZERO);
    }
}

/// Elimination, leaves to root. `leaf` gives each link its own inertia and force; it is called once per
/// link, last link first.
#[inline(always)]
pub(crate) fn eliminate<I: Articulated>(
    tree: &Tree,
    kinematics: &Kinematics,
    diagonal: &[f64],
    tau: &[f64],
    sweep: &mut Sweep,
    mut leaf: impl FnMut(usize) -> (I, Force),
) {
    let (rows, stack) = I::stack(sweep);
    stack.clear();
    let links = &tree.links[..];
    let motions = &kinematics.links[..links.len()];
    // what the link visited last passes to its parent
    let (mut passed_inertia, mut passed_force) = (I::zero(), Force::ZERO);
    for (i, link) in links.iter().enumerate().rev() {
        let motion = &motions[i];
        let (mut inertia, mut force) = leaf(i);
        if link.children > 0 {
            inertia += passed_inertia;
            force += passed_force;
            for _ in 1..link.children {
                if let Some((waiting_inertia, waiting_force)) = stack.pop() {
                    inertia += waiting_inertia;
                    force += waiting_force;
                }
            }
        } else if link.stash {
            stack.push((passed_inertia, passed_force));
        }
        let (row, dof) = (link.row as usize, link.v as usize);
        // the very last elimination of a root would only change what the world feels
        let keep = link.parent.is_some();
        match link.joint {
            LinkJoint::Revolute => {
                let axis = Axis::Angular(motion.rotation.z_axis);
                rows[row] = give_way(axis, diagonal[dof], tau[dof], keep, &mut inertia, &mut force);
            }
            LinkJoint::Prismatic => {
                let axis = Axis::Linear(motion.rotation.z_axis);
                rows[row] = give_way(axis, diagonal[dof], tau[dof], keep, &mut inertia, &mut force);
            }
            _ => {
                for k in (0..link.joint.dofs()).rev() {
                    let axis = axis_of(&kinematics.screws, link, motion, k);
                    let keep = keep || k > 0;
                    rows[row + k] =
                        give_way(axis, diagonal[dof + k], tau[dof + k], keep, &mut inertia, &mut force);
                }
            }
        }
        if keep {
            passed_inertia = inertia.about(motion.offset);
            passed_force = force.about(motion.offset);
        }
    }
}

/// One degree of freedom gives way: its row, and, if asked to `keep` them, what is left of inertia and force.
#[inline(always)]
fn give_way<I: Articulated>(
    axis: Axis,
    diagonal: f64,
    tau: f64,
    keep: bool,
    inertia: &mut I,
    force: &mut Force,
) -> Row {
    let (u, w, d) = inertia.columns(axis);
    let d_inv = 1.0 / (d + diagonal);
    let s_force = match axis {
        Axis::Angular(a) => a.dot(force.angular),
        Axis::Linear(a) => a.dot(force.linear),
        Axis::Screw(s) => force.dot(s),
    };
    let rate = (tau - s_force) * d_inv;
    if keep {
        *force += u * rate;
        inertia.eliminate(u, w, d_inv);
    }
    Row { u: w, d_inv, rate }
}

/// Substitution, root to leaves: fills `rates` (by v) and `sweep.motions`.
#[inline(always)]
pub(crate) fn substitute(tree: &Tree, kinematics: &Kinematics, sweep: &mut Sweep, rates: &mut [f64]) {
    let Sweep { rows, motions, .. } = sweep;
    // mostly the parent is the link before: then its motion is still at hand
    let mut last = Motion::ZERO;
    for (i, link) in tree.links.iter().enumerate() {
        let motion = &kinematics.links[i];
        let mut v = match link.parent {
            Some(p) if p.index() + 1 == i => last.at(motion.offset),
            Some(p) => motions[p.index()].at(motion.offset),
            None => Motion::ZERO,
        };
        let (row, dof) = (link.row as usize, link.v as usize);
        match link.joint {
            LinkJoint::Revolute => {
                let r = &rows[row];
                let x = r.rate - r.u.dot(v) * r.d_inv;
                rates[dof] = x;
                v.angular += motion.rotation.z_axis * x;
            }
            LinkJoint::Prismatic => {
                let r = &rows[row];
                let x = r.rate - r.u.dot(v) * r.d_inv;
                rates[dof] = x;
                v.linear += motion.rotation.z_axis * x;
            }
            _ => {
                for k in 0..link.joint.dofs() {
                    let r = &rows[row + k];
                    let x = r.rate - r.u.dot(v) * r.d_inv;
                    rates[dof + k] = x;
                    v += axis_of(&kinematics.screws, link, motion, k).motion() * x;
                }
            }
        }
        motions[i] = v;
        last = v;
    }
}

/// Articulated inertia D about each degree of freedom (by v) at the pose of `kinematics` \[kg·m² or kg].
pub fn joint_inertias(tree: &Tree, kinematics: &Kinematics, armature: &[f64], sweep: &mut Sweep) -> Vec<f64> {
    let mut d = vec![0.0; armature.len()];
    eliminate::<ArticulatedInertia>(tree, kinematics, armature, armature, sweep, |i| {
        (own_inertia(&tree.links[i], kinematics, i), Force::ZERO)
    });
    for link in &tree.links {
        for k in 0..link.joint.dofs() {
            d[link.v as usize + k] = 1.0 / sweep.rows[link.row as usize + k].d_inv;
        }
    }
    d
}

/// The link's own rigid inertia in world axes.
#[inline(always)]
pub(crate) fn own_inertia(link: &Link, kinematics: &Kinematics, i: usize) -> ArticulatedInertia {
    link.inertia.rotated(kinematics.links[i].rotation).articulated()
}
