//! A file of articulations that do not touch.

use std::path::Path;

use supple::Simulation;
use supple::constraint::Frame;
use supple::model::BodyId;

use super::articulation::resolve;
use super::body::check_place;
use super::build::{gaze, positive, refuse};
use super::fault::{At, Fault};
use super::makers::{Made, Makers};
use super::{SceneFile, shape, unique};
use crate::scene::Capsule;
use crate::{Drive, ForceOverTime, Schedule, Stage};

/// Articulations that do not touch.
pub(super) fn crowd(file: &SceneFile, folder: &Path) -> Result<Stage, Fault> {
    refuse(
        file,
        &[
            ("drag", file.drag != 0.0),
            ("settings", file.settings.is_some()),
            ("bodies", !file.bodies.is_empty()),
            ("joints", !file.joints.is_empty()),
            ("couplings", !file.couplings.is_empty()),
            ("colliders", !file.colliders.is_empty()),
            ("ignored", !file.ignored.is_empty()),
            ("script", !file.script.is_empty()),
        ],
    )?;
    unique::check(file.articulations.iter().map(|it| it.name.as_str()), "articulations")?;
    positive(file.dt, "dt")?;
    positive(file.seconds, "seconds")?;
    let top = At::top();
    let mut makers = Makers::new(file, folder)?;
    let mut notes = file.notes.clone();
    notes.extend(makers.notes());
    let all = makers.all(file)?;
    let shapes = shape::read(&file.shapes, &top.key("shapes"))?;
    let forces = forces(file, &all)?;
    for known in makers.models.values() {
        let loops = known.loaded.as_ref().map_or(0, |loaded| loaded.loops.len());
        if loops > 0 {
            notes.push(format!("{loops} loops and coupled joints are left out: they need a world"));
        }
    }
    let mut bodies = all.into_iter().map(|made| made.simulation);
    let first = bodies.next().ok_or_else(|| top.wrong("a crowd needs \"articulations\" or \"instances\""))?;
    let mut looks = Vec::with_capacity(file.looks.len());
    for (i, look) in file.looks.iter().enumerate() {
        let mut body = look.body.clone();
        resolve(&mut body, &first.model, &top.key("looks").item(i).key("body"))?;
        let body = BodyId::new(body.number().unwrap_or_default());
        looks.push(Capsule { body, from: look.from.into(), to: look.to.into(), radius: look.radius });
    }
    let mut stage = Stage::new(first, looks);
    stage.others = bodies.collect();
    stage.drive = (!forces.is_empty()).then(|| Drive::told(forces));
    stage.schedule = match &file.schedule {
        Some(points) if points.iter().any(|p| !p.time.is_finite()) => {
            return Err(top.key("schedule").wrong("times must be finite"));
        }
        points => points.as_ref().map(|p| Schedule::new(p.iter().map(|p| (p.time, p.joints)))),
    };
    for (i, wall) in file.walls.iter().enumerate() {
        let at = top.key("walls").item(i);
        check_place(&at.key("frame"), &wall.frame)?;
        stage.walls.push((Frame::from(wall.frame), shape::find(wall.shape, &shapes, &at.key("shape"))?));
    }
    (stage.budget, stage.gaze) = (file.budget, gaze(file)?);
    (stage.dt, stage.seconds, stage.notes) = (file.dt, file.seconds, notes);
    Ok(stage)
}

/// The forces of a file, bodies by their numbers.
fn forces(file: &SceneFile, all: &[Made]) -> Result<Vec<ForceOverTime>, Fault> {
    let mut forces = file.forces.clone();
    for (i, force) in forces.iter_mut().enumerate() {
        let at = At::top().key("forces").item(i);
        if let Some((field, message)) = force.wrong() {
            return Err(at.key(field).wrong(message));
        }
        let named = force.articulation();
        let Some(Made { simulation: of, .. }) = all.get(named.unwrap_or(0)) else {
            let message =
                format!("there is no articulation {}: the file has {}", named.unwrap_or(0), all.len());
            return Err(at.key("articulation").wrong(message));
        };
        for body in force.bodies() {
            resolve(body, &of.model, &at)?;
        }
        if named.is_none() {
            // others may have other models
            for body in force.bodies() {
                let number = body.number().unwrap_or_default();
                if let Some((i, _)) =
                    all.iter().enumerate().find(|(_, a)| number >= a.simulation.model.bodies().len())
                {
                    return Err(
                        at.wrong(format!("articulation {i} has no body {number}: name an articulation"))
                    );
                }
            }
        }
        if let ForceOverTime::Wave(wave) = force
            && wave.places.is_empty()
        {
            let root = |simulation: &Simulation| simulation.pose_of(BodyId::new(0)).translation;
            wave.places = all.iter().map(|made| root(&made.simulation).to_array()).collect();
        }
        if force.pushes()
            && let Some(Made { at, .. }) = all.iter().find(|made| !made.simulation.wrenches.is_empty())
        {
            let message = "the scene's forces would take its place: make it a force of type \"push\"";
            return Err(at.key("wrenches").wrong(message));
        }
    }
    Ok(forces)
}
