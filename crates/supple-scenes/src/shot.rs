//! Cameras over time, as data.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use supple::spatial::math;
use supple::view::{Camera, Projection};

/// A camera over time.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Shot {
    /// Stays where it is.
    Fixed {
        /// \[m]
        position: [f64; 3],
        /// Its axes in the world, x to the right, y up, looking along −z: a quaternion x, y, z, w.
        rotation: [f64; 4],
        /// How it makes an image.
        #[serde(default)]
        lens: Lens,
    },
    /// Looks at a point, and may move away from it or past it.
    LookAt {
        /// Where it is at first \[m].
        eye: [f64; 3],
        /// \[m]
        target: [f64; 3],
        /// What is up in the image.
        #[serde(default = "up")]
        up: [f64; 3],
        /// \[m/s]
        #[serde(default)]
        velocity: [f64; 3],
        /// How it makes an image.
        #[serde(default)]
        lens: Lens,
    },
    /// Circles about a point, z up.
    Orbit {
        /// \[m]
        target: [f64; 3],
        /// From the target, level \[m].
        distance: f64,
        /// Above the target \[m].
        #[serde(default)]
        height: f64,
        /// Turns per second.
        turns: f64,
        /// Where it begins, from the target along x \[turns].
        #[serde(default)]
        phase: f64,
        /// How it makes an image.
        #[serde(default)]
        lens: Lens,
    },
    /// Straight from point to point; stays before the first and after the last.
    Keys {
        /// By time.
        points: Vec<Glance>,
        /// What is up in the image.
        #[serde(default = "up")]
        up: [f64; 3],
        /// How it makes an image.
        #[serde(default)]
        lens: Lens,
    },
    /// Walks along x and looks about.
    Stroll {
        /// Where it starts and where it stops along x \[m].
        from: f64,
        /// Where it stops \[m].
        to: f64,
        /// \[m/s]
        pace: f64,
        /// Height of the eye \[m].
        eye: f64,
        /// How far it turns aside \[rad].
        glance: f64,
        /// How often \[Hz].
        glances: f64,
        /// How far it looks down \[m per m].
        down: f64,
        /// How it makes an image.
        #[serde(default)]
        lens: Lens,
    },
}

/// Where a camera is, and what it looks at.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Glance {
    /// When \[s].
    pub time: f64,
    /// \[m]
    pub eye: [f64; 3],
    /// \[m]
    pub target: [f64; 3],
}

/// How a camera makes an image.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Lens {
    /// Angle between the upper and the lower edge of the image \[rad]; 60° if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<f64>,
    /// Without perspective: what the image spans from its lower to its upper edge \[m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<f64>,
    /// From left to right, and from top to bottom; 640 × 480 if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pixels: Option<[u32; 2]>,
    /// Nothing nearer is seen \[m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<f64>,
}

const fn up() -> [f64; 3] {
    [0.0, 0.0, 1.0]
}

impl Lens {
    fn of(camera: &Camera) -> Self {
        let (field, height) = match camera.projection {
            Projection::Perspective { field } => (Some(field), None),
            Projection::Orthographic { height } => (None, Some(height)),
        };
        Self { field, height, pixels: Some(camera.viewport), near: Some(camera.near) }
    }

    fn on(&self, mut camera: Camera) -> Camera {
        if let Some(field) = self.field {
            camera.projection = Projection::Perspective { field };
        }
        if let Some(height) = self.height {
            camera.projection = Projection::Orthographic { height };
        }
        camera.viewport = self.pixels.unwrap_or(camera.viewport);
        camera.near = self.near.unwrap_or(camera.near);
        camera
    }
}

impl Shot {
    /// A camera that stays where it is.
    pub fn fixed(camera: &Camera) -> Self {
        Self::Fixed {
            position: camera.position.to_array(),
            rotation: camera.rotation.to_array(),
            lens: Lens::of(camera),
        }
    }

    /// The camera at a time \[s].
    pub fn at(&self, time: f64) -> Camera {
        let v = |x: &[f64; 3]| DVec3::from(*x);
        match self {
            Self::Fixed { position, rotation, lens } => {
                let mut camera = Camera::look_at(DVec3::X, DVec3::ZERO, DVec3::Z);
                camera.position = v(position);
                camera.rotation = DQuat::from_array(*rotation);
                lens.on(camera)
            }
            Self::LookAt { eye, target, up, velocity, lens } => {
                lens.on(Camera::look_at(v(eye) + v(velocity) * time, v(target), v(up)))
            }
            Self::Orbit { target, distance, height, turns, phase, lens } => {
                let (sin, cos) = math::sin_cos(TAU * (turns * time + phase));
                let eye = v(target) + DVec3::new(distance * cos, distance * sin, *height);
                lens.on(Camera::look_at(eye, v(target), DVec3::Z))
            }
            Self::Keys { points, up, lens } => {
                let (eye, target) = between(points, time);
                lens.on(Camera::look_at(eye, target, v(up)))
            }
            Self::Stroll { from, to, pace, eye, glance, glances, down, lens } => {
                let x = (pace * time + from).min(*to);
                let (aside, ahead) = math::sin_cos(glance * math::sin(TAU * glances * time));
                let eye = DVec3::new(x, 0.0, *eye);
                lens.on(Camera::look_at(eye, eye + DVec3::new(ahead, aside, -down), DVec3::Z))
            }
        }
    }
}

fn between(points: &[Glance], time: f64) -> (DVec3, DVec3) {
    let both = |p: &Glance| (DVec3::from(p.eye), DVec3::from(p.target));
    let after = points.partition_point(|p| p.time <= time);
    match (after.checked_sub(1).and_then(|i| points.get(i)), points.get(after)) {
        (Some(a), Some(b)) => {
            let share = (time - a.time) / (b.time - a.time);
            let ((eye, target), (next_eye, next_target)) = (both(a), both(b));
            (eye.lerp(next_eye, share), target.lerp(next_target, share))
        }
        (Some(only), None) | (None, Some(only)) => both(only),
        (None, None) => (DVec3::X, DVec3::ZERO),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_camera_comes_back_to_the_bit() {
        let camera =
            Camera::look_at(DVec3::new(1.0, 2.0, 3.0), DVec3::Y, DVec3::Z).field(0.7).pixels(320, 200);
        assert_eq!(Shot::fixed(&camera).at(5.0), camera);
        let flat = camera.orthographic(4.0);
        assert_eq!(Shot::fixed(&flat).at(0.0), flat);
    }

    #[test]
    fn an_orbit_comes_round() {
        let orbit = Shot::Orbit {
            target: [1.0, 0.0, 0.0],
            distance: 2.0,
            height: 1.0,
            turns: 0.5,
            phase: 0.0,
            lens: Lens::default(),
        };
        assert_eq!(orbit.at(0.0).position, DVec3::new(3.0, 0.0, 1.0));
        assert!(orbit.at(1.0).position.abs_diff_eq(DVec3::new(-1.0, 0.0, 1.0), 1e-12));
        assert!(orbit.at(1.3).check().is_ok());
    }
}
