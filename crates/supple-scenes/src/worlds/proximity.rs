//! Measures of treads and gears, and the joints between them that come and go by what is near to what.

use std::f64::consts::TAU;

use glam::DVec3;

use crate::Cue;
use crate::script::{Tread, Treads};
use supple::spatial::math;

/// Links of a tread, teeth of a gear.
pub(crate) const LINKS: usize = 34;
pub(crate) const TEETH: usize = 12;
/// A link \[m].
pub(crate) const LINK: DVec3 = DVec3::new(0.2, 0.4, 0.04);

/// Radius of the circle that pins go round on \[m].
pub(crate) fn radius() -> f64 {
    0.5 * LINK.x / math::sin(0.5 * TAU / TEETH as f64)
}

/// A point of that circle, counted from the top backwards, in teeth.
pub(crate) fn tooth(k: f64) -> DVec3 {
    let (s, c) = math::sin_cos(k * TAU / TEETH as f64);
    DVec3::new(-s, 0.0, c) * radius()
}

/// The first pin of a link, in the link's frame.
const PIN: DVec3 = DVec3::new(-0.5 * LINK.x, 0.0, 0.0);

/// Attaches the links of treads to teeth that are near, `reach` links away at most.
pub(crate) fn proximity(treads: Vec<Tread>, reach: f64) -> Cue {
    Cue::Treads(Treads { reach: reach * LINK.x, teeth: TEETH, radius: radius(), pin: PIN.to_array(), treads })
}
