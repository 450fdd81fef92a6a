//! A scene as a file.

use std::collections::BTreeMap;
use std::sync::Arc;

use supple::Simulation;
use supple::model::Model;
use supple::world::Settings;

use super::articulation::Articulation;
use super::body::Body;
use super::collider::ColliderFile;
use super::joint::{Joint, JointCoupling};
use super::model::ModelFile;
use super::numbers::Numbers;
use super::shape::Shapes;
use super::unique;
use super::{Look, PrintError, SceneFile, SceneKind, SchedulePoint, SettingsFile, Wall};
use crate::world_stage::WorldStage;
use crate::{Gaze, Shot, Stage};

/// Articulations as a file, as they are now; an error names what a file cannot have.
pub fn print_stage(name: &str, stage: &Stage) -> Result<SceneFile, PrintError> {
    let mut file = SceneFile::new(SceneKind::Crowd, name);
    file.notes.clone_from(&stage.notes);
    (file.dt, file.seconds, file.budget) = (stage.dt, stage.seconds, stage.budget);
    file.gravity = stage.simulation.gravity.to_array();
    let point = |(time, joints)| SchedulePoint { time, joints };
    file.schedule = stage.schedule.as_ref().map(|schedule| schedule.points().map(point).collect());
    file.cameras = cameras(stage.gaze.as_ref())?;
    if let Some(drive) = &stage.drive {
        let program = PrintError::Program { what: "the drive", instead: "use Drive::told" };
        file.forces = drive.forces().ok_or(program)?.to_vec();
    }
    let own_wrenches = stage.drive.as_ref().is_none_or(|drive| !drive.pushes());
    let mut models = Models::default();
    for (i, simulation) in stage.bodies().enumerate() {
        let model = models.name(&simulation.model);
        file.articulations.push(Articulation::of(simulation, i, &model, file.gravity, own_wrenches)?);
    }
    file.models = models.table;
    let mut shapes = Shapes::default();
    for (frame, shape) in &stage.walls {
        file.walls.push(Wall { frame: (*frame).into(), shape: shapes.number(shape)? });
    }
    file.shapes = shapes.list;
    for capsule in &stage.shapes {
        file.looks.push(Look {
            body: capsule.body.index().into(),
            from: capsule.from.to_array(),
            to: capsule.to.to_array(),
            radius: capsule.radius,
        });
    }
    Ok(file)
}

/// A world as a file, as it is now: one that has been stepped begins anew there, at time zero. Of bodies or joints
/// that share a name, the later ones get their numbers, too: in a file names are unique. An error names what a file cannot have.
pub fn print_world(name: &str, stage: &WorldStage) -> Result<SceneFile, PrintError> {
    let world = &stage.world;
    let numbers = Numbers::of(world);
    let mut file = SceneFile::new(SceneKind::World, name);
    file.notes.clone_from(&stage.notes);
    (file.dt, file.seconds) = (Some(stage.dt), Some(stage.seconds));
    (file.gravity, file.drag) = (world.gravity.to_array(), world.drag);
    file.settings = (world.settings != Settings::default()).then(|| SettingsFile::from(&world.settings));
    file.cameras = cameras(stage.gaze.as_ref())?;
    if let Some(director) = &stage.director {
        let program = PrintError::Program { what: "the director", instead: "use a Script" };
        file.script = director.script().ok_or(program)?.to_vec();
    }
    file.bodies = world.bodies().map(|(_, body)| Body::of(body)).collect();
    for (_, constraint) in world.constraints() {
        file.joints.push(Joint::of(constraint, &numbers)?);
    }
    unique::name(file.bodies.iter_mut().map(|body| &mut body.name));
    unique::name(file.joints.iter_mut().map(|joint| &mut joint.name));
    for (id, coupling) in world.couplings() {
        let after = world.constraints().filter(|(joint, _)| joint.index() < id.index()).count();
        file.couplings.push(JointCoupling::of(coupling, after, &numbers)?);
    }
    let mut models = Models::default();
    for (i, (_, simulation)) in world.articulations().enumerate() {
        let model = models.name(&simulation.model);
        file.articulations.push(Articulation::of(simulation, i, &model, file.gravity, true)?);
    }
    file.models = models.table;
    let mut shapes = Shapes::default();
    for (_, collider, body) in world.colliders() {
        file.colliders.push(ColliderFile::of(collider, body, &numbers, &mut shapes)?);
    }
    file.shapes = shapes.list;
    for (a, b) in world.ignored() {
        file.ignored.push([numbers.number(a)?, numbers.number(b)?]);
    }
    for shape in &stage.shapes {
        let (from, to) = (shape.from.to_array(), shape.to.to_array());
        file.looks.push(Look { body: numbers.number(shape.body)?, from, to, radius: shape.radius });
    }
    Ok(file)
}

impl SceneFile {
    /// The same for programs that know no models: each articulation as a case of its own, with the number of its first body.
    /// `case` writes it.
    pub fn with_cases<E: From<PrintError>>(
        mut self,
        stage: &WorldStage,
        case: impl Fn(usize, &Simulation) -> Result<serde_json::Value, E>,
    ) -> Result<Self, E> {
        let numbers = Numbers::of(&stage.world);
        self.models.clear();
        self.articulations.clear();
        for (i, (id, simulation)) in stage.world.articulations().enumerate() {
            self.articulations.push(Articulation {
                case: Some(case(i, simulation)?),
                first: Some(numbers.first(id)?),
                ..Articulation::default()
            });
        }
        Ok(self)
    }
}

fn cameras(gaze: Option<&Gaze>) -> Result<Vec<Shot>, PrintError> {
    let Some(gaze) = gaze else { return Ok(Vec::new()) };
    let program = PrintError::Program { what: "the gaze", instead: "use Gaze::told" };
    gaze.shots().map(<[Shot]>::to_vec).ok_or(program)
}

/// Models by name; those that are shared are there once.
#[derive(Default)]
struct Models {
    table: BTreeMap<String, ModelFile>,
    /// By where they are.
    known: BTreeMap<usize, String>,
}

impl Models {
    fn name(&mut self, model: &Arc<Model>) -> String {
        let key = Arc::as_ptr(model) as usize;
        if let Some(name) = self.known.get(&key) {
            return name.clone();
        }
        let file = ModelFile::of(model);
        // equal ones are one
        if let Some((name, _)) = self.table.iter().find(|(_, known)| **known == file) {
            let name = name.clone();
            self.known.insert(key, name.clone());
            return name;
        }
        let root = model.bodies().first().map_or("model", |body| body.name.as_str());
        let name = match self.table.contains_key(root) {
            true => format!("{root}-{}", self.table.len() + 1),
            false => root.to_owned(),
        };
        self.known.insert(key, name.clone());
        self.table.insert(name.clone(), file);
        name
    }
}
