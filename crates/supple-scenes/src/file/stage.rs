//! A file of articulations, single bodies, joints and contacts.

use std::path::Path as FilePath;

use supple::constraint::Frame;
use supple::contact::Shape;
use supple::world::{BodyRef, World};

use super::body::{Body, check_place};
use super::fault::{At, Fault};
use super::forces::forces;
use super::makers::{Made, Makers};
use super::numbers::Resolver;
use super::{SceneFile, SceneKind, shape, unique};
use crate::script::Follow;
use crate::{Capsule, Cue, Drive, Gaze, Key, Path, Ref, Schedule, Stage, names};

/// All that a file has, on a stage.
pub(super) fn stage(file: &SceneFile, folder: &FilePath) -> Result<Stage, Fault> {
    check(file)?;
    let top = At::top();
    let mut world = World::new();
    (world.gravity, world.drag) = (file.gravity.into(), file.drag);
    if let Some(settings) = &file.settings {
        world.settings = settings.into();
    }
    let mut makers = Makers::new(file, folder)?;
    let mut stage = Stage::left_to_itself(world);
    stage.notes.clone_from(&file.notes);
    stage.notes.extend(makers.notes());
    (stage.dt, stage.file_dt, stage.seconds) = (file.dt, makers.timestep(), file.seconds);
    let all = makers.all(file)?;
    let forces = forces(file, &all)?;
    let resolver = add_bodies(file, &makers, all, &mut stage)?;
    // loops of models come before the joints of the file
    let loops = stage.world.constraints().count();
    hold(file, &resolver, &mut stage.world)?;
    let shapes = shape::read(&file.shapes, &top.key("shapes"))?;
    touch(file, &resolver, &shapes, &mut stage.world)?;
    for (i, look) in file.looks.iter().enumerate() {
        let at = top.key("looks").item(i).key("body");
        let (body, from, to) = (resolver.looked_at(&look.body, &at)?, look.from.into(), look.to.into());
        stage.shapes.push(Capsule { body, from, to, radius: look.radius });
    }
    for (i, wall) in file.walls.iter().enumerate() {
        let at = top.key("walls").item(i);
        check_place(&at.key("frame"), &wall.frame)?;
        stage.walls.push((Frame::from(wall.frame), shape::find(wall.shape, &shapes, &at.key("shape"))?));
    }
    stage.script.drive = (!forces.is_empty()).then(|| Drive::told(forces));
    stage.script.schedule = schedule(file)?;
    let cues = cues(file, &resolver, stage.step_length(None).0, loops)?;
    if !cues.is_empty() {
        stage.direct(cues).map_err(|error| top.key("script").wrong(error))?;
    }
    stage.gaze = gaze(file)?;
    stage.world.set_budget(file.budget).map_err(|error| top.key("budget").wrong(error))?;
    stage.dress().map_err(|error| top.key("looks").wrong(error))
}

/// What can be said of a file before anything is made.
fn check(file: &SceneFile) -> Result<(), Fault> {
    let top = At::top();
    if file.kind == Some(SceneKind::Crowd) {
        let touching = [
            ("bodies", file.bodies.is_empty()),
            ("joints", file.joints.is_empty()),
            ("couplings", file.couplings.is_empty()),
            ("colliders", file.colliders.is_empty()),
            ("ignored", file.ignored.is_empty()),
        ];
        if let Some((field, _)) = touching.iter().find(|(_, none)| !none) {
            return Err(top.key(field).wrong("a crowd has none: leave it out, or leave out \"kind\""));
        }
    }
    let moves = !(file.bodies.is_empty() && file.articulations.is_empty() && file.instances.is_empty());
    if !moves && file.kind != Some(SceneKind::World) {
        return Err(
            top.wrong("has nothing that moves: it needs \"bodies\", \"articulations\" or \"instances\"")
        );
    }
    for (field, value) in [("dt", file.dt), ("seconds", file.seconds)] {
        if let Some(x) = value.filter(|x| !(*x > 0.0 && x.is_finite())) {
            return Err(top.key(field).wrong(format!("must be positive and finite, got {x} s")));
        }
    }
    unique::check_bodies(file.bodies.iter().map(|body| body.name.as_str()))?;
    unique::check(file.articulations.iter().map(|it| it.name.as_str()), "articulations")?;
    unique::check(file.joints.iter().map(|joint| joint.name.as_str()), "joints")?;
    if !(file.drag >= 0.0 && file.drag.is_finite()) {
        return Err(top.key("drag").wrong(format!("must be 0 or more, and finite, got {} 1/s", file.drag)));
    }
    file.settings.as_ref().map_or(Ok(()), |settings| settings.check(&top.key("settings")))
}

