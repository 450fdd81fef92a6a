use std::path::PathBuf;

/// Why a scene file cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// A file that cannot be opened or read.
    #[error("cannot read the scene file {}: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// Bytes that are no text.
    #[error("{}: not text in UTF-8 (byte {at}): save it as UTF-8", file.display())]
    NotUtf8 {
        /// The file.
        file: PathBuf,
        /// Position of the first offending byte.
        at: usize,
    },
    /// Neither JSON nor TOML by its name.
    #[error("scene files end in .json or .toml, got {}", file.display())]
    Extension {
        /// The file.
        file: PathBuf,
    },
    /// Something in it that is not as it must be.
    #[error("{}:{line}:{column}: {}{message}", file.display(), field_of(field))]
    Wrong {
        /// The file.
        file: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// The field, as `joints[3].parent`; empty where the file as a whole is meant.
        field: String,
        /// What is wrong with it, and what is expected.
        message: String,
    },
}

fn field_of(field: &str) -> String {
    if field.is_empty() { String::new() } else { format!("{field}: ") }
}

/// Why a scene cannot be printed as a file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PrintError {
    /// Something that is a program, not data.
    #[error("{what} of this scene is a program, which a file cannot have: {instead}")]
    Program {
        /// The drive, the director, the gaze, …
        what: &'static str,
        /// What to use instead.
        instead: &'static str,
    },
    /// A kind of joint that files do not know.
    #[error("constraint {name:?} is a {kind} joint, which a file cannot have: it has {known}")]
    Joint {
        /// The constraint.
        name: String,
        /// What it is called.
        kind: String,
        /// What files have.
        known: String,
    },
    /// A shape that files do not know.
    #[error("a {kind} cannot be written: a file has no such shape")]
    Shape {
        /// What it is called.
        kind: String,
    },
    /// A weight that follows from the joint's position.
    #[error(
        "a weight of articulation {articulation} is a function, which a file cannot have: use scales or matrices"
    )]
    Weight {
        /// Number of the articulation.
        articulation: usize,
    },
    /// A body that is no longer there.
    #[error("{what} is gone")]
    Gone {
        /// What it was.
        what: String,
    },
    /// A state or model that cannot be written.
    #[error("the scene cannot be written as {format}: {message}")]
    Format {
        /// JSON or TOML.
        format: &'static str,
        /// What the writer said.
        message: String,
    },
}
