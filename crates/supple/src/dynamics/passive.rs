//! Joint springs, dampers, dry friction and soft stops: forces, their implicit terms, their energy.
//!
//! Over a step h the force is taken at the end of the step to first order (theory, section 10): the explicit
//! part `−d v − k (x + h v)` is added to τ, the implicit part `h d + h² k` to the diagonal of the joint
//! inertia. With h = 0 this is the plain force.
//!
//! A soft stop acts from the step on that would go beyond it: a joint that is met only after it went deep would
//! find more energy in the stop than it had.

use glam::{DQuat, DVec3};

use crate::model::{Element, Link, LinkJoint, Model, Passive, Tree};
use crate::spatial::rotation;

use super::BodyState;

/// Speed below which dry friction turns into viscous friction \[rad/s or m/s]. Chosen: half a degree or a centimetre a second is slow for a limb or
/// a robot. A joint under a load that friction would hold creeps, by less than this; steps hold it for any value, as the slope is implicit.
pub const STICTION_SPEED: f64 = 1e-2;

/// Springs and dampers that act on one degree of freedom.
#[derive(Clone, Copy, Debug, Default)]
pub struct Couple {
    /// Stiffness \[N·m/rad or N/m].
    pub k: f64,
    /// Force of the springs at the present position \[N·m or N].
    pub spring_force: f64,
    /// Damping, dry friction linearised \[N·m·s/rad or N·s/m].
    pub d: f64,
    /// Stiffness of the stop \[N·m/rad or N/m].
    pub stop_k: f64,
    /// Force of the stop at the present position \[N·m or N]; it pulls where the stop is not reached yet.
    pub stop_force: f64,
}

/// Calls `each(dof, couple)` for every degree of freedom of a link's joint. Stops act that the position is beyond, or
/// would be after `ahead` \[s] with velocities `v_ahead`.
#[inline]
pub fn couples(
    body: &BodyState<'_>,
    link: &Link,
    (v_ahead, ahead): (&[f64], f64),
    mut each: impl FnMut(usize, Couple),
) {
    let BodyState { model, tree, q, v } = *body;
    let first = link.v as usize;
    let dofs = &model.passive()[link.dofs()];
    if let [dof] = dofs {
        let x = q[link.q as usize];
        let displacement = x - model.rest()[link.q as usize];
        each(first, Couple::new(dof, displacement, x, v[first], ahead * v_ahead[first]));
        return;
    }
    let (x, position) = displacement(model, tree, link, q);
    let forces = spring_forces(dofs, tree, link, &x);
    for (k, dof) in dofs.iter().enumerate() {
        let mut couple = Couple::new(dof, x[k], position[k], v[first + k], ahead * v_ahead[first + k]);
        couple.spring_force = forces[k];
        each(first + k, couple);
    }
    if is_rotation(link) {
        spherical_stop(model, link, &x, v_ahead, ahead, &mut each);
    }
}

impl Couple {
    /// At displacement `x` from the spring's rest, position `at` and rate `v`, with `way` to go.
    #[inline(always)]
    fn new(dof: &Passive, x: f64, at: f64, v: f64, way: f64) -> Self {
        let d = dof.damping + dof.friction / v.abs().max(STICTION_SPEED);
        let mut couple = Self { k: dof.stiffness, spring_force: -dof.stiffness * x, d, ..Self::default() };
        if let Some(stop) = stop(dof, at, way) {
            couple.stop_k = stop.k;
            couple.stop_force = -stop.k * stop.beyond;
            couple.d += stop.d;
        }
        couple
    }
}

