//! JSON cases: a model and a state, with forces and, where a case is a reference, the expected answers.
//!
//! ```text
//!  text ─► file (as it stands there) ─► joint, pose ─► ModelBuilder::finish ─► Loaded
//!  Simulation ─► write ─► file ─► text
//! ```
//!
//! The format is told in `docs/case-format.md` of the repository, with an example.

mod bodies;
mod file;
mod joint;
mod loads;
mod pose;
mod write;

use std::collections::BTreeMap;

use glam::DVec3;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use supple::model::BodyId;
use supple::spatial::Force;
use supple::{Axes, Load, Model};

use crate::warning::Warnings;
use crate::{Format, IoError, Loaded};

use file::Case;

pub use bodies::Bodies;
pub(crate) use joint::quaternions;
pub use loads::{Actuators, Springs};
pub(crate) use pose::normalize;
pub use write::case_to_string;

/// Blocks that a case may have; others are most likely typing errors.
const KEYS: [&str; 14] = [
    "name",
    "description",
    "gravity",
    "bodies",
    "q",
    "qd",
    "tau",
    "wrenches",
    "springs",
    "actuators",
    "expected",
    "hybrid",
    "rigidification",
    "impulse",
];

/// The blocks of a case besides model and state, as they stand in the file (lengths checked).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CaseBlocks {
    /// What forward dynamics must give.
    pub expected: Option<Expected>,
    /// Forward dynamics with some joints frozen.
    pub hybrid: Option<Hybrid>,
    /// Some joints stopped by impulses.
    pub rigidification: Option<Rigidification>,
    /// The jump of velocity under wrench impulses.
    pub impulse: Option<Impulse>,
}

/// What forward dynamics must give.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Expected {
    /// Joint accelerations.
    pub qdd: Vec<f64>,
    /// Kinetic energy \[J].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kinetic_energy: Option<f64>,
    /// World pose of each body: position \[m] and quaternion (x, y, z, w).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_pos_quat: Option<Vec<([f64; 3], [f64; 4])>>,
    /// Velocity of each body (w; v) in body axes at the body's origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_velocity: Option<Vec<[f64; 6]>>,
    /// Rows of the mass matrix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass_matrix: Option<Vec<Vec<f64>>>,
}

/// Forward dynamics with some joints frozen at q.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub struct Hybrid {
    /// Bodies whose joints are frozen.
    pub rigid_joints: Vec<usize>,
    /// Velocity, zero at the frozen joints.
    pub qd: Vec<f64>,
    /// Accelerations expected, zero at the frozen joints.
    pub qdd: Vec<f64>,
}

/// Some joints stopped by joint impulses.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub struct Rigidification {
    /// Bodies whose joints stop.
    pub rigid_joints: Vec<usize>,
    /// Velocity before.
    pub qd_before: Vec<f64>,
    /// Velocity expected after.
    pub qd_after: Vec<f64>,
    /// Kinetic energy before \[J].
    pub kinetic_energy_before: Option<f64>,
    /// Kinetic energy after \[J].
    pub kinetic_energy_after: Option<f64>,
}

/// The jump of velocity under wrench impulses.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub struct Impulse {
    /// Impulse on each body (angular; linear), body axes about the body's origin \[N·m·s, N·s].
    pub wrenches: Vec<[f64; 6]>,
    /// Jump of the velocity expected.
    pub dqd: Vec<f64>,
}

