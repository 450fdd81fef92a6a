//! Articulations as Rapier's multibodies: joints that cannot come apart.

use rapier3d_f64::prelude::*;

use crate::{
    tree_joint::{Link, Universal, links},
    world::{Body, World},
};

/// Inserts the joints of all articulations, and what their degrees of freedom have. Bodies are at rest in their joints at the start.
pub fn build(
    physics: &mut PhysicsWorld,
    world: &World,
    universal: Universal,
    limits: bool,
    handle: impl Fn(i64) -> RigidBodyHandle,
) {
    for joint in &world.tree {
        let mut from = handle(joint.parent);
        for mut link in links(joint, universal) {
            if !limits {
                link.data.limit_axes = JointAxesMask::empty();
            }
            let to = match &link.middle {
                Some(middle) => {
                    let carried = &world.bodies[joint.child as usize];
                    let place = *physics.bodies[from].position()
                        * link.data.local_frame1
                        * link.data.local_frame2.inverse();
                    physics.bodies.insert(middle_body(carried, middle.mass, place))
                }
                None => handle(joint.child),
            };
            physics.multibody_joints.insert(from, to, link.data, true);
            set(physics, to, &link);
            from = to;
        }
    }
}

/// Rapier's own damping is replaced by the joint's.
fn set(physics: &mut PhysicsWorld, body: RigidBodyHandle, link: &Link) {
    let Some(id) = physics.multibody_joints.rigid_body_link(body).copied() else { return };
    let Some(multibody) = physics.multibody_joints.get_multibody_mut(id.multibody) else { return };
    // the joint that came last is at the end; the root has no damping
    let first = multibody.damping().len() - link.damping.len();
    for (i, (damping, armature)) in link.damping.iter().zip(&link.armature).enumerate() {
        multibody.damping_mut()[first + i] = *damping;
        multibody.armature_mut()[first + i] = *armature;
    }
    if let Some(own) = multibody.link_mut(id.id) {
        for (axis, stiffness, rest) in &link.springs {
            own.joint.set_spring(*axis, *stiffness, *rest);
        }
    }
}

/// A light body at the crossing of two axes.
fn middle_body(carried: &Body, share: f64, place: Pose) -> RigidBodyBuilder {
    let [xx, _, _, yy, _, zz] = carried.inertia;
    let inertia = Vector::splat(share * xx.max(yy).max(zz));
    RigidBodyBuilder::dynamic().pose(place).additional_mass_properties(MassProperties::new(
        Vector::ZERO,
        share * carried.mass,
        inertia,
    ))
}
