//! What is run: a scene of the gallery, or a file, which is the scene `robot` with that file.

use std::path::Path;

use anyhow::{Context, Result};
use supple_scenes::{Stage, find};

/// A scene ready to run, and what to call it.
pub(crate) struct Source {
    pub(crate) stage: Stage,
    /// Name of the scene or path of the file.
    pub(crate) title: String,
}

/// Opens a scene or a file, with settings `name=value`.
pub(crate) fn open(name: &str, settings: &[String]) -> Result<Source> {
    let (scene, file) = match find(name) {
        Ok(scene) => (scene, None),
        Err(_) if is_path(name) => (find("robot")?, Some(name)),
        Err(unknown) => return Err(unknown).context("neither a scene nor a file"),
    };
    let mut parameters = scene.parameters();
    for setting in settings {
        let (key, value) = setting
            .split_once('=')
            .with_context(|| format!("--set takes NAME=VALUE, got {setting:?} (example: --set links=100)"))?;
        parameters.set(key.trim(), value)?;
    }
    if let Some(file) = file {
        parameters.set("file", file)?;
    }
    Ok(Source { stage: scene.build(&parameters)?, title: name.to_owned() })
}

/// Whether a name is meant as a file: it exists, or looks like a path or a model file.
fn is_path(name: &str) -> bool {
    let path = Path::new(name);
    let model = path
        .extension()
        .is_some_and(|e| ["urdf", "xml", "mjcf", "json"].iter().any(|known| e.eq_ignore_ascii_case(known)));
    model || name.contains(['/', '\\']) || path.is_file()
}