/// Forces of the springs of a joint with several freedoms: slopes of their energy `Σ k x² / 2`. Where the springs of a
/// rotation are not equally stiff, these are not `−k x`: the displacement x does not grow as the velocity says.
fn spring_forces(dofs: &[Passive], tree: &Tree, link: &Link, x: &[f64; 6]) -> [f64; 6] {
    let mut f = [0.0; 6];
    for (k, dof) in dofs.iter().enumerate() {
        f[k] = -dof.stiffness * x[k];
    }
    let vector = |a: &[f64; 6], at: usize| DVec3::from_slice(&a[at..at + 3]);
    // ẋ = (1 + x̂/2 + c x̂²) w for a rotation vector x and body rates w, so the moment is (1 − x̂/2 + c x̂²) (−k x)
    let turn = |f: &mut [f64; 6], at: usize| {
        let (x, moment) = (vector(x, at), vector(f, at));
        let across = x.cross(moment);
        let angle2 = x.length_squared();
        let c = if angle2 < 1e-3 {
            1.0 / 12.0 + angle2 / 720.0
        } else {
            let half = 0.5 * angle2.sqrt();
            let (sin, cos) = rotation::sin_cos(half);
            (1.0 - half * cos / sin) / angle2
        };
        (moment - across * 0.5 + x.cross(across) * c).write_to_slice(&mut f[at..at + 3]);
    };
    match link.joint {
        LinkJoint::Spherical => turn(&mut f, 0),
        LinkJoint::Free => {
            turn(&mut f, 0);
            // the axes of a slide turn with the body
            let moment = vector(&f, 0) + vector(&f, 3).cross(vector(x, 3));
            moment.write_to_slice(&mut f[..3]);
        }
        LinkJoint::Compound { first, count, .. } => {
            let mut k = 0;
            for element in &tree.elements[first as usize..(first + count) as usize] {
                if let Element::Ball { .. } = element {
                    turn(&mut f, k);
                }
                k += element.sizes().1;
            }
        }
        _ => {}
    }
    f
}

/// Whether some stop is passed within `ahead` \[s] at velocities `v` that would not be at velocities `foreseen`.
pub fn stop_was_missed(
    model: &Model,
    tree: &Tree,
    q: &[f64],
    v: &[f64],
    foreseen: &[f64],
    ahead: f64,
) -> bool {
    for link in tree.links.iter().filter(|l| l.passive) {
        let dofs = &model.passive()[link.dofs()];
        let first = link.v as usize;
        let missed = |dof: &Passive, at: f64, rate: f64, foreseen: f64| {
            stop(dof, at, ahead * rate).is_some() && stop(dof, at, ahead * foreseen).is_none()
        };
        if let [dof] = dofs {
            if missed(dof, q[link.q as usize], v[first], foreseen[first]) {
                return true;
            }
            continue;
        }
        let (x, position) = displacement(model, tree, link, q);
        if is_rotation(link) {
            let (rate, foreseen) =
                (turning_rate(&x, &v[link.dofs()]), turning_rate(&x, &foreseen[link.dofs()]));
            if missed(&dofs[0], DVec3::new(x[0], x[1], x[2]).length(), rate, foreseen) {
                return true;
            }
            continue;
        }
        for (k, dof) in dofs.iter().enumerate() {
            if missed(dof, position[k], v[first + k], foreseen[first + k]) {
                return true;
            }
        }
    }
    false
}

/// Adds passive forces to `tau` and their implicit terms over a step `h` \[s] to `diagonal`.
pub fn add(body: &BodyState<'_>, h: f64, tau: &mut [f64], diagonal: &mut [f64]) {
    let BodyState { model, tree, v, .. } = *body;
    if !model.has_passive() {
        return;
    }
    for link in tree.links.iter().filter(|l| l.passive) {
        couples(body, link, (v, h), |dof, c| {
            let k = c.k + c.stop_k;
            tau[dof] += c.spring_force + c.stop_force - (c.d + h * k) * v[dof];
            diagonal[dof] += h * c.d + h * h * k;
        });
    }
}

/// Energy of a joint's springs and stops \[J].
pub fn elastic_energy(model: &Model, tree: &Tree, link: &Link, q: &[f64]) -> f64 {
    let dofs = &model.passive()[link.dofs()];
    let twice_of_stop =
        |dof: &Passive, at: f64| stop(dof, at, 0.0).map_or(0.0, |stop| stop.k * stop.beyond * stop.beyond);
    if let [dof] = dofs {
        let at = q[link.q as usize];
        let x = at - model.rest()[link.q as usize];
        return 0.5 * (dof.stiffness * x * x + twice_of_stop(dof, at));
    }
    let (x, position) = displacement(model, tree, link, q);
    let mut twice = 0.0;
    for (k, dof) in dofs.iter().enumerate() {
        twice += dof.stiffness * x[k] * x[k] + twice_of_stop(dof, position[k]);
    }
    if is_rotation(link) {
        twice += twice_of_stop(&dofs[0], DVec3::new(x[0], x[1], x[2]).length());
    }
    0.5 * twice
}

