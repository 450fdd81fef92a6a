//! MJCF, read by mjcf-rs after a pass that resolves what MuJoCo resolves.
//!
//! ```text
//!  text ─► includes ─► unsupported? ─► plain document ─► mjcf-rs ─► inertia, joints ─► model
//!          (files)      error, warning   (classes folded)
//! ```
//!
//! mjcf-rs understands poses, frames, angle units and types of attributes. But it folds default classes by whole poses
//! and whole sizes where MuJoCo does so number by number, drops `fromto` and joints inside frames, ignores elements
//! it does not know, opens files on its own, and may panic on a bad `eulerseq`. So it gets a [plain](plain) document:
//! one file, no classes, no `fromto`, only what bears on motion, every number checked.
//!
//! # What is left out, and how loudly
//!
//! *Always an error*, because bodies, joints or inertia would be others: `<composite>`, `<flexcomp>`, `<replicate>`,
//! `<attach>`, body plugins, joints inside a `<frame>`, global coordinates, `alignfree`, tendon armature, geoms fitted to
//! meshes or with shell inertia where they give a body its mass, and convex mesh inertia there.
//!
//! *An error unless [`LoadOptions::ignore_forces`]*, because forces would be missing: fluid density, viscosity and wind,
//! gravity compensation, tendon springs, dampers and friction, nonlinear joint springs and dampers.
//!
//! *A warning*: contact, equality constraints and limits of tendons (constraints come later), actuators (a drive
//! without a controller does nothing here, whatever MuJoCo's zero control would do), sensors.

mod convert;
mod defaults;
mod document;
mod eigen;
mod inertia;
mod mesh;
mod plain;
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
    let plain = plain::plain(&document, &settings, &classes, &mut warnings)?;
    let model = mjcf_rs::Model::from_str(&plain.to_text(), "")
        .map_err(|e| IoError::Refused { parser: "mjcf-rs", message: e.to_string() })?;
    let mut loaded = convert::convert(&model, &settings, directory, options, &mut warnings)?;
    loaded.name = document.get("model").unwrap_or_default().to_owned();
    loaded.warnings = warnings.finish();
    Ok(loaded)
}
