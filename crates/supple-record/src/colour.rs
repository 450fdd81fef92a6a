//! Colours of bodies.

use glam::Vec3;
use supple_scenes::live::{Group, Posture};

/// What colours of bodies tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colouring {
    /// Which bodies move as one: one colour for each rigid group, as in the papers' figures.
    #[default]
    Group,
    /// How fast the joint is that carries a group: blue at rest, red where it is fast.
    Activity,
    /// Nothing.
    Plain,
}

/// Colours are linear, so that light can be added.
const FIXED: Vec3 = Vec3::new(0.30, 0.31, 0.33);
const CLAY: Vec3 = Vec3::new(0.55, 0.43, 0.33);
const REST: Vec3 = Vec3::new(0.09, 0.22, 0.48);
const FAST: Vec3 = Vec3::new(0.85, 0.16, 0.06);

impl Colouring {
    /// Names of all, as the command has them.
    pub const NAMES: [&'static str; 3] = ["group", "activity", "plain"];

    /// The one with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Some(match name {
            "group" => Self::Group,
            "activity" => Self::Activity,
            "plain" => Self::Plain,
            _ => return None,
        })
    }

    /// Colours of the groups of an actor, one after the other, and last that of what does not move.
    pub(crate) fn of_groups(self, actor: usize, posture: &Posture, colours: &mut Vec<Vec3>) {
        match self {
            Self::Plain => colours.extend(posture.groups.iter().map(|_| CLAY)),
            Self::Activity => colours.extend(posture.groups.iter().map(activity)),
            Self::Group => {
                let first = colours.len();
                colours.resize(first + posture.groups.len(), FIXED);
                // the first body names the group: its colour stays while it does
                for (body, (group, _)) in posture.bodies.iter().enumerate().rev() {
                    if let Some(group) = group {
                        colours[first + *group as usize] = hue_of(actor, body);
                    }
                }
            }
        }
        colours.push(FIXED);
    }
}

fn activity(group: &Group) -> Vec3 {
    let speed = group.activity.abs() as f32;
    let share = if speed.is_finite() { speed / (speed + 2.0) } else { 1.0 };
    REST.lerp(FAST, share)
}

/// The colour of what stands still.
pub(crate) fn of_walls() -> Vec3 {
    FIXED
}

/// The colour of a group by its actor and its first body: neighbours differ by the golden ratio of the circle of hues.
pub(crate) fn hue_of(actor: usize, body: usize) -> Vec3 {
    let turns = 0.618_034 * body as f64 + 0.754_878 * actor as f64 + 0.58;
    // three degrees of lightness tell neighbours of similar hue apart
    let light = [0.62, 0.74, 0.52][(body + 2 * actor) % 3];
    from_hsv((turns - turns.floor()) as f32, 0.62, light)
}

fn from_hsv(hue: f32, saturation: f32, value: f32) -> Vec3 {
    let channel = |n: f32| {
        let k = (n + 6.0 * hue) % 6.0;
        let s = value - value * saturation * k.min(4.0 - k).clamp(0.0, 1.0);
        // from sRGB to light
        s.powf(2.2)
    };
    Vec3::new(channel(5.0), channel(3.0), channel(1.0))
}
