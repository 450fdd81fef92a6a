//! What scenes with contact are made of: floors, boxes, balls, rods that look like what they weigh and touch.

use glam::DVec3;
use supple::constraint::Frame;
use supple::contact::{Collider, Material, Shape, parry};
use supple::world::{BodyRef, SingleId};

use crate::worlds::figure;
use crate::{Kind, Parameter, SceneError, Stage};

/// The step that games take \[s].
pub(crate) const DT: f64 = 1.0 / 60.0;

/// How exact joints of nets and bridges are that carry things \[m]: contacts leave millimetres, so that a twentieth of one is enough, and more
/// costs iterations that nobody sees.
pub(crate) const JOINTED: f64 = 5e-5;

/// What ball joints need to come to rest: a piece between two of them would spin on forever.
pub(crate) const AIR: Parameter = Parameter {
    name: "air",
    kind: Kind::Number { default: 1.0, min: 0.0, max: 100.0, unit: "1/s" },
    doc: "share of their momenta that bodies lose per second",
};

/// A surface with this coefficient of friction, without restitution.
pub(crate) fn rough(friction: f64) -> Material {
    Material { friction, ..Material::default() }
}

/// All below z = 0 is solid.
pub(crate) fn floor(stage: &mut Stage, surface: Material) -> Result<(), SceneError> {
    wear(stage, BodyRef::World, Shape::half_space(), Frame::IDENTITY, surface)
}

/// Puts a shape on a body, or on the world.
pub(crate) fn wear(
    stage: &mut Stage,
    body: impl Into<BodyRef>,
    shape: Shape,
    at: Frame,
    material: Material,
) -> Result<(), SceneError> {
    stage.world.add_collider(body, Collider { material, ..Collider::new(shape).at(at) })?;
    Ok(())
}

/// Adds a box of this size \[m] with its centre at a frame, as a single body \[kg].
pub(crate) fn cuboid(
    stage: &mut Stage,
    name: impl Into<String>,
    mass: f64,
    at: Frame,
    size: DVec3,
    surface: Material,
) -> Result<SingleId, SceneError> {
    let id = figure::block(stage, name, mass, at, size)?;
    wear(stage, id, Shape::cuboid(size)?, Frame::IDENTITY, surface)?;
    Ok(id)
}

/// Adds a ball \[m, kg] as a single body.
pub(crate) fn sphere(
    stage: &mut Stage,
    name: impl Into<String>,
    mass: f64,
    at: DVec3,
    radius: f64,
    surface: Material,
) -> Result<SingleId, SceneError> {
    let id = figure::ball(stage, name, mass, at, radius)?;
    wear(stage, id, Shape::sphere(radius)?, Frame::IDENTITY, surface)?;
    Ok(id)
}

/// Pairs of shapes that are nearer to each other than so \[m].
pub(crate) fn near_pairs(shapes: &[(Frame, Shape)], near: f64) -> Vec<[usize; 2]> {
    let pose = |(frame, shape): &(Frame, Shape)| {
        let at = *frame * shape.axes();
        parry::math::Pose3::from_parts(at.position, at.rotation)
    };
    let mut pairs = Vec::new();
    for (i, a) in shapes.iter().enumerate() {
        for (j, b) in shapes.iter().enumerate().skip(i + 1) {
            let apart = parry::query::distance(&pose(a), &*a.1.parry().0, &pose(b), &*b.1.parry().0);
            if apart.is_ok_and(|apart| apart.distance < near) {
                pairs.push([i, j]);
            }
        }
    }
    pairs
}
