use supple::ModelError;
use supple::contact::ShapeError;
use supple::detail::DetailError;
use supple::world::WorldError;
use supple_io::IoError;

use crate::file::{FileError, PrintError};

/// Why a scene cannot be shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// No scene has this name.
    #[error("no scene is called {name:?}{hint}")]
    UnknownScene {
        /// The name asked for.
        name: String,
        /// Near names, or all.
        hint: String,
    },
    /// A scene of single bodies only.
    #[error("scene {name:?} has no articulation")]
    NoArticulation {
        /// The scene.
        name: String,
    },
    /// The scene has no such parameter.
    #[error("scene {scene:?} has no parameter {name:?}{hint}")]
    UnknownParameter {
        /// The scene.
        scene: &'static str,
        /// The name asked for.
        name: String,
        /// A near name, and all that exist.
        hint: String,
    },
    /// A value that is no value of the parameter's kind, or out of its range.
    #[error("parameter {name:?} of scene {scene:?} must be {wanted}, got {value:?}")]
    BadValue {
        /// The scene.
        scene: &'static str,
        /// The parameter.
        name: &'static str,
        /// What it takes, with range and unit.
        wanted: String,
        /// What was given.
        value: String,
    },
    /// The model of the scene is not valid with these parameters.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The body cannot have the detail that the scene asks for.
    #[error(transparent)]
    Detail(#[from] DetailError),
    /// The world refuses something of the scene.
    #[error(transparent)]
    World(#[from] WorldError),
    /// A shape of the scene cannot be.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A scene file that cannot be read, or is not right.
    #[error(transparent)]
    SceneFile(#[from] FileError),
    /// A scene that cannot be printed as a file.
    #[error(transparent)]
    Print(#[from] PrintError),
    /// A file that cannot be read.
    #[error(transparent)]
    File(#[from] IoError),
}
