//! From mjcf-rs's model to supple's: the world, bodies on it, joints.

use std::path::Path;

use glam::DVec3;
use mjcf_rs::body::{Joint as MjcfJoint, JointType};
use supple::model::{Dof, Element, Limit};
use supple::{Body, Joint, JointKind, Model, ModelBuilder, Pose};

use super::inertia::{Inertias, pose};
use super::plain::Settings;
use super::probe::Probe;
use crate::loaded::NamedJoint;
use crate::names::Names;
use crate::warning::Warnings;
use crate::{Format, IoError, LoadOptions, Loaded};

/// One joint of the file, before the model gives it its places in q and v.
struct Part<'a> {
    name: String,
    joint: &'a MjcfJoint,
    kind: &'static str,
    zero: f64,
    /// Springs and dampers by time constant and damping ratio \[s, 1].
    spring_damper: Option<[f64; 2]>,
}

/// Makes the model, its named joints and its first position.
pub(super) fn convert(
    mjcf: &mjcf_rs::Model,
    settings: &Settings,
    directory: Option<&Path>,
    options: &LoadOptions,
    warnings: &mut Warnings,
) -> Result<Loaded, IoError> {
    if mjcf.bodies.len() < 2 {
        return Err(IoError::Missing { element: "<worldbody>".into(), what: "any <body>".into() });
    }
    let names = body_names(mjcf)?;
    let mut inertias = Inertias::new(mjcf, settings, directory);
    let mut joints = joint_names(mjcf)?;
    let floats = floating(mjcf, options);
    let free = MjcfJoint { type_: JointType::Free, ..MjcfJoint::default() };

    let mut bodies = vec![Body::new(&names[0], Joint::fixed().named(joints.make(&names[0])))];
    let mut parts: Vec<Vec<Part>> = vec![Vec::new()];
    let mut starts = vec![Pose::IDENTITY];
    for (i, entry) in mjcf.bodies.iter().enumerate().skip(1) {
        let name = &names[i];
        let given: Vec<&MjcfJoint> = if floats[i] { vec![&free] } else { entry.body.joints.iter().collect() };
        let parent = entry.parent.unwrap_or(0);
        if let Some(joint) = given.iter().find(|j| j.type_ == JointType::Free) {
            let label = format!("<joint {:?}> of <body {name:?}>", joint.name.as_deref().unwrap_or_default());
            if given.len() > 1 || parent != 0 {
                let advice = "a free joint must be the only joint of a body in <worldbody>";
                return Err(IoError::Unsupported { element: label, advice: advice.into() });
            }
        }
        let own: Vec<Part> = given
            .iter()
            .enumerate()
            .map(|(k, joint)| Part {
                name: match &joint.name {
                    Some(name) => name.clone(),
                    None if given.len() == 1 => joints.make(name),
                    None => joints.make(&format!("{name}/{k}")),
                },
                joint,
                kind: word(joint.type_),
                zero: if scalar(joint.type_) { joint.ref_ } else { 0.0 },
                spring_damper: joint.springdamper.filter(|s| s[0] > 0.0 && s[1] > 0.0),
            })
            .collect();
        let joint_name = match own.as_slice() {
            [one] => one.name.clone(),
            _ => joints.make(name),
        };
        let start = pose(&entry.body.pose);
        let mut body = joint_of(&own, start, mjcf, settings, warnings).on(&names[parent]);
        body.name.clone_from(name);
        body.joint.name = Some(joint_name);
        body.inertia = inertias.body(&entry.body, name)?;
        if entry.body.mocap {
            warnings.add(format!("<body {name:?}>"), "a mocap body stands still");
        }
        bodies.push(body);
        parts.push(own);
        starts.push(start);
    }
    set_total_mass(&mut bodies, mjcf.compiler.set_total_mass);
    let build =
        |bodies: &[Body]| bodies.iter().cloned().fold(ModelBuilder::new(), ModelBuilder::body).finish();
    let mut model = build(&bodies)?;
    let q = first_position(&model, &starts);
    if parts.iter().flatten().any(|p| p.spring_damper.is_some()) {
        spring_dampers(&model, &q, &parts, &mut bodies);
        model = build(&bodies)?;
    }
    let mut loaded = Loaded::at_rest(model, Format::Mjcf);
    loaded.q = q;
    loaded.gravity = match settings.disabled("gravity") {
        true => DVec3::ZERO,
        false => DVec3::from_array(mjcf.option.gravity),
    };
    loaded.timestep = settings.timestep()?;
    loaded.joints = named(&loaded.model, &parts);
    Ok(loaded)
}

