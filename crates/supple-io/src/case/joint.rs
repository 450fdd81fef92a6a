//! Joints of a case: from the file and back.

use glam::DVec3;
use supple::model::{Dof, Element, Limit};
use supple::{Joint, JointKind, Model};

use super::file::{CaseElement, CaseJoint, CaseLimit, OneOrEach};
use crate::IoError;
use crate::warning::Warnings;

const KINDS: &str = "fixed, revolute, continuous, prismatic, helical, cylindrical, universal, planar, spherical, free or compound";

/// The joint of the body that messages call `what`.
pub(super) fn read(what: &str, joint: &CaseJoint, warnings: &mut Warnings) -> Result<Joint, IoError> {
    let kind = kind(what, joint, warnings)?;
    let (nq, nv) = kind.sizes();
    let mut made = Joint::new(kind);
    made.name.clone_from(&joint.name);
    if let Some(rest) = &joint.rest {
        if matches!(rest, OneOrEach::One(_)) && nq != nv {
            return Err(IoError::BadValue {
                element: what.into(),
                field: "joint.rest".into(),
                value: "one number".into(),
                expected: format!("a list of {nq}: the joint's position has a quaternion"),
            });
        }
        for (x, given) in made.rest.iter_mut().zip(expand(what, "rest", rest, nq)?) {
            *x = given.unwrap_or(*x);
        }
    }
    let mut each = |field, given: &Option<OneOrEach<f64>>, set: fn(&mut Dof, f64)| -> Result<(), IoError> {
        let Some(given) = given else { return Ok(()) };
        for (dof, x) in made.dofs.iter_mut().zip(expand(what, field, given, nv)?) {
            if let Some(x) = x {
                set(dof, x);
            }
        }
        Ok(())
    };
    each("damping", &joint.damping, |d, x| d.damping = x)?;
    each("stiffness", &joint.stiffness, |d, x| d.stiffness = x)?;
    each("armature", &joint.armature, |d, x| d.armature = x)?;
    each("friction", &joint.friction, |d, x| d.friction = x)?;
    each("effort_limit", &joint.effort_limit, |d, x| d.effort_limit = Some(x))?;
    each("velocity_limit", &joint.velocity_limit, |d, x| d.velocity_limit = Some(x))?;
    if let Some(given) = &joint.limits {
        let mut limits = expand(what, "limits", given, nv)?;
        if made.kind == JointKind::Spherical && matches!(given, OneOrEach::One(_)) {
            // it bounds the whole angle, which is the first's to say
            limits[1..].fill(None);
        }
        for (dof, limit) in made.dofs.iter_mut().zip(limits) {
            dof.limit = limit.map(|l| Limit {
                lower: l.lower.unwrap_or(f64::NEG_INFINITY),
                upper: l.upper.unwrap_or(f64::INFINITY),
                stiffness: l.stiffness,
                damping: l.damping,
            });
        }
    }
    Ok(made)
}

fn kind(what: &str, joint: &CaseJoint, warnings: &mut Warnings) -> Result<JointKind, IoError> {
    let word = joint.kind.as_str();
    let lacks = |field: &str| IoError::Missing {
        element: what.into(),
        what: format!("the {field} of its {word} joint"),
    };
    let axis = || joint.axis.map(DVec3::from_array).ok_or_else(|| lacks("axis"));
    let kind = match word {
        "fixed" => JointKind::Fixed,
        "revolute" => JointKind::Revolute { axis: axis()? },
        "continuous" => JointKind::Continuous { axis: axis()? },
        "prismatic" => JointKind::Prismatic { axis: axis()? },
        "helical" => {
            JointKind::Helical { axis: axis()?, pitch: joint.pitch.ok_or_else(|| lacks("pitch [m/rad]"))? }
        }
        "cylindrical" => JointKind::Cylindrical { axis: axis()? },
        "universal" => {
            JointKind::Universal { axes: joint.axes.ok_or_else(|| lacks("two axes"))?.map(DVec3::from_array) }
        }
        "planar" => JointKind::Planar { normal: axis()? },
        "spherical" => JointKind::Spherical,
        "free" => JointKind::Free,
        "compound" => {
            let elements = joint.elements.as_ref().ok_or_else(|| lacks("elements"))?;
            JointKind::Compound(elements.iter().map(element).collect())
        }
        other => {
            return Err(IoError::BadValue {
                element: what.into(),
                field: "joint.type".into(),
                value: crate::xml::shorten(other).into_owned(),
                expected: KINDS.into(),
            });
        }
    };
    let needed = shape(&kind);
    for (field, given, needed) in [
        ("axis", joint.axis.is_some(), needed.axis.is_some()),
        ("axes", joint.axes.is_some(), needed.axes.is_some()),
        ("pitch", joint.pitch.is_some(), needed.pitch.is_some()),
        ("elements", joint.elements.is_some(), needed.elements.is_some()),
    ] {
        if given && !needed {
            warnings.add(what, format!("a {word} joint has no {field}: left out"));
        }
    }
    Ok(kind)
}

