use std::ops::Range;

use glam::DVec3;
use supple::{Actuator, BodyId, Load, Model, Simulation, Spring};

use crate::case::CaseBlocks;
use crate::{IoError, Loop, NamedCollider, Warning};

/// Gravity of files that name none \[m/s²].
pub(crate) const EARTH: DVec3 = DVec3::new(0.0, 0.0, -9.81);

/// What to make of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoadOptions {
    /// Lets the root of a URDF move freely instead of fixing it to the world. MJCF files and JSON cases say
    /// themselves which bodies move freely: there it is ignored.
    pub floating_base: bool,
    /// Reads a model whose *forces* supple cannot compute all: springs of tendons, fluid drag, wind, gravity
    /// compensation. They become warnings; by default each is an error that names its element, for the model
    /// would move otherwise than its author meant. Right for bare dynamics (`"passive": false`), where no
    /// passive force counts. What changes bodies and joints themselves is always an error.
    pub ignore_forces: bool,
    /// Leaves out what touches, [`Loaded::colliders`], and so reads no meshes for it: faster where contact does not matter.
    pub no_colliders: bool,
}

/// The format a model came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// ROS's Unified Robot Description Format.
    Urdf,
    /// MuJoCo's format.
    Mjcf,
    /// A JSON case: model and state.
    Case,
}

/// A joint as the file names it: its share of q and v.
///
/// One to one with the joints of the model that move, except where an MJCF body has several joints: those are
/// one compound joint of the model, and several entries here.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedJoint {
    /// Unique name.
    pub name: String,
    /// Its kind in words: "revolute", "free", …
    pub kind: &'static str,
    /// Its numbers in q.
    pub q: Range<usize>,
    /// Its numbers in v.
    pub v: Range<usize>,
    /// What the file calls the position where supple's q is zero \[rad or m] (`ref` in MJCF, else 0): the
    /// file's position is `q + zero`. Only joints with one number have it.
    pub zero: f64,
}

/// A file, read: a model and a state to begin from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The model.
    pub model: Model,
    /// What the file calls it; may be empty.
    pub name: String,
    /// Where it came from.
    pub format: Format,
    /// Gravity in the world \[m/s²].
    pub gravity: DVec3,
    /// Length of a step that the file asks for \[s]: MJCF's `<option timestep>`.
    pub timestep: Option<f64>,
    /// Positions to begin from: those of a case; else each joint's zero, and free MJCF bodies where the file
    /// puts them.
    pub q: Vec<f64>,
    /// Velocities to begin from: those of a case, else zero.
    pub v: Vec<f64>,
    /// Joint forces: those of a case, else zero.
    pub tau: Vec<f64>,
    /// External wrenches: those of a case, each in its body's axes.
    pub wrenches: Vec<Load>,
    /// Springs between bodies and the world: those of a case.
    pub springs: Vec<Spring>,
    /// Drives of joints: those of a case, or of an MJCF with all controls zero.
    pub actuators: Vec<Actuator>,
    /// Closed loops and joints that move together: they act in [`Loaded::world`], and not in [`Loaded::simulation`].
    pub loops: Vec<Loop>,
    /// What touches: it acts in [`Loaded::world`], and not in [`Loaded::simulation`].
    pub colliders: Vec<NamedCollider>,
    /// Bodies that never touch each other: pairs that the file names, and those of one tree that overlap where the model is loaded
    /// ([`World::ignore_overlaps`](supple::world::World::ignore_overlaps)).
    pub ignored: Vec<[BodyId; 2]>,
    /// All moving joints as the file names them, in the order of q and v.
    pub joints: Vec<NamedJoint>,
    /// The blocks of a case besides model and state.
    pub case: Option<CaseBlocks>,
    /// What was read otherwise than written, or left out.
    pub warnings: Vec<Warning>,
}

impl Loaded {
    /// A model at its neutral position under Earth's gravity, joints named as in the model.
    pub(crate) fn at_rest(model: Model, format: Format) -> Self {
        let joints = model
            .joints()
            .iter()
            .filter(|j| j.nv > 0)
            .map(|j| NamedJoint {
                name: j.name.clone(),
                kind: j.kind.word(),
                q: j.q..j.q + j.nq,
                v: j.v..j.v + j.nv,
                zero: 0.0,
            })
            .collect();
        Self {
            name: String::new(),
            format,
            gravity: EARTH,
            timestep: None,
            q: model.neutral().to_vec(),
            v: vec![0.0; model.nv()],
            tau: vec![0.0; model.nv()],
            wrenches: Vec::new(),
            springs: Vec::new(),
            actuators: Vec::new(),
            loops: Vec::new(),
            colliders: Vec::new(),
            ignored: Vec::new(),
            joints,
            case: None,
            warnings: Vec::new(),
            model,
        }
    }

    /// A simulation that begins as the file says, without its loops.
    pub fn simulation(&self) -> Simulation {
        let mut simulation = Simulation::new(self.model.clone());
        simulation.state.q.clone_from(&self.q);
        simulation.state.v.clone_from(&self.v);
        simulation.tau = self.tau.clone().into();
        simulation.wrenches.clone_from(&self.wrenches);
        simulation.springs.clone_from(&self.springs);
        simulation.actuators.clone_from(&self.actuators);
        simulation.gravity = self.gravity;
        simulation
    }

    /// The joint with this name in the file.
    pub fn joint(&self, name: &str) -> Result<&NamedJoint, IoError> {
        self.joints.iter().find(|j| j.name == name).ok_or_else(|| {
            let names = self.joints.iter().map(|j| j.name.as_str());
            IoError::UnknownName {
                what: "moving joint",
                name: name.into(),
                hint: crate::names::hint(name, names),
            }
        })
    }
}
