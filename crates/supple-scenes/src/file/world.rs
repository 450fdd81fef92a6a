//! A file of bodies, joints and contacts.

use std::path::Path as FilePath;

use supple::world::{BodyRef, World};

use super::body::{Body, check_place};
use super::build::{gaze, positive, refuse};
use super::fault::{At, Fault};
use super::makers::{Made, Makers};
use super::numbers::Resolver;
use super::{SceneFile, shape, unique};
use crate::script::Follow;
use crate::world_stage::{WorldShape, WorldStage};
use crate::{Cue, Key, Path, Ref, Script, names};

/// Length of a step of a world that names none \[s], and how long it is shown.
const DT: f64 = 1.0 / 240.0;
const SECONDS: f64 = 5.0;

/// Bodies, joints and contacts.
pub(super) fn world(file: &SceneFile, folder: &FilePath) -> Result<WorldStage, Fault> {
    refuse(
        file,
        &[
            ("budget", file.budget.is_some()),
            ("schedule", file.schedule.is_some()),
            ("walls", !file.walls.is_empty()),
            ("forces", !file.forces.is_empty()),
        ],
    )?;
    positive(file.dt, "dt")?;
    positive(file.seconds, "seconds")?;
    unique::check_bodies(file.bodies.iter().map(|body| body.name.as_str()))?;
    unique::check(file.articulations.iter().map(|it| it.name.as_str()), "articulations")?;
    unique::check(file.joints.iter().map(|joint| joint.name.as_str()), "joints")?;
    let top = At::top();
    let mut world = World::new();
    (world.gravity, world.drag) = (file.gravity.into(), file.drag);
    if !(file.drag >= 0.0 && file.drag.is_finite()) {
        return Err(top.key("drag").wrong(format!("must be 0 or more, and finite, got {} 1/s", file.drag)));
    }
    if let Some(settings) = &file.settings {
        settings.check(&top.key("settings"))?;
        world.settings = settings.into();
    }
    let mut makers = Makers::new(file, folder)?;
    let mut notes = file.notes.clone();
    notes.extend(makers.notes());
    let mut resolver = Resolver::default();
    for (i, body) in file.bodies.iter().enumerate() {
        let at = top.key("bodies").item(i);
        let id = world.add_body(body.body(&at)?).map_err(|error| Body::place_of(&error, &at).wrong(error))?;
        resolver.singles.push((body.name.clone(), id));
    }
    for Made { simulation, model, name, at } in makers.all(file)? {
        let model_of = simulation.model.clone();
        let loaded = model.and_then(|model| makers.models.get(&model)?.loaded.as_ref());
        let id = match loaded {
            Some(loaded) => loaded.add_to(&mut world, simulation).map_err(|error| at.wrong(error))?,
            None => world.add_articulation(simulation),
        };
        resolver.articulations.push((name, id, model_of));
    }
    for (i, body) in file.bodies.iter().enumerate() {
        if resolver.is_of_articulation(&body.name) {
            let message = format!("{:?} is a body of an articulation: give this one another name", body.name);
            return Err(top.key("bodies").item(i).key("name").wrong(message));
        }
    }
    // loops of models come before the joints of the file
    let loops = world.constraints().count();
    hold(file, &resolver, &mut world)?;
    let shapes = shape::read(&file.shapes, &top.key("shapes"))?;
    for (i, collider) in file.colliders.iter().enumerate() {
        let at = top.key("colliders").item(i);
        let body = resolver.body(&collider.body, &at.key("body"))?;
        let made = collider.collider(&shapes, &at)?;
        world.add_collider(body, made).map_err(|error| at.wrong(error))?;
    }
    for (i, pair) in file.ignored.iter().enumerate() {
        let at = top.key("ignored").item(i);
        let [a, b] = [resolver.body(&pair[0], &at.item(0))?, resolver.body(&pair[1], &at.item(1))?];
        world.ignore(a, b).map_err(|error| at.wrong(error))?;
    }
    let mut stage = WorldStage::new(world, file.dt.unwrap_or(DT), file.seconds.unwrap_or(SECONDS));
    for (i, look) in file.looks.iter().enumerate() {
        let body = resolver.body(&look.body, &top.key("looks").item(i).key("body"))?;
        let (from, to) = (look.from.into(), look.to.into());
        stage.shapes.push(WorldShape { body, from, to, radius: look.radius });
    }
    let script = script(file, &resolver, stage.dt, loops)?;
    if !script.is_empty() {
        let script = Script::new(&stage.world, script).map_err(|error| top.key("script").wrong(error))?;
        stage.director = Some(Box::new(script));
    }
    (stage.gaze, stage.notes) = (gaze(file)?, notes);
    Ok(stage)
}

