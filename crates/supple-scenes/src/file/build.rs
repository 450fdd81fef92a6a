//! A scene file as a scene.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use supple::Simulation;
use supple::adaptive::{Detail, Weights};
use supple::constraint::Frame;
use supple::model::BodyId;
use supple::world::{BodyRef, World};

use super::articulation::{Articulation, resolve};
use super::body::check_place;
use super::fault::{At, Fault};
use super::model::Known;
use super::numbers::Resolver;
use super::read::{Source, syntax_of, text_of};
use super::{FileError, SceneFile, SceneKind, Syntax, WeightsFile, shape};
use crate::scene::Capsule;
use crate::world_stage::{WorldShape, WorldStage};
use crate::{Drive, Gaze, Opened, Ref, SceneError, Schedule, Script, Stage, names, open};

/// Length of a step of a world that names none \[s], and how long it is shown.
const DT: f64 = 1.0 / 240.0;
const SECONDS: f64 = 5.0;

/// Opens a scene file: JSON or TOML by its extension. Files that it names are looked for from where it is.
pub fn open_file(path: impl AsRef<Path>) -> Result<Opened, SceneError> {
    let path = path.as_ref();
    let syntax = syntax_of(path).ok_or_else(|| FileError::Extension { file: path.into() })?;
    open_text(path, &text_of(path)?, syntax)
}

/// Opens a scene from the text of a file of this name, which need not be there.
pub fn open_text(path: impl AsRef<Path>, text: &str, syntax: Syntax) -> Result<Opened, SceneError> {
    let path = path.as_ref();
    let source = Source { file: path, text, syntax };
    let file = source.parse()?;
    let folder = path.parent().unwrap_or(Path::new(""));
    if let Some(scene) = &file.scene {
        return builtin(&file, scene, folder).map_err(|fault| source.error(&fault).into());
    }
    let built =
        match file.kind {
            Some(SceneKind::Crowd) => crowd(&file, folder).map(|stage| Opened::Bodies(Box::new(stage))),
            Some(SceneKind::World) => world(&file, folder).map(|stage| Opened::World(Box::new(stage))),
            None => Err(At::top()
                .wrong("lacks \"kind\": \"crowd\" or \"world\" (or \"scene\": a scene of the gallery)")),
        };
    built.map_err(|fault| source.error(&fault).into())
}

/// A scene of the gallery.
fn builtin(file: &SceneFile, scene: &str, folder: &Path) -> Result<Opened, Fault> {
    let top = At::top();
    let bare = SceneFile {
        scene: file.scene.clone(),
        set: file.set.clone(),
        notes: file.notes.clone(),
        kind: None,
        ..SceneFile::new(SceneKind::Crowd, file.name.clone())
    };
    if *file != bare {
        return Err(top
            .key("scene")
            .wrong("a file that names a scene has nothing else but \"set\", \"name\" and \"notes\""));
    }
    let mut settings = Vec::new();
    for (key, value) in &file.set {
        let text = match value {
            serde_json::Value::String(text) if key == "file" => {
                folder.join(text).to_string_lossy().into_owned()
            }
            serde_json::Value::String(text) => text.clone(),
            serde_json::Value::Number(number) => number.to_string(),
            serde_json::Value::Bool(flag) => flag.to_string(),
            other => {
                let message = format!("must be a number, a text, true or false, got {other}");
                return Err(top.key("set").key(key).wrong(message));
            }
        };
        settings.push((key.as_str(), text));
    }
    let settings: Vec<_> = settings.iter().map(|(key, text)| (*key, text.as_str())).collect();
    open(scene, &settings).map_err(|error| match &error {
        SceneError::UnknownScene { .. } => top.key("scene").wrong(error),
        SceneError::BadValue { name, .. } => top.key("set").key(name).wrong(error),
        SceneError::UnknownParameter { name, .. } => top.key("set").key(&name.clone()).wrong(error),
        _ => top.key("scene").wrong(error),
    })
}

/// What only the other kind has.
fn refuse(file: &SceneFile, fields: &[(&str, bool)]) -> Result<(), Fault> {
    let (this, other) = match file.kind {
        Some(SceneKind::World) => ("world", "crowd"),
        _ => ("crowd", "world"),
    };
    match fields.iter().find(|(_, given)| *given) {
        Some((field, _)) => {
            let message = format!("a {this} has none: leave it out, or make the scene a {other}");
            Err(At::top().key(field).wrong(message))
        }
        None => Ok(()),
    }
}

