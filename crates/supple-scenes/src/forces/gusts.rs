use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use supple::Load;

use super::{body, force_on};
use crate::Ref;

/// Balls of wind that cross a box along x, one after the other, each at another height and another side.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Gusts {
    /// On which articulation; all if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub articulation: Option<usize>,
    /// What catches the wind.
    pub leaves: Vec<Leaf>,
    /// Force of a gust if all leaves were in its middle \[N].
    pub force: f64,
    /// Two corners of the box that gusts cross \[m].
    pub low: [f64; 3],
    /// The corner with the greatest coordinates \[m].
    pub high: [f64; 3],
    /// Of a gust \[m].
    pub radius: f64,
    /// \[m/s]
    pub speed: f64,
    /// Time before the first gust and between two of them \[s].
    #[serde(default)]
    pub calm: f64,
}

/// A body that catches the wind.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Leaf {
    /// The body.
    pub body: Ref,
    /// Where it is as far as the wind knows \[m].
    pub at: [f64; 3],
    /// What it catches; of the sum of all leaves this share.
    pub share: f64,
}

impl Gusts {
    pub(super) fn act(&self, time: f64, wrenches: &mut Vec<Load>) {
        let gust = self.at(time);
        let foliage: f64 = self.leaves.iter().map(|leaf| leaf.share).sum();
        for Leaf { body: leaf, at, share } in &self.leaves {
            let pull = gust.map_or(0.0, |gust| {
                self.force * share / foliage * self.strength(gust.distance(DVec3::from(*at)))
            });
            wrenches.push(force_on(body(leaf), DVec3::new(pull, 0.0, 0.0)));
        }
    }

    /// How strong a gust is at a distance from its middle \[m]: 1 to 0.
    fn strength(&self, distance: f64) -> f64 {
        let share = distance / self.radius;
        let near = (1.0 - share * share).max(0.0);
        near * near
    }

    /// Middle of the gust at this time \[s], if there is one.
    fn at(&self, time: f64) -> Option<DVec3> {
        let (low, high) = (DVec3::from(self.low), DVec3::from(self.high));
        let crossing = (high.x - low.x + 2.0 * self.radius) / self.speed;
        let number = (time / (self.calm + crossing)).floor();
        let since = time - number * (self.calm + crossing) - self.calm;
        // the golden ratio and the root of two spread places without a pattern; not at the very edge
        let place = |ratio: f64, low: f64, high: f64| {
            low + (high - low) * (0.25 + 0.5 * (0.3 + ratio * number).fract())
        };
        let y = place(0.618_033_988_749_895, low.y, high.y);
        let z = place(0.414_213_562_373_095, low.z, high.z);
        (since >= 0.0).then(|| DVec3::new(low.x - self.radius + self.speed * since, y, z))
    }
}