/// Joints and couplings, in their order.
fn hold(file: &SceneFile, resolver: &Resolver, world: &mut World) -> Result<(), Fault> {
    let top = At::top();
    let couple = |after: usize, world: &mut World| {
        for (k, coupling) in file.couplings.iter().enumerate() {
            // what comes after more joints than there are comes after all
            if coupling.after.unwrap_or(usize::MAX).min(file.joints.len()) == after {
                let at = top.key("couplings").item(k);
                world.couple(coupling.coupling(&at, resolver)?).map_err(|error| at.wrong(error))?;
            }
        }
        Ok(())
    };
    for (i, joint) in file.joints.iter().enumerate() {
        couple(i, world)?;
        let at = top.key("joints").item(i);
        joint.check(&at)?;
        let parent: BodyRef = resolver.body(&joint.parent, &at.key("parent"))?;
        let child = resolver.body(&joint.child, &at.key("child"))?;
        world.add(joint.constraint(parent, child)).map_err(|error| at.wrong(error))?;
    }
    couple(file.joints.len(), world)
}

/// The script of a file, bodies and joints by their numbers; and bodies that are moved about without one.
fn script(file: &SceneFile, resolver: &Resolver, dt: f64, loops: usize) -> Result<Vec<Cue>, Fault> {
    let mut script = file.script.clone();
    for (i, cue) in script.iter_mut().enumerate() {
        let at = At::top().key("script").item(i);
        if let Some((field, message)) = cue.wrong() {
            return Err(at.key(field).wrong(message));
        }
        if let Cue::Beside(it) = cue {
            it.joint.check(&at.key("joint"))?;
            for end in [&mut it.joint.parent, &mut it.joint.child] {
                *end = resolver.single(end, &at.key("joint"))?.into();
            }
        }
        let (bodies, joints) = cue.names();
        for body in bodies {
            *body = resolver.single(body, &at)?.into();
        }
        for joint in joints {
            *joint = (loops + number_of(joint, file, &at)?).into();
        }
    }
    for (i, body) in file.bodies.iter().enumerate().filter(|(_, body)| !body.moves.is_empty()) {
        let at = At::top().key("bodies").item(i).key("moves");
        let mut points = Vec::with_capacity(body.moves.len());
        for (k, place) in body.moves.iter().enumerate() {
            check_place(&at.item(k), place)?;
            let time = dt * (k + 1) as f64;
            points.push(Key { time, position: place.position, rotation: place.rotation });
        }
        let follow = Follow { body: i.into(), path: Path::Keys { points }, late: false };
        script.push(Cue::Follow(follow));
    }
    Ok(script)
}

/// A joint of the file, by its number.
fn number_of(joint: &Ref, file: &SceneFile, at: &At) -> Result<usize, Fault> {
    let found = match joint {
        Ref::Name(name) => file.joints.iter().position(|joint| joint.name == *name && !name.is_empty()),
        number => number.number().filter(|i| *i < file.joints.len()),
    };
    found.ok_or_else(|| {
        let names = file.joints.iter().map(|joint| joint.name.as_str());
        let hint = match joint {
            Ref::Name(name) => names::hint(name, names),
            Ref::Number(_) => format!(": the file has {}", file.joints.len()),
        };
        at.wrong(format!("there is no joint {joint}{hint}"))
    })
}
