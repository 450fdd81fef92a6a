//! A world as `supple export NAME --out WORLD.json` writes it (docs/scene-format.md).
//!
//! Bodies of articulations are made single ones when it is read, with the joints of the tree as a list of their own.
//!
//! SI units. A body's `velocity` is that of its frame's origin, `position`; `velocity` and `omega` are in world axes.
//! Quaternions are x, y, z, w.

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::tree::{Articulation, TreeJoint};

#[derive(Debug, Clone, Deserialize)]
pub struct World {
    pub name: String,
    pub dt: f64,
    pub gravity: [f64; 3],
    /// Share of their momenta that bodies lose per second \[1/s].
    #[serde(default)]
    pub drag: f64,
    pub seconds: f64,
    /// Single ones, then those of articulations.
    pub bodies: Vec<Body>,
    pub joints: Vec<Joint>,
    #[serde(default)]
    articulations: Vec<Articulation>,
    /// Joints of articulations.
    #[serde(skip)]
    pub tree: Vec<TreeJoint>,
    #[serde(default)]
    pub shapes: Vec<Shape>,
    #[serde(default)]
    pub colliders: Vec<Collider>,
    /// Bodies that never touch.
    #[serde(default)]
    pub ignored: Vec<[i64; 2]>,
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
    /// Where it is after every step, if it is moved about.
    #[serde(default)]
    pub moves: Vec<Frame>,
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
    /// Whether its bodies touch each other.
    #[serde(default)]
    pub collide: bool,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Collider {
    pub body: i64,
    pub frame: Frame,
    /// Its number among the shapes.
    pub shape: usize,
    pub friction: f64,
    pub restitution: f64,
    pub member: u32,
    pub touches: u32,
    pub sensor: bool,
    pub continuous: bool,
}

/// Axes of revolution, and heights, are along z.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Shape {
    Sphere { radius: f64 },
    Box { size: [f64; 3] },
    Capsule { from: [f64; 3], to: [f64; 3], radius: f64 },
    Cylinder { height: f64, radius: f64 },
    Cone { height: f64, radius: f64 },
    Hull { points: Vec<[f64; 3]> },
    Compound { parts: Vec<Part> },
    Mesh { corners: Vec<[f64; 3]>, triangles: Vec<[u32; 3]> },
    HeightField { heights: Vec<f64>, rows: usize, columns: usize, size: [f64; 2] },
    HalfSpace,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Part {
    pub frame: Frame,
    pub shape: usize,
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
        let mut world: Self =
            serde_json::from_str(&text).with_context(|| format!("{} is no world", path.display()))?;
        for articulation in std::mem::take(&mut world.articulations) {
            articulation.unfold(&mut world.bodies, &mut world.tree)?;
        }
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
        for collider in &self.colliders {
            ensure!(
                bodies.contains(&collider.body),
                "a collider is on body {}, which is none",
                collider.body
            );
            ensure!(collider.shape < self.shapes.len(), "there is no shape {}", collider.shape);
        }
        Ok(())
    }

    /// Pairs of bodies that do not touch: those that are ignored, and those that a joint joins.
    pub fn apart(&self) -> impl Iterator<Item = [i64; 2]> {
        let joined = self.joints.iter().filter(|joint| !joint.collide).map(|j| [j.parent, j.child]);
        let tree = self.tree.iter().map(|joint| [joint.parent, joint.child]);
        let pairs = self.ignored.iter().copied().chain(joined).chain(tree);
        pairs.filter(|pair| pair[0] >= 0 && pair[1] >= 0)
    }
}
