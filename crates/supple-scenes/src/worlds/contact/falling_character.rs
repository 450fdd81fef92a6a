//! A person who falls on the floor, with all joints or only those that matter.

use glam::{DQuat, DVec3};
use supple::adaptive::Detail;
use supple::constraint::Frame;
use supple::world::World;

use super::props::{DT, floor, rough};
use super::ragdoll::Ragdoll;
use crate::gaze::watched;
use crate::shot::{Lens, Shot};
use crate::world_stage::WorldStage;
use crate::{Gaze, Kind, Parameter, Parameters, Scene, SceneError};

pub(crate) const SCENE: Scene<WorldStage> = Scene {
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

/// From the soles to the pelvis \[m].
const PELVIS: f64 = 0.95;

fn build(parameters: &Parameters) -> Result<WorldStage, SceneError> {
    let mut stage = WorldStage::new(World::new(), DT, 2.0);
    floor(&mut stage, rough(0.6))?;
    let ragdoll = Ragdoll::new()?;
    let mut person = ragdoll.simulation.clone();
    let active = parameters.count("active");
    let detail =
        if active > 0 { Detail::joints(active.min(person.model.moving_joints())) } else { watched() };
    person.set_detail(detail)?;
    let turn = DQuat::from_rotation_y(parameters.number("lean").to_radians());
    let pelvis = Frame::new(DVec3::Z * (PELVIS + parameters.number("height")), turn);
    ragdoll.add(&mut stage, person, pelvis, DVec3::ZERO, DVec3::ZERO, rough(0.6))?;
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