/// The names of all bodies, the world's first; bodies without one are numbered as MuJoCo numbers them.
fn body_names(mjcf: &mjcf_rs::Model) -> Result<Vec<String>, IoError> {
    let mut names = Names::default();
    for name in mjcf.bodies.iter().filter_map(|b| b.body.name.as_deref()) {
        if !names.take(name) {
            return Err(IoError::Duplicate { what: "body", name: name.into() });
        }
    }
    let name = |(i, entry): (usize, &mjcf_rs::BodyEntry)| match &entry.body.name {
        Some(name) => name.clone(),
        None if i == 0 => names.make("world"),
        None => names.make(&format!("body{i}")),
    };
    Ok(mjcf.bodies.iter().enumerate().map(name).collect())
}

/// The joint names that the file gives.
fn joint_names(mjcf: &mjcf_rs::Model) -> Result<Names, IoError> {
    let mut names = Names::default();
    for name in mjcf.bodies.iter().flat_map(|b| &b.body.joints).filter_map(|j| j.name.as_deref()) {
        if !names.take(name) {
            return Err(IoError::Duplicate { what: "joint", name: name.into() });
        }
    }
    Ok(names)
}

/// Bodies that get a free joint: those on the world without joints of their own that carry some, if a floating
/// base is wanted.
fn floating(mjcf: &mjcf_rs::Model, options: &LoadOptions) -> Vec<bool> {
    let mut carries = vec![false; mjcf.bodies.len()];
    if !options.floating_base {
        return carries;
    }
    // children come after their parents
    for (i, entry) in mjcf.bodies.iter().enumerate().rev() {
        if let Some(parent) = entry.parent {
            carries[parent] |= carries[i] || !entry.body.joints.is_empty();
        }
    }
    let floats = mjcf.bodies.iter().zip(carries);
    floats.map(|(e, c)| c && e.parent == Some(0) && e.body.joints.is_empty() && !e.body.mocap).collect()
}

/// A body's joint, where it stands on the parent, and the body's frame beyond it.
fn joint_of(
    parts: &[Part],
    start: Pose,
    mjcf: &mjcf_rs::Model,
    settings: &Settings,
    warnings: &mut Warnings,
) -> Body {
    let anchor = |j: &MjcfJoint| DVec3::from_array(j.pos);
    let axis = |j: &MjcfJoint| DVec3::from_array(j.axis);
    // a single joint has its frame at its anchor; several share the frame of the body
    let (kind, offset) = match parts {
        [] => (JointKind::Fixed, DVec3::ZERO),
        [Part { joint: j, .. }] => match j.type_ {
            JointType::Hinge => (JointKind::Revolute { axis: axis(j) }, anchor(j)),
            JointType::Slide => (JointKind::Prismatic { axis: axis(j) }, DVec3::ZERO),
            JointType::Ball => (JointKind::Spherical, anchor(j)),
            JointType::Free => (JointKind::Free, DVec3::ZERO),
        },
        several => {
            let element = |p: &Part| match p.joint.type_ {
                JointType::Hinge => Element::Hinge { axis: axis(p.joint), anchor: anchor(p.joint) },
                JointType::Slide => Element::Slide { axis: axis(p.joint) },
                // free joints are alone
                JointType::Ball | JointType::Free => Element::Ball { anchor: anchor(p.joint) },
            };
            (JointKind::Compound(several.iter().map(element).collect()), DVec3::ZERO)
        }
    };
    let is_free = kind == JointKind::Free;
    let mut joint = Joint::new(kind);
    joint.dofs.clear();
    joint.rest.clear();
    for part in parts {
        let (dofs, rest) = freedom(part, parts.len() == 1, start, mjcf, settings, warnings);
        joint.dofs.extend(dofs);
        joint.rest.extend(rest);
    }
    // the position of a free joint is the pose in the world: its frame stands there
    let placement = if is_free { Pose::IDENTITY } else { start * Pose::from_translation(offset) };
    let mut body = Body::new("", joint).at(placement);
    body.frame = Pose::from_translation(-offset);
    body
}

