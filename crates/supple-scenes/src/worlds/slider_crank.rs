//! A slider-crank with an offset: crank, connecting rod, and a piston on a straight guide.

use glam::DVec3;
use supple::constraint::{Frame, Hinge, Prismatic};
use supple::world::{BodyRef, World};

use super::figure::{drive, rod};
use crate::{Kind, Parameter, Parameters, Scene, SceneError, Stage};

/// Crank, connecting rod, and height of the guide above the crank's pivot \[m].
const CRANK: f64 = 0.3;
const ROD: f64 = 0.8;
const OFFSET: f64 = 0.1;
/// The mechanism moves in the xz-plane; angles grow from x to z.
const AXIS: DVec3 = DVec3::NEG_Y;

pub(crate) const SCENE: Scene = Scene {
    name: "slider-crank",
    figure: "",
    summary: "crank, connecting rod and a piston on a guide, driven with constant speed",
    parameters: &[Parameter {
        name: "speed",
        kind: Kind::Number { default: std::f64::consts::TAU, min: -100.0, max: 100.0, unit: "rad/s" },
        doc: "speed of the crank",
    }],
    build,
};

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let mut stage = Stage::new(World::new(), 1.0 / 240.0, 3.0);
    let Stage { world, shapes, .. } = &mut stage;
    world.settings.tolerance = 1e-9;
    let wrist = DVec3::X * CRANK;
    let pin = DVec3::new(CRANK + (ROD * ROD - OFFSET * OFFSET).sqrt(), 0.0, OFFSET);
    let crank = rod(world, shapes, "crank", 1.0, [DVec3::ZERO, wrist], 0.02)?;
    let link = rod(world, shapes, "rod", 1.0, [wrist, pin], 0.02)?;
    let slider = rod(world, shapes, "slider", 2.0, [pin - DVec3::X * 0.08, pin + DVec3::X * 0.08], 0.05)?;
    let pivot = world.join(Hinge, BodyRef::World, crank, Frame::with_z(DVec3::ZERO, AXIS))?;
    world.join(Hinge, crank, link, Frame::with_z(wrist, AXIS))?;
    world.join(Hinge, link, slider, Frame::with_z(pin, AXIS))?;
    world.join(Prismatic::Z, BodyRef::World, slider, Frame::with_z(pin, DVec3::X))?;
    drive(world, pivot, parameters.number("speed"))?;
    Ok(stage)
}