fn positive(value: Option<f64>, field: &str) -> Result<(), Fault> {
    match value {
        Some(x) if !(x > 0.0 && x.is_finite()) => {
            Err(At::top().key(field).wrong(format!("must be positive and finite, got {x} s")))
        }
        _ => Ok(()),
    }
}

/// Models of a file, and weights that were made for them.
struct Makers {
    models: BTreeMap<String, Known>,
    weights: Vec<(String, WeightsFile, Arc<Weights>)>,
}

impl Makers {
    fn new(file: &SceneFile, folder: &Path) -> Result<Self, Fault> {
        let mut models = BTreeMap::new();
        for (name, model) in &file.models {
            models.insert(name.clone(), model.read(folder, &At::top().key("models").key(name))?);
        }
        Ok(Self { models, weights: Vec::new() })
    }

    fn notes(&self) -> Vec<String> {
        self.models.values().flat_map(|known| known.notes.iter().cloned()).collect()
    }

    /// The simulation of an articulation, and the model that it has.
    fn make(&mut self, file: &Articulation, gravity: [f64; 3], at: &At) -> Result<Simulation, Fault> {
        let mut simulation = match (&file.model, &file.case) {
            (Some(name), None) => self.known(name, &at.key("model"))?.simulation.clone(),
            (None, Some(case)) => {
                let loaded = supple_io::load_case_str(&case.to_string());
                loaded.map_err(|error| at.key("case").wrong(error))?.simulation()
            }
            _ => return Err(at.wrong("needs either \"model\": the name of one, or \"case\"")),
        };
        if file.case.is_none() {
            simulation.gravity = gravity.into();
        }
        file.set(&mut simulation, at)?;
        if let Some(weights) = &file.weights {
            let name = file.model.clone().unwrap_or_default();
            simulation.set_weights(self.weights(name, weights, &simulation, &at.key("weights"))?);
        }
        Ok(simulation)
    }

    /// Details come last: they look at all the rest.
    fn detail(file: &Articulation, phase: u32, simulation: &mut Simulation, at: &At) -> Result<(), Fault> {
        let Some(detail) = &file.detail else { return Ok(()) };
        let at = at.key("detail");
        let detail = detail.detail(&simulation.model, &at)?;
        let phase = detail.phase.saturating_add(phase);
        simulation.set_detail(Detail { phase, ..detail }).map_err(|error| at.wrong(error))
    }

    fn known(&self, name: &str, at: &At) -> Result<&Known, Fault> {
        self.models.get(name).ok_or_else(|| {
            let all = self.models.keys().map(String::as_str);
            at.wrong(format!("there is no model {name:?}{}", names::hint(name, all)))
        })
    }

    fn weights(
        &mut self,
        model: String,
        file: &WeightsFile,
        simulation: &Simulation,
        at: &At,
    ) -> Result<Arc<Weights>, Fault> {
        let known = self.weights.iter().find(|(of, weights, _)| *of == model && weights == file);
        if let Some((_, _, weights)) = known.filter(|_| !model.is_empty()) {
            return Ok(weights.clone());
        }
        let made = Arc::new(file.weights(&simulation.model, at)?);
        self.weights.push((model, file.clone(), made.clone()));
        Ok(made)
    }

    /// All articulations and instances, with where they are in the file.
    fn all(&mut self, file: &SceneFile) -> Result<Vec<(Simulation, Option<String>, String, At)>, Fault> {
        let mut all = Vec::new();
        for (i, articulation) in file.articulations.iter().enumerate() {
            let at = At::top().key("articulations").item(i);
            let mut simulation = self.make(articulation, file.gravity, &at)?;
            Self::detail(articulation, 0, &mut simulation, &at)?;
            all.push((simulation, articulation.model.clone(), articulation.name.clone(), at));
        }
        for (k, instances) in file.instances.iter().enumerate() {
            let at = At::top().key("instances").item(k);
            let each = instances.each(&at)?;
            let first = self.make(&each, file.gravity, &at)?;
            for i in 0..instances.count {
                let mut simulation = first.clone();
                instances.place(i, &mut simulation, &at)?;
                let every = each.detail.as_ref().map_or(1, |detail| detail.update_every.max(1));
                // one after the other, so that no step has all the updates
                Self::detail(&each, i as u32 % every, &mut simulation, &at)?;
                all.push((simulation, each.model.clone(), String::new(), at.clone()));
            }
        }
        Ok(all)
    }
}