/// Single bodies and articulations, with what the files of their models join and let touch.
fn add_bodies(
    file: &SceneFile,
    makers: &Makers,
    all: Vec<Made>,
    stage: &mut Stage,
) -> Result<Resolver, Fault> {
    let top = At::top();
    let mut resolver = Resolver::default();
    for (i, body) in file.bodies.iter().enumerate() {
        let at = top.key("bodies").item(i);
        let made = stage.world.add_body(body.body(&at)?);
        let id = made.map_err(|error| Body::place_of(&error, &at).wrong(error))?;
        resolver.singles.push((body.name.clone(), id));
    }
    // what its files call a crowd is one of articulations, each for itself
    let apart = file.kind == Some(SceneKind::Crowd);
    for Made { simulation, model, name, at } in all {
        let (model_of, gravity) = (simulation.model.clone(), simulation.gravity);
        let loaded = model.and_then(|model| makers.models.get(&model)?.loaded.as_ref());
        let id = match loaded.filter(|_| !apart) {
            Some(loaded) => loaded.add_to(&mut stage.world, simulation).map_err(|error| at.wrong(error))?,
            None => stage.world.add_articulation(simulation),
        };
        if gravity != stage.world.gravity {
            let own = stage.world.set_gravity_of(id, Some(gravity));
            own.map_err(|error| at.key("gravity").wrong(error))?;
        }
        resolver.articulations.push((name, id, model_of));
    }
    for known in makers.models.values().filter(|_| apart) {
        let loops = known.loaded.as_ref().map_or(0, |loaded| loaded.loops.len());
        if loops > 0 {
            stage.notes.push(format!(
                "{loops} loops and coupled joints are left out: leave out \"kind\" to have them"
            ));
        }
    }
    for (i, body) in file.bodies.iter().enumerate() {
        if resolver.is_of_articulation(&body.name) {
            let message = format!("{:?} is a body of an articulation: give this one another name", body.name);
            return Err(top.key("bodies").item(i).key("name").wrong(message));
        }
    }
    Ok(resolver)
}

/// Colliders, and pairs that never touch.
fn touch(file: &SceneFile, resolver: &Resolver, shapes: &[Shape], world: &mut World) -> Result<(), Fault> {
    let top = At::top();
    for (i, collider) in file.colliders.iter().enumerate() {
        let at = top.key("colliders").item(i);
        let body = resolver.body(&collider.body, &at.key("body"))?;
        let made = collider.collider(shapes, &at)?;
        world.add_collider(body, made).map_err(|error| at.wrong(error))?;
    }
    for (i, pair) in file.ignored.iter().enumerate() {
        let at = top.key("ignored").item(i);
        let [a, b] = [resolver.body(&pair[0], &at.item(0))?, resolver.body(&pair[1], &at.item(1))?];
        world.ignore(a, b).map_err(|error| at.wrong(error))?;
    }
    Ok(())
}

fn schedule(file: &SceneFile) -> Result<Option<Schedule>, Fault> {
    let Some(points) = &file.schedule else { return Ok(None) };
    if points.iter().any(|p| !p.time.is_finite()) {
        return Err(At::top().key("schedule").wrong("times must be finite"));
    }
    Ok(Some(Schedule::new(points.iter().map(|p| (p.time, p.joints)))))
}

/// The cameras of a file.
fn gaze(file: &SceneFile) -> Result<Option<Gaze>, Fault> {
    for (i, shot) in file.cameras.iter().enumerate() {
        let at = At::top().key("cameras").item(i);
        shot.at(0.0).check().map_err(|error| at.wrong(error))?;
    }
    Ok((!file.cameras.is_empty()).then(|| Gaze::told(file.cameras.clone())))
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
fn cues(file: &SceneFile, resolver: &Resolver, dt: f64, loops: usize) -> Result<Vec<Cue>, Fault> {
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
