//! A toy dog of 16 bodies and 15 joints, as Kim, Redon & Kim have them; 0.9 m long with its tail, 4.2 kg.
//!
//! The paper counts the joints between bodies. Here a floating base counts as one more: a dog has 16 joints that move, and the one
//! of its rump, by which it floats, is never frozen.

use supple::ModelError;

use crate::drawn::Drawn;
use crate::limb::Moves::{Ball, Free, Y, YX};
use crate::limb::{Limb, Tone, character, limb};

/// An elastic cord runs through the toy: what a joint carries swings so often \[Hz], lightly damped.
const CORD: Tone = Tone::Held { frequency: 1.5, ratio: 0.1 };

/// The dog at rest, on its feet at the origin, looking along x.
pub(crate) fn dog() -> Result<Drawn, ModelError> {
    character(TRUNK, SIDE, CORD)
}

#[rustfmt::skip]
const TRUNK: &[Limb] = &[
    limb("rump", "", Free, [0.0, 0.0, 0.38], [-0.22, 0.0, 0.38], 0.08, 1.0),
    limb("chest", "rump", Ball(35.0), [0.0, 0.0, 0.38], [0.20, 0.0, 0.39], 0.09, 1.2),
    limb("neck", "chest", Ball(60.0), [0.24, 0.0, 0.43], [0.31, 0.0, 0.52], 0.045, 0.25),
    limb("head", "neck", YX((-50.0, 50.0), (-40.0, 40.0)), [0.33, 0.0, 0.55], [0.45, 0.0, 0.53], 0.055, 0.4),
    limb("tail", "rump", Ball(70.0), [-0.29, 0.0, 0.42], [-0.36, 0.0, 0.50], 0.020, 0.06),
    limb("tail_tip", "tail", Ball(60.0), [-0.37, 0.0, 0.52], [-0.42, 0.0, 0.60], 0.015, 0.03),
];

#[rustfmt::skip]
const SIDE: &[Limb] = &[
    limb("upper_foreleg", "chest", Ball(70.0), [0.17, 0.075, 0.36], [0.17, 0.075, 0.22], 0.030, 0.15),
    limb("foreleg", "upper_foreleg", Y((-120.0, 10.0)), [0.17, 0.075, 0.20], [0.17, 0.075, 0.03], 0.025, 0.10),
    limb("thigh", "rump", Ball(70.0), [-0.20, 0.075, 0.36], [-0.17, 0.075, 0.24], 0.035, 0.20),
    limb("shank", "thigh", Y((-10.0, 110.0)), [-0.165, 0.075, 0.22], [-0.21, 0.075, 0.11], 0.025, 0.10),
    limb("paw", "shank", Y((-80.0, 40.0)), [-0.21, 0.075, 0.09], [-0.19, 0.075, 0.03], 0.020, 0.06),
];
