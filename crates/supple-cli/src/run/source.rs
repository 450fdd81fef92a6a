//! What is run: a scene of the gallery, a scene file, or a model file, which is the scene `robot` with that file.

use std::path::Path;

use anyhow::{Context, Result, bail};
use supple_scenes::file::is_scene_file;
use supple_scenes::{Stage, find};

/// A scene ready to run, and what to call it.
pub(crate) struct Source {
    pub(crate) stage: Stage,
    /// Name of the scene or path of the file.
    pub(crate) title: String,
}

/// Opens a scene or a file, with settings `name=value`.
pub(crate) fn open(name: &str, settings: &[String]) -> Result<Source> {
    let mut pairs = settings.iter().map(|text| setting(text)).collect::<Result<Vec<_>>>()?;
    let known = find(name).is_ok();
    if !known && Path::new(name).is_dir() {
        bail!("{name} is a folder: name a scene (`supple scenes` lists them) or a file");
    }
    let stage = if known {
        supple_scenes::stage(name, &pairs)?
    } else if is_path(name) && is_scene_file(Path::new(name)) {
        refuse(!pairs.is_empty(), "--set", "is for scenes of the gallery: edit the scene file instead")?;
        supple_scenes::open_file(name)?
    } else if is_path(name) {
        pairs.push(("file", name));
        supple_scenes::stage("robot", &pairs)?
    } else {
        supple_scenes::stage(name, &pairs).context("neither a scene nor a file")?
    };
    Ok(Source { stage, title: name.to_owned() })
}

/// Name and value of a parameter that is set by `--set`.
pub(crate) fn setting(text: &str) -> Result<(&str, &str)> {
    let (key, value) = text
        .split_once('=')
        .with_context(|| format!("--set takes NAME=VALUE, got {text:?} (example: --set links=100)"))?;
    Ok((key.trim(), value))
}

/// Whether a name is meant as a file: it exists, or looks like a path or a model file.
pub(crate) fn is_path(name: &str) -> bool {
    let path = Path::new(name);
    let model = path.extension().is_some_and(|e| {
        ["urdf", "xml", "mjcf", "json", "toml"].iter().any(|known| e.eq_ignore_ascii_case(known))
    });
    model || name.contains(['/', '\\']) || path.is_file()
}

/// Refuses an option that was given where it means nothing.
pub(crate) fn refuse(given: bool, option: &str, why: &str) -> Result<()> {
    if given {
        bail!("{option} {why}");
    }
    Ok(())
}
