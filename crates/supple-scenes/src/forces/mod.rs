//! Forces on articulated bodies that come and go, as data: what a [`Drive`](crate::Drive) that a file can have does before every step.
//!
//! ```text
//!  Drive::told ─► Forces: which of the list act on which body
//!                    before a step: the wrenches of a body are those that its forces have at its time, in the order of the list
//!                    strings set springs instead
//! ```

mod gusts;
mod nudges;
mod pulses;
mod simple;
mod strings;
mod wave;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use supple::{Axes, BodyId, Force, Load, Simulation};

use crate::Ref;

pub use gusts::{Gusts, Leaf};
pub use nudges::{Nudged, Nudges};
pub use pulses::Pulses;
pub use simple::{Push, Shake, Turning};
pub use strings::{Strings, Tied};
pub use wave::{Felt, Wave};

/// Forces over time. Where they do not name an articulation, they act on all.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum ForceOverTime {
    /// Wrenches that are there for some time.
    Push(Push),
    /// A wrench that swings as a sine.
    Shake(Shake),
    /// A force that turns in a plane.
    Turning(Turning),
    /// Balls of wind that cross a crown, one after the other.
    Gusts(Gusts),
    /// Waves of wind that run over a field.
    Wave(Wave),
    /// Torques that come now and then.
    Pulses(Pulses),
    /// Forces that come now and then, rise and fall.
    Nudges(Nudges),
    /// Strings to something that moves: they pull where they are taut.
    Strings(Strings),
}

/// A wrench on a body.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Wrench {
    /// The body, in its model.
    pub body: Ref,
    /// \[N]
    #[serde(default)]
    pub force: [f64; 3],
    /// About the origin of the body's frame \[N·m].
    #[serde(default)]
    pub moment: [f64; 3],
    /// Whether both are in the axes of the body, and turn with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_body: bool,
}

impl From<&Load> for Wrench {
    fn from(load: &Load) -> Self {
        let (force, moment) = (load.wrench.linear.to_array(), load.wrench.angular.to_array());
        Self { body: load.body.index().into(), force, moment, in_body: load.axes == Axes::Body }
    }
}

impl Wrench {
    /// The wrench as a load, once its body is a number.
    pub(crate) fn load(&self) -> Load {
        let axes = if self.in_body { Axes::Body } else { Axes::World };
        Load { body: body(&self.body), wrench: Force::new(self.moment.into(), self.force.into()), axes }
    }
}

/// A body of the model, once names are resolved; what is out of range is refused by the step.
fn body(body: &Ref) -> BodyId {
    BodyId::new(body.number().unwrap_or(u32::MAX as usize).min(u32::MAX as usize))
}

/// A force on the origin of a body, world axes.
fn force_on(body: BodyId, force: glam::DVec3) -> Load {
    Load { body, wrench: Force::new(glam::DVec3::ZERO, force), axes: Axes::World }
}

impl ForceOverTime {
    /// The articulation that it acts on; `None`: all.
    pub(crate) fn articulation(&self) -> Option<usize> {
        match self {
            Self::Push(it) => it.articulation,
            Self::Shake(it) => it.articulation,
            Self::Turning(it) => it.articulation,
            Self::Gusts(it) => it.articulation,
            Self::Strings(it) => it.articulation,
            Self::Wave(_) | Self::Pulses(_) | Self::Nudges(_) => None,
        }
    }

    /// Whether it sets wrenches.
    pub(crate) fn pushes(&self) -> bool {
        !matches!(self, Self::Strings(_))
    }

    /// All bodies that it names.
    pub(crate) fn bodies(&mut self) -> Vec<&mut Ref> {
        match self {
            Self::Push(it) => it.loads.iter_mut().map(|load| &mut load.body).collect(),
            Self::Shake(it) => vec![&mut it.load.body],
            Self::Turning(it) => vec![&mut it.body],
            Self::Gusts(it) => it.leaves.iter_mut().map(|leaf| &mut leaf.body).collect(),
            Self::Wave(it) => it.bodies.iter_mut().map(|felt| &mut felt.body).collect(),
            Self::Pulses(it) => it.bodies.iter_mut().collect(),
            Self::Nudges(it) => it.bodies.iter_mut().map(|nudged| &mut nudged.body).collect(),
            Self::Strings(it) => it.strings.iter_mut().map(|string| &mut string.body).collect(),
        }
    }