fn element(element: &CaseElement) -> Element {
    let vector = DVec3::from_array;
    match *element {
        CaseElement::Hinge { axis, anchor } => Element::Hinge { axis: vector(axis), anchor: vector(anchor) },
        CaseElement::Slide { axis } => Element::Slide { axis: vector(axis) },
        CaseElement::Ball { anchor } => Element::Ball { anchor: vector(anchor) },
    }
}

fn expand<T: Copy>(
    what: &str,
    field: &str,
    given: &OneOrEach<T>,
    need: usize,
) -> Result<Vec<Option<T>>, IoError> {
    match given {
        OneOrEach::One(x) => Ok(vec![Some(*x); need]),
        OneOrEach::Each(list) if list.len() == need => Ok(list.clone()),
        OneOrEach::Each(list) => Err(IoError::WrongLength {
            element: what.into(),
            field: format!("joint.{field}"),
            got: list.len(),
            need,
        }),
    }
}

/// Joint `i` of a model as the file has it.
pub(super) fn write(model: &Model, i: usize) -> CaseJoint {
    let info = &model.joints()[i];
    let dofs = &model.dofs()[info.v..info.v + info.nv];
    let number = |of: fn(&Dof) -> f64| compact(dofs.iter().map(|d| Some(of(d))).collect(), Some(0.0));
    // a bound at infinity is none
    let bound = |of: fn(&Dof) -> Option<f64>| {
        compact(dofs.iter().map(|d| of(d).filter(|x| x.is_finite())).collect(), None)
    };
    let limits = dofs.iter().map(|d| d.limit.map(|l| limit(&l)));
    let limits: Vec<_> = match info.kind {
        JointKind::Spherical => limits.take(1).collect(),
        _ => limits.collect(),
    };
    let rest = &model.rest()[info.q..info.q + info.nq];
    CaseJoint {
        name: (info.name != model.bodies()[i].name).then(|| info.name.clone()),
        kind: info.kind.word().into(),
        q_index: Some(info.q),
        nq: Some(info.nq),
        v_index: Some(info.v),
        nv: Some(info.nv),
        damping: number(|d| d.damping),
        stiffness: number(|d| d.stiffness),
        rest: (rest != info.kind.neutral())
            .then(|| OneOrEach::Each(rest.iter().copied().map(Some).collect())),
        armature: number(|d| d.armature),
        friction: number(|d| d.friction),
        effort_limit: bound(|d| d.effort_limit),
        velocity_limit: bound(|d| d.velocity_limit),
        limits: compact(limits, None),
        ..shape(&info.kind)
    }
}

/// The fields that a kind of joint has for its geometry.
fn shape(kind: &JointKind) -> CaseJoint {
    let mut joint = CaseJoint::default();
    match kind {
        JointKind::Fixed | JointKind::Spherical | JointKind::Free => {}
        JointKind::Revolute { axis }
        | JointKind::Continuous { axis }
        | JointKind::Prismatic { axis }
        | JointKind::Cylindrical { axis }
        | JointKind::Planar { normal: axis } => joint.axis = Some(axis.to_array()),
        JointKind::Helical { axis, pitch } => {
            (joint.axis, joint.pitch) = (Some(axis.to_array()), Some(*pitch));
        }
        JointKind::Universal { axes } => joint.axes = Some(axes.map(|a| a.to_array())),
        JointKind::Compound(elements) => {
            let element = |e: &Element| match e {
                Element::Hinge { axis, anchor } => {
                    CaseElement::Hinge { axis: axis.to_array(), anchor: anchor.to_array() }
                }
                Element::Slide { axis } => CaseElement::Slide { axis: axis.to_array() },
                Element::Ball { anchor } => CaseElement::Ball { anchor: anchor.to_array() },
            };
            joint.elements = Some(elements.iter().map(element).collect());
        }
    }
    joint
}

/// Nothing where all are `nothing`, one value where all are the same.
fn compact<T: Copy + PartialEq>(each: Vec<Option<T>>, nothing: Option<T>) -> Option<OneOrEach<T>> {
    if each.iter().all(|x| *x == nothing) {
        return None;
    }
    Some(match each.first() {
        Some(Some(first)) if each.iter().all(|x| *x == Some(*first)) => OneOrEach::One(*first),
        _ => OneOrEach::Each(each),
    })
}

fn limit(limit: &Limit) -> CaseLimit {
    let bound = |x: f64| x.is_finite().then_some(x);
    CaseLimit {
        lower: bound(limit.lower),
        upper: bound(limit.upper),
        stiffness: limit.stiffness,
        damping: limit.damping,
    }
}

/// Where quaternions begin among the numbers of a joint's position.
pub(crate) fn quaternions(kind: &JointKind) -> Vec<usize> {
    match kind {
        JointKind::Spherical => vec![0],
        JointKind::Free => vec![3],
        JointKind::Compound(elements) => {
            let (mut at, mut found) = (0, Vec::new());
            for element in elements {
                if let Element::Ball { .. } = element {
                    found.push(at);
                    at += 4;
                } else {
                    at += 1;
                }
            }
            found
        }
        _ => Vec::new(),
    }
}
