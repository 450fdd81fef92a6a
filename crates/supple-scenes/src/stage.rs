//! A scene ready to move: a world, what is done to it before every step, and how it is shown.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use glam::DVec3;
use supple::constraint::Frame;
use supple::contact::Shape;
use supple::detail::{Detail, DetailError};
use supple::view::Looks;
use supple::world::{ArticulationId, BodyRef, World, WorldError, WorldReport};
use supple::{Model, Simulation};

use crate::drawn::Rod;
use crate::{Cue, Gaze, SceneError, Script};

/// Length of a step where nobody says another \[s]: a frame of most screens.
pub const DT: f64 = 1.0 / 60.0;
/// How long a scene is shown that does not say it \[s].
pub const SECONDS: f64 = 5.0;

/// A scene ready to move.
///
/// ```
/// let mut stage = supple_scenes::stage("ramp", &[("links", "20")])?;
/// stage.step(0.001)?;
/// assert!(stage.active() <= 20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Stage {
    /// What moves.
    pub world: World,
    /// What is done to it before every step.
    pub script: Script,
    /// What bodies look like, where something is known besides their colliders. Articulations that are linked alike look alike: it is there
    /// once.
    pub shapes: Vec<Capsule>,
    /// What stands about and may hide bodies, but is not touched: where it is, and its shape.
    pub walls: Vec<(Frame, Shape)>,
    /// From where it is looked at; `None`: no place is better than another.
    pub gaze: Option<Gaze>,
    /// The step that the scene is meant for \[s]; `None`: any.
    pub dt: Option<f64>,
    /// The step that the model file of the scene asks for \[s].
    pub file_dt: Option<f64>,
    /// How long it has something to show \[s]; `None`: nobody knows.
    pub seconds: Option<f64>,
    /// What should be known before believing it: the warnings of a file.
    pub notes: Vec<String>,
}

/// The shape of a body: all points within `radius` of a line segment in the body's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// The body.
    pub body: BodyRef,
    /// One end of the segment, in the body's frame \[m].
    pub from: DVec3,
    /// The other end \[m].
    pub to: DVec3,
    /// Radius \[m].
    pub radius: f64,
}

/// Who says how long a step is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DtFrom {
    /// An option of a command.
    Option,
    /// The scene.
    Scene,
    /// A model file: MJCF's `<option timestep>`.
    File,
    /// Nobody: it is [`DT`].
    #[default]
    Default,
}

impl DtFrom {
    /// Its name, as JSON has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Option => "option",
            Self::Scene => "scene",
            Self::File => "file",
            Self::Default => "default",
        }
    }
}

impl Stage {
    /// A world that is stepped by `dt` and has something to show for so long \[s].
    pub fn new(world: World, dt: f64, seconds: f64) -> Self {
        Self { dt: Some(dt), seconds: Some(seconds), ..Self::left_to_itself(world) }
    }

    /// A world of which nothing else is known.
    pub fn left_to_itself(world: World) -> Self {
        Self {
            world,
            script: Script::default(),
            shapes: Vec::new(),
            walls: Vec::new(),
            gaze: None,
            dt: None,
            file_dt: None,
            seconds: None,
            notes: Vec::new(),
        }
    }

    /// Adds an articulation, which keeps its gravity.
    pub fn add(&mut self, simulation: Simulation) -> ArticulationId {
        let gravity = simulation.gravity;
        let id = self.world.add_articulation(simulation);
        if gravity != self.world.gravity {
            let set = self.world.set_gravity_of(id, Some(gravity));
            debug_assert!(set.is_ok(), "it was added just now: {set:?}");
        }
        id
    }

    /// Has this done before every step. Bodies and joints that cues name must be there.
    pub fn direct(&mut self, cues: Vec<Cue>) -> Result<(), WorldError> {
        self.script.direct(&self.world, cues)
    }

    /// One step of `dt` \[s], after what the scene does before it. Where somebody looks, only articulations that step are visited.
    pub fn step(&mut self, dt: f64) -> Result<WorldReport, WorldError> {
        self.script.prepare(&mut self.world, dt)?;
        self.world.step_with(dt, &self.script.on_articulations())
    }

    /// What the scene does before a step of `dt` \[s], without the step.
    pub fn cue(&mut self, dt: f64) -> Result<(), WorldError> {
        self.script.prepare(&mut self.world, dt)?;
        self.world.cue_all(&self.script.on_articulations());
        Ok(())
    }

