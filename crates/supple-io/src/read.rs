//! The doors: from a path or from text, by format.

use std::path::Path;

use crate::{Format, IoError, LoadOptions, Loaded, case, mjcf, urdf, xml};

/// Largest file read \[bytes].
const LARGEST: u64 = 1 << 28;

/// Reads a model file: URDF and MJCF are told apart by their root element (`<robot>`, `<mujoco>`), JSON cases by
/// the extension `.json` or a leading brace. Included files and meshes are looked for relative to the file.
pub fn load(path: impl AsRef<Path>, options: &LoadOptions) -> Result<Loaded, IoError> {
    let path = path.as_ref();
    let directory = path.parent().unwrap_or(Path::new(""));
    let read = || {
        let text = read_text(path)?;
        match sniff(path, &text)? {
            Format::Urdf => urdf::load(&text, Some(directory), options),
            Format::Mjcf => mjcf::load(&text, Some(directory), options),
            Format::Case => case::load(&text),
        }
    };
    read().map_err(|e| e.in_file(path))
}

/// Reads a model from bytes of any format, without touching files.
pub fn load_bytes(bytes: &[u8], options: &LoadOptions) -> Result<Loaded, IoError> {
    let text = text_of(bytes)?;
    match sniff(Path::new(""), text)? {
        Format::Urdf => urdf::load(text, None, options),
        Format::Mjcf => mjcf::load(text, None, options),
        Format::Case => case::load(text),
    }
}

/// Reads a URDF from text. Meshes of colliders are left out, with a warning.
pub fn load_urdf_str(xml: &str, options: &LoadOptions) -> Result<Loaded, IoError> {
    within(xml.len())?;
    urdf::load(xml, None, options)
}

/// Reads an MJCF from text. Without a directory (`None`) included files, and meshes that give bodies their mass, are errors that name
/// them; other meshes touch nothing, with a warning.
pub fn load_mjcf_str(xml: &str, directory: Option<&Path>, options: &LoadOptions) -> Result<Loaded, IoError> {
    within(xml.len())?;
    mjcf::load(xml, directory, options)
}

/// Reads a JSON case from text.
pub fn load_case_str(json: &str) -> Result<Loaded, IoError> {
    within(json.len())?;
    case::load(json)
}

/// The text of a file that is not too large.
pub(crate) fn read_text(path: &Path) -> Result<String, IoError> {
    let bytes = read_bytes(path)?;
    text_of(&bytes)?;
    String::from_utf8(bytes).map_err(|e| IoError::NotUtf8 { at: e.utf8_error().valid_up_to() })
}

/// The bytes of a file that is not too large.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, IoError> {
    use std::io::Read as _;
    let failed = |source| IoError::Read { source };
    let file = std::fs::File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    // not by the size the system tells: pipes and devices have none, and some have no end
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    within(bytes.len())?;
    Ok(bytes)
}

fn text_of(bytes: &[u8]) -> Result<&str, IoError> {
    within(bytes.len())?;
    std::str::from_utf8(bytes).map_err(|e| IoError::NotUtf8 { at: e.valid_up_to() })
}

fn within(size: usize) -> Result<(), IoError> {
    let size = size as u64;
    if size > LARGEST { Err(IoError::TooLarge { size, limit: LARGEST }) } else { Ok(()) }
}

/// The format of a file, by its content; the extension decides only for what looks like neither XML nor JSON.
fn sniff(path: &Path, text: &str) -> Result<Format, IoError> {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if start.starts_with('<') {
        return match xml::root_tag(start) {
            Some("robot") => Ok(Format::Urdf),
            Some("mujoco") => Ok(Format::Mjcf),
            Some(other) => {
                Err(IoError::UnknownFormat { found: format!("root element <{}>", xml::shorten(other)) })
            }
            None => Err(IoError::UnknownFormat { found: "XML without a root element".into() }),
        };
    }
    let json = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
    if json || start.starts_with('{') {
        return Ok(Format::Case);
    }
    let found = match start.chars().next() {
        None => "an empty file".to_owned(),
        Some(c) => format!("text that begins with {c:?}"),
    };
    Err(IoError::UnknownFormat { found })
}
