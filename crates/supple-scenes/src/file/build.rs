//! A scene file as a scene.

use std::path::Path;

use super::fault::{At, Fault};
use super::read::{Source, syntax_of, text_of};
use super::{FileError, SceneFile, Syntax};
use crate::{SceneError, Stage};

/// Opens a scene file: JSON or TOML by its extension. Files that it names are looked for from where it is.
pub fn open_file(path: impl AsRef<Path>) -> Result<Stage, SceneError> {
    let path = path.as_ref();
    let syntax = syntax_of(path).ok_or_else(|| FileError::Extension { file: path.into() })?;
    open_text(path, &text_of(path)?, syntax)
}

/// Opens a scene from the text of a file of this name, which need not be there.
pub fn open_text(path: impl AsRef<Path>, text: &str, syntax: Syntax) -> Result<Stage, SceneError> {
    let path = path.as_ref();
    let source = Source { file: path, text, syntax };
    let file = source.parse()?;
    let folder = path.parent().unwrap_or(Path::new(""));
    if let Some(scene) = &file.scene {
        return builtin(&file, scene, folder).map_err(|fault| source.error(&fault).into());
    }
    super::stage::stage(&file, folder).map_err(|fault| source.error(&fault).into())
}

/// A scene of the gallery.
fn builtin(file: &SceneFile, scene: &str, folder: &Path) -> Result<Stage, Fault> {
    let top = At::top();
    let bare = SceneFile {
        scene: file.scene.clone(),
        set: file.set.clone(),
        notes: file.notes.clone(),
        ..SceneFile::new(file.name.clone())
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
    crate::stage(scene, &settings).map_err(|error| match &error {
        SceneError::UnknownScene { .. } => top.key("scene").wrong(error),
        SceneError::BadValue { name, .. } => top.key("set").key(name).wrong(error),
        SceneError::UnknownParameter { name, .. } => top.key("set").key(&name.clone()).wrong(error),
        _ => top.key("scene").wrong(error),
    })
}
