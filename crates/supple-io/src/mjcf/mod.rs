//! MJCF.

use std::path::Path;

use crate::{IoError, LoadOptions, Loaded};

/// Reads an MJCF from text.
pub(crate) fn load(
    _text: &str,
    _directory: Option<&Path>,
    _options: &LoadOptions,
) -> Result<Loaded, IoError> {
    Err(IoError::UnknownFormat { found: "MJCF, which is not read yet".into() })
}
