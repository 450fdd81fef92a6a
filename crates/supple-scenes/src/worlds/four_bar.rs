//! A four-bar linkage whose crank is driven with constant speed: one loop, and three rows too many for a body in space.

use glam::DVec3;
use supple::constraint::{Frame, Hinge};
use supple::world::{BodyRef, ConstraintId, World};
use supple::{Body, Joint, ModelBuilder, Pose, RigidInertia, Simulation};

use super::figure::{drive, rod};
use crate::{Capsule, Kind, Parameter, Parameters, Scene, SceneError, Stage};

/// Lengths of ground, crank, coupler and rocker \[m]: the crank turns all the way round (Grashof).
const GROUND: f64 = 1.0;
const CRANK: f64 = 0.3;
const COUPLER: f64 = 0.9;
const ROCKER: f64 = 0.7;
/// The linkage moves in the xz-plane; angles grow from x to z.
const AXIS: DVec3 = DVec3::NEG_Y;
const RADIUS: f64 = 0.02;

pub(crate) const SCENE: Scene = Scene {
    name: "four-bar",
    figure: "",
    summary: "a four-bar linkage with a driven crank: one loop, with three rows too many",
    parameters: &[
        Parameter {
            name: "coordinates",
            kind: Kind::Choice { default: "maximal", among: &["maximal", "reduced"] },
            doc: "every joint a constraint, or a tree with one that closes the loop",
        },
        Parameter {
            name: "speed",
            kind: Kind::Number { default: std::f64::consts::TAU, min: -100.0, max: 100.0, unit: "rad/s" },
            doc: "speed of the crank",
        },
    ],
    build,
};

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let mut stage = Stage::new(World::new(), 1.0 / 240.0, 3.0);
    stage.world.settings.tolerance = 1e-9;
    let motor =
        if parameters.text("coordinates") == "reduced" { reduced(&mut stage)? } else { maximal(&mut stage)? };
    drive(&mut stage.world, motor, parameters.number("speed"))?;
    Ok(stage)
}

/// Pivots in their order, with the crank level: at the ground, its end, the rocker's end, the rocker's pivot.
fn pivots() -> [DVec3; 4] {
    // the triangle of coupler, rocker and what is between crank and rocker
    let base = GROUND - CRANK;
    let along = (COUPLER * COUPLER - ROCKER * ROCKER + base * base) / (2.0 * base);
    let up = (COUPLER * COUPLER - along * along).sqrt();
    [DVec3::ZERO, DVec3::X * CRANK, DVec3::new(CRANK + along, 0.0, up), DVec3::X * GROUND]
}

/// Three single bodies, four hinges; the hinge of the crank.
fn maximal(stage: &mut Stage) -> Result<ConstraintId, SceneError> {
    let p = pivots();
    let Stage { world, shapes, .. } = stage;
    let mut links = vec![BodyRef::World];
    for (i, name) in ["crank", "coupler", "rocker"].into_iter().enumerate() {
        links.push(rod(world, shapes, name, 1.0, [p[i], p[i + 1]], RADIUS)?.into());
    }
    links.push(BodyRef::World);
    for i in 1..4 {
        world.join(Hinge, links[i], links[i + 1], Frame::with_z(p[i], AXIS))?;
    }
    Ok(world.join(Hinge, links[0], links[1], Frame::with_z(p[0], AXIS))?)
}

/// A tree of rocker, coupler and crank; the hinge that closes it, at the crank's pivot.
fn reduced(stage: &mut Stage) -> Result<ConstraintId, SceneError> {
    let mut p = pivots();
    p.reverse();
    let names = ["rocker", "coupler", "crank"];
    let mut builder = ModelBuilder::new();
    for (i, name) in names.into_iter().enumerate() {
        let to = p[i + 1] - p[i];
        let inertia = RigidInertia::solid_capsule(1.0, DVec3::ZERO, to, RADIUS);
        let body = Body::new(name, Joint::revolute(AXIS)).inertia(inertia);
        builder.add(match i {
            0 => body.at(Pose::from_translation(p[0])),
            _ => body.on(names[i - 1]).at(Pose::from_translation(p[i] - p[i - 1])),
        });
    }
    let simulation = Simulation::new(builder.finish()?);
    let model = simulation.model.clone();
    let id = stage.world.add_articulation(simulation);
    let mut crank = BodyRef::World;
    for (i, name) in names.into_iter().enumerate() {
        let Some(body) = model.body(name) else { continue };
        crank = (id, body).into();
        let (from, to) = (DVec3::ZERO, p[i + 1] - p[i]);
        stage.shapes.push(Capsule { body: crank, from, to, radius: RADIUS });
    }
    Ok(stage.world.join(Hinge, BodyRef::World, crank, Frame::with_z(p[3], AXIS))?)
}
