//! Joints of articulations in Rapier: of bodies that are single (impulse joints), or of a multibody.

use rapier3d_f64::prelude::*;

use crate::tree::{TreeJoint, TreeKind};

/// Angular axes of Rapier's joints, in the order of our degrees of freedom.
const ANGULAR: [JointAxis; 3] = [JointAxis::AngX, JointAxis::AngY, JointAxis::AngZ];

/// What a universal joint of a multibody becomes, since Rapier has none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Universal {
    /// Two hinges and a body between them, with this share of the mass and inertia of the body that they carry.
    Split(f64),
    /// A ball.
    Ball,
}

/// The joint with its limits, springs and dampers, for single bodies. None for what is free.
///
/// A ball's limit, which bounds the whole angle, becomes one for each axis: Rapier has no other.
pub fn impulse(joint: &TreeJoint) -> Option<GenericJoint> {
    let (locked, basis) = match joint.kind {
        TreeKind::Free => return None,
        TreeKind::Fixed => (JointAxesMask::LOCKED_FIXED_AXES, Rotation::IDENTITY),
        TreeKind::Revolute(axis) => (JointAxesMask::LOCKED_REVOLUTE_AXES, first(axis)),
        TreeKind::Prismatic(axis) => (JointAxesMask::LOCKED_PRISMATIC_AXES, first(axis)),
        TreeKind::Universal(axes) => (JointAxesMask::LIN_AXES | JointAxesMask::ANG_Z, both(axes)),
        TreeKind::Spherical => (JointAxesMask::LOCKED_SPHERICAL_AXES, Rotation::IDENTITY),
    };
    let ball = joint.kind == TreeKind::Spherical;
    let rest = if ball { quaternion(&joint.rest) } else { Rotation::IDENTITY };
    let mut data = GenericJoint::new(locked);
    data.set_local_frame1(joint.parent_frame * Pose::from_rotation(rest * basis));
    data.set_local_frame2(joint.child_frame * Pose::from_rotation(basis));
    data.set_contacts_enabled(false);
    let slide = [JointAxis::LinX];
    let axes = if matches!(joint.kind, TreeKind::Prismatic(_)) { &slide[..] } else { &ANGULAR };
    for (i, &axis) in axes.iter().enumerate().take(joint.damping.len()) {
        let target = if ball { 0.0 } else { joint.rest[i] };
        drive(&mut data, axis, target, joint.stiffness[i], joint.damping[i]);
        let limit = if ball { joint.limits[0].map(|[_, upper]| [-upper, upper]) } else { joint.limits[i] };
        if let Some(limit) = limit {
            data.set_limits(axis, limit);
        }
    }
    Some(data)
}

fn drive(data: &mut GenericJoint, axis: JointAxis, target: f64, stiffness: f64, damping: f64) {
    if stiffness > 0.0 || damping > 0.0 {
        data.set_motor_model(axis, MotorModel::ForceBased);
        data.set_motor(axis, target, 0.0, stiffness, damping);
    }
}

/// One joint of a multibody, its coordinates zero at the start, and what its degrees of freedom have.
pub struct Link {
    pub data: GenericJoint,
    pub damping: Vec<f64>,
    pub armature: Vec<f64>,
    /// Stiffness and rest position of the joint's spring, by axis of Rapier.
    pub springs: Vec<(usize, f64, f64)>,
    /// The body that it carries, if that is none of the world's.
    pub middle: Option<Middle>,
}

/// The body in the middle of a universal joint, as shares of the body that it carries.
pub struct Middle {
    pub mass: f64,
}

