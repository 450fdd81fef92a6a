//! Ways that something goes over time, as data.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use supple::constraint::Frame;
use supple::spatial::rotation;

use crate::place::Place;
use supple::spatial::math;

/// Where something is over time: a frame of the world for every time \[s].
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Path {
    /// From one point straight to another: starts and stops softly.
    Glide {
        /// First point \[m].
        from: [f64; 3],
        /// How far from there \[m].
        way: [f64; 3],
        /// When it starts \[s].
        #[serde(default)]
        start: f64,
        /// How long it takes \[s].
        seconds: f64,
    },
    /// Straight from point to point; level before the first and after the last.
    Keys {
        /// Points by time.
        points: Vec<Key>,
    },
    /// The last of readings that were taken at equal times from 0 on.
    Samples {
        /// Readings per second.
        rate: f64,
        /// The readings.
        frames: Vec<Place>,
    },
    /// Sines along x, y and z, and a turn (axis times angle \[rad]) of three sines.
    Sines {
        /// \[m]
        position: [Sine; 3],
        /// \[rad]
        turn: [Sine; 3],
    },
    /// Up, aside and back on an arc; starts and stops softly.
    Arc {
        /// How long it takes \[s].
        seconds: f64,
        /// How far round it goes \[rad].
        turn: f64,
        /// How far along −x a full half turn would take it, half of that \[m].
        back: f64,
        /// How far along y \[m].
        aside: f64,
        /// How far along z \[m].
        up: f64,
    },
    /// A stick that is carried along x and rocks as a puppeteer's does; starts and stops softly.
    Walk {
        /// From −this to this along x \[m].
        way: f64,
        /// How long it takes \[s].
        seconds: f64,
        /// Height \[m].
        height: f64,
        /// Paces per second.
        pace: f64,
        /// How far it rocks about x, and nods about y \[rad].
        rock: f64,
        /// How far it nods about y \[rad].
        nod: f64,
    },
}

/// A point of a way.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// When \[s].
    pub time: f64,
    /// Where \[m].
    pub position: [f64; 3],
    /// Orientation.
    #[serde(default = "crate::place::no_turn")]
    pub rotation: [f64; 4],
}

/// `middle + size · sin(2π · turns · t + phase)`.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Sine {
    /// What it swings about.
    #[serde(default)]
    pub middle: f64,
    /// How far it swings.
    pub size: f64,
    /// How often \[1/s].
    pub turns: f64,
    /// Where it begins \[rad].
    #[serde(default)]
    pub phase: f64,
}

impl Sine {
    /// A sine about `middle`.
    pub const fn new(middle: f64, size: f64, turns: f64, phase: f64) -> Self {
        Self { middle, size, turns, phase }
    }

    fn at(&self, time: f64) -> f64 {
        self.middle + self.size * math::sin(TAU * self.turns * time + self.phase)
    }
}

impl Path {
    /// Where it is at a time \[s].
    pub fn at(&self, time: f64) -> Frame {
        match self {
            Self::Glide { from, way, start, seconds } => {
                let smooth = smooth((time - start) / seconds);
                Frame::at(DVec3::from(*from) + smooth * DVec3::from(*way))
            }
            Self::Keys { points } => between(points, time),
            Self::Samples { rate, frames } => {
                let sample = frames.get((time * rate) as usize).or(frames.last());
                sample.map_or(Frame::IDENTITY, |place| Frame::from(*place))
            }
            Self::Sines { position, turn } => {
                let [position, turn] =
                    [position, turn].map(|three| DVec3::from_array(three.map(|sine| sine.at(time))));
                Frame::new(position, rotation::exp(turn))
            }
            Self::Arc { seconds, turn, back, aside, up } => {
                let smooth = smooth(time / seconds);
                let (sin, cos) = math::sin_cos(turn * smooth);
                Frame::at(DVec3::new(-back * (1.0 - cos), aside * sin * smooth, up * smooth))
            }
            Self::Walk { way, seconds, height, pace, rock, nod } => {
                let share = (time / seconds).clamp(0.0, 1.0);
                // starts and stops softly
                let gone = share * share * (3.0 - 2.0 * share);
                let (sin, cos) = math::sin_cos(TAU * pace * time);
                // rocks only while it walks
                let walking = (16.0 * share * (1.0 - share)).min(1.0);
                let (rock, nod) = (walking * rock * sin, walking * nod * (cos * cos - 0.5));
                let rotation = rotation::about_x(rock) * rotation::about_y(nod);
                Frame::new(DVec3::new(way * (2.0 * gone - 1.0), 0.0, *height), rotation)
            }
        }
    }

