//! `supple export`: a scene as a JSON case, so that other programs can build the same body.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Value, json};
use supple::dynamics::articulated::Sweep;
use supple::dynamics::wrench::Wrenches;
use supple::dynamics::{aba, energy};
use supple::{BodyId, JointKind, Model, Simulation};

use crate::run::open;

/// Write a scene's model and first state as a JSON case
///
/// Bodies, joints and state are written, and as "expected" the accelerations and the kinetic energy of this state;
/// damping, springs, friction, limits and armature are left out of both. A universal joint has "axes" in the place
/// of "axis".
#[derive(Args)]
#[command(after_help = "\
Examples:
  supple export humanoid --out humanoid.json
  supple export chain3d --set links=20 --out chain.json")]
pub(crate) struct ExportArgs {
    /// Name of a scene, or path of a model file
    #[arg(value_name = "SCENE_OR_FILE")]
    source: String,
    /// Set a parameter of the scene (repeatable)
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// Where to write the case
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn export(args: &ExportArgs, out: &mut impl Write) -> Result<()> {
    let source = open(&args.source, &args.settings)?;
    let simulation = &source.stage.simulation;
    let text = case(&source.title, simulation)?.to_string();
    std::fs::write(&args.out, text + "\n").with_context(|| format!("cannot write {}", args.out.display()))?;
    let (bodies, dofs) = (simulation.model.bodies().len(), simulation.model.nv());
    if args.json {
        writeln!(out, "{}", json!({ "bodies": bodies, "dofs": dofs }))?;
    } else {
        writeln!(out, "{}: {bodies} bodies, {dofs} degrees of freedom", args.out.display())?;
    }
    Ok(())
}

/// The model and the present state in the case format.
fn case(name: &str, simulation: &Simulation) -> Result<Value> {
    // at the neutral position every body stands in its joint frame
    let mut neutral = simulation.clone();
    neutral.state.q = simulation.model.neutral().to_vec();
    let kinematics = neutral.kinematics();
    let world_from = |body: BodyId| neutral.body_pose(&kinematics, body);
    let mut bodies = Vec::new();
    for (i, body) in simulation.model.bodies().iter().enumerate() {
        let placement = match body.parent {
            Some(parent) => world_from(parent).inverse() * world_from(BodyId::new(i)),
            None => world_from(BodyId::new(i)),
        };
        bodies.push(json!({
            "id": i,
            "parent": body.parent.map_or(Value::from(-1), |p| Value::from(p.index())),
            "joint": joint(&simulation.model, i)?,
            "placement": { "pos": placement.translation.to_array(), "quat_xyzw": placement.quat().to_array() },
            "mass": body.inertia.mass,
            "com": body.inertia.com().to_array(),
            "inertia_com": body.inertia.inertia_com().to_array(),
        }));
    }
    Ok(json!({
        "name": name,
        "gravity": simulation.gravity.to_array(),
        "bodies": bodies,
        "q": simulation.state.q,
        "qd": simulation.state.v,
        "tau": simulation.tau,
        "expected": expected(simulation),
    }))
}

/// What the bodies alone do in the present state.
fn expected(simulation: &Simulation) -> Value {
    let (tree, nv) = (simulation.model.tree(), simulation.model.nv());
    let (kinematics, none) = (simulation.kinematics(), vec![0.0; nv]);
    let mut qdd = vec![0.0; nv];
    aba::accelerations(
        tree,
        &kinematics,
        simulation.gravity,
        &none,
        &simulation.tau,
        &Wrenches::new(),
        &mut Sweep::new(tree),
        &mut qdd,
    );
    json!({ "qdd": qdd, "kinetic_energy": energy::kinetic(tree, &kinematics, &none, &simulation.state.v) })
}

fn joint(model: &Model, i: usize) -> Result<Value> {
    let info = &model.joints()[i];
    let mut joint = json!({
        "type": info.kind.word(), "q_index": info.q, "nq": info.nq, "v_index": info.v, "nv": info.nv,
    });
    match &info.kind {
        JointKind::Revolute { axis }
        | JointKind::Continuous { axis }
        | JointKind::Prismatic { axis }
        | JointKind::Cylindrical { axis }
        | JointKind::Planar { normal: axis } => joint["axis"] = json!(axis.to_array()),
        JointKind::Helical { axis, pitch } => {
            joint["axis"] = json!(axis.to_array());
            joint["pitch"] = json!(pitch);
        }
        JointKind::Universal { axes } => joint["axes"] = json!(axes.map(|a| a.to_array())),
        JointKind::Fixed | JointKind::Spherical | JointKind::Free => {}
        JointKind::Compound(_) => bail!("joint {:?}: a case has no compound joints", info.name),
    }
    Ok(joint)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was written is read back as the same body: its accelerations are those expected.
    #[test]
    fn a_case_is_the_scene() {
        let mut scene =
            supple_scenes::simulation("chain3d", &[("links", "10"), ("joints", "spherical")]).unwrap();
        for (i, v) in scene.state.v.iter_mut().enumerate() {
            *v = (0.7 * i as f64).cos();
        }
        let loaded = supple_io::load_case_str(&case("chain", &scene).unwrap().to_string()).unwrap();
        let mut again = Simulation::new(loaded.model);
        again.gravity = loaded.gravity;
        again.state.q = loaded.q;
        again.state.v = loaded.v;
        let expected = loaded.case.unwrap().expected.unwrap();
        for (a, b) in again.accelerations().iter().zip(&expected.qdd) {
            assert!((a - b).abs() < 1e-9 * b.abs().max(1.0), "{a} {b}");
        }
    }
}
