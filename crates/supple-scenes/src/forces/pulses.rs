use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use supple::{Axes, Force, Load};

use super::body;
use crate::{Ref, SplitMix64};

/// Now and then a torque on one of some bodies: a function of who and when.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Pulses {
    /// Which torques.
    pub seed: u64,
    /// What they turn.
    pub bodies: Vec<Ref>,
    /// The strongest, about each axis \[N·m].
    pub torque: f64,
    /// In each such time \[s] there is one or not.
    pub every: f64,
    /// With this chance.
    pub chance: f64,
    /// For so long \[s].
    pub seconds: f64,
}

impl Pulses {
    pub(super) fn act(&self, i: usize, time: f64, wrenches: &mut Vec<Load>) {
        // not all are turned at once
        let clock = time / self.every + SplitMix64::of(self.seed, i, 0).between(0.0, 1.0);
        let turn = clock.floor();
        let mut random = SplitMix64::of(self.seed, i, (turn as u64).wrapping_add(1));
        let mut unit = || random.between(-1.0, 1.0);
        let (chance, torque) = (0.5 * (1.0 + unit()), DVec3::new(unit(), unit(), unit()) * self.torque);
        let turned = self.bodies.get(random.below(self.bodies.len()));
        let felt = chance < self.chance && (clock - turn) * self.every < self.seconds;
        if let Some(turned) = turned.filter(|_| felt) {
            let wrench = Force::new(torque, DVec3::ZERO);
            wrenches.push(Load { body: body(turned), wrench, axes: Axes::World });
        }
    }
}
