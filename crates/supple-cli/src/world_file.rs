//! A world of single bodies as JSON, as `bench/peers` reads it: SI units, quaternions x, y, z, w. A body's velocity is that of its
//! frame's origin, world axes; inertia is xx, xy, xz, yy, yz, zz about the centre of mass, body axes.

use anyhow::{Context, Result, bail};
use serde::Serialize;
use supple::constraint::{Constraint, Frame};
use supple::world::{BodyRef, SingleBody, SingleId, World};
use supple_scenes::WorldStage;

use crate::complain;
use crate::run::world::trajectory;

/// Joints that a file can have.
const KINDS: [&str; 5] = ["ball", "hinge", "rigid", "distance", "rope"];

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
}

#[derive(Serialize)]
pub(crate) struct Body {
    name: String,
    position: [f64; 3],
    rotation: [f64; 4],
    velocity: [f64; 3],
    omega: [f64; 3],
    mass: f64,
    com: [f64; 3],
    inertia: [f64; 6],
    fixed: bool,
}

#[derive(Serialize)]
pub(crate) struct Joint {
    name: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<f64>,
    /// Index of a body, -1 for the world.
    parent: i64,
    child: i64,
    parent_frame: Place,
    child_frame: Place,
}

#[derive(Serialize)]
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
        if let Some((_, simulation)) = world.articulations().next() {
            let root = simulation.model.bodies().first().map_or("", |b| &b.name);
            bail!(
                "the articulation with body {root:?} cannot be written: a file of a world has single bodies only"
            );
        }
        let ids: Vec<SingleId> = world.bodies().map(|(id, _)| id).collect();
        let names = trajectory::names(world);
        let bodies = world.bodies().zip(names).map(|((_, body), name)| Body::new(body, name)).collect();
        let joints = world.constraints().enumerate().map(|(i, (_, c))| Joint::new(i, c, &ids));
        let joints = joints.collect::<Result<Vec<_>>>()?;
        warn(world);
        Ok(Self {
            name: title.to_owned(),
            dt: stage.dt,
            gravity: world.gravity.to_array(),
            drag: world.drag,
            seconds: stage.seconds,
            bodies,
            joints,
        })
    }
}

impl Body {
    fn new(body: &SingleBody, name: String) -> Self {
        let Frame { position, rotation } = body.frame();
        let omega = body.omega();
        Self {
            name,
            position: position.to_array(),
            rotation: rotation.to_array(),
            velocity: (body.velocity() + omega.cross(position - body.centre())).to_array(),
            omega: omega.to_array(),
            // what is fixed has no mass that matters
            mass: if body.is_kinematic() { 1.0 } else { body.mass() },
            com: body.com().to_array(),
            inertia: body.inertia().to_array(),
            fixed: body.is_kinematic(),
        }
    }
}

impl Joint {
    fn new(number: usize, constraint: &Constraint, ids: &[SingleId]) -> Result<Self> {
        let name = match constraint.name.as_str() {
            "" => format!("joint {number}"),
            name => name.to_owned(),
        };
        let kind = constraint.model.name();
        if !KINDS.contains(&kind) {
            bail!(
                "constraint {name:?} is a {kind} joint, which cannot be written: a file has {}",
                KINDS.join(", ")
            );
        }
        if constraint.softness.is_some() || !constraint.actions.is_empty() {
            let what =
                if constraint.softness.is_some() { "is a spring" } else { "has limits, motors or friction" };
            bail!(
                "constraint {name:?} {what}, which cannot be written: a file has hard joints that nothing drives"
            );
        }
        let index = |body: BodyRef| match body {
            BodyRef::World => Ok(-1),
            BodyRef::Single(id) => {
                let place = ids.iter().position(|other| *other == id);
                place.map(|i| i as i64).with_context(|| format!("constraint {name:?}: its body is gone"))
            }
            BodyRef::Of(..) => bail!("constraint {name:?} is on an articulation, which cannot be written"),
        };
        Ok(Self {
            kind,
            length: constraint.model.length(),
            parent: index(constraint.parent)?,
            child: index(constraint.child)?,
            parent_frame: constraint.parent_frame.into(),
            child_frame: constraint.child_frame.into(),
            name,
        })
    }
}

/// Tells what is left out and may matter later.
fn warn(world: &World) {
    let mut constraints = world.constraints();
    if constraints.any(|(_, c)| c.strength.force.is_finite() || c.strength.moment.is_finite()) {
        complain("warning: a file has no room for what joints can hold: they do not break");
    }
    if world.bodies().any(|(_, body)| body.wrench != supple::spatial::Force::ZERO) {
        complain("warning: a file has no room for wrenches on bodies");
    }
}
