//! `supple assemble`: a pose in which all joints are closed, by Faure's displacements.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};
use supple::constraint::{Frame, Method};
use supple::world::{Assembly, AssemblyReport, World};
use supple::{BodyId, Simulation};
use supple_io::{LoadOptions, Loaded, load};
use supple_scenes::{Stage, find};

use crate::complain;
use crate::export::write;
use crate::number::{real, short};
use crate::run::end::Trouble;
use crate::run::shape::Shape;
use crate::run::source::{is_path, open};
use crate::run::trajectory;
use crate::world_file;

/// Move bodies so that their joints are closed
///
/// The nearest such pose, in terms of mass, from where the scene or the file puts the bodies; errors are printed before each
/// iteration and after the last. Of a world of single bodies the file written is that of `supple export`; else it has the pose:
/// "joints" with the position q of each joint by name, "bodies" and "body_pos_quat" as `supple dynamics` prints them. If not all
/// joints could be closed the nearest pose is written all the same, and the exit code is 5.
#[derive(Args)]
#[command(after_help = "\
Examples:
  supple assemble linkage.xml --out pose.json
  supple assemble linkage.xml --out pose.json --outer 2 --inner 20
  supple assemble pendulum-constraints --set links=20 --out world.json --json")]
pub(crate) struct AssembleArgs {
    /// Name of a scene with constraints, or path of a model file (URDF, MJCF) with loops
    #[arg(value_name = "SCENE_OR_FILE")]
    source: String,
    /// Set a parameter of the scene (repeatable)
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// Let the root of a URDF move freely
    #[arg(long)]
    floating_base: bool,
    /// Where to write the pose
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Linearizations at most
    #[arg(long, value_name = "N", default_value_t = Assembly::default().outer)]
    outer: u32,
    /// Products of conjugate gradients per linearization at most
    #[arg(long, value_name = "N", default_value_t = Assembly::default().inner)]
    inner: u32,
    /// Errors that do not matter, in m or rad
    #[arg(long, value_name = "E", default_value_t = Assembly::default().tolerance, value_parser = real)]
    tolerance: f64,
    /// Which conjugate directions
    #[arg(long, value_name = "M", default_value = "gradients")]
    method: MethodName,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum MethodName {
    /// Conjugate gradients
    Gradients,
    /// Conjugate residuals, where constraints contradict
    Residuals,
}

pub(crate) fn assemble(args: &AssembleArgs, out: &mut impl Write) -> Result<()> {
    if !(args.tolerance > 0.0) {
        bail!("--tolerance must be positive, got {}", args.tolerance);
    }
    let file = find(&args.source).is_err() && is_path(&args.source);
    let (report, text) = if file { of_file(args)? } else { of_scene(args)? };
    write(&args.out, &text)?;
    tell(args, &report, out)
}

/// A model file: joints by the names of the file.
fn of_file(args: &AssembleArgs) -> Result<(AssemblyReport, String)> {
    let options = LoadOptions { floating_base: args.floating_base, ignore_forces: true, no_colliders: true };
    if let Some(setting) = args.settings.first() {
        bail!("--set {setting} is for scenes: a file has no parameters");
    }
    let loaded = load(Path::new(&args.source), &options)?;
    for warning in &loaded.warnings {
        complain(&format!("warning: {warning}"));
    }
    if loaded.loops.is_empty() {
        bail!("{} has no loops and no coupled joints: there is nothing to assemble", args.source);
    }
    let mut world = loaded.world()?;
    let report = close(&mut world, args)?;
    let simulation = world.articulations().next().map(|(_, simulation)| simulation);
    let simulation = simulation.ok_or_else(|| anyhow!("{} has no bodies", args.source))?;
    let mut pose = poses(simulation);
    pose["joints"] = joints(&loaded, simulation);
    Ok((report, pose.to_string()))
}

/// A scene with constraints.
fn of_scene(args: &AssembleArgs) -> Result<(AssemblyReport, String)> {
    let mut source = open(&args.source, &args.settings)?;
    if !Shape::of(&source.stage.world).joined {
        bail!("{} has no constraints: there is nothing to assemble", args.source)
    }
    let report = close(&mut source.stage.world, args)?;
    // a pose needs no paths
    source.stage.script.director = None;
    let text = match world_file::write(&source.title, &mut source.stage) {
        Ok(file) => serde_json::to_string(&file)?,
        Err(why) => {
            complain(&format!("warning: {why}; poses are written instead"));
            of_world(&source.stage).to_string()
        }
    };
    Ok((report, text))
}

fn close(world: &mut World, args: &AssembleArgs) -> Result<AssemblyReport> {
    let method = match args.method {
        MethodName::Gradients => Method::Gradients,
        MethodName::Residuals => Method::Residuals,
    };
    let (outer, inner, tolerance) = (args.outer, args.inner, args.tolerance);
    Ok(world.assemble(&Assembly { outer, inner, tolerance, method })?)
}

/// Prints the errors; those that are left are an error.
fn tell(args: &AssembleArgs, report: &AssemblyReport, out: &mut impl Write) -> Result<()> {
    if args.json {
        let AssemblyReport { errors, inner, solved } = report;
        writeln!(out, "{}", json!({ "solved": solved, "errors": errors, "inner": inner }))?;
    } else {
        writeln!(out, "iteration  greatest error [m or rad]  products")?;
        for (i, error) in report.errors.iter().enumerate() {
            let inner = report.inner.get(i).map_or(String::new(), u32::to_string);
            writeln!(out, "{i:>9}  {:>25}  {inner:>8}", short(*error))?;
        }
        writeln!(out, "{}", args.out.display())?;
    }
    if !report.solved {
        let left = report.errors.last().copied().unwrap_or(f64::NAN);
        let message = format!(
            "joints are {} m or rad apart after {} iterations, more than {}: take more (--outer, --inner), or \
             --method residuals if they contradict",
            short(left),
            report.inner.len(),
            short(args.tolerance)
        );
        return Err(Trouble::Open(message).into());
    }
    Ok(())
}

/// Names and poses of all bodies of an articulation.
fn poses(simulation: &Simulation) -> Value {
    let kinematics = simulation.kinematics();
    let bodies = simulation.model.bodies();
    let pose = |i: usize| {
        let Frame { position, rotation } = Frame::from(simulation.body_pose(&kinematics, BodyId::new(i)));
        json!([position.to_array(), rotation.to_array()])
    };
    let names: Vec<&str> = bodies.iter().map(|b| b.name.as_str()).collect();
    json!({ "bodies": names, "body_pos_quat": (0..bodies.len()).map(pose).collect::<Vec<_>>() })
}

/// Positions of all joints, as the file counts them.
fn joints(loaded: &Loaded, simulation: &Simulation) -> Value {
    let entry = |joint: &supple_io::NamedJoint| {
        let q: Vec<f64> = simulation.state.q[joint.q.clone()].iter().map(|q| q + joint.zero).collect();
        (joint.name.clone(), json!({ "q": q }))
    };
    Value::Object(loaded.joints.iter().map(entry).collect::<Map<String, Value>>())
}

/// Poses of all single bodies, and of all articulations.
fn of_world(stage: &Stage) -> Value {
    let world = &stage.world;
    let pose = |frame: Frame| json!([frame.position.to_array(), frame.rotation.to_array()]);
    let single: Vec<Value> = world.bodies().map(|(_, body)| pose(body.frame())).collect();
    let articulation = |simulation: &Simulation| {
        let mut value = poses(simulation);
        value["q"] = json!(simulation.state.q);
        value
    };
    let articulations: Vec<Value> = world.articulations().map(|(_, s)| articulation(s)).collect();
    json!({ "bodies": trajectory::names(world), "body_pos_quat": single, "articulations": articulations })
}