/// Whether limits bound a whole rotation.
fn is_rotation(link: &Link) -> bool {
    matches!(link.joint, LinkJoint::Spherical)
}

/// A stop that acts.
struct Stop {
    /// How far the position is beyond it \[rad or m], counted upwards: below a lower stop it is negative, before an upper
    /// one, too.
    beyond: f64,
    k: f64,
    d: f64,
}

/// The stop that acts at position `x`, or is passed within the way `ahead`; it damps only once it is reached.
#[inline(always)]
fn stop(dof: &Passive, x: f64, ahead: f64) -> Option<Stop> {
    let (beyond, reached) = if x < dof.lower || x + ahead < dof.lower {
        (x - dof.lower, x < dof.lower)
    } else if x > dof.upper || x + ahead > dof.upper {
        (x - dof.upper, x > dof.upper)
    } else {
        return None;
    };
    Some(Stop { beyond, k: dof.stop_stiffness, d: if reached { dof.stop_damping } else { 0.0 } })
}

/// Rate at which the angle of a rotation grows \[rad/s], from its rotation vector and its angular velocity.
fn turning_rate(x: &[f64; 6], v: &[f64]) -> f64 {
    let (rotation, w) = (DVec3::new(x[0], x[1], x[2]), DVec3::new(v[0], v[1], v[2]));
    rotation.try_normalize().map_or(w.length(), |axis| axis.dot(w))
}

/// The stop of a spherical joint: a spring on the angle of the whole rotation, along its axis.
fn spherical_stop(
    model: &Model,
    link: &Link,
    x: &[f64; 6],
    v: &[f64],
    ahead: f64,
    each: &mut impl FnMut(usize, Couple),
) {
    let rotation = DVec3::new(x[0], x[1], x[2]);
    let Some(axis) = rotation.try_normalize() else { return };
    let way = ahead * turning_rate(x, &v[link.dofs()]);
    let Some(stop) = stop(&model.passive()[link.v as usize], rotation.length(), way) else { return };
    for k in 0..3 {
        // the diagonal of the rank-one stiffness, bounded by its trace: implicit terms stay positive
        let share = axis[k].abs();
        let couple = Couple {
            stop_k: stop.k * share,
            stop_force: -stop.k * stop.beyond * axis[k],
            d: stop.d * share,
            ..Couple::default()
        };
        each(link.v as usize + k, couple);
    }
}

/// Displacement of a joint from its springs' rest, in the coordinates that v is the rate of, and its scalar
/// positions (NaN, which no stop bounds, for coordinates that belong to a rotation or to a floating base).
fn displacement(model: &Model, tree: &Tree, link: &Link, q: &[f64]) -> ([f64; 6], [f64; 6]) {
    let (mut x, mut position) = ([0.0; 6], [f64::NAN; 6]);
    let iq = link.q as usize;
    let rest = model.rest();
    let turned = |at: usize| {
        let (now, then) = (DQuat::from_slice(&q[at..at + 4]), DQuat::from_slice(&rest[at..at + 4]));
        rotation::log(then.conjugate() * now).to_array()
    };
    match link.joint {
        LinkJoint::Revolute | LinkJoint::Prismatic | LinkJoint::Helical { .. } => {
            (x[0], position[0]) = (q[iq] - rest[iq], q[iq]);
        }
        LinkJoint::Spherical => x[..3].copy_from_slice(&turned(iq)),
        LinkJoint::Free => {
            x[..3].copy_from_slice(&turned(iq + 3));
            let moved = DVec3::from_slice(&q[iq..iq + 3]) - DVec3::from_slice(&rest[iq..iq + 3]);
            let in_body = DQuat::from_slice(&q[iq + 3..iq + 7]).conjugate() * moved;
            x[3..].copy_from_slice(&in_body.to_array());
        }
        LinkJoint::Compound { first, count, .. } => {
            let (mut at, mut k) = (iq, 0);
            for element in &tree.elements[first as usize..(first + count) as usize] {
                if let Element::Ball { .. } = element {
                    x[k..k + 3].copy_from_slice(&turned(at));
                    (at, k) = (at + 4, k + 3);
                } else {
                    (x[k], position[k]) = (q[at] - rest[at], q[at]);
                    (at, k) = (at + 1, k + 1);
                }
            }
        }
    }
    (x, position)
}
