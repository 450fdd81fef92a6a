use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use supple::{BodyId, Load};

use super::wave::bump;
use super::{body, force_on};
use crate::{Ref, SplitMix64};

/// Turns that are looked through for the next push at most: some time or other everybody is pushed.
const TURNS: u64 = 100;

/// Now and then a force on one of some bodies, which rises and falls back: a function of who and when.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Nudges {
    /// Which pushes.
    pub seed: u64,
    /// What is pushed.
    pub bodies: Vec<Nudged>,
    /// In each such time \[s] somebody is pushed or not.
    pub every: f64,
    /// With this chance.
    pub chance: f64,
    /// For so long \[s].
    pub seconds: f64,
}

/// A body that may be pushed.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Nudged {
    /// The body.
    pub body: Ref,
    /// How strongly at most, along each axis \[N].
    pub most: f64,
}

impl Nudges {
    pub(super) fn act(&self, i: usize, time: f64, wrenches: &mut Vec<Load>) {
        let clock = time / self.every + self.phase(i);
        let since = clock.fract() * self.every / self.seconds;
        if since < 1.0 {
            let push = self.push_of(i, clock as u64);
            wrenches.extend(push.map(|(body, force)| force_on(body, force * bump(since))));
        }
    }

    pub(super) fn next(&self, i: usize, time: f64) -> f64 {
        let (clock, phase) = (time / self.every + self.phase(i), self.phase(i));
        let turn = clock as u64;
        if clock.fract() * self.every < self.seconds && self.push_of(i, turn).is_some() {
            return time;
        }
        let turns = turn + 1..turn + TURNS;
        let pushed = turns.clone().find(|turn| self.push_of(i, *turn).is_some()).unwrap_or(turns.end);
        (pushed as f64 - phase) * self.every
    }

    /// Not all are pushed at once: by how many turns somebody is ahead.
    fn phase(&self, i: usize) -> f64 {
        SplitMix64::of(self.seed, i, 1).between(0.0, 1.0)
    }

    /// The push of a turn at its strongest, if there is one.
    fn push_of(&self, i: usize, turn: u64) -> Option<(BodyId, DVec3)> {
        let mut random = SplitMix64::of(self.seed, i, turn.wrapping_add(2));
        let Nudged { body: pushed, most } = self.bodies.get(random.below(self.bodies.len()))?;
        let felt = random.between(0.0, 1.0) < self.chance;
        let force = DVec3::from_array([0.0; 3].map(|_: f64| random.between(-most, *most)));
        felt.then(|| (body(pushed), force))
    }
}
