use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use supple::Load;

use super::{body, force_on};
use crate::Ref;
use supple::spatial::math;

/// Waves of wind that run over a field along x, one after the other.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Wave {
    /// Where each articulation stands \[m], in their order; where their roots are at first if left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<[f64; 3]>,
    /// What feels the wind.
    pub bodies: Vec<Felt>,
    /// At its strongest \[N].
    pub force: f64,
    /// \[m/s]
    pub speed: f64,
    /// From where the first one starts, along −x \[m].
    #[serde(default)]
    pub from: f64,
    /// From one wave to the next \[m].
    pub apart: f64,
    /// How long each one is \[m].
    pub long: f64,
    /// How far behind its edges hang \[m].
    #[serde(default)]
    pub wavy: f64,
    /// Half of that is where y has so many radians \[1/m].
    #[serde(default)]
    pub waves: f64,
}

/// A body that feels the wind.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Felt {
    /// The body.
    pub body: Ref,
    /// Share of the force.
    pub share: f64,
}

impl Wave {
    pub(super) fn act(&self, i: usize, time: f64, wrenches: &mut Vec<Load>) {
        let gust = self.force * bump(self.beyond(self.place(i), time) / self.long);
        if gust > 0.0 {
            let load = |felt: &Felt| force_on(body(&felt.body), DVec3::X * (felt.share * gust));
            wrenches.extend(self.bodies.iter().map(load));
        }
    }

    pub(super) fn next(&self, i: usize, time: f64) -> f64 {
        if !(self.force > 0.0) {
            return f64::INFINITY;
        }
        let beyond = self.beyond(self.place(i), time);
        if beyond < self.long { time } else { time + (self.apart - beyond) / self.speed }
    }

    fn place(&self, i: usize) -> DVec3 {
        self.places.get(i).map_or(DVec3::ZERO, |place| DVec3::from(*place))
    }

    /// How far the last wave has gone beyond a place at a time \[m].
    fn beyond(&self, at: DVec3, time: f64) -> f64 {
        let behind = self.wavy * (1.0 - math::cos(self.waves * at.y));
        let front = self.speed * time - (at.x + self.from) - behind;
        front.rem_euclid(self.apart)
    }
}

/// Rises from 0 to 1 and falls back while x goes from 0 to 1.
pub(super) fn bump(x: f64) -> f64 {
    let height = if x < 1.0 { math::sin(std::f64::consts::PI * x) } else { 0.0 };
    height * height
}
