//! What happens in a world before every step, as data: a [`Director`] that a file can have.
//!
//! ```text
//!  Script::new ─► cues, bodies and joints by their numbers ─► before a step: one cue after the other
//! ```

mod beside;
mod treads;

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use supple::Force;
use supple::constraint::{Action, Constraint};
use supple::world::{Assembly, BodyRef, ConstraintId, SingleId, World, WorldError};

use crate::file::Joint;
use crate::world_stage::Director;
use crate::{Path, Ref, number};

pub use beside::{Beside, Stabilize};
use treads::Attached;
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

/// Cues for a world, in their order.
#[derive(Clone, Debug)]
pub struct Script {
    cues: Vec<Cue>,
    bodies: Vec<SingleId>,
    joints: Vec<ConstraintId>,
    /// How links of treads are attached, by cue and by tread.
    attached: Vec<Vec<Vec<Option<Attached>>>>,
    /// Joints that cues make themselves, by cue.
    made: Vec<Option<Constraint>>,
}

impl Script {
    /// A script for a world whose single bodies and joints are all there; it names them by their places in the world's lists.
    pub fn new(world: &World, cues: Vec<Cue>) -> Result<Self, WorldError> {
        let attached = cues.iter().map(|cue| match cue {
            Cue::Treads(it) => it.treads.iter().map(|tread| vec![None; tread.links.len()]).collect(),
            _ => Vec::new(),
        });
        let mut script = Self {
            attached: attached.collect(),
            bodies: world.bodies().map(|(id, _)| id).collect(),
            joints: world.constraints().map(|(id, _)| id).collect(),
            made: Vec::new(),
            cues,
        };
        let made = script.cues.iter().map(|cue| match cue {
            Cue::Beside(it) => script.constraint(&it.joint).map(Some),
            _ => Ok(None),
        });
        script.made = made.collect::<Result<_, _>>()?;
        Ok(script)
    }

    /// The cues.
    pub fn cues(&self) -> &[Cue] {
        &self.cues
    }

    fn body(&self, body: &Ref) -> Result<SingleId, WorldError> {
        let found = body.number().and_then(|i| self.bodies.get(i));
        found
            .copied()
            .ok_or(WorldError::Gone { what: "single body", index: body.number().unwrap_or(usize::MAX) })
    }

    fn joint(&self, joint: &Ref) -> Result<ConstraintId, WorldError> {
        let found = joint.number().and_then(|i| self.joints.get(i));
        found
            .copied()
            .ok_or(WorldError::Gone { what: "constraint", index: joint.number().unwrap_or(usize::MAX) })
    }

    /// A joint between single bodies, or one and the world.
    fn constraint(&self, joint: &Joint) -> Result<Constraint, WorldError> {
        let end = |body: &Ref| match body {
            Ref::Number(-1) => Ok(BodyRef::World),
            other => self.body(other).map(BodyRef::from),
        };
        Ok(joint.constraint(end(&joint.parent)?, end(&joint.child)?))
    }

    fn act(&mut self, k: usize, world: &mut World, dt: f64) -> Result<(), WorldError> {
        let time = world.time();
        match &self.cues[k] {
            Cue::Follow(it) => {
                let when = if it.late { time } else { time + dt };
                world.move_to(self.body(&it.body)?, it.path.at(when))
            }
            Cue::Place(it) => {
                world.body_mut(self.body(&it.body)?)?.place(it.path.at(time));
                Ok(())
            }
            Cue::Assemble(Assemble { outer, inner, tolerance }) => {
                let (outer, inner, tolerance) = (*outer, *inner, *tolerance);
                world.assemble(&Assembly { outer, inner, tolerance, ..Assembly::default() }).map(|_| ())
            }
            Cue::Motors(it) => {
                let share = ((time + dt) / it.seconds).min(1.0);
                if time <= it.seconds {
                    for motor in &it.motors {
                        drive(world, self.joint(&motor.joint)?, motor.speed * share, motor.force)?;
                    }
                }
                Ok(())
            }
            Cue::Legs(it) => {
                let platform = it.path.at(time + dt);
                for leg in &it.legs {
                    let joint = self.joint(&leg.joint)?;
                    let along = platform.point(DVec3::from(leg.head)) - DVec3::from(leg.foot);
                    let missing = along.length() - leg.length - world.coordinate(joint, 0)?;
                    drive(world, joint, missing / dt, f64::INFINITY)?;
                }
                Ok(())
            }
            Cue::Roll(it) => self.roll(it, world),
            Cue::Push(it) => {
                let since = time - it.start;
                let on = (0.0..it.seconds).contains(&since);
                let wrench = Force::new(DVec3::from(it.moment), DVec3::from(it.force));
                world.set_wrench(self.body(&it.body)?, if on { wrench } else { Force::ZERO })
            }
            Cue::Treads(_) => self.run_treads(k, world),
            Cue::Beside(_) => self.keep_beside(k, world),
        }
    }

    /// Weighs on the body that the load is on, then on the next.
    fn roll(&self, it: &Roll, world: &mut World) -> Result<(), WorldError> {
        let (way, weight) = (world.time() * it.speed / it.length, DVec3::from(it.force));
        if let Some(left) = (way as usize).checked_sub(1).and_then(|i| it.bodies.get(i)) {
            world.set_wrench(self.body(left)?, Force::ZERO)?;
        }
        if let Some(body) = it.bodies.get(way as usize) {
            let id = self.body(body)?;
            let rotation = world.body(id)?.frame().rotation;
            let wheel = rotation * DVec3::new((way.fract() - 0.5) * it.length, 0.0, it.height);
            world.set_wrench(id, Force::new(wheel.cross(weight), weight))?;
        }
        Ok(())
    }
}

impl Director for Script {
    fn cue(&mut self, world: &mut World, dt: f64) -> Result<(), WorldError> {
        (0..self.cues.len()).try_for_each(|k| self.act(k, world, dt))
    }

    fn script(&self) -> Option<&[Cue]> {
        Some(&self.cues)
    }
}

/// A motor on the first coordinate of a constraint, in place of what acted on it \[rad/s or m/s, N·m or N].
fn drive(world: &mut World, id: ConstraintId, speed: f64, force: f64) -> Result<(), WorldError> {
    let Some(mut constraint) = world.constraint(id)?.cloned() else { return Ok(()) };
    constraint.actions = vec![Action::Motor { coordinate: 0, speed, force }];
    world.change(id, constraint)
}
