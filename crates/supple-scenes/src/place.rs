//! Frames as files have them.

use glam::{DQuat, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use supple::constraint::Frame;

/// A frame in another one.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// \[m]
    #[serde(default)]
    pub position: [f64; 3],
    /// Quaternion x, y, z, w of length 1.
    #[serde(default = "no_turn")]
    pub rotation: [f64; 4],
}

pub(crate) const fn no_turn() -> [f64; 4] {
    [0.0, 0.0, 0.0, 1.0]
}

impl Default for Place {
    fn default() -> Self {
        Self { position: [0.0; 3], rotation: no_turn() }
    }
}

impl From<Frame> for Place {
    fn from(frame: Frame) -> Self {
        Self { position: frame.position.to_array(), rotation: frame.rotation.to_array() }
    }
}

/// Numbers as they are: what was written comes back to the bit. One that is of unit length to six digits only is normalised.
impl From<Place> for Frame {
    fn from(place: Place) -> Self {
        Self { position: DVec3::from_array(place.position), rotation: unit(place.rotation) }
    }
}

/// How far from one the length of a quaternion is by rounding alone: products of some have lost the last digits.
const ROUNDING: f64 = 1e-9;

/// The quaternion as it is, if it is of unit length to rounding, else normalised.
pub(crate) fn unit(quaternion: [f64; 4]) -> DQuat {
    let q = DQuat::from_array(quaternion);
    if (q.length() - 1.0).abs() > ROUNDING { q.normalize() } else { q }
}
