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
use super::{DetailFile, Look, PrintError, SceneFile, SchedulePoint, SettingsFile, Wall};
use crate::{Gaze, Script, Shot, Stage};

/// A scene as a file, as it is now: one that has been stepped begins anew there, at time zero. Of bodies or joints that share a name, the
/// later ones get their numbers, too: in a file names are unique. An error names what a file cannot have.
pub fn print_stage(name: &str, stage: &Stage) -> Result<SceneFile, PrintError> {
    let world = &stage.world;
    let numbers = Numbers::of(world);
    let mut file = SceneFile::new(name);
    file.notes.clone_from(&stage.notes);
    (file.dt, file.seconds, file.budget) = (stage.dt.or(stage.file_dt), stage.seconds, world.budget());
    (file.gravity, file.drag) = (world.gravity.to_array(), world.drag);
    file.settings = (world.settings != Settings::default()).then(|| SettingsFile::from(&world.settings));
    file.cameras = cameras(stage.gaze.as_ref())?;
    print_script(&stage.script, &mut file)?;
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
    let own_wrenches = stage.script.drive.as_ref().is_none_or(|drive| !drive.pushes());
    let mut models = Models::default();
    for (i, (id, simulation)) in world.articulations().enumerate() {
        let model = models.name(&simulation.model);
        let mut it = Articulation::of(simulation, i, &model, own_wrenches)?;
        it.gravity = world.gravity_of(id).map(|gravity| gravity.to_array());
        let detail = DetailFile::from(world.own_detail(id).unwrap_or_else(|| simulation.detail()));
        it.detail = (detail != DetailFile::default()).then_some(detail);
        file.articulations.push(it);
    }
    file.models = models.table;
    let mut shapes = Shapes::default();
    for (_, collider, body) in world.colliders() {
        file.colliders.push(ColliderFile::of(collider, body, &numbers, &mut shapes)?);
    }
    for (frame, shape) in &stage.walls {
        file.walls.push(Wall { frame: (*frame).into(), shape: shapes.number(shape)? });
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

/// What is done before every step.
fn print_script(script: &Script, file: &mut SceneFile) -> Result<(), PrintError> {
    let point = |(time, joints)| SchedulePoint { time, joints };
    file.schedule = script.schedule.as_ref().map(|schedule| schedule.points().map(point).collect());
    if let Some(drive) = &script.drive {
        let program = PrintError::Program { what: "the drive", instead: "use Drive::told" };
        file.forces = drive.forces().ok_or(program)?.to_vec();
    }
    if let Some(director) = &script.director {
        let program = PrintError::Program { what: "the director", instead: "use Cues" };
        file.script = director.cues().ok_or(program)?.to_vec();
    }
    Ok(())
}

impl SceneFile {
    /// The same for programs that know no models: each articulation as a case of its own, with the number of its first body.
    /// `case` writes it.
    pub fn with_cases<E: From<PrintError>>(
        mut self,
        stage: &Stage,
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
