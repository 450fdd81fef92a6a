//! Checks of single bodies and joints: each says what is wrong, where, with value and unit.

use glam::{DMat3, DVec3};

use crate::spatial::{Pose, Sym3, rotation::direction};

use super::{Body, Element, Joint, JointKind, ModelError};

/// How far `RᵀR` of a placement may be from one: files write rotations with some six digits.
const ROTATION_TOLERANCE: f64 = 1e-5;
/// Relative slack of the triangle inequality and of positive semidefiniteness: rounding of printed inertias.
const INERTIA_SLACK: f64 = 1e-6;
/// Axes shorter than this have no direction [any unit].
const SHORTEST_AXIS: f64 = 1e-12;

pub(super) fn body(body: &Body) -> Result<(), ModelError> {
    let what = || format!("body {:?}", body.name);
    pose(&body.placement, "placement", &what)?;
    pose(&body.frame, "frame", &what)?;
    let inertia = &body.inertia;
    finite(&[inertia.mass], "mass", &what)?;
    finite(&inertia.moment.to_array(), "centre of mass", &what)?;
    finite(&inertia.inertia.to_array(), "inertia", &what)?;
    if inertia.mass < 0.0 {
        return Err(ModelError::Negative { what: what(), field: "mass", value: inertia.mass, unit: "kg" });
    }
    if inertia.mass == 0.0 {
        for (field, value) in [
            ("first moment", inertia.moment.length()),
            ("inertia", inertia.inertia.to_array().iter().fold(0.0, |m: f64, x| m.max(x.abs()))),
        ] {
            if value != 0.0 {
                return Err(ModelError::InertiaWithoutMass { body: body.name.clone(), field, value });
            }
        }
        return Ok(());
    }
    match unphysical(inertia.inertia_com(), inertia.inertia.trace()) {
        Some(Unphysical::Negative(moment)) => {
            Err(ModelError::InertiaNotPositive { body: body.name.clone(), moment })
        }
        Some(Unphysical::Triangle(moments)) => {
            Err(ModelError::InertiaTriangle { body: body.name.clone(), moments })
        }
        None => Ok(()),
    }
}

/// What is wrong with principal moments \[kg·m²].
pub(crate) enum Unphysical {
    /// The smallest is below zero.
    Negative(f64),
    /// The greatest is more than the other two together; ascending.
    Triangle([f64; 3]),
}

/// Whether no distribution of mass has this inertia about its centre of mass; `about_origin` is the trace of the one about the body's origin. Links
/// and single bodies are held to it alike.
pub(crate) fn unphysical(central: Sym3, about_origin: f64) -> Option<Unphysical> {
    let moments = central.eigenvalues();
    // the moments come out of a difference of this size, so smaller violations are rounding
    let slack = INERTIA_SLACK * moments[2].abs() + 1e-12 * about_origin.abs();
    if moments[0] < -slack {
        return Some(Unphysical::Negative(moments[0]));
    }
    (moments[2] > moments[0] + moments[1] + 2.0 * slack).then_some(Unphysical::Triangle(moments))
}

