//! A spinning top on the floor: it stands while it spins fast, precesses, and falls when it is slow.

use std::f64::consts::PI;
use supple::spatial::rotation;

use glam::DVec3;
use supple::constraint::Frame;
use supple::contact::Shape;
use supple::world::{SingleBody, World};

use super::props::{floor, rough, wear};
use crate::{Capsule, Kind, Parameter, Parameters, Scene, SceneError, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "spinning-top",
    figure: "",
    summary: "a top on its tip: stands and precesses while it spins fast, falls when slow",
    parameters: &[
        Parameter {
            name: "spin",
            kind: Kind::Number { default: 60.0, min: 0.0, max: 200.0, unit: "rad/s" },
            doc: "about its axis at first; it cannot stand if slower than about 22",
        },
        Parameter {
            name: "lean",
            kind: Kind::Number { default: 10.0, min: 0.0, max: 60.0, unit: "degrees" },
            doc: "how much its axis leans at first",
        },
        Parameter {
            name: "friction",
            kind: Kind::Number { default: 0.5, min: 0.0, max: 10.0, unit: "" },
            doc: "between tip and floor",
        },
    ],
    build,
};

/// The disk: mass \[kg], radius and thickness \[m]; the tip is so far below its middle \[m] and has this radius.
const MASS: f64 = 1.0;
const RADIUS: f64 = 0.15;
const THICK: f64 = 0.03;
const ARM: f64 = 0.1;
const TIP: f64 = 0.002;

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let mut stage = Stage::new(World::new(), 1.0 / 240.0, 5.0);
    let surface = rough(parameters.number("friction"));
    floor(&mut stage, surface)?;
    let turn = rotation::about_y(parameters.number("lean").to_radians());
    let (axis, spin) = (turn * DVec3::Z, parameters.number("spin"));
    // slowly about the vertical from the start, so that it does not nod: m g l / (I₃ ω)
    let moment = 0.5 * MASS * RADIUS * RADIUS;
    let weight = MASS * stage.world.gravity.length();
    let precession = if spin > 0.0 { DVec3::Z * (weight * ARM / (moment * spin)) } else { DVec3::ZERO };
    let disk = Shape::cylinder(THICK, RADIUS)?;
    let inertia = disk.inertia(MASS / (PI * RADIUS * RADIUS * THICK))?;
    let body = SingleBody::new("top", inertia)
        .at(Frame::new(DVec3::Z * TIP + ARM * axis, turn))
        .moving(precession.cross(ARM * axis), axis * spin + precession);
    let id = stage.world.add_body(body)?;
    wear(&mut stage, id, disk, Frame::IDENTITY, surface)?;
    wear(&mut stage, id, Shape::sphere(TIP)?, Frame::at(DVec3::NEG_Z * ARM), surface)?;
    stage.shapes.push(Capsule { body: id.into(), from: -ARM * DVec3::Z, to: DVec3::Z * ARM, radius: TIP });
    stage.shapes.push(Capsule {
        body: id.into(),
        from: DVec3::X * (RADIUS - THICK),
        to: DVec3::X * (THICK - RADIUS),
        radius: THICK,
    });
    Ok(stage)
}
