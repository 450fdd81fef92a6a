//! A world for other engines: a scene file as `bench/peers` and `bench/contact_mujoco.py` read it (docs/scene-format.md), with
//! articulations as cases of their own, and paths of kinematic bodies in place of scripts.

mod moves;
#[cfg(test)]
mod tests;

use anyhow::{Result, bail};
use serde_json::{Value, json};
use supple::Simulation;
use supple::model::BodyId;
use supple::world::World;
use supple_io::case::Expected;
use supple_io::case_to_string;
use supple_scenes::file::{Joint, SceneFile};
use supple_scenes::{Stage, print_stage};

use crate::complain;
use crate::export::expected;
use crate::run::trajectory;

/// Lists that such a file always has.
const LISTS: [&str; 6] = ["bodies", "joints", "articulations", "shapes", "colliders", "ignored"];

/// The world as it is now, and where the scene takes its kinematic bodies; an error names what other engines cannot have.
pub(crate) fn write(title: &str, stage: &mut Stage) -> Result<Value> {
    let director = stage.script.director.take();
    let mut file = print_stage(title, stage)?.with_cases(stage, |i, simulation| {
        anyhow::Ok(serde_json::from_str(&case(&format!("{title} {i}"), simulation)?)?)
    })?;
    for (body, name) in file.bodies.iter_mut().zip(trajectory::names(&stage.world)) {
        body.name = name;
    }
    for (i, joint) in file.joints.iter_mut().enumerate() {
        if joint.name.is_empty() {
            joint.name = format!("joint {i}");
        }
        check(joint)?;
    }
    warn(&stage.world);
    if director.is_some() {
        complain(
            "warning: of what the scene does before every step a file for other engines has the paths of kinematic bodies only",
        );
        stage.script.director = director;
        follow(&mut file, stage)?;
    }
    let mut value = serde_json::to_value(&file)?;
    if let Some(fields) = value.as_object_mut() {
        for list in LISTS {
            fields.entry(list).or_insert_with(|| json!([]));
        }
        fields.entry("drag").or_insert_with(|| json!(0.0));
    }
    Ok(value)
}

/// A tree of bodies as a case, with the poses and velocities that its bodies have.
fn case(name: &str, simulation: &Simulation) -> Result<String> {
    let kinematics = simulation.kinematics();
    let bodies = || (0..simulation.model.bodies().len()).map(BodyId::new);
    let pose = |body| {
        let pose = simulation.body_pose(&kinematics, body);
        (pose.translation.to_array(), pose.quat().to_array())
    };
    let velocity = |body| simulation.body_velocity(&kinematics, body).to_array();
    let expected = Expected {
        body_pos_quat: Some(bodies().map(pose).collect()),
        body_velocity: Some(bodies().map(velocity).collect()),
        ..expected(simulation)
    };
    Ok(case_to_string(name, simulation, Some(expected))?)
}

/// Other engines have hard joints of a few kinds, which nothing drives.
fn check(joint: &Joint) -> Result<()> {
    let name = &joint.name;
    if !joint.is_plain() {
        bail!(
            "constraint {name:?} is a joint that other engines do not have: they have ball, hinge, rigid, distance, rope"
        );
    }
    if joint.soft.is_some() || !joint.actions.is_empty() {
        let what = if joint.soft.is_some() { "is a spring" } else { "has limits, motors or friction" };
        bail!("constraint {name:?} {what}: other engines are given hard joints that nothing drives");
    }
    Ok(())
}

/// Runs the scene and writes down where its kinematic bodies are after every step, unless they stay.
fn follow(file: &mut SceneFile, stage: &mut Stage) -> Result<()> {
    for (body, path) in file.bodies.iter_mut().zip(moves::paths(stage)?) {
        let stays = |f: &supple::constraint::Frame| {
            f.position.to_array() == body.position && f.rotation.to_array() == body.rotation
        };
        if !path.iter().all(stays) {
            body.moves = path.into_iter().map(Into::into).collect();
        }
    }
    Ok(())
}

/// Tells what other engines do not heed and may matter later.
fn warn(world: &World) {
    let mut constraints = world.constraints();
    if constraints.any(|(_, c)| c.strength.force.is_finite() || c.strength.moment.is_finite()) {
        complain("warning: other engines do not know what joints can hold: there they do not break");
    }
    if world.couplings().next().is_some() {
        complain("warning: other engines do not heed couplings");
    }
    if world.bodies().any(|(_, body)| body.wrench != supple::spatial::Force::ZERO) {
        complain("warning: other engines do not heed wrenches on bodies");
    }
}
