//! A tank: a base with a lid and a gun, and treads that gears drive, each side at its own speed.

use std::f64::consts::PI;

use glam::{DQuat, DVec3};
use supple::constraint::{Frame, Hinge};
use supple::contact::{Collider, Shape};
use supple::world::{BodyRef, ConstraintId, World};

use crate::script::{Motor, Motors, Soft};
use crate::worlds::figure::{block, joint, rod};
use crate::worlds::proximity::{LINK, TEETH, proximity, radius};
use crate::worlds::treads::{self, Lower, TORQUE, Track, tread};
use crate::{Cue, Kind, Parameter, Parameters, Scene, SceneError, Stage};
use supple::spatial::math;

pub(crate) const SCENE: Scene = Scene {
    name: "tank",
    figure: "Weinstein, Teran & Fedkiw 2006, figures 4 and 7",
    summary: "a tank drives on its treads, whose joints with the gears are made and cut by proximity",
    parameters: &[
        Parameter {
            name: "drive",
            kind: Kind::Choice { default: "forward", among: &["forward", "turn", "refrigerator", "falling"] },
            doc: "forward: along x; turn: on the spot; refrigerator: off a box 1.8 m high; falling: gears turn in the air",
        },
        Parameter {
            name: "speed",
            kind: Kind::Number { default: 3.0, min: 0.0, max: 10.0, unit: "rad/s" },
            doc: "of the gears",
        },
        Parameter {
            name: "reach",
            kind: Kind::Number { default: 0.4, min: 0.01, max: 0.49, unit: "links" },
            doc: "how near a tooth a link must be to be attached to it",
        },
    ],
    build,
};

/// Groups: what touches what.
const HULL: u32 = 1;
const LINKS: u32 = 2;
const GROUND: u32 = 4;
const GEARS: u32 = 8;
/// Rubber on a road; steel on steel.
const FRICTION: f64 = 0.8;
/// From the middle to a tread \[m].
const SIDE: f64 = 1.0;
/// Base, lid \[m]; base, lid, gun \[kg].
const BASE: DVec3 = DVec3::new(2.0, 1.4, 0.5);
const LID: DVec3 = DVec3::new(0.6, 0.6, 0.06);
const MASSES: [f64; 3] = [600.0, 20.0, 40.0];
/// Middle of the base above the axles, from the gun's joint to its muzzle, radius \[m].
const ABOVE: f64 = 0.1;
const GUN: f64 = 1.6;
const BORE: f64 = 0.05;
/// The refrigerator \[m], and from the tank's middle to its edge at first.
const REFRIGERATOR: DVec3 = DVec3::new(5.0, 3.2, 1.8);
const EDGE: f64 = 1.8;
/// Attachments give a little, so that a link more or less between the gears tears nothing \[N/m, N·s/m].
const RUBBER: Soft = Soft { stiffness: 1e6, damping: 2e4 };
/// Between gears and links that lie on them \[m].
const CLEARANCE: f64 = 0.005;
/// The gears come to speed within this time \[s].
const START: f64 = 1.0;

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let drive = parameters.text("drive");
    let mut stage = Stage::new(World::new(), 1.0 / 240.0, if drive == "falling" { 3.0 } else { 6.0 });
    let below = radius() + 0.5 * LINK.z;
    let ground = |shape: Shape| Collider::new(shape).friction(FRICTION).groups(GROUND, HULL | LINKS);
    let mut height = below;
    if drive != "falling" {
        stage.world.add_collider(BodyRef::World, ground(Shape::half_space()))?;
    }
    if drive == "refrigerator" {
        let at = DVec3::new(EDGE - 0.5 * REFRIGERATOR.x, 0.0, 0.5 * REFRIGERATOR.z);
        stage.world.add_collider(BodyRef::World, ground(Shape::cuboid(REFRIGERATOR)?).at(Frame::at(at)))?;
        height += REFRIGERATOR.z;
    }
    let axles = DVec3::Z * height;
    let base = hull(&mut stage, axles)?;
    let mut tracks = Vec::new();
    for side in [SIDE, -SIDE] {
        let track = tread(&mut stage, base, axles + DVec3::Y * side, 0.0, Lower::Taut)?;
        dress(&mut stage, &track)?;
        tracks.push(track);
    }
    let speed = parameters.number("speed");
    let speeds = if drive == "turn" { [-speed, speed] } else { [speed, speed] };
    let motor = |axle: ConstraintId, speed| Motor { joint: axle.index().into(), speed, force: TORQUE };
    let motors = tracks.iter().zip(speeds).flat_map(|(t, speed)| t.axles.map(|axle| motor(axle, speed)));
    let motors = Cue::Motors(Motors { seconds: START, motors: motors.collect() });
    let treads = tracks.iter().map(|track| track.tread(Some(RUBBER))).collect();
    stage.direct(vec![motors, proximity(treads, parameters.number("reach"))])?;
    Ok(stage)
}