    /// Length of a step \[s] and who says so: an option of a command, else the scene, else its model file, else [`DT`].
    pub fn step_length(&self, option: Option<f64>) -> (f64, DtFrom) {
        let said = [(option, DtFrom::Option), (self.dt, DtFrom::Scene), (self.file_dt, DtFrom::File)];
        let first = said.into_iter().find_map(|(dt, from)| Some((dt?, from)));
        first.unwrap_or((DT, DtFrom::Default))
    }

    /// All articulations.
    pub fn articulations(&self) -> impl Iterator<Item = &Simulation> + Clone {
        self.world.articulations().map(|(_, simulation)| simulation)
    }

    /// The first articulation.
    pub fn first(&self) -> Option<(ArticulationId, &Simulation)> {
        self.world.articulations().next()
    }

    /// Asks for this much detail of every articulation; the scene's budget, or what it would ask for over time, is forgotten.
    pub fn set_detail(&mut self, detail: &Detail) -> Result<(), DetailError> {
        self.script.schedule = None;
        self.world.set_budget(None)?;
        self.world.articulations_mut().try_for_each(|(_, body)| body.set_detail(detail.clone()))
    }

    /// At most so many active joints in all articulations together; what the scene would ask for over time is forgotten.
    pub fn set_budget(&mut self, joints: usize) -> Result<(), DetailError> {
        self.script.schedule = None;
        self.world.set_budget(Some(joints))
    }

    /// Articulated-body sweeps of the last step, where there is one articulation and nothing else.
    pub fn sweeps(&self) -> Option<u32> {
        let mut all = self.world.articulations();
        let (first, None) = (all.next()?, all.next()) else { return None };
        let alone = self.world.constraints().next().is_none() && self.world.colliders().next().is_none();
        self.world.step_report(first.0).filter(|_| alone).map(|report| report.sweeps)
    }

    /// Joints that can move, in all articulations together.
    pub fn joints(&self) -> usize {
        self.articulations().map(|body| body.model.moving_joints()).sum()
    }

    /// Joints that are active now, in all articulations together.
    pub fn active(&self) -> usize {
        self.articulations().map(active).sum()
    }

    /// Articulations get the looks that the shapes give them; those without look like the first that is linked as they are, unless something
    /// on them touches.
    pub(crate) fn dress(mut self) -> Result<Self, SceneError> {
        let mut rods: HashMap<ArticulationId, Vec<Rod>> = HashMap::new();
        for &Capsule { body, from, to, radius } in &self.shapes {
            if let BodyRef::Of(id, body) = body {
                rods.entry(id).or_default().push(Rod { body, from, to, radius });
            }
        }
        if rods.is_empty() {
            return Ok(self);
        }
        let touch: HashSet<ArticulationId> = (self.world.colliders())
            .filter_map(|(_, _, body)| if let BodyRef::Of(id, _) = body { Some(id) } else { None })
            .collect();
        let mut made: Vec<(&[Rod], Arc<Looks>)> = Vec::new();
        let mut alike: HashMap<*const Model, Option<Arc<Looks>>> = HashMap::new();
        let mut given = Vec::new();
        for (id, simulation) in self.world.articulations() {
            let model = &simulation.model;
            let looks = match rods.get(&id) {
                Some(own) => {
                    Some(match made.iter().find(|(of, looks)| *of == own.as_slice() && looks.fits(model)) {
                        Some((_, known)) => known.clone(),
                        None => {
                            let looks = looks(model, own)?;
                            made.push((own, looks.clone()));
                            looks
                        }
                    })
                }
                None if touch.contains(&id) => None,
                None => alike
                    .entry(Arc::as_ptr(model))
                    .or_insert_with(|| made.iter().find(|(_, l)| l.fits(model)).map(|(_, l)| l.clone()))
                    .clone(),
            };
            given.extend(looks.map(|looks| (id, looks)));
        }
        for (id, looks) in given {
            let set = self.world.articulation_mut(id)?.set_looks(looks);
            debug_assert!(set.is_ok(), "they fit: {set:?}");
        }
        Ok(self)
    }
}

/// The looks of a model by its capsules.
fn looks(model: &Model, rods: &[Rod]) -> Result<Arc<Looks>, SceneError> {
    let shape = |&Rod { body, from, to, radius }: &Rod| {
        Ok((body, Frame::IDENTITY, Shape::capsule(from, to, radius)?))
    };
    let shapes = rods.iter().map(shape).collect::<Result<Vec<_>, SceneError>>()?;
    Ok(Arc::new(Looks::new(model, shapes)))
}

/// Joints of a body that are active now; none before the first step at less than full detail.
pub fn active(simulation: &Simulation) -> usize {
    if simulation.detail().is_full() {
        simulation.model.moving_joints()
    } else {
        simulation.region().map_or(0, |region| region.report().active)
    }
}