/// The joint as links of a multibody, from the parent outwards. Limits and springs of balls are left out.
pub fn links(joint: &TreeJoint, universal: Universal) -> Vec<Link> {
    let at = |locked: JointAxesMask, frames: [Pose; 2]| {
        let mut data = GenericJoint::new(locked);
        data.set_local_frame1(frames[0]);
        data.set_local_frame2(frames[1]);
        data.set_contacts_enabled(false);
        data
    };
    // hinges and slides turn and move along x
    let single = |i: usize, frames: [Pose; 2], turns: bool| {
        let (locked, axis) = if turns {
            (JointAxesMask::LOCKED_REVOLUTE_AXES, JointAxis::AngX)
        } else {
            (JointAxesMask::LOCKED_PRISMATIC_AXES, JointAxis::LinX)
        };
        let mut data = at(locked, frames);
        let start = joint.q[i];
        if let Some([low, high]) = joint.limits[i] {
            data.set_limits(axis, [low - start, high - start]);
        }
        let spring = (axis as usize, joint.stiffness[i], joint.rest[i] - start);
        Link {
            data,
            damping: vec![joint.damping[i]],
            armature: vec![joint.armature[i]],
            springs: vec![spring].into_iter().filter(|s| s.1 > 0.0).collect(),
            middle: None,
        }
    };
    let turned = |frame: Pose, rotation: Rotation| frame * Pose::from_rotation(rotation);
    let about_x = Rotation::from_rotation_x;
    match joint.kind {
        TreeKind::Free => Vec::new(),
        TreeKind::Fixed => {
            let data = at(JointAxesMask::LOCKED_FIXED_AXES, [joint.parent_frame, joint.child_frame]);
            vec![Link { data, damping: vec![], armature: vec![], springs: vec![], middle: None }]
        }
        TreeKind::Revolute(axis) => {
            let frames = [
                turned(joint.parent_frame, first(axis) * about_x(joint.q[0])),
                turned(joint.child_frame, first(axis)),
            ];
            vec![single(0, frames, true)]
        }
        TreeKind::Prismatic(axis) => {
            let along = Pose::from_translation(Vector::X * joint.q[0]);
            let frames =
                [turned(joint.parent_frame, first(axis)) * along, turned(joint.child_frame, first(axis))];
            vec![single(0, frames, false)]
        }
        TreeKind::Universal([one, two]) => {
            let inner = [
                turned(joint.parent_frame, first(one) * about_x(joint.q[0])),
                turned(Pose::IDENTITY, first(one)),
            ];
            let outer = [
                turned(Pose::IDENTITY, first(two) * about_x(joint.q[1])),
                turned(joint.child_frame, first(two)),
            ];
            match universal {
                Universal::Split(mass) => {
                    let mut carrier = single(0, inner, true);
                    carrier.middle = Some(Middle { mass });
                    vec![carrier, single(1, outer, true)]
                }
                Universal::Ball => {
                    let frames = [inner[0] * inner[1].inverse() * outer[0], outer[1]];
                    let data = at(JointAxesMask::LOCKED_SPHERICAL_AXES, frames);
                    let three = |of: &[f64]| vec![of[0], of[1], of[1]];
                    let (damping, armature) = (three(&joint.damping), three(&joint.armature));
                    vec![Link { data, damping, armature, springs: vec![], middle: None }]
                }
            }
        }
        TreeKind::Spherical => {
            let frames = [turned(joint.parent_frame, quaternion(&joint.q)), joint.child_frame];
            vec![Link {
                data: at(JointAxesMask::LOCKED_SPHERICAL_AXES, frames),
                damping: joint.damping.clone(),
                armature: joint.armature.clone(),
                springs: vec![],
                middle: None,
            }]
        }
    }
}

fn quaternion(q: &[f64]) -> Rotation {
    Rotation::from_xyzw(q[0], q[1], q[2], q[3]).normalize()
}

/// Takes Rapier's first axis to this one.
fn first(axis: Vector) -> Rotation {
    Rotation::from_rotation_arc(Vector::X, axis)
}

/// Takes Rapier's first two axes to these, which should be at right angles.
fn both([one, two]: [Vector; 2]) -> Rotation {
    let third = one.cross(two).normalize();
    Rotation::from_mat3(&Matrix::from_cols(one, third.cross(one), third))
}
