//! Kinematics once more, as slow and plain as the documentation puts it: products of poses, no tree, no
//! recursion shared with the library. Velocities and Jacobians by differences of these poses.

use glam::{DMat3, DQuat, DVec3};
use supple::model::Element;
use supple::{BodyId, JointKind, Model, Motion, Pose};

/// Half the width of the difference stencils: its error (h⁴ times fifth derivatives, of motions of some 20 rad/s)
/// and rounding (ε/h) meet near 1e-11.
pub const STEP: f64 = 1e-4;

/// Bodies as the user gave them; the model's own links are not looked at.
pub struct Skeleton {
    pub bodies: Vec<supple::Body>,
}

impl Skeleton {
    /// World pose of every body at `q`, in the order given.
    pub fn poses(&self, q: &[f64]) -> Vec<Pose> {
        let mut first_q = Vec::new();
        let mut at = 0;
        for body in &self.bodies {
            first_q.push(at);
            at += body.joint.kind.sizes().0;
        }
        let index = |name: &str| self.bodies.iter().position(|b| b.name == name).expect("parent exists");
        (0..self.bodies.len())
            .map(|i| {
                let mut pose = Pose::IDENTITY;
                let mut at = Some(i);
                while let Some(j) = at {
                    let body = &self.bodies[j];
                    pose =
                        body.placement * joint_pose(&body.joint.kind, &q[first_q[j]..]) * body.frame * pose;
                    at = body.parent.as_deref().map(index);
                }
                pose
            })
            .collect()
    }
}

/// Pose of the outboard frame in the joint frame, from the words of the documentation of [`JointKind`].
pub fn joint_pose(kind: &JointKind, q: &[f64]) -> Pose {
    let turn = |axis: DVec3, angle: f64| Pose::from_rotation(DQuat::from_axis_angle(axis.normalize(), angle));
    let slide = |axis: DVec3, x: f64| Pose::from_translation(axis.normalize() * x);
    let ball = |q: &[f64]| Pose::from_rotation(DQuat::from_slice(q));
    let about =
        |anchor: DVec3, turn: Pose| Pose::from_translation(anchor) * turn * Pose::from_translation(-anchor);
    match kind {
        JointKind::Fixed => Pose::IDENTITY,
        JointKind::Revolute { axis } | JointKind::Continuous { axis } => turn(*axis, q[0]),
        JointKind::Prismatic { axis } => slide(*axis, q[0]),
        JointKind::Helical { axis, pitch } => turn(*axis, q[0]) * slide(*axis, pitch * q[0]),
        JointKind::Cylindrical { axis } => turn(*axis, q[0]) * slide(*axis, q[1]),
        JointKind::Universal { axes } => turn(axes[0], q[0]) * turn(axes[1], q[1]),
        JointKind::Planar { normal } => {
            let z_to_normal = DQuat::from_rotation_arc(DVec3::Z, normal.normalize());
            slide(z_to_normal * DVec3::X, q[0]) * slide(z_to_normal * DVec3::Y, q[1]) * turn(*normal, q[2])
        }
        JointKind::Spherical => ball(q),
        JointKind::Free => Pose::from_translation(DVec3::from_slice(q)) * ball(&q[3..7]),
        JointKind::Compound(elements) => {
            let (mut pose, mut at) = (Pose::IDENTITY, 0);
            for e in elements {
                pose = pose
                    * match *e {
                        Element::Hinge { axis, anchor } => about(anchor, turn(axis, q[at])),
                        Element::Slide { axis } => slide(axis, q[at]),
                        Element::Ball { anchor } => about(anchor, ball(&q[at..at + 4])),
                    };
                at += if matches!(e, Element::Ball { .. }) { 4 } else { 1 };
            }
            pose
        }
    }
}

/// `q` after moving for `h` with velocities `v`, to first order in each coordinate (enough for differences).
pub fn moved(model: &Model, q: &[f64], v: &[f64], h: f64) -> Vec<f64> {
    let mut out = q.to_vec();
    let turn = |out: &mut [f64], at: usize, w: &[f64]| {
        let q = DQuat::from_slice(&out[at..at + 4]) * DQuat::from_scaled_axis(DVec3::from_slice(w) * h);
        out[at..at + 4].copy_from_slice(&q.normalize().to_array());
    };
    for j in model.joints() {
        let (iq, v) = (j.q, &v[j.v..j.v + j.nv]);
        match &j.kind {
            JointKind::Spherical => turn(&mut out, iq, v),
            JointKind::Free => {
                let moved = DQuat::from_slice(&q[iq + 3..iq + 7]) * DVec3::from_slice(&v[3..6]) * h;
                for k in 0..3 {
                    out[iq + k] += moved[k];
                }
                turn(&mut out, iq + 3, v);
            }
            JointKind::Compound(elements) => {
                let (mut at, mut k) = (iq, 0);
                for e in elements {
                    if let Element::Ball { .. } = e {
                        turn(&mut out, at, &v[k..]);
                        (at, k) = (at + 4, k + 3);
                    } else {
                        out[at] += h * v[k];
                        (at, k) = (at + 1, k + 1);
                    }
                }
            }
            _ => (0..j.nv).for_each(|k| out[iq + k] += h * v[k]),
        }
    }
    out
}

/// Derivative of `f` at 0 by the five-point stencil.
pub fn derivative(f: impl Fn(f64) -> Vec<f64>) -> Vec<f64> {
    let h = STEP;
    let (a, b, c, d) = (f(-2.0 * h), f(-h), f(h), f(2.0 * h));
    (0..a.len()).map(|i| (a[i] - 8.0 * b[i] + 8.0 * c[i] - d[i]) / (12.0 * h)).collect()
}

/// Velocity of every body at its own origin, world axes, by differences of poses along `v`.
///
/// The path is only right to first order in h (its coordinates move on straight lines), so a plain central
/// difference is used, Richardson-extrapolated: odd errors cancel, h² ones are removed.
pub fn velocities(skeleton: &Skeleton, model: &Model, q: &[f64], v: &[f64]) -> Vec<Motion> {
    let at = |h: f64| skeleton.poses(&moved(model, q, v, h));
    let central = |h: f64| -> Vec<Motion> {
        let (back, here, ahead) = (at(-h), at(0.0), at(h));
        (0..here.len())
            .map(|i| {
                let rate = (ahead[i].rotation - back[i].rotation) * (0.5 / h) * here[i].rotation.transpose();
                Motion::new(unskew(rate), (ahead[i].translation - back[i].translation) * (0.5 / h))
            })
            .collect()
    };
    let (coarse, fine) = (central(2.0 * STEP), central(STEP));
    coarse.iter().zip(fine).map(|(c, f)| f * (4.0 / 3.0) + *c * (-1.0 / 3.0)).collect()
}

fn unskew(m: DMat3) -> DVec3 {
    DVec3::new(m.y_axis.z - m.z_axis.y, m.z_axis.x - m.x_axis.z, m.x_axis.y - m.y_axis.x) * 0.5
}

/// All bodies of a model.
pub fn bodies(model: &Model) -> impl Iterator<Item = BodyId> + use<> {
    (0..model.bodies().len()).map(BodyId::new)
}