pub(super) fn joint(name: &str, joint: &Joint) -> Result<(), ModelError> {
    let what = || format!("joint {name:?}");
    match &joint.kind {
        JointKind::Fixed | JointKind::Spherical | JointKind::Free => {}
        JointKind::Revolute { axis: a }
        | JointKind::Continuous { axis: a }
        | JointKind::Prismatic { axis: a }
        | JointKind::Cylindrical { axis: a }
        | JointKind::Planar { normal: a } => axis(name, *a)?,
        JointKind::Helical { axis: a, pitch } => {
            axis(name, *a)?;
            finite(&[*pitch], "pitch", &what)?;
        }
        JointKind::Universal { axes } => {
            axis(name, axes[0])?;
            axis(name, axes[1])?;
            if direction(axes[0]).cross(direction(axes[1])).length() < 1e-9 {
                return Err(ModelError::ParallelAxes { joint: name.into() });
            }
        }
        JointKind::Compound(elements) => {
            let dofs = joint.kind.sizes().1;
            if !(1..=6).contains(&dofs) {
                return Err(ModelError::CompoundSize { joint: name.into(), dofs });
            }
            for e in elements {
                match e {
                    Element::Hinge { axis: a, anchor } => {
                        axis(name, *a)?;
                        finite(&anchor.to_array(), "anchor", &what)?;
                    }
                    Element::Slide { axis: a } => axis(name, *a)?,
                    Element::Ball { anchor } => finite(&anchor.to_array(), "anchor", &what)?,
                }
            }
        }
    }
    let (nq, nv) = joint.kind.sizes();
    for (field, got, need) in
        [("list of degrees of freedom", joint.dofs.len(), nv), ("rest position", joint.rest.len(), nq)]
    {
        if got != need {
            let kind = joint.kind.word();
            return Err(ModelError::WrongLength { joint: name.into(), field, got, kind, need });
        }
    }
    finite(&joint.rest, "rest position", &what)?;
    for quat in quaternions(&joint.kind) {
        let length = joint.rest[quat..quat + 4].iter().map(|x| x * x).sum::<f64>().sqrt();
        if (length - 1.0).abs() > ROTATION_TOLERANCE {
            return Err(ModelError::RestNotUnit { joint: name.into(), length });
        }
    }
    for (i, dof) in joint.dofs.iter().enumerate() {
        for (field, value, unit) in [
            ("damping", dof.damping, "N·m·s/rad (or N·s/m)"),
            ("stiffness", dof.stiffness, "N·m/rad (or N/m)"),
            ("armature", dof.armature, "kg·m² (or kg)"),
            ("friction", dof.friction, "N·m (or N)"),
            ("effort limit", dof.effort_limit.unwrap_or(0.0), "N·m (or N)"),
            ("velocity limit", dof.velocity_limit.unwrap_or(0.0), "rad/s (or m/s)"),
            ("limit stiffness", dof.limit.and_then(|l| l.stiffness).unwrap_or(0.0), "N·m/rad (or N/m)"),
            ("limit damping", dof.limit.and_then(|l| l.damping).unwrap_or(0.0), "N·m·s/rad (or N·s/m)"),
        ] {
            // an infinite bound on effort or speed means "none"
            let bound = field == "effort limit" || field == "velocity limit";
            if !(value.is_finite() || bound && value == f64::INFINITY) {
                return Err(ModelError::NotFinite { what: what(), field, value });
            }
            if value < 0.0 {
                return Err(ModelError::Negative { what: what(), field, value, unit });
            }
        }
        if let Some(limit) = dof.limit {
            if limit.lower.is_nan() || limit.upper.is_nan() {
                return Err(ModelError::NotFinite { what: what(), field: "limit", value: f64::NAN });
            }
            if limit.lower > limit.upper {
                let (lower, upper) = (limit.lower, limit.upper);
                return Err(ModelError::CrossedLimits { joint: name.into(), lower, upper });
            }
            for (unbounded, value) in [(f64::INFINITY, limit.lower), (f64::NEG_INFINITY, limit.upper)] {
                // no position is beyond infinity
                if value == unbounded {
                    return Err(ModelError::NotFinite { what: what(), field: "limit", value });
                }
            }
            let advice = match &joint.kind {
                JointKind::Compound(elements) if is_ball(elements, i) => {
                    "its balls cannot be limited, make the ball a spherical joint of its own"
                }
                JointKind::Spherical if limit.upper < 0.0 => {
                    "the upper limit bounds the angle of the whole rotation, which is never negative"
                }
                JointKind::Continuous { .. } => "make it revolute, or leave the limits out",
                JointKind::Free => "a floating base is stopped by contact",
                JointKind::Spherical if i > 0 => {
                    "limit the first degree of freedom alone (Joint::cone): it bounds the whole angle"
                }
                _ => continue,
            };
            return Err(ModelError::LimitRefused { joint: name.into(), kind: joint.kind.word(), advice });
        }
    }
    Ok(())
}

/// Whether a degree of freedom of a compound joint belongs to a ball.
fn is_ball(elements: &[Element], dof: usize) -> bool {
    let mut first = 0;
    elements.iter().any(|e| {
        let range = first..first + e.sizes().1;
        first = range.end;
        matches!(e, Element::Ball { .. }) && range.contains(&dof)
    })
}

/// Where quaternions begin among the numbers of a joint's position.
pub(super) fn quaternions(kind: &JointKind) -> Vec<usize> {
    match kind {
        JointKind::Spherical => vec![0],
        JointKind::Free => vec![3],
        JointKind::Compound(elements) => {
            let mut at = 0;
            let mut found = Vec::new();
            for e in elements {
                if matches!(e, Element::Ball { .. }) {
                    found.push(at);
                }
                at += e.sizes().0;
            }
            found
        }
        _ => Vec::new(),
    }
}

fn axis(joint: &str, axis: DVec3) -> Result<(), ModelError> {
    finite(&axis.to_array(), "axis", &|| format!("joint {joint:?}"))?;
    if axis.length() < SHORTEST_AXIS {
        return Err(ModelError::ZeroAxis { joint: joint.into() });
    }
    Ok(())
}

fn pose(pose: &Pose, field: &'static str, what: &dyn Fn() -> String) -> Result<(), ModelError> {
    finite(&pose.translation.to_array(), field, what)?;
    finite(&pose.rotation.to_cols_array(), field, what)?;
    let off = (pose.rotation.transpose() * pose.rotation - DMat3::IDENTITY).to_cols_array();
    let error = off.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    if error > ROTATION_TOLERANCE || pose.rotation.determinant() < 0.0 {
        return Err(ModelError::NotARotation { what: what(), field, error });
    }
    Ok(())
}

fn finite(values: &[f64], field: &'static str, what: &dyn Fn() -> String) -> Result<(), ModelError> {
    match values.iter().find(|x| !x.is_finite()) {
        Some(&value) => Err(ModelError::NotFinite { what: what(), field, value }),
        None => Ok(()),
    }
}
