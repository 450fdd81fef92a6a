//! Answers for programs.

use std::io::Write;

use anyhow::Result;
use serde::{Serialize, Serializer};
use supple_io::Loaded;

use super::answer::Answer;
use super::blocks::Blocks;
use super::dof_names;

#[derive(Serialize)]
struct InOrder<'a> {
    qdd: &'a [f64],
    #[serde(flatten)]
    rest: Rest<'a>,
    #[serde(flatten)]
    blocks: Blocks,
}

#[derive(Serialize)]
struct ByName<'a> {
    joints: Joints<'a>,
    #[serde(flatten)]
    rest: Rest<'a>,
    /// Names of the bodies, in the order of the lists above.
    bodies: Vec<&'a str>,
    /// Names of the rows of the mass matrix.
    dofs: Vec<String>,
}

#[derive(Serialize)]
struct Rest<'a> {
    kinetic_energy: f64,
    body_pos_quat: &'a [([f64; 3], [f64; 4])],
    body_velocity: &'a [[f64; 6]],
    mass_matrix: Option<Vec<&'a [f64]>>,
}

#[derive(Serialize)]
struct Accelerations<'a> {
    qdd: &'a [f64],
}

/// Joints by name, in the file's order.
struct Joints<'a> {
    loaded: &'a Loaded,
    qdd: &'a [f64],
}

impl Serialize for Joints<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entry = |joint: &'_ supple_io::NamedJoint| {
            (joint.name.clone(), Accelerations { qdd: &self.qdd[joint.v.clone()] })
        };
        serializer.collect_map(self.loaded.joints.iter().map(entry))
    }
}

fn rest(answer: &Answer) -> Rest<'_> {
    Rest {
        kinetic_energy: answer.kinetic_energy,
        body_pos_quat: &answer.body_pos_quat,
        body_velocity: &answer.body_velocity,
        mass_matrix: answer.mass_rows(),
    }
}

/// The answer to a case.
pub(crate) fn in_order(answer: &Answer, blocks: Blocks, out: &mut impl Write) -> Result<()> {
    let json = InOrder { qdd: &answer.qdd, rest: rest(answer), blocks };
    serde_json::to_writer(&mut *out, &json)?;
    Ok(writeln!(out)?)
}

/// The answer for a model file.
pub(crate) fn by_name(loaded: &Loaded, answer: &Answer, out: &mut impl Write) -> Result<()> {
    let json = ByName {
        joints: Joints { loaded, qdd: &answer.qdd },
        rest: rest(answer),
        bodies: loaded.model.bodies().iter().map(|b| b.name.as_str()).collect(),
        dofs: dof_names(loaded),
    };
    serde_json::to_writer(&mut *out, &json)?;
    Ok(writeln!(out)?)
}