/// Base, lid and gun.
fn hull(stage: &mut Stage, axles: DVec3) -> Result<BodyRef, SceneError> {
    let wear = |shape: Shape| Collider::new(shape).groups(HULL, GROUND);
    let middle = axles + DVec3::Z * ABOVE;
    let base = block(stage, "base", MASSES[0], Frame::at(middle), BASE)?;
    stage.world.add_collider(base, wear(Shape::cuboid(BASE)?))?;
    let roof = middle + DVec3::Z * (0.5 * BASE.z);
    let lid_at = roof + DVec3::new(-0.4, 0.0, 0.5 * LID.z);
    let lid = block(stage, "lid", MASSES[1], Frame::at(lid_at), LID)?;
    stage.world.add_collider(lid, wear(Shape::cuboid(LID)?))?;
    // opens backwards: about −y
    let back = Frame::with_z(lid_at - DVec3::X * (0.5 * LID.x), DVec3::NEG_Y);
    stage.world.add(joint(&stage.world, "lid hinge", Hinge, base, lid, back)?.limit(0, 0.0, 1.5))?;
    let root = roof + DVec3::new(0.2, 0.0, 2.0 * BORE);
    let gun =
        rod(&mut stage.world, &mut stage.shapes, "gun", MASSES[2], [root, root + DVec3::X * GUN], BORE)?;
    let half = DVec3::X * (0.5 * GUN);
    stage.world.add_collider(gun, wear(Shape::capsule(-half, half, BORE)?))?;
    let trunnion = joint(&stage.world, "gun hinge", Hinge, base, gun, Frame::with_z(root, DVec3::Y))?;
    // held where it is, unless something strong moves it
    stage.world.add(trunnion.limit(0, -0.5, 0.2).friction(0, TORQUE))?;
    Ok(base.into())
}

/// What of a tread touches something: links the ground, and gears, within the circle of the pins.
fn dress(stage: &mut Stage, track: &Track) -> Result<(), SceneError> {
    let link = Collider::new(Shape::cuboid(LINK)?).friction(FRICTION).groups(LINKS, GROUND | GEARS);
    for id in &track.links {
        stage.world.add_collider(*id, link.clone())?;
    }
    let [front, back] = track.gears;
    // links are chords of the circle
    let inner = radius() * math::cos(PI / TEETH as f64) - 0.5 * LINK.z;
    let middle = treads::MIDDLE * radius();
    for (gear, outer) in [(front, inner), (back, inner), (track.middle, middle)] {
        let wheel = Shape::cylinder(0.8 * LINK.y, outer - CLEARANCE)?;
        let along = Frame::new(DVec3::ZERO, DQuat::from_rotation_arc(DVec3::Z, DVec3::Y));
        stage.world.add_collider(gear, Collider::new(wheel).at(along).groups(GEARS, LINKS))?;
    }
    Ok(())
}
