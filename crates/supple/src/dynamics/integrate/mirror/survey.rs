//! Momenta and energies of all bodies at a state: the start of a step, and its end, which is the next one's start.

use glam::DVec3;

use crate::model::{Model, Tree};

use super::super::super::energy;
use super::super::super::kinematics::Kinematics;
use super::super::super::spring;
use super::super::Step;
use super::Body;

/// Turn in a step \[rad] times the sine of the angle between spin and angular momentum: while it is below this for all
/// bodies, world momenta and a symmetric sweep are as accurate (measured: errors agree to 25 % at 0.5 to 8 rad/s and
/// 1/60 to 1/480 s, both of second order), and cheaper.
const IN_PLANE: f64 = 1e-2;
/// The limit of a single body, where the unsymmetric sweep costs next to nothing. Chosen far above rounding (1e-16), so that a body that turns
/// about one of its principal axes is in plane, and far below what anybody sees.
const IN_PLANE_ONE_BODY: f64 = 1e-9;

/// Sums over all bodies at one state.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Survey {
    pub(super) kinetic: f64,
    pub(super) potential: f64,
    /// Whether some body will turn out of plane in a step.
    pub(super) spinning: bool,
}

/// Velocities at the poses of `kinematics`, momenta (world axes) into `p0`, `l0` of the bodies, and energies, of which the
/// potential one is given.
/// The bodies' centres of mass and inertias must be those of the poses.
pub(super) fn survey(
    step: &Step<'_>,
    v: &[f64],
    potential: f64,
    kinematics: &mut Kinematics,
    bodies: &mut [Body],
) -> Survey {
    let Step { model, tree, dt, .. } = *step;
    kinematics.set_velocities(tree, v);
    let mut twice_kinetic = 0.0;
    let mut spinning = false;
    let limit = if tree.links.len() == 1 { IN_PLANE_ONE_BODY } else { IN_PLANE };
    for ((central, motion), body) in tree.central.iter().zip(&kinematics.links).zip(bodies) {
        let w = motion.velocity.angular;
        body.p0 = body.inertia * w;
        let v = motion.velocity.at(body.com).linear;
        body.l0 = v * central.mass;
        twice_kinetic += w.dot(body.p0) + v.dot(body.l0);
        let out_of_plane = (w.cross(body.p0) * dt).length_squared();
        spinning |= out_of_plane > limit * limit * body.p0.length_squared();
    }
    Survey { kinetic: 0.5 * twice_kinetic + armature_energy(model, tree, v), potential, spinning }
}

/// Energy of weight, springs, stops and, if asked for, dead loads \[J]. The bodies' centres of mass must be those of the poses.
pub(super) fn potential(step: &Step<'_>, q: &[f64], dead: bool, poses: &Kinematics, bodies: &[Body]) -> f64 {
    let Step { model, tree, loads, .. } = *step;
    let mut moment = DVec3::ZERO;
    for ((central, motion), body) in tree.central.iter().zip(&poses.links).zip(bodies) {
        moment += (motion.position + body.com) * central.mass;
    }
    let springs = spring::energy(model, tree, poses, loads.springs);
    let weight = energy::elastic(model, tree, q) + springs - loads.gravity.dot(moment);
    if dead { weight + loads.dead_potential(model, tree, poses) } else { weight }
}

/// Energy of the drives' own inertia \[J].
fn armature_energy(model: &Model, tree: &Tree, v: &[f64]) -> f64 {
    let mut twice = 0.0;
    if !model.has_armature() {
        return twice;
    }
    for link in &tree.links {
        for dof in link.dofs() {
            twice += model.armature()[dof] * v[dof] * v[dof];
        }
    }
    0.5 * twice
}
