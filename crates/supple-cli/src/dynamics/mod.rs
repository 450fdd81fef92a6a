//! `supple dynamics`: forward dynamics of one state, with all that other libraries can be compared by.

mod answer;
mod blocks;
mod json;
mod table;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use supple_io::{Format, LoadOptions, Loaded, StateByName, load};

use crate::complain;

use answer::Answer;
use blocks::Blocks;

const ABOUT: &str = "\
Accelerations, poses, velocities, kinetic energy and mass matrix of one state.

A JSON case holds model and state, and is answered in its order; its blocks \"hybrid\", \"rigidification\" and \"impulse\" are answered by \"hybrid_qdd\", \"qd_after\" and \"dqd\". A model file (URDF, MJCF) takes its state by name \
from --state, and is answered by name:

  {\"joints\": {\"elbow\": {\"q\": [0.1], \"qd\": [0.2], \"tau\": [0]}},
   \"wrenches\": {\"hand\": [tx, ty, tz, fx, fy, fz]},
   \"gravity\": [0, 0, -9.81], \"floating_base\": false, \"passive\": true}

Joints left out are at rest where the file puts them; \"passive\": false leaves out joint damping, friction, springs \
and limits. Quaternions are x, y, z, w; velocities and wrenches are (angular, linear) in body axes at the body's \
origin. The forces tau act as given: effort limits bound drives, not this answer.";

/// Accelerations, poses, velocities, kinetic energy and mass matrix of one state
#[derive(Args)]
#[command(long_about = ABOUT, after_help = "\
Examples:
  supple dynamics case.json --json
  supple dynamics robot.urdf
  supple dynamics robot.urdf --state state.json --json")]
pub(crate) struct DynamicsArgs {
    /// A JSON case, or a model file (URDF, MJCF)
    #[arg(value_name = "CASE_OR_MODEL")]
    model: PathBuf,
    /// State by joint names (JSON)
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn dynamics(args: &DynamicsArgs, out: &mut impl Write) -> Result<()> {
    let by_name = match &args.state {
        Some(path) => StateByName::read(path).context("cannot read the state")?,
        None => StateByName::default(),
    };
    let loaded = load(&args.model, &LoadOptions { no_colliders: true, ..by_name.load_options() })?;
    for warning in &loaded.warnings {
        complain(&format!("warning: {warning}"));
    }
    if !loaded.loops.is_empty() {
        let count = loaded.loops.len();
        complain(&format!(
            "warning: {count} loops and coupled joints do not act in this answer: `supple run` has them"
        ));
    }
    let state = by_name.of(&loaded)?;
    let in_order = loaded.format == Format::Case && args.state.is_none();
    let answer = Answer::new(&loaded, &state)?;
    match (args.json, in_order) {
        (true, true) => json::in_order(&answer, Blocks::new(&loaded, &state), out),
        (true, false) => json::by_name(&loaded, &answer, out),
        (false, _) => table::print(&loaded, &answer, out),
    }
}

/// Name of every number in v, as the file names its joints.
fn dof_names(loaded: &Loaded) -> Vec<String> {
    let name = |joint: &supple_io::NamedJoint| match joint.v.len() {
        1 => vec![joint.name.clone()],
        n => (0..n).map(|k| format!("{}[{k}]", joint.name)).collect(),
    };
    loaded.joints.iter().flat_map(name).collect()
}
