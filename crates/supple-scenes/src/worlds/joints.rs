//! Four pairs of boxes, each with another joint between them, hung up by a corner and swinging.

use glam::DVec3;
use supple::constraint::{Ball, Frame, Hinge, JointModel, Rigid, Twist};
use supple::world::{BodyRef, World};

use super::figure::{block, joint};
use crate::{Kind, Parameter, Parameters, Scene, SceneError, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "joints",
    figure: "Weinstein, Teran & Fedkiw 2006, figure 9",
    summary: "four pairs of boxes: point, hinge, twist and rigid joints",
    parameters: &[Parameter {
        name: "mass_ratio",
        kind: Kind::Number { default: 1.0, min: 1e-4, max: 1e4, unit: "" },
        doc: "how much heavier the lower box of each pair is",
    }],
    build,
};

/// Side of a box \[m].
const SIDE: f64 = 0.3;
/// Mass of an upper box \[kg].
const MASS: f64 = 10.0;

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let ratio = parameters.number("mass_ratio");
    let mut stage = Stage::new(World::new(), 1.0 / 240.0, 5.0);
    let h = 0.5 * SIDE;
    // where the boxes meet: a corner, an edge, a face
    let corner = Frame::at(DVec3::new(h, h, -h));
    let edge = Frame::with_z(DVec3::new(h, 0.0, -h), DVec3::Y);
    let face = Frame::with_z(DVec3::new(0.0, 0.0, -h), DVec3::Z);
    pair(&mut stage, "point", Ball, corner, DVec3::new(2.0 * h, 2.0 * h, -2.0 * h), ratio)?;
    pair(&mut stage, "hinge", Hinge, edge, DVec3::new(2.0 * h, 0.0, -2.0 * h), ratio)?;
    pair(&mut stage, "twist", Twist, face, DVec3::new(0.0, 0.0, -2.0 * h), ratio)?;
    pair(&mut stage, "rigid", Rigid, face, DVec3::new(0.0, 0.0, -2.0 * h), ratio)?;
    Ok(stage)
}

/// Two boxes with a joint at `at` as seen from the upper one, where the lower one is at `below`.
fn pair(
    stage: &mut Stage,
    name: &str,
    model: impl JointModel + 'static,
    at: Frame,
    below: DVec3,
    ratio: f64,
) -> Result<(), SceneError> {
    let centre = DVec3::X * (4.0 * SIDE * (stage.world.bodies().count() / 2) as f64);
    let size = DVec3::splat(SIDE);
    let upper = block(stage, format!("{name}, upper"), MASS, Frame::at(centre), size)?;
    let lower = block(stage, format!("{name}, lower"), MASS * ratio, Frame::at(centre + below), size)?;
    let at = Frame { position: centre + at.position, ..at };
    let between = joint(&stage.world, name, model, upper, lower, at)?;
    stage.world.add(between)?;
    // hung up by a corner, away from rest, and turning in the joint
    let hook = centre + DVec3::new(-0.5, -0.5, 0.5) * SIDE;
    stage.world.join(Ball, BodyRef::World, upper, Frame::at(hook))?;
    let omega = DVec3::new(1.0, 0.5, 2.0);
    let own = if name == "rigid" { DVec3::ZERO } else { at.rotation * DVec3::Z * 3.0 };
    for (id, own) in [(upper, DVec3::ZERO), (lower, own)] {
        let body = stage.world.body_mut(id)?;
        let velocity = omega.cross(body.centre() - hook) + own.cross(body.centre() - at.position);
        body.set_motion(velocity, omega + own);
    }
    Ok(())
}
