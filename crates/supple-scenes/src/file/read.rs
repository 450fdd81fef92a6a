//! Text to a scene file, with the line and the field of what is wrong.

use std::path::Path;

use serde::Deserialize;
use serde_path_to_error::{Path as Trail, Segment};
use supple::names::nearest;

use super::fault::{At, Fault, Step};
use super::locate::{column_of, locate};
use super::{FORMAT, FileError, SceneFile, Syntax, VERSION};

/// Largest file read \[bytes].
const LARGEST: u64 = 1 << 30;

/// Whether a file is a scene file, and not a model: by its extension, or by the format that its text names.
pub fn is_scene_file(path: &Path) -> bool {
    match syntax_of(path) {
        Some(Syntax::Toml) => true,
        Some(Syntax::Json) => std::fs::read_to_string(path).is_ok_and(|text| text.contains("\"format\"")),
        None => false,
    }
}

/// By the extension.
pub(super) fn syntax_of(path: &Path) -> Option<Syntax> {
    let extension = path.extension()?.to_str()?;
    [Syntax::Json, Syntax::Toml].into_iter().find(|syntax| extension.eq_ignore_ascii_case(syntax.name()))
}

/// The text of a file.
pub(super) fn text_of(path: &Path) -> Result<String, FileError> {
    let failed = |source| FileError::Read { file: path.into(), source };
    let size = std::fs::metadata(path).map_err(failed)?.len();
    if size > LARGEST {
        let message = format!("{size} bytes are more than the {LARGEST} that are read");
        return Err(failed(std::io::Error::other(message)));
    }
    let bytes = std::fs::read(path).map_err(failed)?;
    String::from_utf8(bytes)
        .map_err(|error| FileError::NotUtf8 { file: path.into(), at: error.utf8_error().valid_up_to() })
}

/// A text with its name and syntax, for messages.
pub(super) struct Source<'a> {
    pub(super) file: &'a Path,
    pub(super) text: &'a str,
    pub(super) syntax: Syntax,
}

impl Source<'_> {
    /// The file as it stands there, of the version that is read.
    pub(super) fn parse(&self) -> Result<SceneFile, FileError> {
        let file = match self.syntax {
            Syntax::Json => self.json(),
            Syntax::Toml => self.toml(),
        }?;
        let top = At::top();
        if file.format != FORMAT {
            let found = format!("must be {FORMAT:?}, got {:?}", file.format);
            return Err(self.error(&top.key("format").wrong(found)));
        }
        if file.version != VERSION {
            let found = format!("version {} is not read here: this is version {VERSION}", file.version);
            return Err(self.error(&top.key("version").wrong(found)));
        }
        Ok(file)
    }

    fn json(&self) -> Result<SceneFile, FileError> {
        let text = self.text.strip_prefix('\u{feff}').unwrap_or(self.text);
        if !text.trim_start().starts_with('{') {
            return Err(self.at_offset(0, String::new(), "expected an object: {…}".into()));
        }
        let mut reader = serde_json::Deserializer::from_str(text);
        let read = serde_path_to_error::deserialize(&mut reader);
        let file = read.map_err(|error| {
            let (at, inner) = (trail(error.path()), error.inner());
            // serde appends the position, which the message begins with
            let message = inner.to_string();
            let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
            if inner.is_data() {
                self.error(&at.wrong(hinted(message)))
            } else {
                let (file, line, column) = (self.file.into(), inner.line().max(1), inner.column().max(1));
                let message = format!("not well-formed JSON: {message}");
                FileError::Wrong { file, line, column, field: at.to_string(), message }
            }
        })?;
        reader.end().map_err(|error| FileError::Wrong {
            file: self.file.into(),
            line: error.line().max(1),
            column: error.column().max(1),
            field: String::new(),
            message: "not well-formed JSON: something follows the scene".into(),
        })?;
        Ok(file)
    }

    fn toml(&self) -> Result<SceneFile, FileError> {
        let text = self.text.strip_prefix('\u{feff}').unwrap_or(self.text);
        let wrong = |error: &toml::de::Error| {
            let offset = error.span().map_or(0, |span| span.start);
            self.at_offset(offset, String::new(), format!("not well-formed TOML: {}", error.message()))
        };
        let reader = toml::Deserializer::parse(text).map_err(|error| wrong(&error))?;
        let table = toml::Table::deserialize(reader).map_err(|error| wrong(&error))?;
        if let Some((at, value)) = not_finite(&toml::Value::Table(table), &At::top()) {
            let message = format!("must be finite, got {value}: where no bound is meant, write \"inf\"");
            return Err(self.error(&at.wrong(message)));
        }
        let reader = toml::Deserializer::parse(text).map_err(|error| wrong(&error))?;
        serde_path_to_error::deserialize(reader).map_err(|error| {
            let message = error.inner().message().to_owned();
            self.error(&trail(error.path()).wrong(hinted(message)))
        })
    }

    /// A fault with its line and column.
    pub(super) fn error(&self, fault: &Fault) -> FileError {
        let offset = locate(self.text, self.syntax, fault.at.steps());
        self.at_offset(offset, fault.at.to_string(), fault.message.clone())
    }

    fn at_offset(&self, offset: usize, field: String, message: String) -> FileError {
        let (line, column) = column_of(self.text, offset);
        FileError::Wrong { file: self.file.into(), line, column, field, message }
    }
}

fn trail(path: &Trail) -> At {
    path.iter().fold(At::top(), |at, segment| match segment {
        Segment::Seq { index } => at.with(Step::Item(*index)),
        Segment::Map { key } => at.with(Step::Key(key.clone())),
        Segment::Enum { .. } | Segment::Unknown => at,
    })
}

/// A message about a name that does not exist, with the one that was probably meant.
fn hinted(message: String) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let unknown = message.starts_with("unknown field") || message.starts_with("unknown variant");
    let Some(wanted) = quoted.next().filter(|_| unknown) else { return message };
    match nearest(wanted, quoted) {
        Some(near) => format!("{message}; did you mean `{near}`?"),
        None => message,
    }
}

/// The first number that is none, or infinite.
fn not_finite(value: &toml::Value, at: &At) -> Option<(At, f64)> {
    match value {
        toml::Value::Float(x) if !x.is_finite() => Some((at.clone(), *x)),
        toml::Value::Array(list) => {
            list.iter().enumerate().find_map(|(i, value)| not_finite(value, &at.item(i)))
        }
        toml::Value::Table(table) => table.iter().find_map(|(key, value)| not_finite(value, &at.key(key))),
        _ => None,
    }
}
