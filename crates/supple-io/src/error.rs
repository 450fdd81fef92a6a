use std::path::PathBuf;

use supple::{LoadError, ModelError};

/// Why an input cannot be read. Every message names the element, the value and what to do; errors of
/// [`load`](crate::load) name the file as well.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IoError {
    /// What is wrong inside a file.
    #[error("{}: {source}", file.display())]
    InFile {
        /// The file.
        file: PathBuf,
        /// What is wrong in it.
        #[source]
        source: Box<IoError>,
    },
    /// A file that cannot be opened or read.
    #[error("cannot read the file: {source}")]
    Read {
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// A file or text larger than any model.
    #[error("{size} bytes are more than the {limit} bytes that are read: split the model")]
    TooLarge {
        /// Its size \[bytes].
        size: u64,
        /// The greatest size read \[bytes].
        limit: u64,
    },
    /// Bytes that are no text.
    #[error("not text in UTF-8 (byte {at}): save it as UTF-8")]
    NotUtf8 {
        /// Position of the first offending byte.
        at: usize,
    },
    /// Neither URDF nor MJCF nor a JSON case.
    #[error("unknown format: {found}; expected URDF (<robot>), MJCF (<mujoco>) or a JSON case")]
    UnknownFormat {
        /// What was found instead.
        found: String,
    },
    /// Text that is not well-formed.
    #[error("not well-formed {format}: {message}")]
    Syntax {
        /// "XML" or "JSON".
        format: &'static str,
        /// What the parser said, with line and column.
        message: String,
    },
    /// JSON that does not have the fields it should.
    #[error("{element}: {message}")]
    WrongShape {
        /// Where.
        element: String,
        /// What is missing or of the wrong type.
        message: String,
    },
    /// XML nested too deeply, or with too many elements.
    #[error("{what} {found} is more than the {limit} that are read")]
    TooMany {
        /// What is too many or too deep.
        what: &'static str,
        /// How many there are (at least).
        found: usize,
        /// How many are read.
        limit: usize,
    },
    /// An attribute, child element or field that must be there.
    #[error("{element} lacks {what}")]
    Missing {
        /// The element, with its name and line.
        element: String,
        /// What it lacks.
        what: String,
    },
    /// A value that means nothing here.
    #[error("{element}: {field} is {value:?}: expected {expected}")]
    BadValue {
        /// The element, with its name and line.
        element: String,
        /// The attribute or field.
        field: String,
        /// Its value.
        value: String,
        /// What would be right.
        expected: String,
    },
    /// A list of the wrong length.
    #[error("{element}: {field} has {got} numbers, needs {need}")]
    WrongLength {
        /// The element or object.
        element: String,
        /// The list.
        field: String,
        /// Its length.
        got: usize,
        /// The length needed.
        need: usize,
    },
    /// A NaN or an infinity.
    #[error("{element}: {field} must be finite, got {value}")]
    NotFinite {
        /// The element or object.
        element: String,
        /// Which number.
        field: String,
        /// Its value.
        value: f64,
    },
    /// A quaternion that is not of unit length.
    #[error("{element}: quaternion {field} has length {length}: give one of length 1, as [x, y, z, w]")]
    NotUnit {
        /// The element or object.
        element: String,
        /// The quaternion.
        field: String,
        /// Its length.
        length: f64,
    },
    /// A name that the model does not have.
    #[error("{what} {name:?} does not exist in the model{hint}")]
    UnknownName {
        /// "joint", "body", "mesh", …
        what: &'static str,
        /// The name.
        name: String,
        /// A near name, or the names there are.
        hint: String,
    },
    /// A name used twice.
    #[error("{what} {name:?} is given twice: names must be unique, rename or remove one")]
    Duplicate {
        /// "link", "joint", "key", …
        what: &'static str,
        /// The name.
        name: String,
    },
    /// Something that changes the motion and is not simulated.
    #[error("{element} changes the motion and is not supported: {advice}")]
    Unsupported {
        /// The element, with its name and line.
        element: String,
        /// Why, and what to do.
        advice: String,
    },
    /// A file that another one includes or needs.
    #[error("{element} needs {}: {message}", needed.display())]
    Needs {
        /// The element that names the file.
        element: String,
        /// The file.
        needed: PathBuf,
        /// Why it cannot be had.
        message: String,
    },
    /// All could be read, but it makes no model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A spring or an actuator that the model cannot have.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A parser this crate builds on refused what this crate accepted.
    #[error("{parser} refused the file: {message}")]
    Refused {
        /// The parser.
        parser: &'static str,
        /// What it said.
        message: String,
    },
}

impl IoError {
    /// The error without the files around it.
    pub fn root(&self) -> &Self {
        match self {
            Self::InFile { source, .. } => source.root(),
            other => other,
        }
    }

    pub(crate) fn in_file(self, file: impl Into<PathBuf>) -> Self {
        Self::InFile { file: file.into(), source: Box::new(self) }
    }
}