    /// What is wrong with it: the field, and what it must be.
    pub(crate) fn wrong(&self) -> Option<(&'static str, String)> {
        let quaternion = |q: &[f64; 4]| (DQuat::from_array(*q).length() - 1.0).abs() < 1e-6;
        match self {
            Self::Glide { seconds, .. } | Self::Arc { seconds, .. } | Self::Walk { seconds, .. }
                if !(*seconds > 0.0) =>
            {
                Some(("seconds", format!("must be positive, got {seconds} s")))
            }
            Self::Samples { rate, .. } if !(*rate > 0.0) => {
                Some(("rate", format!("must be positive, got {rate} readings per second")))
            }
            Self::Samples { frames, .. } if frames.is_empty() => {
                Some(("frames", "must have one reading at least".into()))
            }
            Self::Samples { frames, .. } if !frames.iter().all(|f| quaternion(&f.rotation)) => {
                Some(("frames", "must have quaternions [x, y, z, w] of length 1".into()))
            }
            Self::Keys { points } if points.is_empty() => {
                Some(("points", "must have one point at least".into()))
            }
            Self::Keys { points } if !points.is_sorted_by(|a, b| a.time <= b.time) => {
                Some(("points", "must be in the order of time".into()))
            }
            Self::Keys { points } if !points.iter().all(|p| quaternion(&p.rotation)) => {
                Some(("points", "must have quaternions [x, y, z, w] of length 1".into()))
            }
            _ => None,
        }
    }
}

/// From 0 to 1 while x goes from 0 to 1, softly.
pub(crate) fn smooth(x: f64) -> f64 {
    let s = x.clamp(0.0, 1.0);
    s * s * (3.0 - 2.0 * s)
}

fn between(points: &[Key], time: f64) -> Frame {
    let frame = |key: &Key| Frame::new(DVec3::from(key.position), DQuat::from_array(key.rotation));
    let after = points.partition_point(|key| key.time <= time);
    match (after.checked_sub(1).and_then(|i| points.get(i)), points.get(after)) {
        (Some(a), Some(b)) => {
            let share = (time - a.time) / (b.time - a.time);
            let (from, to) = (frame(a), frame(b));
            Frame::new(
                from.position.lerp(to.position, share),
                rotation::between(from.rotation, to.rotation, share),
            )
        }
        (Some(only), None) | (None, Some(only)) => frame(only),
        (None, None) => Frame::IDENTITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_met_and_straight_lines_between_them() {
        let key = |time, x| Key { time, position: [x, 0.0, 0.0], rotation: [0.0, 0.0, 0.0, 1.0] };
        let path = Path::Keys { points: vec![key(1.0, 0.0), key(2.0, 4.0)] };
        let x = [0.0, 1.0, 1.25, 2.0, 9.0].map(|t| path.at(t).position.x);
        assert_eq!(x, [0.0, 0.0, 1.0, 4.0, 4.0]);
    }

    #[test]
    fn glides_start_and_stop_softly() {
        let path = Path::Glide { from: [1.0, 0.0, 0.0], way: [0.0, 2.0, 0.0], start: 1.0, seconds: 2.0 };
        let y = [0.0, 1.0, 2.0, 3.0, 4.0].map(|t| path.at(t).position.y);
        assert_eq!(y, [0.0, 0.0, 1.0, 2.0, 2.0]);
    }
}
