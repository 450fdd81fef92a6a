//! A Stewart platform: six legs of variable length, each on a Cardan joint below and a ball joint above. The legs are driven to the
//! lengths at which the platform has the pose that the scene asks for (inverse kinematics).

use std::f64::consts::TAU;

use glam::DVec3;
use supple::RigidInertia;
use supple::constraint::{Ball, Constraint, Frame, Prismatic, Universal};
use supple::spatial::rotation;
use supple::world::{ConstraintId, SingleBody, World};

use crate::script::{Leg, Legs};
use crate::{Capsule, Cue, Parameters, Path, Scene, SceneError, Sine, Stage};

/// Step that the legs are driven for \[s].
const DT: f64 = 1.0 / 240.0;
/// Half of a leg \[m]: the tube, and the rod within.
const HALF: f64 = 0.6;

pub(crate) const SCENE: Scene = Scene {
    name: "stewart",
    figure: "",
    summary: "a Stewart platform: six legs driven so that the platform follows a given motion",
    parameters: &[],
    build,
};

/// Where the platform is to be.
const WAY: Path = Path::Sines {
    position: [Sine::new(0.0, 0.15, 0.5, 0.0), Sine::new(0.0, 0.12, 0.7, 0.4), Sine::new(1.1, 0.1, 0.9, 1.0)],
    turn: [Sine::new(0.0, 0.25, 0.6, 0.3), Sine::new(0.0, 0.2, 0.8, 1.7), Sine::new(0.0, 0.3, 0.4, 2.0)],
};

/// Foot of a leg on the ground and its head in the platform's frame \[m]: pairs, turned by 60° between ground and platform.
fn ends(leg: usize) -> (DVec3, DVec3) {
    let around = |radius: f64, turn: f64| rotation::about_z(turn) * (DVec3::X * radius);
    let (pair, side) = ((leg / 2) as f64, (leg % 2) as f64 * 2.0 - 1.0);
    let foot = around(0.8, TAU * (pair / 3.0 + side * 0.04));
    let head = around(0.5, TAU * (pair / 3.0 + side * 0.13));
    (foot, head)
}

/// From foot to head of a leg when the platform is where it is to be \[m].
fn leg(leg: usize, platform: Frame) -> DVec3 {
    let (foot, head) = ends(leg);
    platform.point(head) - foot
}

fn build(_: &Parameters) -> Result<Stage, SceneError> {
    let mut stage = Stage::new(World::new(), DT, 4.0);
    let Stage { world, shapes, .. } = &mut stage;
    world.settings.tolerance = 1e-9;
    let start = WAY.at(0.0);
    let disk = RigidInertia::solid_box(5.0, DVec3::new(0.9, 0.9, 0.05), DVec3::ZERO);
    let platform = world.add_body(SingleBody::new("platform", disk).at(start))?;
    let mut sliders = Vec::new();
    for i in 0..6 {
        let ((foot, head), along) = (ends(i), leg(i, start));
        shapes.push(Capsule { body: platform.into(), from: DVec3::ZERO, to: head, radius: 0.03 });
        let rotation = rotation::from_z_to(along.normalize());
        let top = Frame::new(foot + along, rotation);
        let mut half = |name: &str, at: Frame, radius: f64| -> Result<_, SceneError> {
            let (from, to) =
                if at == top { (-DVec3::Z * HALF, DVec3::ZERO) } else { (DVec3::ZERO, DVec3::Z * HALF) };
            let inertia = RigidInertia::solid_capsule(0.5, from, to, radius);
            let body = world.add_body(SingleBody::new(format!("{name} {i}"), inertia).at(at))?;
            shapes.push(Capsule { body: body.into(), from, to, radius });
            Ok(body)
        };
        let tube = half("tube", Frame::new(foot, rotation), 0.03)?;
        let piston = half("piston", top, 0.02)?;
        world.join(Universal, supple::world::BodyRef::World, tube, Frame::new(foot, rotation))?;
        let slider = Constraint::new(Prismatic::Z, tube, piston)
            .parent_frame(Frame::at(DVec3::Z * HALF))
            .child_frame(Frame::at(-DVec3::Z * HALF))
            .named(format!("leg {i}"));
        sliders.push(world.add(slider)?);
        world.join(Ball, piston, platform, top)?;
    }
    let leg = |(i, slider): (usize, &ConstraintId)| {
        let (foot, head) = ends(i);
        let (foot, head) = (foot.to_array(), head.to_array());
        Leg { joint: slider.index().into(), foot, head, length: 2.0 * HALF }
    };
    let legs = sliders.iter().enumerate().map(leg).collect();
    stage.direct(vec![Cue::Legs(Legs { path: WAY, legs })])?;
    Ok(stage)
}
