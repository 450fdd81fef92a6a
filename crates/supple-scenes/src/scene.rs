use std::collections::HashMap;
use std::sync::Arc;

use glam::DVec3;
use supple::constraint::Frame;
use supple::contact::Shape;
use supple::view::Looks;
use supple::{BodyId, Model, Simulation};

use crate::{Drive, Gaze, Parameter, Parameters, SceneError, Schedule};

/// A scene of the gallery: a name, where it comes from, what can be chosen, and how it is built.
#[derive(Clone, Copy, Debug)]
pub struct Scene<S: 'static = Stage> {
    /// Its name on the command line.
    pub name: &'static str,
    /// The figure or table of a paper that it comes from; empty if none.
    pub figure: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// What can be chosen.
    pub parameters: &'static [Parameter],
    pub(crate) build: fn(&Parameters) -> Result<S, SceneError>,
}

impl<S> Scene<S> {
    /// The default parameters.
    pub fn parameters(&self) -> Parameters {
        Parameters::new(self.name, self.parameters)
    }

    /// The default parameters with no more than 200 characters, for tests that go through all scenes.
    pub fn small(&self) -> Parameters {
        let mut parameters = self.parameters();
        parameters.lower("characters", 200);
        parameters
    }

    /// Builds the scene. The same parameters give the same scene, bit for bit.
    pub fn build(&self, parameters: &Parameters) -> Result<S, SceneError> {
        (self.build)(parameters)
    }
}

/// A scene ready to move.
#[derive(Clone, Debug)]
pub struct Stage {
    /// What moves, with the detail that the scene asks for; of several bodies the first.
    pub simulation: Simulation,
    /// The other bodies, which do not touch it.
    pub others: Vec<Simulation>,
    /// Joints that may be active in all bodies together, where the scene has one budget for the world.
    pub budget: Option<usize>,
    /// What happens to each body before every step.
    pub drive: Option<Drive>,
    /// How many joints of each body may be active, over time; `None`: as their detail says.
    pub schedule: Option<Schedule>,
    /// What the body looks like, and all others of its model too; empty where only the motion is known.
    pub shapes: Vec<Capsule>,
    /// What stands about and may hide bodies, but is not touched: where it is, and its shape.
    pub walls: Vec<(Frame, Shape)>,
    /// From where it is looked at; `None`: no place is better than another.
    pub gaze: Option<Gaze>,
    /// The step that the scene is meant for \[s]; `None`: any.
    pub dt: Option<f64>,
    /// How long it has something to show \[s]; `None`: nobody knows.
    pub seconds: Option<f64>,
    /// What should be known before believing it: the warnings of a file.
    pub notes: Vec<String>,
}

impl Stage {
    /// One body on the stage, left to itself.
    pub fn new(simulation: Simulation, shapes: Vec<Capsule>) -> Self {
        Self {
            simulation,
            others: Vec::new(),
            budget: None,
            drive: None,
            schedule: None,
            shapes,
            walls: Vec::new(),
            gaze: None,
            dt: None,
            seconds: None,
            notes: Vec::new(),
        }
    }

    /// All bodies.
    pub fn bodies(&self) -> impl Iterator<Item = &Simulation> {
        std::iter::once(&self.simulation).chain(&self.others)
    }

    /// What the first body looks like: its capsules, or boxes with its inertia where only the motion is known.
    pub fn looks(&self) -> Arc<Looks> {
        let model = &self.simulation.model;
        if self.shapes.is_empty() {
            return Arc::new(Looks::by_inertia(model));
        }
        let shape = |c: &Capsule| {
            Shape::capsule(c.from, c.to, c.radius).ok().map(|shape| (c.body, Frame::IDENTITY, shape))
        };
        Arc::new(Looks::new(model, self.shapes.iter().filter_map(shape)))
    }

    /// What each body looks like: those linked as the first look like it, others like boxes with their inertia. Bodies that share a model
    /// share their looks.
    pub(crate) fn looks_of_all(&self) -> Vec<Arc<Looks>> {
        let first = self.looks();
        let mut known: HashMap<*const Model, Arc<Looks>> = HashMap::new();
        let look = |body: &Simulation| {
            let looks = known.entry(Arc::as_ptr(&body.model)).or_insert_with(|| {
                if first.fits(&body.model) { first.clone() } else { Arc::new(Looks::by_inertia(&body.model)) }
            });
            looks.clone()
        };
        self.bodies().map(look).collect()
    }
}

/// The shape of a body: all points within `radius` of a line segment in the body's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// The body.
    pub body: BodyId,
    /// One end of the segment, in the body's frame \[m].
    pub from: DVec3,
    /// The other end \[m].
    pub to: DVec3,
    /// Radius \[m].
    pub radius: f64,
}
