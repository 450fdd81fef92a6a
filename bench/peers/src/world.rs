//! A world of single rigid bodies with joints, as `supple export NAME --out WORLD.json` writes it.
//!
//! SI units. A body's `velocity` is that of its frame's origin, `position`; `velocity` and `omega` are in world axes.
//! Quaternions are x, y, z, w.

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

#[derive(Debug, Clone, Deserialize)]
pub struct World {
    pub name: String,
    pub dt: f64,
    pub gravity: [f64; 3],
    /// Share of their momenta that bodies lose per second \[1/s].
    #[serde(default)]
    pub drag: f64,
    pub seconds: f64,
    pub bodies: Vec<Body>,
    pub joints: Vec<Joint>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Body {
    pub name: String,
    pub position: [f64; 3],
    pub rotation: [f64; 4],
    pub velocity: [f64; 3],
    pub omega: [f64; 3],
    pub mass: f64,
    pub com: [f64; 3],
    /// xx, xy, xz, yy, yz, zz about the center of mass, in the body's axes.
    pub inertia: [f64; 6],
    #[serde(default)]
    pub fixed: bool,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Joint {
    pub name: String,
    pub kind: Kind,
    /// Of distances and ropes.
    pub length: Option<f64>,
    /// Index of a body, -1 for the world.
    pub parent: i64,
    pub child: i64,
    pub parent_frame: Frame,
    pub child_frame: Frame,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Ball,
    /// About the z axis of its frames.
    Hinge,
    Rigid,
    Distance,
    Rope,
}

#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Frame {
    pub position: [f64; 3],
    pub rotation: [f64; 4],
}

impl World {
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let world: Self =
            serde_json::from_str(&text).with_context(|| format!("{} is no world", path.display()))?;
        world.check()?;
        Ok(world)
    }

    fn check(&self) -> Result<()> {
        ensure!(self.dt > 0.0, "dt must be positive, got {} s", self.dt);
        ensure!(self.seconds > 0.0, "seconds must be positive, got {} s", self.seconds);
        for body in &self.bodies {
            ensure!(
                body.fixed || body.mass > 0.0,
                "body {:?}: mass must be positive, got {} kg",
                body.name,
                body.mass
            );
        }
        let bodies = -1..self.bodies.len() as i64;
        for joint in &self.joints {
            for body in [joint.parent, joint.child] {
                ensure!(bodies.contains(&body), "joint {:?}: there is no body {body}", joint.name);
            }
            let has_length = matches!(joint.kind, Kind::Distance | Kind::Rope);
            ensure!(!has_length || joint.length.is_some(), "joint {:?}: its length is missing", joint.name);
        }
        Ok(())
    }
}
