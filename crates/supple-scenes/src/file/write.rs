//! A scene file as text.

use std::io;

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};

use super::{PrintError, SceneFile};

/// How a scene file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// JavaScript's.
    Json,
    /// Tom's.
    Toml,
}

impl Syntax {
    /// Its name, which is also the extension of its files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Toml => "toml",
        }
    }
}

impl SceneFile {
    /// The file as text. Numbers come back to the bit.
    pub fn to_text(&self, syntax: Syntax) -> Result<String, PrintError> {
        match syntax {
            Syntax::Json => json(self).map_err(|e| PrintError::Format { format: "JSON", message: e }),
            Syntax::Toml => toml(self).map_err(|e| PrintError::Format { format: "TOML", message: e }),
        }
    }
}

fn json(file: &SceneFile) -> Result<String, String> {
    let mut text = Vec::new();
    file.serialize(&mut Serializer::with_formatter(&mut text, Lines::default()))
        .map_err(|e| e.to_string())?;
    text.push(b'\n');
    String::from_utf8(text).map_err(|e| e.to_string())
}

/// TOML has no null: it is "none" in lists.
fn toml(file: &SceneFile) -> Result<String, String> {
    let mut value = serde_json::to_value(file).map_err(|e| e.to_string())?;
    name_nulls(&mut value);
    toml::to_string(&value).map_err(|e| e.to_string())
}

fn name_nulls(value: &mut Value) {
    match value {
        Value::Array(list) => {
            for item in list {
                if item.is_null() {
                    *item = Value::from("none");
                } else {
                    name_nulls(item);
                }
            }
        }
        Value::Object(map) => {
            map.retain(|_, item| !item.is_null());
            map.iter_mut().for_each(|(_, item)| name_nulls(item));
        }
        _ => {}
    }
}

/// Depth to which everything has a line of its own.
const DEPTH: usize = 2;

/// JSON with a line for every field of the whole and for every element of its lists and tables.
#[derive(Default)]
struct Lines {
    depth: usize,
    empty: bool,
}

impl Lines {
    fn open<W: ?Sized + io::Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.empty = true;
        writer.write_all(bracket)
    }

    fn next<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.empty = false;
        if self.depth > DEPTH {
            return if first { Ok(()) } else { writer.write_all(b", ") };
        }
        writer.write_all(if first { b"\n" } else { b",\n" })?;
        (0..self.depth).try_for_each(|_| writer.write_all(b"  "))
    }

    fn close<W: ?Sized + io::Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        if self.depth <= DEPTH && !self.empty {
            writer.write_all(b"\n")?;
            (1..self.depth).try_for_each(|_| writer.write_all(b"  "))?;
        }
        self.depth -= 1;
        self.empty = false;
        writer.write_all(bracket)
    }
}

impl Formatter for Lines {
    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"[")
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"]")
    }

    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.next(writer, first)
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"{")
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"}")
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.next(writer, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}
