//! Faure's smallest assembly: the ends of a bar are to be at the centres of two disks, and are far from them.

use glam::DVec3;
use supple::RigidInertia;
use supple::constraint::{Ball, Constraint, Frame};
use supple::spatial::Sym3;
use supple::spatial::rotation;
use supple::world::{SingleBody, World};

use crate::{Capsule, Kind, Parameter, Parameters, Scene, SceneError, Stage};

/// Half of the bar \[m].
const HALF: f64 = 0.5;

pub(crate) const SCENE: Scene = Scene {
    name: "bar-and-disks",
    figure: "Faure 1998, figure 2",
    summary: "a bar whose ends are to be at the centres of two disks: to be assembled",
    parameters: &[
        Parameter {
            name: "turn",
            kind: Kind::Number { default: 60.0, min: 0.0, max: 170.0, unit: "°" },
            doc: "angle between the bar and the line of the disks at the start",
        },
        Parameter {
            name: "apart",
            kind: Kind::Number { default: 1.6, min: 0.1, max: 10.0, unit: "m" },
            doc: "distance of the disks at the start; the bar is 1 m long",
        },
    ],
    build,
};

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let mut stage = Stage::new(World::new(), 1.0 / 240.0, 1.0);
    let Stage { world, shapes, .. } = &mut stage;
    world.gravity = DVec3::ZERO;
    let turn = rotation::about_z(parameters.number("turn").to_radians());
    let inertia = RigidInertia::solid_capsule(1.0, -DVec3::X * HALF, DVec3::X * HALF, 0.03);
    let bar =
        world.add_body(SingleBody::new("bar", inertia).at(Frame::new(DVec3::new(0.1, 0.2, 0.0), turn)))?;
    shapes.push(Capsule { body: bar.into(), from: -DVec3::X * HALF, to: DVec3::X * HALF, radius: 0.03 });
    for side in [-1.0, 1.0] {
        // a disk of 1 kg, radius 0.2 m
        let round = Sym3::diagonal(DVec3::new(0.01, 0.01, 0.02));
        let disk = SingleBody::new(format!("disk {side}"), RigidInertia::new(1.0, DVec3::ZERO, round));
        let place = DVec3::X * (0.5 * side * parameters.number("apart"));
        let disk = world.add_body(disk.at(Frame::at(place)))?;
        shapes.push(Capsule { body: disk.into(), from: DVec3::ZERO, to: DVec3::ZERO, radius: 0.2 });
        world.add(Constraint::new(Ball, disk, bar).child_frame(Frame::at(DVec3::X * (HALF * side))))?;
    }
    stage
        .notes
        .push("assemble it (World::assemble) to see the figure; steps close it at a bounded speed".into());
    Ok(stage)
}
