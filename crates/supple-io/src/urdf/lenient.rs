//! What matters for motion in a URDF, complete and plain, as urdf-rs wants it.

use std::collections::HashSet;
use supple::spatial::rotation;

use crate::IoError;
use crate::warning::Warnings;
use crate::xml::{Element, words};

/// The same robot: links with inertia, joints with all their numbers, nothing else.
pub(super) fn plain(document: &Element, warnings: &mut Warnings) -> Result<Element, IoError> {
    if document.tag != "robot" {
        return Err(IoError::UnknownFormat { found: format!("root element <{}>", document.tag) });
    }
    let mut robot = Element::new("robot").with("name", document.get("name").unwrap_or_default());
    let has_quaternions = document.get("version").is_some_and(|v| v.trim() != "1.0" && v.trim() != "1");
    let (mut links, mut joints) = (HashSet::new(), HashSet::new());
    for element in &document.children {
        match element.tag.as_str() {
            "link" => {
                let name = named(element, &mut links, "link")?;
                robot.children.push(link(element, name, has_quaternions, warnings)?);
            }
            "joint" => {
                let name = named(element, &mut joints, "joint")?;
                robot.children.push(joint(element, name, has_quaternions, warnings)?);
            }
            tag if tag.starts_with("xacro:") => {
                let advice = "it stands for other elements; run xacro on the file first".into();
                return Err(IoError::Unsupported { element: element.label(), advice });
            }
            _ => {}
        }
    }
    if links.is_empty() {
        return Err(IoError::Missing { element: document.label(), what: "any <link>".into() });
    }
    for joint in robot.all("joint") {
        for end in ["parent", "child"] {
            let link = joint.first(end).and_then(|e| e.get("link")).unwrap_or_default();
            if !links.contains(link) {
                let known: Vec<&str> = robot.all("link").filter_map(|l| l.get("name")).collect();
                let near = crate::names::hint(link, known.iter().copied());
                let hint = format!(" ({end} of {}){near}", joint.label());
                return Err(IoError::UnknownName { what: "link", name: link.into(), hint });
            }
        }
    }
    Ok(robot)
}

/// The name of a link or joint, noted as taken.
fn named<'a>(
    element: &'a Element,
    taken: &mut HashSet<&'a str>,
    what: &'static str,
) -> Result<&'a str, IoError> {
    let name = element.need("name")?;
    if !taken.insert(name) {
        return Err(IoError::Duplicate { what, name: name.into() });
    }
    Ok(name)
}

fn link(link: &Element, name: &str, quaternions: bool, warnings: &mut Warnings) -> Result<Element, IoError> {
    let mut plain = Element::new("link").with("name", name);
    let Some(inertial) = link.first("inertial") else { return Ok(plain) };
    let mass = match inertial.first("mass") {
        Some(mass) => mass.finite::<1>("value")?.map(|[m]| m),
        None => None,
    };
    if mass.is_none() {
        warnings.add(link.label(), "the <inertial> has no mass: taken as massless");
        return Ok(plain);
    }
    let mut inertia = Element::new("inertia");
    let given = inertial.first("inertia");
    if given.is_none() {
        warnings.add(link.label(), "the <inertial> has no <inertia>: taken as a point mass");
    }
    for component in ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"] {
        let value = match given {
            Some(given) => given.finite::<1>(component)?,
            None => None,
        };
        if value.is_none() && given.is_some() {
            warnings.add(link.label(), "<inertia> lacks components: taken as 0 kg·m²");
        }
        inertia.set(component, words(&value.unwrap_or([0.0])));
    }
    plain.children.push(Element {
        children: vec![
            origin(inertial, quaternions)?,
            Element::new("mass").with("value", words(&[mass.unwrap_or(0.0)])),
            inertia,
        ],
        ..Element::new("inertial")
    });
    Ok(plain)
}