/// Degrees of freedom of one joint of the file, and where its springs rest.
fn freedom(
    part: &Part,
    alone: bool,
    start: Pose,
    mjcf: &mjcf_rs::Model,
    settings: &Settings,
    warnings: &mut Warnings,
) -> (Vec<Dof>, Vec<f64>) {
    let joint = part.joint;
    let label = || format!("<joint {:?}>", part.name);
    let on = |effect: &str, value: f64| if settings.disabled(effect) { 0.0 } else { value };
    let mut dof = Dof {
        damping: on("damper", on("passive", joint.damping)),
        stiffness: on("spring", on("passive", joint.stiffness)),
        friction: on("frictionloss", joint.frictionloss),
        armature: joint.armature,
        ..Dof::default()
    };
    let range = joint.range.filter(|r| *r != [0.0, 0.0]);
    let auto = joint.limited == mjcf_rs::Tristate::Auto;
    if auto && range.is_some() && !mjcf.compiler.autolimits {
        warnings.add(label(), "a range without limited=\"true\" and with autolimits=\"false\": no limit");
    }
    let limited =
        joint.limited.resolve(mjcf.compiler.autolimits, range.is_some()) && !settings.disabled("limit");
    let limit = |[lower, upper]: [f64; 2]| Limit { lower, upper, stiffness: None, damping: None };
    let [lower, upper] = joint.range.unwrap_or_default();
    match joint.type_ {
        JointType::Hinge | JointType::Slide => {
            if limited {
                dof.limit = Some(limit([lower - joint.ref_, upper - joint.ref_]));
            }
            (vec![dof], vec![joint.springref - joint.ref_])
        }
        JointType::Ball => {
            let mut dofs = vec![dof; 3];
            if limited && alone {
                // mjcf-rs leaves the range of ball joints in the file's unit
                let unit = if settings.degrees { 1f64.to_radians() } else { 1.0 };
                dofs[0].limit = Some(limit([0.0, upper * unit]));
            } else if limited {
                warnings.add(label(), "limits of a ball joint beside other joints are left out");
            }
            (dofs, vec![0.0, 0.0, 0.0, 1.0])
        }
        JointType::Free => {
            let rest = [start.translation.to_array().as_slice(), &start.quat().to_array()].concat();
            (vec![dof; 6], rest)
        }
    }
}

/// Scales all masses so that they add up to `total` \[kg]; a total that is not positive leaves them.
fn set_total_mass(bodies: &mut [Body], total: f64) {
    let sum: f64 = bodies.iter().map(|b| b.inertia.mass).sum();
    if total <= 0.0 || sum <= 0.0 {
        return;
    }
    for inertia in bodies.iter_mut().map(|b| &mut b.inertia) {
        let scale = total / sum;
        inertia.mass *= scale;
        inertia.moment *= scale;
        inertia.inertia = inertia.inertia * scale;
    }
}

/// Neutral, with free bodies where the file puts them.
fn first_position(model: &Model, starts: &[Pose]) -> Vec<f64> {
    let mut q = model.neutral().to_vec();
    for (joint, start) in model.joints().iter().zip(starts) {
        if joint.kind == JointKind::Free {
            q[joint.q..joint.q + 3].copy_from_slice(&start.translation.to_array());
            q[joint.q + 3..joint.q + 7].copy_from_slice(&start.quat().to_array());
        }
    }
    q
}

/// The joints of the file with their places in q and v.
fn named(model: &Model, parts: &[Vec<Part>]) -> Vec<NamedJoint> {
    let mut list = Vec::new();
    for (joint, parts) in model.joints().iter().zip(parts) {
        let (mut q, mut v) = (joint.q, joint.v);
        for part in parts {
            let (nq, nv) = sizes(part.joint.type_);
            let (name, kind, zero) = (part.name.clone(), part.kind, part.zero);
            list.push(NamedJoint { name, kind, q: q..q + nq, v: v..v + nv, zero });
            (q, v) = (q + nq, v + nv);
        }
    }
    list
}

/// Stiffness and damping of joints that give a time constant and a damping ratio instead: MuJoCo takes the mean of
/// the inverse inertias about the joint's degrees of freedom at the first position.
fn spring_dampers(model: &Model, q: &[f64], parts: &[Vec<Part>], bodies: &mut [Body]) {
    let mut probe = Probe::new(model, q);
    for ((joint, parts), body) in model.joints().iter().zip(parts).zip(bodies) {
        let mut first = 0;
        for part in parts {
            let dofs = first..first + sizes(part.joint.type_).1;
            first = dofs.end;
            let Some([time, ratio]) = part.spring_damper else { continue };
            let sum: f64 = dofs.clone().map(|k| probe.inverse_inertia(joint.v + k)).sum();
            let inertia = dofs.len() as f64 / sum;
            for dof in &mut body.joint.dofs[dofs] {
                dof.stiffness = inertia / (time * time * ratio * ratio);
                dof.damping = 2.0 * inertia / time;
            }
        }
    }
}

const fn word(kind: JointType) -> &'static str {
    match kind {
        JointType::Hinge => "revolute",
        JointType::Slide => "prismatic",
        JointType::Ball => "spherical",
        JointType::Free => "free",
    }
}

const fn scalar(kind: JointType) -> bool {
    matches!(kind, JointType::Hinge | JointType::Slide)
}

const fn sizes(kind: JointType) -> (usize, usize) {
    match kind {
        JointType::Hinge | JointType::Slide => (1, 1),
        JointType::Ball => (4, 3),
        JointType::Free => (7, 6),
    }
}
