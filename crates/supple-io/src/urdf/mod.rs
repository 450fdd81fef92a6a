//! URDF, read by urdf-rs after a lenient pass.
//!
//! ROS's tools accept much that urdf-rs refuses (a `<limit>` without velocity, an `<inertial>` without mass, unknown
//! geometry in a `<visual>`). So [`lenient`] first reads what matters for motion, fills in what is missing, notes
//! it, and writes a plain URDF of links and joints; [`convert`] makes a model of what urdf-rs reads from that. What touches is read by
//! [`collision`].

mod collision;
mod convert;
mod lenient;
mod pool;

use std::path::Path;

use crate::warning::Warnings;
use crate::{IoError, LoadOptions, Loaded, xml};

/// Reads a URDF from text. Without a directory meshes are not there.
pub(crate) fn load(text: &str, directory: Option<&Path>, options: &LoadOptions) -> Result<Loaded, IoError> {
    let mut warnings = Warnings::new();
    let document = xml::parse(text)?;
    let plain = lenient::plain(&document, &mut warnings)?;
    let robot = urdf_rs::read_from_string(&plain.to_text())
        .map_err(|e| IoError::Refused { parser: "urdf-rs", message: e.to_string() })?;
    let mut loaded = convert::convert(&robot, options, &mut warnings)?;
    if !options.no_colliders {
        collision::read(&document, directory, &mut warnings, &mut loaded)?;
        loaded.ignore_overlaps(&mut warnings);
    }
    loaded.warnings = warnings.finish();
    Ok(loaded)
}
