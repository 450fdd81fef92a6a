//! A scene file as a scene.

use std::path::Path;

use super::crowd::crowd;
use super::fault::{At, Fault};
use super::read::{Source, syntax_of, text_of};
use super::world::world;
use super::{FileError, SceneFile, SceneKind, Syntax};
use crate::{Gaze, Opened, SceneError, open};

/// Opens a scene file: JSON or TOML by its extension. Files that it names are looked for from where it is.
pub fn open_file(path: impl AsRef<Path>) -> Result<Opened, SceneError> {
    let path = path.as_ref();
    let syntax = syntax_of(path).ok_or_else(|| FileError::Extension { file: path.into() })?;
    open_text(path, &text_of(path)?, syntax)
}

/// Opens a scene from the text of a file of this name, which need not be there.
pub fn open_text(path: impl AsRef<Path>, text: &str, syntax: Syntax) -> Result<Opened, SceneError> {
    let path = path.as_ref();
    let source = Source { file: path, text, syntax };
    let file = source.parse()?;
    let folder = path.parent().unwrap_or(Path::new(""));
    if let Some(scene) = &file.scene {
        return builtin(&file, scene, folder).map_err(|fault| source.error(&fault).into());
    }
    let built =
        match file.kind {
            Some(SceneKind::Crowd) => crowd(&file, folder).map(|stage| Opened::Bodies(Box::new(stage))),
            Some(SceneKind::World) => world(&file, folder).map(|stage| Opened::World(Box::new(stage))),
            None => Err(At::top()
                .wrong("lacks \"kind\": \"crowd\" or \"world\" (or \"scene\": a scene of the gallery)")),
        };
    built.map_err(|fault| source.error(&fault).into())
}

/// A scene of the gallery.
fn builtin(file: &SceneFile, scene: &str, folder: &Path) -> Result<Opened, Fault> {
    let top = At::top();
    let bare = SceneFile {
        scene: file.scene.clone(),
        set: file.set.clone(),
        notes: file.notes.clone(),
        kind: None,
        ..SceneFile::new(SceneKind::Crowd, file.name.clone())
    };
    if *file != bare {
        return Err(top
            .key("scene")
            .wrong("a file that names a scene has nothing else but \"set\", \"name\" and \"notes\""));
    }
    let mut settings = Vec::new();
    for (key, value) in &file.set {
        let text = match value {
            serde_json::Value::String(text) if key == "file" => {
                folder.join(text).to_string_lossy().into_owned()
            }
            serde_json::Value::String(text) => text.clone(),
            serde_json::Value::Number(number) => number.to_string(),
            serde_json::Value::Bool(flag) => flag.to_string(),
            other => {
                let message = format!("must be a number, a text, true or false, got {other}");
                return Err(top.key("set").key(key).wrong(message));
            }
        };
        settings.push((key.as_str(), text));
    }
    let settings: Vec<_> = settings.iter().map(|(key, text)| (*key, text.as_str())).collect();
    open(scene, &settings).map_err(|error| match &error {
        SceneError::UnknownScene { .. } => top.key("scene").wrong(error),
        SceneError::BadValue { name, .. } => top.key("set").key(name).wrong(error),
        SceneError::UnknownParameter { name, .. } => top.key("set").key(&name.clone()).wrong(error),
        _ => top.key("scene").wrong(error),
    })
}

/// What only the other kind has.
pub(super) fn refuse(file: &SceneFile, fields: &[(&str, bool)]) -> Result<(), Fault> {
    let (this, other) = match file.kind {
        Some(SceneKind::World) => ("world", "crowd"),
        _ => ("crowd", "world"),
    };
    match fields.iter().find(|(_, given)| *given) {
        Some((field, _)) => {
            let message = format!("a {this} has none: leave it out, or make the scene a {other}");
            Err(At::top().key(field).wrong(message))
        }
        None => Ok(()),
    }
}

pub(super) fn positive(value: Option<f64>, field: &str) -> Result<(), Fault> {
    match value {
        Some(x) if !(x > 0.0 && x.is_finite()) => {
            Err(At::top().key(field).wrong(format!("must be positive and finite, got {x} s")))
        }
        _ => Ok(()),
    }
}

/// The cameras of a file.
pub(super) fn gaze(file: &SceneFile) -> Result<Option<Gaze>, Fault> {
    for (i, shot) in file.cameras.iter().enumerate() {
        let at = At::top().key("cameras").item(i);
        shot.at(0.0).check().map_err(|error| at.wrong(error))?;
    }
    Ok((!file.cameras.is_empty()).then(|| Gaze::told(file.cameras.clone())))
}
