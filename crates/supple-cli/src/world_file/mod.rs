//! A world as JSON, as `bench/peers` and `bench/contact_mujoco.py` read it; the format is told in `docs/world-format.md`.
//!
//! Bodies have one number each in the whole file: single bodies first, then those of the articulations, one after the other;
//! −1 is the world.

mod articulation;
mod body;
mod collider;
mod joint;
mod moves;
mod shape;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Serialize;
use supple::constraint::Frame;
use supple::world::{BodyRef, World};
use supple_scenes::WorldStage;

use crate::complain;
use crate::run::world::trajectory;

use articulation::Articulation;
use body::Body;
use collider::Collider;
use joint::Joint;
use shape::Shapes;

#[derive(Serialize)]
pub(crate) struct WorldFile {
    name: String,
    dt: f64,
    gravity: [f64; 3],
    /// Share of their momenta that bodies lose per second \[1/s].
    drag: f64,
    seconds: f64,
    pub(crate) bodies: Vec<Body>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) articulations: Vec<Articulation>,
    shapes: Shapes,
    pub(crate) colliders: Vec<Collider>,
    /// Bodies that never touch though nothing joins them.
    ignored: Vec<[i64; 2]>,
}

/// A frame in another one.
#[derive(Clone, Copy, Serialize)]
struct Place {
    position: [f64; 3],
    rotation: [f64; 4],
}

impl From<Frame> for Place {
    fn from(frame: Frame) -> Self {
        Self { position: frame.position.to_array(), rotation: frame.rotation.to_array() }
    }
}

impl WorldFile {
    /// The world as it is now; an error names what such a file cannot have.
    pub(crate) fn new(title: &str, stage: &WorldStage) -> Result<Self> {
        let world = &stage.world;
        let numbers = Numbers::new(world);
        let names = trajectory::names(world);
        let bodies = world.bodies().zip(names).map(|((_, body), name)| Body::new(body, name)).collect();
        let joints = world.constraints().enumerate().map(|(i, (_, c))| Joint::new(i, c, &numbers));
        let joints = joints.collect::<Result<Vec<_>>>()?;
        let articulations = world.articulations().enumerate().map(|(i, (id, simulation))| {
            let first = numbers.first.get(&id.index()).copied().unwrap_or_default();
            Articulation::new(&format!("{title} {i}"), first, simulation)
        });
        let articulations = articulations.collect::<Result<Vec<_>>>()?;
        let mut shapes = Shapes::default();
        let colliders =
            world.colliders().map(|(_, collider, body)| Collider::new(collider, body, &numbers, &mut shapes));
        let colliders = colliders.collect::<Result<Vec<_>>>()?;
        let pair = |(a, b)| Ok([numbers.of(a)?, numbers.of(b)?]);
        let ignored = world.ignored().map(pair).collect::<Result<Vec<_>>>()?;
        warn(world);
        Ok(Self {
            name: title.to_owned(),
            dt: stage.dt,
            gravity: world.gravity.to_array(),
            drag: world.drag,
            seconds: stage.seconds,
            bodies,
            joints,
            articulations,
            shapes,
            colliders,
            ignored,
        })
    }

    /// Runs the scene and writes down where its kinematic bodies are after every step, for bodies that are moved about.
    pub(crate) fn note_moves(&mut self, stage: &mut WorldStage) -> Result<()> {
        for (body, path) in self.bodies.iter_mut().zip(moves::paths(stage)?) {
            body.follow(path);
        }
        Ok(())
    }
}

/// Numbers of bodies in a file.
struct Numbers {
    single: BTreeMap<usize, i64>,
    /// Of the first body of an articulation.
    first: BTreeMap<usize, i64>,
}

impl Numbers {
    fn new(world: &World) -> Self {
        let single = world.bodies().enumerate().map(|(i, (id, _))| (id.index(), i as i64)).collect();
        let mut next = world.bodies().count() as i64;
        let mut first = BTreeMap::new();
        for (id, simulation) in world.articulations() {
            first.insert(id.index(), next);
            next += simulation.model.bodies().len() as i64;
        }
        Self { single, first }
    }

    fn of(&self, body: BodyRef) -> Result<i64> {
        let found = match body {
            BodyRef::World => Some(-1),
            BodyRef::Single(id) => self.single.get(&id.index()).copied(),
            BodyRef::Of(id, body) => self.first.get(&id.index()).map(|first| first + body.index() as i64),
        };
        found.ok_or_else(|| anyhow::anyhow!("{body:?} is gone"))
    }
}

/// Tells what is left out and may matter later.
fn warn(world: &World) {
    let mut constraints = world.constraints();
    if constraints.any(|(_, c)| c.strength.force.is_finite() || c.strength.moment.is_finite()) {
        complain("warning: a file has no room for what joints can hold: they do not break");
    }
    if world.couplings().next().is_some() {
        complain("warning: a file has no room for couplings");
    }
    if world.bodies().any(|(_, body)| body.wrench != supple::spatial::Force::ZERO) {
        complain("warning: a file has no room for wrenches on bodies");
    }
}
