//! Bennett's linkage: four hinges in space, neither parallel nor through one point. Counting (Kutzbach) gives it 6 (4 − 1) − 4 · 5 = −2
//! freedoms; it moves because of its proportions, `a / sin α = b / sin β` (Bennett 1903).
//!
//! With angles θ and φ between the links at neighbouring hinges, `tan(θ/2) tan(φ/2) = sin((β + α)/2) / sin((β − α)/2)`.

use glam::DVec3;
use supple::RigidInertia;
use supple::constraint::{Constraint, Frame, Hinge};
use supple::spatial::rotation;
use supple::world::{BodyRef, SingleBody, World};

use super::figure::drive;
use crate::{Capsule, Kind, Parameter, Parameters, Scene, SceneError, Stage};
use supple::spatial::math;

/// Length of the first link and of the third \[m]; the others follow from the twists.
const LENGTH: f64 = 0.5;
/// Angle between the crank's link and ground at the start \[rad].
const START: f64 = 1.2;

pub(crate) const SCENE: Scene = Scene {
    name: "bennett",
    figure: "",
    summary: "Bennett's linkage: four skew hinges that should be stuck by count, and move",
    parameters: &[
        Parameter {
            name: "alpha",
            kind: Kind::Number { default: 40.0, min: 5.0, max: 175.0, unit: "°" },
            doc: "twist of the first and third link",
        },
        Parameter {
            name: "beta",
            kind: Kind::Number { default: 75.0, min: 5.0, max: 175.0, unit: "°" },
            doc: "twist of the second and fourth link",
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
    let Stage { world, shapes, .. } = &mut stage;
    world.settings.tolerance = 1e-9;
    let [alpha, beta] = ["alpha", "beta"].map(|name| parameters.number(name).to_radians());
    let length =
        |i: usize| if i.is_multiple_of(2) { LENGTH } else { LENGTH * math::sin(beta) / math::sin(alpha) };
    // from a hinge along the link to the next hinge (Denavit & Hartenberg); the axis of each is z
    let next = |i: usize| {
        let twist = if i.is_multiple_of(2) { alpha } else { beta };
        Frame::new(DVec3::X * length(i), rotation::about_x(twist))
    };
    let half_phi = math::sin((beta + alpha) / 2.0) / math::sin((beta - alpha) / 2.0) / math::tan(START / 2.0);
    let phi = 2.0 * math::atan(half_phi);
    // links 0 to 2 move, link 3 is the ground
    let mut at = next(3);
    let mut last = BodyRef::World;
    let mut hinges = Vec::new();
    for (i, angle) in [START, phi, -START].into_iter().enumerate() {
        at = at * Frame::new(DVec3::ZERO, rotation::about_z(angle));
        let to = DVec3::X * length(i);
        let inertia = RigidInertia::solid_capsule(1.0, DVec3::ZERO, to, 0.02);
        let link = world.add_body(SingleBody::new(format!("link {i}"), inertia).at(at))?;
        shapes.push(Capsule { body: link.into(), from: DVec3::ZERO, to, radius: 0.02 });
        let side = if i == 0 { next(3) } else { next(i - 1) };
        let hinge = Constraint::new(Hinge, last, link).parent_frame(side).named(format!("hinge {i}"));
        hinges.push(world.add(hinge)?);
        last = link.into();
        at = at * next(i);
    }
    let closing = Constraint::new(Hinge, last, BodyRef::World).parent_frame(next(2)).named("hinge 3");
    world.add(closing)?;
    drive(world, hinges[0], parameters.number("speed"))?;
    Ok(stage)
}
