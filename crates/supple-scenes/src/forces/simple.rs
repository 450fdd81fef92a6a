//! Forces that are plain functions of time.

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use supple::Load;

use super::{Wrench, body, force_on};
use crate::{Ref, number};
use supple::spatial::math;

/// Wrenches that are there for some time.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Push {
    /// On which articulation; all if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub articulation: Option<usize>,
    /// When they begin \[s].
    #[serde(default)]
    pub start: f64,
    /// How long they last \[s].
    #[serde(with = "number", default = "number::infinite")]
    #[schemars(schema_with = "number::schema")]
    pub seconds: f64,
    /// The wrenches.
    pub loads: Vec<Wrench>,
}

impl Push {
    pub(super) fn act(&self, time: f64, wrenches: &mut Vec<Load>) {
        let since = time - self.start;
        if (0.0..self.seconds).contains(&since) {
            wrenches.extend(self.loads.iter().map(Wrench::load));
        }
    }
}

/// A wrench that swings as a sine.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Shake {
    /// On which articulation; all if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub articulation: Option<usize>,
    /// The wrench at its strongest.
    pub load: Wrench,
    /// Time of a swing there and back \[s].
    pub period: f64,
    /// How long it lasts \[s].
    #[serde(with = "number", default = "number::infinite")]
    #[schemars(schema_with = "number::schema")]
    pub seconds: f64,
}

impl Shake {
    pub(super) fn act(&self, time: f64, wrenches: &mut Vec<Load>) {
        if time < self.seconds {
            let mut load = self.load.load();
            load.wrench = load.wrench * math::sin(2.0 * PI * time / self.period);
            wrenches.push(load);
        }
    }
}

/// A force on a body's origin that turns in a plane.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Turning {
    /// On which articulation; all if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub articulation: Option<usize>,
    /// On which body.
    pub body: Ref,
    /// \[N]
    pub strength: f64,
    /// Turns per second, from x of the world to y.
    pub turns: f64,
    /// Where it begins \[turns].
    #[serde(default)]
    pub phase: f64,
}

impl Turning {
    pub(super) fn act(&self, time: f64, wrenches: &mut Vec<Load>) {
        let (sin, cos) = math::sin_cos(TAU * (self.turns * time + self.phase));
        wrenches.push(force_on(body(&self.body), self.strength * DVec3::new(cos, sin, 0.0)));
    }
}