fn gaze(file: &SceneFile) -> Result<Option<Gaze>, Fault> {
    for (i, shot) in file.cameras.iter().enumerate() {
        let at = At::top().key("cameras").item(i);
        shot.at(0.0).check().map_err(|error| at.wrong(error))?;
    }
    Ok((!file.cameras.is_empty()).then(|| Gaze::told(file.cameras.clone())))
}

/// Articulations that do not touch.
fn crowd(file: &SceneFile, folder: &Path) -> Result<Stage, Fault> {
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
    let mut bodies = all.into_iter().map(|(simulation, ..)| simulation);
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
fn forces(
    file: &SceneFile,
    all: &[(Simulation, Option<String>, String, At)],
) -> Result<Vec<crate::ForceOverTime>, Fault> {
    let mut forces = file.forces.clone();
    for (i, force) in forces.iter_mut().enumerate() {
        let at = At::top().key("forces").item(i);
        if let Some((field, message)) = force.wrong() {
            return Err(at.key(field).wrong(message));
        }
        let named = force.articulation();
        let Some((of, ..)) = all.get(named.unwrap_or(0)) else {
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
                if let Some((i, _)) = all.iter().enumerate().find(|(_, a)| number >= a.0.model.bodies().len())
                {
                    return Err(
                        at.wrong(format!("articulation {i} has no body {number}: name an articulation"))
                    );
                }
            }
        }
        if let crate::ForceOverTime::Wave(wave) = force {
            if wave.places.is_empty() {
                let root = |simulation: &Simulation| simulation.pose_of(BodyId::new(0)).translation;
                wave.places = all.iter().map(|(simulation, ..)| root(simulation).to_array()).collect();
            }
        }
        if force.pushes() {
            if let Some((_, _, _, at)) = all.iter().find(|(simulation, ..)| !simulation.wrenches.is_empty()) {
                let message = "the scene's forces would take its place: make it a force of type \"push\"";
                return Err(at.key("wrenches").wrong(message));
            }
        }
    }
    Ok(forces)
}

/// Bodies, joints and contacts.
fn world(file: &SceneFile, folder: &Path) -> Result<WorldStage, Fault> {
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
    let top = At::top();
    let mut world = World::new();
    (world.gravity, world.drag) = (file.gravity.into(), file.drag);
    if let Some(settings) = &file.settings {
        world.settings = settings.into();
    }
    let mut makers = Makers::new(file, folder)?;
    let mut notes = file.notes.clone();
    notes.extend(makers.notes());
    let mut resolver = Resolver::default();
    for (i, body) in file.bodies.iter().enumerate() {
        let at = top.key("bodies").item(i);
        let id = world.add_body(body.body(&at)?).map_err(|error| at.wrong(error))?;
        resolver.singles.push((body.name.clone(), id));
    }
    for (simulation, model, name, at) in makers.all(file)? {
        let model_of = simulation.model.clone();
        let loaded = model.and_then(|model| makers.models.get(&model)?.loaded.as_ref());
        let id = match loaded {
            Some(loaded) => loaded.add_to(&mut world, simulation).map_err(|error| at.wrong(error))?,
            None => world.add_articulation(simulation),
        };
        resolver.articulations.push((name, id, model_of));
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
fn script(file: &SceneFile, resolver: &Resolver, dt: f64, loops: usize) -> Result<Vec<crate::Cue>, Fault> {
    let mut script = file.script.clone();
    for (i, cue) in script.iter_mut().enumerate() {
        let at = At::top().key("script").item(i);
        if let Some((field, message)) = cue.wrong() {
            return Err(at.key(field).wrong(message));
        }
        if let crate::Cue::Beside(it) = cue {
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
            points.push(crate::Key { time, position: place.position, rotation: place.rotation });
        }
        let follow =
            crate::script::Follow { body: i.into(), path: crate::Path::Keys { points }, late: false };
        script.push(crate::Cue::Follow(follow));
    }
    Ok(script)
}

/// A joint of the file, by its number.
fn number_of(joint: &Ref, file: &SceneFile, at: &At) -> Result<usize, Fault> {
    let found = match joint {
        Ref::Name(name) => file.joints.iter().position(|joint| joint.name == *name),
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
