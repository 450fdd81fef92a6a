//! What a scene does before every step: as a [`Script`], whose cues and forces are data that a file can have.
//!
//! ```text
//!  Script ─┬─ director   the world as a whole: cues one after the other, bodies and joints by their numbers, or a program
//!          ├─ drive      forces on each articulation
//!          └─ schedule   joints of each articulation that may be active
//! ```

mod before_step;
mod beside;
mod cues;
mod director;
mod treads;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use supple::world::Assembly;

use crate::{Path, Ref, number};

pub use before_step::Script;
pub use beside::{Beside, Stabilize};
pub use cues::Cues;
pub use director::Director;
pub use treads::{Soft, Tread, Treads};

/// What happens before every step.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Cue {
    /// A kinematic body follows a way.
    Follow(Follow),
    /// A body is put on a way, whatever its motion was.
    Place(Placed),
    /// Bodies are moved to where their joints are met.
    Assemble(Assemble),
    /// Motors come to speed.
    Motors(Motors),
    /// Joints that slide are driven so that a platform on them follows a way.
    Legs(Legs),
    /// Links of treads are attached to the teeth of gears that are near, and released from them.
    Treads(Treads),
    /// A load rolls over a row of bodies.
    Roll(Roll),
    /// Wrenches on single bodies for some time.
    Push(PushBody),
    /// A body is kept on the side of a joint on which it is.
    Beside(Box<Beside>),
}

/// A kinematic body follows a way.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Follow {
    /// The body.
    pub body: Ref,
    /// Its way.
    pub path: Path,
    /// Whether it is to be at the end of the step where the way is now, as one that follows a tracker; else where the way is then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late: bool,
}

/// A body is put on a way.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Placed {
    /// The body.
    pub body: Ref,
    /// Its way.
    pub path: Path,
}

/// Bodies are moved to where their joints are met (Faure, section 3).
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Assemble {
    /// Linearizations at most.
    pub outer: u32,
    /// Products of conjugate gradients per linearization.
    pub inner: u32,
    /// Errors that do not matter \[m or rad].
    #[serde(default = "tolerance")]
    pub tolerance: f64,
}

fn tolerance() -> f64 {
    Assembly::default().tolerance
}

/// Motors come to speed within some time.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Motors {
    /// Within this time \[s].
    pub seconds: f64,
    /// The motors.
    pub motors: Vec<Motor>,
}

/// A motor, in place of all that acts on the first coordinate of a joint.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Motor {
    /// The joint.
    pub joint: Ref,
    /// \[rad/s or m/s]
    pub speed: f64,
    /// At most \[N·m or N].
    #[serde(with = "number", default = "number::infinite")]
    #[schemars(schema_with = "number::schema")]
    pub force: f64,
}

/// Joints that slide are driven so that a platform on them follows a way.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Legs {
    /// The way of the platform.
    pub path: Path,
    /// The legs.
    pub legs: Vec<Leg>,
}

/// A leg of a platform.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Leg {
    /// The joint that makes it longer.
    pub joint: Ref,
    /// Its foot in the world \[m].
    pub foot: [f64; 3],
    /// Its head in the platform's frame \[m].
    pub head: [f64; 3],
    /// How long it is where the joint is at zero \[m].
    pub length: f64,
}

/// A load rolls over a row of bodies, along the x axis of each.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Roll {
    /// The bodies, in their order.
    pub bodies: Vec<Ref>,
    /// The load \[N].
    pub force: [f64; 3],
    /// \[m/s]
    pub speed: f64,
    /// Of each body \[m].
    pub length: f64,
    /// Of the wheel above the origin of a body's frame \[m].
    pub height: f64,
}

/// Wrenches on a single body for some time.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PushBody {
    /// The body.
    pub body: Ref,
    /// World axes \[N].
    #[serde(default)]
    pub force: [f64; 3],
    /// World axes, about the centre of mass \[N·m].
    #[serde(default)]
    pub moment: [f64; 3],
    /// When it begins \[s].
    #[serde(default)]
    pub start: f64,
    /// How long it lasts \[s].
    #[serde(with = "number", default = "number::infinite")]
    #[schemars(schema_with = "number::schema")]
    pub seconds: f64,
}

impl Cue {
    /// All single bodies, and all joints, that it names.
    pub(crate) fn names(&mut self) -> (Vec<&mut Ref>, Vec<&mut Ref>) {
        match self {
            Self::Follow(it) => (vec![&mut it.body], Vec::new()),
            Self::Place(it) => (vec![&mut it.body], Vec::new()),
            Self::Push(it) => (vec![&mut it.body], Vec::new()),
            Self::Roll(it) => (it.bodies.iter_mut().collect(), Vec::new()),
            Self::Motors(it) => (Vec::new(), it.motors.iter_mut().map(|m| &mut m.joint).collect()),
            Self::Legs(it) => (Vec::new(), it.legs.iter_mut().map(|leg| &mut leg.joint).collect()),
            Self::Treads(it) => {
                let bodies = it.treads.iter_mut().flat_map(|t| t.links.iter_mut().chain(t.gears.iter_mut()));
                (bodies.collect(), Vec::new())
            }
            Self::Beside(it) => (vec![&mut it.body, &mut it.other], Vec::new()),
            Self::Assemble(_) => (Vec::new(), Vec::new()),
        }
    }

    /// What is wrong with it: the field, and what it must be.
    pub(crate) fn wrong(&self) -> Option<(&'static str, String)> {
        let positive = |field, value: f64| {
            (!(value > 0.0 && value.is_finite()))
                .then(|| (field, format!("must be positive and finite, got {value}")))
        };
        let path = |path: &Path| path.wrong().map(|(_, message)| ("path", message));
        match self {
            Self::Follow(it) => path(&it.path),
            Self::Place(it) => path(&it.path),
            Self::Legs(it) => path(&it.path),
            Self::Motors(it) => positive("seconds", it.seconds),
            Self::Roll(it) => positive("length", it.length),
            Self::Treads(it) => it.wrong(),
            Self::Assemble(_) | Self::Push(_) | Self::Beside(_) => None,
        }
    }
}
