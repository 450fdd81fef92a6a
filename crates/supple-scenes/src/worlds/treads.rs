//! Two treads of hinged links round gears: attached to teeth that are near, and released from them, as they run.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3};
use supple::constraint::{Frame, Hinge, Twist};
use supple::world::{BodyRef, World};

use super::figure::{block, joint, rod};
use super::proximity::{LINK, LINKS, Proximity, TEETH, Tread, radius, tooth};
use crate::world_stage::WorldStage;
use crate::{Kind, Parameter, Parameters, Scene, SceneError};

pub(crate) const SCENE: Scene<WorldStage> = Scene {
    name: "treads",
    figure: "Weinstein, Teran & Fedkiw 2006, figures 4 and 7",
    summary: "the treads of a tank that turns on the spot: joints with the gears made and cut by proximity",
    parameters: &[
        Parameter {
            name: "speed",
            kind: Kind::Number { default: 3.0, min: -20.0, max: 20.0, unit: "rad/s" },
            doc: "of the gears of the left tread; those of the right one turn the other way",
        },
        Parameter {
            name: "reach",
            kind: Kind::Number { default: 0.4, min: 0.01, max: 0.49, unit: "links" },
            doc: "how near a tooth a link must be to be attached to it",
        },
    ],
    build,
};

/// Links from gear to gear.
const RUN: usize = (LINKS - TEETH) / 2;
/// How much shorter the way from gear to gear is than the links that go there \[m].
const SLACK: f64 = 0.03;
/// A link and a gear \[kg].
const LINK_MASS: f64 = 5.0;
const GEAR_MASS: f64 = 60.0;
/// Greatest torque of each motor \[N·m].
const TORQUE: f64 = 2000.0;

fn build(parameters: &Parameters) -> Result<WorldStage, SceneError> {
    let mut stage = WorldStage::new(World::new(), 1.0 / 240.0, 60.0);
    // a link that is attached while it is off its tooth is drawn to it, not thrown
    stage.world.settings.approach = 0.5;
    let (speed, reach) = (parameters.number("speed"), parameters.number("reach"));
    let mut treads = Vec::new();
    for (y, speed) in [(1.0, speed), (-1.0, -speed)] {
        treads.push(tread(&mut stage, DVec3::Y * y, speed)?);
    }
    stage.world.drag = 1.0;
    stage.director = Some(Box::new(Proximity { treads, reach: reach * LINK.x }));
    Ok(stage)
}

/// One tread and its gears, at one side.
fn tread(stage: &mut WorldStage, side: DVec3, speed: f64) -> Result<Tread, SceneError> {
    let half = 0.5 * (RUN as f64 * LINK.x - SLACK) * DVec3::X;
    let mut gears = Vec::new();
    for (name, at, drive) in [("front", half, speed), ("back", -half, speed), ("middle", DVec3::ZERO, 0.0)] {
        let (at, across) = (side + at, 0.4 * LINK.y * DVec3::Y);
        let size = if drive == 0.0 { 0.5 } else { 0.8 } * radius();
        let gear = rod(&mut stage.world, &mut stage.shapes, name, GEAR_MASS, at - across, at + across, size)?;
        let axle = joint(
            &stage.world,
            format!("{name} axle"),
            Twist,
            BodyRef::World,
            gear,
            Frame::with_z(at, DVec3::Y),
        )?;
        stage.world.add(if drive == 0.0 { axle } else { axle.motor(0, drive, TORQUE) })?;
        gears.push(gear);
    }
    let pins = pins(half);
    let mut links = Vec::new();
    for k in 0..LINKS {
        let [from, to] = [pins[k], pins[(k + 1) % LINKS]];
        let turn = DQuat::from_rotation_y((from.z - to.z).atan2(to.x - from.x));
        let place = Frame::new(side + 0.5 * (from + to), turn);
        links.push(block(stage, format!("link {k}"), LINK_MASS, place, LINK)?);
    }
    for k in 0..LINKS {
        stage.world.join(
            Hinge,
            links[(k + LINKS - 1) % LINKS],
            links[k],
            Frame::with_z(side + pins[k], DVec3::Y),
        )?;
    }
    Ok(Tread { links, gears: [gears[0], gears[1]], attached: vec![None; LINKS] })
}

/// Where pins are at first: along the top from front to back, round the back, along the bottom, round the front.
fn pins(half: DVec3) -> Vec<DVec3> {
    // links sag from gear to gear, each turned against the next by so much
    let reach = |turn: f64| LINK.x * (0.5 * RUN as f64 * turn).sin() / (0.5 * turn).sin();
    let (mut low, mut high) = (1e-9, TAU / RUN as f64);
    while high - low > 1e-15 {
        let middle = 0.5 * (low + high);
        if reach(middle) > 2.0 * half.x { low = middle } else { high = middle }
    }
    let mut pins = Vec::new();
    for (back, first) in [(-1.0, 0), (1.0, TEETH / 2)] {
        let mut at = tooth(first as f64) - half * back;
        for k in 0..RUN {
            pins.push(at);
            let (s, c) = ((k as f64 - 0.5 * (RUN - 1) as f64) * low).sin_cos();
            at += LINK.x * DVec3::new(back * c, 0.0, s);
        }
        pins.extend((0..TEETH / 2).map(|k| half * back + tooth((first + k) as f64)));
    }
    pins
}