/// Reads a case from text.
pub(crate) fn load(text: &str) -> Result<Loaded, IoError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let case: Case = crate::state::parse_json(text)?;
    let keys: BTreeMap<String, IgnoredAny> = crate::state::parse_json(text)?;
    let mut warnings = Warnings::new();
    let mut loaded = Loaded::at_rest(case.bodies.build(&mut warnings)?, Format::Case);
    let (bodies, nq, nv) = (case.bodies.len(), loaded.model.nq(), loaded.model.nv());

    // state and forces
    let tau = case.tau.unwrap_or_else(|| vec![0.0; nv]);
    let wrenches = case.wrenches.unwrap_or_else(|| vec![[0.0; 6]; bodies]);
    for (field, list, need) in [("q", &case.q, nq), ("qd", &case.qd, nv), ("tau", &tau, nv)] {
        numbers(field, list, need)?;
    }
    numbers("gravity", &case.gravity, 3)?;
    six("wrenches", &wrenches, bodies)?;
    loaded.q = case.q;
    positions(&loaded.model, &mut loaded.q)?;
    loaded.v = case.qd;
    loaded.tau = tau;
    let acting = wrenches.iter().enumerate().filter(|(_, w)| **w != [0.0; 6]);
    let load = |(i, w): (usize, &[f64; 6])| Load {
        body: BodyId::new(i),
        wrench: Force::from_array(*w),
        axes: Axes::Body,
    };
    loaded.wrenches = acting.map(load).collect();
    loads::read(&case.springs, &case.actuators, &mut loaded)?;
    loaded.gravity = DVec3::from_array(case.gravity);
    loaded.name = case.name;

    // reference answers
    let blocks = CaseBlocks {
        expected: case.expected,
        hybrid: case.hybrid,
        rigidification: case.rigidification,
        impulse: case.impulse,
    };
    check(&blocks, bodies, nv)?;
    loaded.case = Some(blocks);
    for key in keys.keys().filter(|k| !KEYS.contains(&k.as_str())) {
        warnings.add(format!("{:?}", crate::xml::shorten(key)), "a case has no such block: left out");
    }
    loaded.warnings = warnings.finish();
    Ok(loaded)
}

/// Checks positions of a model's joints, and makes their quaternions, which must almost be, of unit length.
pub fn positions(model: &Model, q: &mut [f64]) -> Result<(), IoError> {
    numbers("q", q, model.nq())?;
    for joint in model.joints() {
        for at in quaternions(&joint.kind) {
            let quat = &mut q[joint.q + at..joint.q + at + 4];
            normalize(&format!("joint {:?}", joint.name), "q", quat)?;
        }
    }
    Ok(())
}

fn check(blocks: &CaseBlocks, bodies: usize, nv: usize) -> Result<(), IoError> {
    let rigid = |block: &str, joints: &[usize]| match joints.iter().find(|&&j| j >= bodies) {
        None => Ok(()),
        Some(&j) => Err(IoError::UnknownName {
            what: "body",
            name: j.to_string(),
            hint: format!(" ({block}.rigid_joints): ids go up to {}", bodies - 1),
        }),
    };
    if let Some(e) = &blocks.expected {
        numbers("expected.qdd", &e.qdd, nv)?;
        if let Some(poses) = &e.body_pos_quat {
            length("expected.body_pos_quat", poses.len(), bodies)?;
        }
        if let Some(velocities) = &e.body_velocity {
            six("expected.body_velocity", velocities, bodies)?;
        }
        if let Some(rows) = &e.mass_matrix {
            length("expected.mass_matrix", rows.len(), nv)?;
            for row in rows {
                numbers("expected.mass_matrix row", row, nv)?;
            }
        }
    }
    if let Some(h) = &blocks.hybrid {
        rigid("hybrid", &h.rigid_joints)?;
        numbers("hybrid.qd", &h.qd, nv)?;
        numbers("hybrid.qdd", &h.qdd, nv)?;
    }
    if let Some(r) = &blocks.rigidification {
        rigid("rigidification", &r.rigid_joints)?;
        numbers("rigidification.qd_before", &r.qd_before, nv)?;
        numbers("rigidification.qd_after", &r.qd_after, nv)?;
    }
    if let Some(i) = &blocks.impulse {
        six("impulse.wrenches", &i.wrenches, bodies)?;
        numbers("impulse.dqd", &i.dqd, nv)?;
    }
    Ok(())
}

fn length(field: &str, got: usize, need: usize) -> Result<(), IoError> {
    if got == need {
        return Ok(());
    }
    Err(IoError::WrongLength { element: "case".into(), field: field.into(), got, need })
}

fn numbers(field: &str, list: &[f64], need: usize) -> Result<(), IoError> {
    length(field, list.len(), need)?;
    match list.iter().find(|x| !x.is_finite()) {
        Some(&value) => Err(IoError::NotFinite { element: "case".into(), field: field.into(), value }),
        None => Ok(()),
    }
}

fn six(field: &str, list: &[[f64; 6]], need: usize) -> Result<(), IoError> {
    if list.len() != need {
        length(field, list.len(), need)?;
    }
    list.iter().try_for_each(|six| numbers(field, six, 6))
}
