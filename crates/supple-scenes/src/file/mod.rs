//! Scenes as files, in JSON or TOML; the format is told in `docs/scene-format.md` of the repository.
//!
//! ```text
//!  text ─► read (line and field of what is wrong) ─► SceneFile ─► build ─► Stage
//!  Stage ─► print ─► SceneFile ─► write ─► text
//! ```
//!
//! What is printed and read back moves the same, bit for bit: forces, scripts and cameras are the same data in both.

mod articulation;
mod body;
mod build;
mod collider;
mod detail;
mod error;
mod fault;
mod forces;
mod instances;
mod joint;
mod locate;
mod makers;
mod model;
mod numbers;
mod print;
mod read;
mod schema;
mod settings;
mod shape;
mod stage;
mod table;
mod unique;
mod write;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::forces::ForceOverTime;
use crate::{Place, Ref, Shot};

pub use articulation::Articulation;
pub use body::{Body, Exact};
pub use build::{open_file, open_text};
pub use collider::ColliderFile;
pub use detail::{
    DetailFile, KeepFile, KeepWord, LinkWeight, MetricFile, RuleFile, TargetFile, WeightRule, WeightsFile,
};
pub use error::{FileError, PrintError};
pub use instances::Instances;
pub use joint::{Breaks, Dof, Joint, JointAction, JointCoupling, JointKind};
pub use model::ModelFile;
pub use numbers::Numbers;
pub use print::print_stage;
pub use read::is_scene_file;
pub use schema::schema;
pub use settings::{ContactFile, MethodFile, SettingsFile, SolverFile};
pub use shape::{Part, ShapeFile};
pub use write::Syntax;

use crate::script::Cue;

/// What the format is called.
pub const FORMAT: &str = "supple-scene";
/// Which version of it is read and written.
pub const VERSION: u32 = 1;

/// A scene as it stands in a file.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[schemars(title = "A scene of supple")]
pub struct SceneFile {
    /// "supple-scene".
    pub format: String,
    /// 1.
    pub version: u32,
    /// May be left out: what is there decides. In a crowd loops and colliders of model files are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<SceneKind>,
    /// What it is called.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// What should be known before believing it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// A scene of the gallery, instead of all that follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scene: Option<String>,
    /// Parameters of that scene.
    #[serde(default, deserialize_with = "table::deserialize", skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, serde_json::Value>,
    /// The step that it is meant for \[s].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dt: Option<f64>,
    /// How long it has something to show \[s].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// \[m/s²]
    #[serde(default = "earth")]
    pub gravity: [f64; 3],
    /// Share of their momenta that single bodies lose per second \[1/s].
    #[serde(default, skip_serializing_if = "is_zero")]
    pub drag: f64,
    /// How joints and contacts are held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<SettingsFile>,
    /// Joints that may be active in all articulations together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<usize>,
    /// How many joints of each articulation may be active, over time: straight lines between points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Vec<SchedulePoint>>,
    /// From where it is looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cameras: Vec<Shot>,
    /// Models by name: each is there once, however many articulations have it.
    #[serde(default, deserialize_with = "table::deserialize", skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, ModelFile>,
    /// Single bodies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<Body>,
    /// Joints that are in no tree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<Joint>,
    /// Joints of articulations that move together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub couplings: Vec<JointCoupling>,
    /// Articulated bodies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub articulations: Vec<Articulation>,
    /// Rows of equal articulations, after those.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instances: Vec<Instances>,
    /// Shapes, by their places in the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shapes: Vec<ShapeFile>,
    /// Shapes on bodies, which touch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub colliders: Vec<ColliderFile>,
    /// Pairs of bodies that never touch though nothing joins them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<[Ref; 2]>,
    /// What stands about and may hide bodies, but is not touched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub walls: Vec<Wall>,
    /// What bodies look like that have no colliders; names may be those of bodies of the first articulation. Articulations without look like
    /// the first that is linked as they are, others like boxes with their inertia.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub looks: Vec<Look>,
    /// Forces on articulations over time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forces: Vec<ForceOverTime>,
    /// What happens before every step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub script: Vec<Cue>,
}

/// What a file describes.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SceneKind {
    /// Articulations that do not touch each other.
    Crowd,
    /// Bodies, joints and contacts.
    World,
}

/// How many joints may be active from a time on.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SchedulePoint {
    /// \[s]
    pub time: f64,
    /// How many.
    pub joints: usize,
}

/// What stands about.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Wall {
    /// Where it is.
    #[serde(default)]
    pub frame: Place,
    /// Number of its shape.
    pub shape: usize,
}

/// What a body looks like: all points within `radius` of a segment in its frame.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Look {
    /// The body.
    pub body: Ref,
    /// \[m]
    pub from: [f64; 3],
    /// \[m]
    pub to: [f64; 3],
    /// \[m]
    pub radius: f64,
}

impl SceneFile {
    /// A file that has nothing yet.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            format: FORMAT.into(),
            version: VERSION,
            kind: None,
            name: name.into(),
            notes: Vec::new(),
            scene: None,
            set: BTreeMap::new(),
            dt: None,
            seconds: None,
            gravity: earth(),
            drag: 0.0,
            settings: None,
            budget: None,
            schedule: None,
            cameras: Vec::new(),
            models: BTreeMap::new(),
            bodies: Vec::new(),
            joints: Vec::new(),
            couplings: Vec::new(),
            articulations: Vec::new(),
            instances: Vec::new(),
            shapes: Vec::new(),
            colliders: Vec::new(),
            ignored: Vec::new(),
            walls: Vec::new(),
            looks: Vec::new(),
            forces: Vec::new(),
            script: Vec::new(),
        }
    }
}

const fn earth() -> [f64; 3] {
    [0.0, 0.0, -9.81]
}

fn is_zero(x: &f64) -> bool {
    *x == 0.0
}
