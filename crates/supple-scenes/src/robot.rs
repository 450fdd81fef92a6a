//! Any model file on the stage; without one, a small robot arm of our own.

use std::path::Path;

use glam::DVec3;
use supple::constraint::Frame;
use supple::contact::{Collider, Shape};
use supple::world::BodyRef;
use supple_io::{LoadOptions, Loaded};

use crate::drawn::Drawn;
use crate::gaze::FINE;
use crate::{Kind, Parameter, Parameters, Scene, SceneError, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "robot",
    figure: "",
    summary: "a model file (URDF, MJCF or JSON case), by default a robot arm with six joints",
    parameters: &[
        Parameter {
            name: "file",
            kind: Kind::Text { default: "" },
            doc: "path of the model file; empty: the built-in arm",
        },
        Parameter {
            name: "floating_base",
            kind: Kind::Flag { default: false },
            doc: "whether the root of a URDF moves freely",
        },
        Parameter {
            name: "ignore_forces",
            kind: Kind::Flag { default: false },
            doc: "load a model although some of its forces are not supported",
        },
        Parameter {
            name: "contacts",
            kind: Kind::Flag { default: false },
            doc: "whether what the file has of collision geometry touches, and the ground",
        },
        Parameter {
            name: "ground",
            kind: Kind::Number { default: 0.0, min: -1e6, max: 1e6, unit: "m" },
            doc: "height of the ground, with contacts",
        },
    ],
    build,
};

/// The built-in arm, written for this scene.
const ARM: &str = include_str!("../robots/arm.urdf");

/// Its joint angles at the start \[rad].
const ARM_POSE: [f64; 6] = [0.3, 0.7, 0.9, 0.2, 0.5, 0.0];

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let loaded = load(parameters)?;
    if parameters.text("file").is_empty() {
        let mut simulation = loaded.simulation();
        // bent: upright it would balance
        let q = &mut simulation.state.q;
        let joints = q.len() - ARM_POSE.len();
        q[joints..].copy_from_slice(&ARM_POSE);
        return Ok(Drawn::new(simulation, Vec::new()).stage(FINE));
    }
    let mut stage = Stage::left_to_itself(loaded.world()?);
    if parameters.flag("contacts") {
        let height = Frame::at(DVec3::Z * parameters.number("ground"));
        stage.world.add_collider(BodyRef::World, Collider::new(Shape::half_space()).at(height))?;
    }
    stage.file_dt = loaded.timestep;
    stage.notes = loaded.warnings.iter().map(ToString::to_string).collect();
    Ok(stage)
}

fn load(parameters: &Parameters) -> Result<Loaded, SceneError> {
    let options = LoadOptions {
        floating_base: parameters.flag("floating_base"),
        ignore_forces: parameters.flag("ignore_forces"),
        no_colliders: !parameters.flag("contacts"),
    };
    Ok(match parameters.text("file") {
        "" => supple_io::load_urdf_str(ARM, &options)?,
        file => supple_io::load(Path::new(file), &options)?,
    })
}
