//! Magnetic letters that slide down the door of a refrigerator and twist.

use std::f64::consts::PI;

use glam::DVec3;
use supple::RigidInertia;
use supple::constraint::{Frame, PlanarTwist};
use supple::world::{BodyRef, SingleBody, World};

use super::figure::joint;
use crate::{Capsule, Kind, Parameter, Parameters, Scene, SceneError, SplitMix64, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "magnets",
    figure: "Weinstein, Teran & Fedkiw 2006, figure 1",
    summary: "letters on the door of a refrigerator: they slide down it and twist, and never leave it",
    parameters: &[
        Parameter {
            name: "letters",
            kind: Kind::Count { default: 210, min: 1, max: 10_000 },
            doc: "how many letters",
        },
        Parameter {
            name: "seed",
            kind: Kind::Count { default: 1, min: 0, max: u64::MAX },
            doc: "which sizes, spins and frictions",
        },
    ],
    build,
};

/// Letters per line, and the room for one \[m].
const LINE: usize = 15;
const ROOM: f64 = 0.05;
/// How far a letter can slide before it comes to a stop \[m].
const WAY: f64 = 0.8;

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let mut random = SplitMix64::new(parameters.seed("seed"));
    let mut stage = Stage::new(World::new(), 1.0 / 240.0, 5.0);
    for i in 0..parameters.count("letters") {
        let place = DVec3::new((i % LINE) as f64 * ROOM, 0.0, (i / LINE) as f64 * ROOM);
        // a stroke with a foot, as L has: its centre of mass is off the middle
        let (length, mass) = (random.between(0.025, 0.04), random.between(0.004, 0.01));
        let stroke = RigidInertia::solid_box(0.6 * mass, DVec3::new(0.008, 0.006, length), DVec3::ZERO);
        let foot = DVec3::new(0.3 * length, 0.0, -0.5 * length);
        let letter =
            stroke + RigidInertia::solid_box(0.4 * mass, DVec3::new(0.6 * length, 0.006, 0.008), foot);
        let letter = SingleBody::new(format!("letter {i}"), letter).at(Frame::at(place));
        let spin = DVec3::Y * random.between(-8.0, 8.0);
        let drift = DVec3::X * random.between(-0.2, 0.2);
        let id = stage.world.add_body(letter.moving(drift, spin))?;
        // x and y of the joint are along the door, z out of it
        let door = Frame::with_z(place, DVec3::Y);
        let down = (door.rotation.conjugate() * DVec3::NEG_Z).round();
        let along = (0..2).max_by(|a, b| down[*a].abs().total_cmp(&down[*b].abs())).unwrap_or(0);
        let (weight, rub) = (mass * stage.world.gravity.length(), random.between(0.9, 0.99));
        let (low, high) = if down[along] > 0.0 { (-1.0, WAY) } else { (-WAY, 1.0) };
        let hold = joint(&stage.world, format!("magnet {i}"), PlanarTwist, BodyRef::World, id, door)?
            .limit(along, low, high)
            .friction(along, rub * weight)
            .friction(1 - along, 0.1 * weight)
            .friction(2, 0.004 * weight * length)
            .limit(2, -0.9 * PI, 0.9 * PI);
        stage.world.add(hold)?;
        let half = DVec3::Z * (0.5 * length);
        stage.shapes.push(Capsule { body: id.into(), from: -half, to: half, radius: 0.004 });
        stage.shapes.push(Capsule { body: id.into(), from: -half, to: 2.0 * foot + half, radius: 0.004 });
    }
    Ok(stage)
}