    /// What is wrong with it: the field, and what it must be.
    pub(crate) fn wrong(&self) -> Option<(&'static str, String)> {
        let positive = |field, value: f64| {
            (!(value > 0.0 && value.is_finite()))
                .then(|| (field, format!("must be positive and finite, got {value}")))
        };
        match self {
            Self::Push(_) | Self::Turning(_) => None,
            Self::Shake(it) => positive("period", it.period),
            Self::Gusts(it) => positive("radius", it.radius).or(positive("speed", it.speed)),
            Self::Wave(it) => {
                positive("speed", it.speed).or(positive("apart", it.apart)).or(positive("long", it.long))
            }
            Self::Pulses(it) => positive("every", it.every),
            Self::Nudges(it) => positive("every", it.every).or(positive("seconds", it.seconds)),
            Self::Strings(it) => it.path.wrong().map(|(_, message)| ("path", message)),
        }
    }

    /// Puts its wrenches of this time on the body of this number.
    fn act(&self, i: usize, simulation: &mut Simulation) {
        let time = simulation.state.time;
        let wrenches = &mut simulation.wrenches;
        match self {
            Self::Push(it) => it.act(time, wrenches),
            Self::Shake(it) => it.act(time, wrenches),
            Self::Turning(it) => it.act(time, wrenches),
            Self::Gusts(it) => it.act(time, wrenches),
            Self::Wave(it) => it.act(i, time, wrenches),
            Self::Pulses(it) => it.act(i, time, wrenches),
            Self::Nudges(it) => it.act(i, time, wrenches),
            Self::Strings(it) => it.pull(simulation, it.path.at(time)),
        }
    }

    /// When it acts on a body next, from a time on \[s]; that time where nothing is known of pauses.
    fn next(&self, i: usize, time: f64) -> f64 {
        match self {
            Self::Wave(it) => it.next(i, time),
            Self::Nudges(it) => it.next(i, time),
            _ => time,
        }
    }
}

/// Forces over time, by who feels them.
#[derive(Clone, Debug)]
pub(crate) struct Forces {
    list: Vec<ForceOverTime>,
    /// Numbers in the list of those that act on the bodies that some act on alone.
    of: Vec<Vec<u32>>,
    /// Numbers of those that act on all.
    of_all: Vec<u32>,
    pushes: bool,
}

impl Forces {
    pub(crate) fn new(list: Vec<ForceOverTime>) -> Self {
        let named = list.iter().filter_map(ForceOverTime::articulation).max().map_or(0, |i| i + 1);
        let mut forces = Self {
            of: vec![Vec::new(); named],
            of_all: Vec::new(),
            pushes: list.iter().any(ForceOverTime::pushes),
            list,
        };
        for (k, force) in forces.list.iter().enumerate() {
            match force.articulation() {
                Some(i) => forces.of[i].push(k as u32),
                None => {
                    forces.of_all.push(k as u32);
                    forces.of.iter_mut().for_each(|of| of.push(k as u32));
                }
            }
        }
        forces
    }

    pub(crate) fn list(&self) -> &[ForceOverTime] {
        &self.list
    }

    /// Whether it sets wrenches.
    pub(crate) fn pushes(&self) -> bool {
        self.pushes
    }

    fn on(&self, i: usize) -> impl Iterator<Item = &ForceOverTime> {
        self.of.get(i).unwrap_or(&self.of_all).iter().map(|k| &self.list[*k as usize])
    }

    pub(crate) fn act(&self, i: usize, simulation: &mut Simulation) {
        if self.pushes {
            simulation.wrenches.clear();
        }
        self.on(i).for_each(|force| force.act(i, simulation));
    }

    pub(crate) fn next(&self, i: usize, time: f64) -> f64 {
        self.on(i).map(|force| force.next(i, time)).fold(f64::INFINITY, f64::min)
    }
}
