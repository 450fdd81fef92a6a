//! How far joints are apart, measured from poses of bodies: the same for every engine.

use rapier3d_f64::math::{Pose, Vector};

use crate::{
    tree::{TreeJoint, TreeKind},
    world::{Joint, Kind, World},
};

/// The greatest gap of all joints [m]: the distance of a joint's two anchors, for a distance the deviation from its
/// length, for a rope what is more than its length. Infinite if any is not a number.
pub fn greatest(world: &World, poses: &[Pose]) -> f64 {
    let gaps = world.joints.iter().map(|joint| of_joint(joint, poses));
    let gaps = gaps.chain(world.tree.iter().map(|joint| of_tree(joint, poses)));
    gaps.fold(0.0, |most, gap| if gap.is_nan() { f64::INFINITY } else { gap.max(most) })
}

fn of_joint(joint: &Joint, poses: &[Pose]) -> f64 {
    let parent = anchor(poses, joint.parent, joint.parent_frame.position);
    let child = anchor(poses, joint.child, joint.child_frame.position);
    let distance = (parent - child).length();
    let length = joint.length.unwrap_or(0.0);
    match joint.kind {
        Kind::Ball | Kind::Hinge | Kind::Rigid => distance,
        Kind::Distance => (distance - length).abs(),
        Kind::Rope if distance < length => 0.0,
        Kind::Rope => distance - length,
    }
}

/// Of a joint that slides, what is not along its axis.
fn of_tree(joint: &TreeJoint, poses: &[Pose]) -> f64 {
    let frame = |body: i64, frame: Pose| usize::try_from(body).map_or(frame, |body| poses[body] * frame);
    let parent = frame(joint.parent, joint.parent_frame);
    let apart = frame(joint.child, joint.child_frame).translation - parent.translation;
    match joint.kind {
        TreeKind::Free => 0.0,
        TreeKind::Prismatic(axis) => apart.reject_from(parent.rotation * axis).length(),
        _ => apart.length(),
    }
}

/// A point of a body (negative: of the world) in world coordinates.
fn anchor(poses: &[Pose], body: i64, point: [f64; 3]) -> Vector {
    let point = Vector::from(point);
    usize::try_from(body).map_or(point, |body| poses[body] * point)
}
