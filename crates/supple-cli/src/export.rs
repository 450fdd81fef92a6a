//! `supple export`: a scene as a file, so that other programs can build the same: a body as a JSON case, a world as [`world_file`] has it.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;
use supple::Simulation;
use supple::dynamics::articulated::Sweep;
use supple::dynamics::wrench::Wrenches;
use supple::dynamics::{EquationOfMotion, aba, energy};
use supple_io::case::Expected;
use supple_io::case_to_string;
use supple_record::Draft;
use supple_scenes::Stage;

use crate::complain;
use crate::run::shape::Shape;
use crate::run::source::{Source, open};
use crate::world_file;

/// Write a scene as JSON: bodies as a case, worlds with their joints and shapes
///
/// Bodies, joints with all that acts in them, state and loads are written: `supple run FILE.json` moves as the scene
/// does with all of its joints active. "expected" has the kinetic energy and the accelerations of this state without the joints' own forces
/// (springs, dampers, friction, limits). The format is told in docs/case-format.md of supple's repository.
///
/// A world is written with its single bodies and their joints (ball, hinge, rigid, distance, rope), articulations, shapes and colliders,
/// as the benchmarks of supple's repository read it (docs/scene-format.md).
#[derive(Args)]
#[command(after_help = "\
Examples:
  supple export humanoid --out humanoid.json
  supple export chain3d --set links=20 --out chain.json
  supple export pendulum-constraints --set links=20 --out world.json
  supple export ragdolls-100 --out pile.json")]
pub(crate) struct ExportArgs {
    /// Name of a scene, or path of a model file
    #[arg(value_name = "SCENE_OR_FILE")]
    source: String,
    /// Set a parameter of the scene (repeatable)
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// Where to write it
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn export(args: &ExportArgs, out: &mut impl Write) -> Result<()> {
    let source = open(&args.source, &args.settings)?;
    if Shape::of(&source.stage.world).alone {
        export_case(args, &source, out)
    } else {
        export_world(args, source, out)
    }
}

fn export_world(args: &ExportArgs, source: Source, out: &mut impl Write) -> Result<()> {
    let Source { mut stage, title } = source;
    let file = world_file::write(&title, &mut stage)?;
    write(&args.out, &serde_json::to_string(&file)?)?;
    let count = |list: &str| file[list].as_array().map_or(0, Vec::len);
    let [bodies, joints, articulations, colliders] =
        ["bodies", "joints", "articulations", "colliders"].map(count);
    if args.json {
        let counts = json!({
            "bodies": bodies, "joints": joints, "articulations": articulations, "colliders": colliders
        });
        writeln!(out, "{counts}")?;
    } else {
        let path = args.out.display();
        writeln!(
            out,
            "{path}: {bodies} bodies, {joints} joints, {articulations} articulations, {colliders} colliders"
        )?;
    }
    Ok(())
}

/// Writes a file of lines.
pub(crate) fn write(path: &Path, text: &str) -> Result<()> {
    let put = || {
        let mut file = Draft::create(path)?;
        file.write_all(text.as_bytes())?;
        if !text.ends_with('\n') {
            file.write_all(b"\n")?;
        }
        file.finish()
    };
    put().with_context(|| format!("cannot write {}", path.display()))
}

fn export_case(args: &ExportArgs, source: &Source, out: &mut impl Write) -> Result<()> {
    let stage = &source.stage;
    for (left_out, what) in [
        (stage.articulations().count() > 1, "the other bodies of the scene"),
        (stage.script.drive.is_some(), "what the scene does before every step"),
    ] {
        if left_out {
            complain(&format!("warning: a case has no room for {what}"));
        }
    }
    let simulation = &left_to_itself(stage).with_context(|| format!("{} has no bodies", source.title))?;
    let text = case_to_string(&source.title, simulation, Some(expected(simulation)))?;
    write(&args.out, &text)?;
    let (bodies, dofs) = (simulation.model.bodies().len(), simulation.model.nv());
    if args.json {
        writeln!(out, "{}", json!({ "bodies": bodies, "dofs": dofs }))?;
    } else {
        writeln!(out, "{}: {bodies} bodies, {dofs} degrees of freedom", args.out.display())?;
    }
    Ok(())
}

/// The body of a scene without the wrenches that the scene changes before every step anyway.
fn left_to_itself(stage: &Stage) -> Option<Simulation> {
    let (_, first) = stage.first()?;
    let mut simulation = first.clone();
    if stage.script.drive.is_some() {
        simulation.wrenches.clear();
    }
    Some(simulation)
}

/// What gravity, drives and wrenches do in the present state, passive forces left out.
pub(crate) fn expected(simulation: &Simulation) -> Expected {
    let model = &simulation.model;
    let (tree, kinematics) = (model.tree(), simulation.kinematics());
    let mut wrenches = Wrenches::new();
    wrenches.set(model, model.tree(), &kinematics, &simulation.wrenches);
    let mut qdd = vec![0.0; model.nv()];
    let equation = EquationOfMotion {
        tree,
        kinematics: &kinematics,
        gravity: simulation.gravity,
        diagonal: model.armature(),
        wrenches: &wrenches,
    };
    aba::accelerations(&equation, &simulation.tau, &mut Sweep::new(tree), &mut qdd);
    let kinetic = energy::kinetic(tree, &kinematics, model.armature(), &simulation.state.v);
    Expected { qdd, kinetic_energy: Some(kinetic), ..Expected::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use supple::detail::Detail;
    use supple_scenes::gallery;

    /// What was written is read back as the same bodies, with the same names, in the same motion.
    fn check(scene: &str, settings: &[(&str, &str)]) {
        let mut original = left_to_itself(&supple_scenes::stage(scene, settings).unwrap()).unwrap();
        original.set_detail(Detail::default()).unwrap();
        let text = case_to_string(scene, &original, Some(expected(&original))).unwrap();
        let loaded = supple_io::load_case_str(&text).unwrap();
        assert!(loaded.warnings.is_empty(), "{scene}: {:?}", loaded.warnings);
        assert_eq!(loaded.name, scene);
        let mut again = loaded.simulation();
        assert_eq!(loaded.case.unwrap().expected.unwrap(), expected(&again), "{scene} {settings:?}");
        let names = |s: &Simulation| -> Vec<(String, String)> {
            let both = s.model.bodies().iter().zip(s.model.joints());
            both.map(|(body, joint)| (body.name.clone(), joint.name.clone())).collect()
        };
        assert_eq!(names(&again), names(&original));
        assert_eq!(again.model.dofs(), original.model.dofs());
        for _ in 0..100 {
            original.step(1.0 / 60.0).unwrap();
            again.step(1.0 / 60.0).unwrap();
        }
        // to the bit, for the inertias of all these bodies survive the way by their centres of mass unrounded
        assert_eq!(again.state, original.state, "{scene} {settings:?}");
    }

    #[test]
    fn a_case_is_the_scene() {
        let alone = gallery().iter().take_while(|scene| scene.name != "pendulum-constraints");
        for scene in alone {
            // the first of many is as good as all
            let many = scene.parameters.iter().any(|p| p.name == "characters");
            check(scene.name, if many { &[("characters", "1")] } else { &[] });
        }
        check("chain3d", &[("joints", "spherical"), ("links", "30"), ("damping", "0.01")]);
        check("chain3d", &[("joints", "universal"), ("links", "30")]);
        check("tree", &[("floating", "true"), ("speed", "3")]);
        check("robot", &[("floating_base", "true")]);
    }
}
