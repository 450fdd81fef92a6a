//! Any model file on the stage; without one, a small robot arm of our own.

use std::path::Path;

use supple_io::{LoadOptions, Loaded};

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
    ],
    build,
};

/// The built-in arm, written for this scene.
const ARM: &str = include_str!("../robots/arm.urdf");

/// Its joint angles at the start \[rad].
const ARM_POSE: [f64; 6] = [0.3, 0.7, 0.9, 0.2, 0.5, 0.0];

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let options = LoadOptions {
        floating_base: parameters.flag("floating_base"),
        ignore_forces: parameters.flag("ignore_forces"),
    };
    match parameters.text("file") {
        "" => {
            let mut stage = stage(&supple_io::load_urdf_str(ARM, &options)?);
            // bent: upright it would balance
            let q = &mut stage.simulation.state.q;
            let joints = q.len() - ARM_POSE.len();
            q[joints..].copy_from_slice(&ARM_POSE);
            Ok(stage)
        }
        file => Ok(stage(&supple_io::load(Path::new(file), &options)?)),
    }
}

/// What a file describes, in motion as the file says.
fn stage(loaded: &Loaded) -> Stage {
    let notes = loaded.warnings.iter().map(ToString::to_string).collect();
    Stage { notes, ..Stage::new(loaded.simulation(), Vec::new()) }
}
