//! From urdf-rs's robot to a model.

use std::collections::HashMap;
use supple::spatial::rotation;

use glam::DVec3;
use supple::model::Limit;
use supple::spatial::Sym3;
use supple::{Body, Joint, JointKind, ModelBuilder, Pose, RigidInertia};
use urdf_rs::JointType;

use super::pool::pool;
use crate::names::Names;
use crate::warning::Warnings;
use crate::{Format, IoError, LoadOptions, Loaded, Loop};

/// A link is a body, and the joint that has it as its child carries it.
pub(super) fn convert(
    robot: &urdf_rs::Robot,
    options: &LoadOptions,
    warnings: &mut Warnings,
) -> Result<Loaded, IoError> {
    let mut carrier: HashMap<&str, &urdf_rs::Joint> = HashMap::new();
    let mut names = Names::default();
    for joint in &robot.joints {
        names.take(&joint.name);
        if let Some(first) = carrier.insert(&joint.child.link, joint) {
            return Err(IoError::BadValue {
                element: format!("<joint {:?}>", joint.name),
                field: "child link".into(),
                value: joint.child.link.clone(),
                expected: format!("a link that no other joint carries (joint {:?} does already)", first.name),
            });
        }
    }
    let mut bodies = Vec::with_capacity(robot.links.len());
    for link in &robot.links {
        let body = match carrier.get(link.name.as_str()) {
            Some(joint) => Body::new(&link.name, joint_of(joint).named(&joint.name))
                .on(&joint.parent.link)
                .at(pose(&joint.origin)),
            None => {
                let joint = if options.floating_base { Joint::free() } else { Joint::fixed() };
                Body::new(&link.name, joint.named(names.make(&link.name)))
            }
        };
        bodies.push(body.inertia(inertia(link)));
    }
    pool(&mut bodies, warnings);
    let builder = bodies.into_iter().fold(ModelBuilder::new(), ModelBuilder::body);
    let mut loaded = Loaded::at_rest(builder.finish()?, Format::Urdf);
    loaded.name = robot.name.clone();
    loaded.loops = mimics(robot, &loaded, warnings)?;
    Ok(loaded)
}

/// Joints that follow others.
fn mimics(robot: &urdf_rs::Robot, loaded: &Loaded, warnings: &mut Warnings) -> Result<Vec<Loop>, IoError> {
    let mut loops = Vec::new();
    for joint in &robot.joints {
        let Some(mimic) = &joint.mimic else { continue };
        let element = || format!("<mimic> of <joint {:?}>", joint.name);
        if joint.joint_type == JointType::Fixed {
            warnings.add(element(), "a fixed joint follows nothing: left out");
            continue;
        }
        let dof = |name: &str| match loaded.joint(name)? {
            one if one.v.len() == 1 => Ok(one.v.start),
            _ => Err(IoError::BadValue {
                element: element(),
                field: "joint".into(),
                value: name.into(),
                expected: "revolute, continuous or prismatic joints".into(),
            }),
        };
        let follower = dof(&joint.name)?;
        let leader = match robot.joints.iter().find(|other| other.name == mimic.joint) {
            Some(other) if other.joint_type == JointType::Fixed => None,
            Some(_) => Some(dof(&mimic.joint)?),
            None => {
                let missing = format!("joint {:?} is not there: the joint moves independently", mimic.joint);
                warnings.add(element(), missing);
                continue;
            }
        };
        if leader == Some(follower) {
            return Err(IoError::BadValue {
                element: element(),
                field: "joint".into(),
                value: mimic.joint.clone(),
                expected: "another joint".into(),
            });
        }
        // a leader that is fixed is at zero
        let polynomial = vec![mimic.offset.unwrap_or(0.0), mimic.multiplier.unwrap_or(1.0)];
        loops.push(Loop::Joint { name: joint.name.clone(), follower, leader, polynomial });
    }
    Ok(loops)
}

fn joint_of(joint: &urdf_rs::Joint) -> Joint {
    let axis = DVec3::from_array(joint.axis.xyz.0);
    let kind = match joint.joint_type {
        JointType::Fixed => JointKind::Fixed,
        JointType::Revolute => JointKind::Revolute { axis },
        JointType::Continuous => JointKind::Continuous { axis },
        JointType::Prismatic => JointKind::Prismatic { axis },
        JointType::Planar => JointKind::Planar { normal: axis },
        JointType::Floating => JointKind::Free,
        JointType::Spherical => JointKind::Spherical,
    };
    let urdf_rs::JointLimit { lower, upper, effort, velocity, .. } = joint.limit;
    let bounded = lower > f64::NEG_INFINITY || upper < f64::INFINITY;
    let limit = bounded.then_some(Limit { lower, upper, stiffness: None, damping: None });
    Joint::new(kind).each(|dof| {
        dof.limit = limit;
        dof.effort_limit = effort.is_finite().then_some(effort);
        dof.velocity_limit = velocity.is_finite().then_some(velocity);
        if let Some(dynamics) = &joint.dynamics {
            dof.damping = dynamics.damping;
            dof.friction = dynamics.friction;
        }
    })
}

fn inertia(link: &urdf_rs::Link) -> RigidInertia {
    let urdf_rs::Inertial { origin, mass, inertia: i } = &link.inertial;
    let about_com = Sym3::new([i.ixx, i.ixy, i.ixz, i.iyy, i.iyz, i.izz]);
    RigidInertia::new(mass.value, DVec3::ZERO, about_com).transformed(&pose(origin))
}

/// Fixed-axis roll, pitch, yaw: `Rz(yaw) Ry(pitch) Rx(roll)`.
fn pose(origin: &urdf_rs::Pose) -> Pose {
    let [roll, pitch, yaw] = origin.rpy.0;
    Pose::new(DVec3::from_array(origin.xyz.0), rotation::from_yaw_pitch_roll(yaw, pitch, roll))
}
