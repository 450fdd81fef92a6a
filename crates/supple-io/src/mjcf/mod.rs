//! MJCF, read by mjcf-rs after a pass that resolves what MuJoCo resolves.
//!
//! ```text
//!  text ─► includes ─► unsupported? ─► plain document ─► mjcf-rs ─► inertia, joints ─► model ─► actuators, loops
//!          (files)      error, warning   (classes folded)
//! ```
//!
//! mjcf-rs understands poses, frames, angle units and types of attributes. But it folds default classes by whole poses
//! and whole sizes where MuJoCo does so number by number, drops `fromto` and joints inside frames, ignores elements
//! it does not know, opens files on its own, and may panic on a bad `eulerseq`. So it gets a [`plain`] document:
//! one file, no classes, no `fromto`, only what bears on motion, every number checked.

mod actuator;
mod convert;
mod defaults;
mod document;
mod eigen;
mod equality;
mod geom;
mod inertia;
mod mesh;
mod plain;
mod probe;
mod unsupported;

use std::path::Path;

use crate::warning::Warnings;
use crate::{IoError, LoadOptions, Loaded};

/// Reads an MJCF from text.
pub(crate) fn load(text: &str, directory: Option<&Path>, options: &LoadOptions) -> Result<Loaded, IoError> {
    let mut warnings = Warnings::new();
    let document = document::read(text, directory)?;
    let settings = plain::settings(&document)?;
    let classes = defaults::Classes::read(&document)?;
    unsupported::check(&document, &classes, options, &mut warnings)?;
    let plain = plain::plain(&document, &settings, &classes, &equality::sites(&document), &mut warnings)?;
    let model = mjcf_rs::Model::from_str(&plain.to_text(), "")
        .map_err(|e| IoError::Refused { parser: "mjcf-rs", message: e.to_string() })?;
    let mut loaded = convert::convert(&model, &settings, directory, options, &mut warnings)?;
    actuator::read(&document, &settings, &classes, &mut warnings, &mut loaded)?;
    equality::read(&document, &model, &settings, &classes, &mut warnings, &mut loaded)?;
    if !options.no_colliders {
        geom::read(&document, &model, &settings, directory, &mut warnings, &mut loaded)?;
        loaded.ignore_overlaps(&mut warnings);
    }
    loaded.name = document.get("model").unwrap_or_default().to_owned();
    loaded.warnings = warnings.finish();
    Ok(loaded)
}