fn joint(
    joint: &Element,
    name: &str,
    quaternions: bool,
    warnings: &mut Warnings,
) -> Result<Element, IoError> {
    const TYPES: [&str; 7] =
        ["fixed", "revolute", "continuous", "prismatic", "planar", "floating", "spherical"];
    let kind = joint.need("type")?;
    if !TYPES.contains(&kind) {
        return Err(joint.bad("type", kind, format!("one of {}", TYPES.join(", "))));
    }
    let mut plain =
        Element { line: joint.line, ..Element::new("joint").with("name", name).with("type", kind) };
    plain.children.push(origin(joint, quaternions)?);
    for end in ["parent", "child"] {
        let element = joint.first(end).ok_or_else(|| IoError::Missing {
            element: joint.label(),
            what: format!("a <{end} link=\"…\"/>"),
        })?;
        plain.children.push(Element::new(end).with("link", element.need("link")?));
    }
    if let Some(axis) = joint.first("axis") {
        let xyz = axis.finite::<3>("xyz")?.unwrap_or([1.0, 0.0, 0.0]);
        plain.children.push(Element::new("axis").with("xyz", words(&xyz)));
    }
    plain.children.push(limit(joint, kind, warnings)?);
    if let Some(dynamics) = joint.first("dynamics") {
        let mut numbers = Element::new("dynamics");
        for field in ["damping", "friction"] {
            numbers.set(field, words(&dynamics.finite::<1>(field)?.unwrap_or([0.0])));
        }
        plain.children.push(numbers);
    }
    if let Some(mimic) = joint.first("mimic") {
        let mut plain_mimic = Element::new("mimic").with("joint", mimic.need("joint")?);
        for field in ["multiplier", "offset"] {
            if let Some(number) = mimic.finite::<1>(field)? {
                plain_mimic.set(field, words(&number));
            }
        }
        plain.children.push(plain_mimic);
    }
    Ok(plain)
}

/// Limits with all four numbers; ±∞ stands for "none".
fn limit(joint: &Element, kind: &str, warnings: &mut Warnings) -> Result<Element, IoError> {
    let none = Element::new("limit");
    let given = joint.first("limit").unwrap_or(&none);
    let ranged = matches!(kind, "revolute" | "prismatic");
    let (mut lower, mut upper) = (given.number("lower")?, given.number("upper")?);
    if ranged && lower.is_none() && upper.is_none() {
        warnings.add(joint.label(), "no position limits are given: the joint has none");
    } else if ranged {
        // as ROS does
        lower = lower.or(Some(0.0));
        upper = upper.or(Some(0.0));
    } else {
        (lower, upper) = (None, None);
    }
    let mut limit = Element::new("limit")
        .with("lower", words(&[lower.unwrap_or(f64::NEG_INFINITY)]))
        .with("upper", words(&[upper.unwrap_or(f64::INFINITY)]));
    for field in ["effort", "velocity"] {
        let value = given.number(field)?;
        if value.is_some_and(|x| x <= 0.0) {
            warnings.add(joint.label(), format!("{field} limit is not positive: taken as no limit"));
        } else if value.is_none() && ranged {
            warnings.add(joint.label(), format!("{field} limit is missing: taken as no limit"));
        }
        limit.set(field, words(&[value.filter(|x| *x > 0.0).unwrap_or(f64::INFINITY)]));
    }
    Ok(limit)
}

fn origin(of: &Element, quaternions: bool) -> Result<Element, IoError> {
    let none = Element::new("origin");
    let given = of.first("origin").unwrap_or(&none);
    let xyz = given.finite::<3>("xyz")?.unwrap_or_default();
    let mut plain = Element::new("origin").with("xyz", words(&xyz));
    let rpy = given.finite::<3>("rpy")?;
    let quat = given.finite::<4>("quat_xyzw")?.filter(|_| quaternions && rpy.is_none());
    plain.set("rpy", words(&rpy.unwrap_or_default()));
    if let Some(quat) = quat {
        plain.set("rpy", words(&rpy_of(quat, given)?));
    }
    Ok(plain)
}

/// Roll, pitch and yaw of a quaternion (URDF 1.1).
fn rpy_of(quat: [f64; 4], origin: &Element) -> Result<[f64; 3], IoError> {
    let q = glam::DQuat::from_array(quat);
    let length = q.length();
    if (length - 1.0).abs() > 1e-3 {
        return Err(IoError::NotUnit { element: origin.label(), field: "quat_xyzw".into(), length });
    }
    let (yaw, pitch, roll) = rotation::yaw_pitch_roll(q.normalize());
    Ok([roll, pitch, yaw])
}
