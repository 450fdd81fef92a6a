//! A person who falls on the floor, with all joints or only those that matter.

use glam::DVec3;
use supple::constraint::Frame;
use supple::detail::{Detail, Rule, Target, Weights};
use supple::spatial::rotation;
use supple::world::World;

use super::props::{DT, floor, rough};
use super::ragdoll::Ragdoll;
use crate::gaze::watched;
use crate::shot::{Lens, Shot};
use crate::{Gaze, Kind, Parameter, Parameters, Scene, SceneError, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "falling-character",
    figure: "Kim et al. 2008, figures 1 and 7",
    summary: "a person of 29 bodies falls on the floor, with some of the joints active",
    parameters: &[
        Parameter {
            name: "active",
            kind: Kind::Count { default: 0, min: 0, max: 28 },
            doc: "how many joints may be active; 0: all of them",
        },
        Parameter {
            name: "left_out",
            kind: Kind::Number { default: 0.0, min: 0.0, max: 10.0, unit: "m/s" },
            doc: "instead of a number of joints: how fast limbs may be, root mean square, whose joints stand still; 0: not asked for",
        },
        Parameter {
            name: "height",
            kind: Kind::Number { default: 0.3, min: 0.0, max: 100.0, unit: "m" },
            doc: "how high above the floor the feet are at first",
        },
        Parameter {
            name: "lean",
            kind: Kind::Number { default: -60.0, min: -180.0, max: 180.0, unit: "degrees" },
            doc: "how much the person leans forward; at some angles a hundredth of a degree changes the fall",
        },
        Parameter {
            name: "recede",
            kind: Kind::Number { default: 4.0, min: 0.0, max: 100.0, unit: "m/s" },
            doc: "speed of the camera, which moves away from the person",
        },
    ],
    build,
};

/// What the camera looks at, and from where at first \[m].
const TARGET: DVec3 = DVec3::new(0.0, 0.0, 0.7);
const EYE: DVec3 = DVec3::new(1.2, -2.8, 1.1);

/// Accelerations that are left out may become the speed that may be left out in this time \[s].
const GAINED: f64 = 0.1;

/// From the soles to the pelvis \[m].
const PELVIS: f64 = 0.95;

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let mut stage = Stage::new(World::new(), DT, 2.0);
    floor(&mut stage, rough(0.6))?;
    let ragdoll = Ragdoll::new()?;
    let mut person = ragdoll.simulation.clone();
    let target = match (parameters.count("active"), parameters.number("left_out")) {
        (0, 0.0) => None,
        (0, speed) => {
            let gained = speed / GAINED;
            Some(Target::Error { velocity: speed * speed, acceleration: gained * gained })
        }
        (active, _) => Some(Target::Joints(active.min(person.model.moving_joints()))),
    };
    match target {
        None => person.set_detail(watched())?,
        Some(target) => {
            // an impact sets all joints in motion, anew in every step while it lasts: those count that carry much
            person.set_weights(Weights::by_inertia(&person.model));
            person.set_detail(Detail { target, rule: Rule::Free, update_every: 1, ..Detail::default() })?;
        }
    }
    let turn = rotation::about_y(parameters.number("lean").to_radians());
    let pelvis = Frame::new(DVec3::Z * (PELVIS + parameters.number("height")), turn);
    ragdoll.add(&mut stage, person, pelvis, rough(0.6))?;
    let recede = parameters.number("recede") * (EYE - TARGET).normalize();
    stage.gaze = Some(Gaze::told(vec![Shot::LookAt {
        eye: EYE.to_array(),
        target: TARGET.to_array(),
        up: [0.0, 0.0, 1.0],
        velocity: recede.to_array(),
        lens: Lens::default(),
    }]));
    Ok(stage)
}
