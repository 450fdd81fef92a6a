use std::io;
use std::path::{Path, PathBuf};

use supple::view::CameraError;

/// Why something cannot be recorded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// A file that cannot be written.
    #[error("cannot write {path}: {error}", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A kind of video that there is not.
    #[error("{path} is no video: its name must end in .mp4, .gif or .png (numbered frames)", path = path.display())]
    Extension {
        /// The file.
        path: PathBuf,
    },
    /// A kind of video that was left out of this build.
    #[error("{path}: this build has no .mp4 (feature `mp4`), take .gif or .png", path = path.display())]
    NoMp4 {
        /// The file.
        path: PathBuf,
    },
    /// Pixels that a video cannot have.
    #[error("{kind} cannot have {width}x{height} pixels: {wanted}")]
    Size {
        /// The kind of file.
        kind: &'static str,
        /// Pixels from left to right.
        width: u32,
        /// Pixels from top to bottom.
        height: u32,
        /// What it can have.
        wanted: &'static str,
    },
    /// Frames per second that a video cannot have.
    #[error("{kind} cannot have {fps} frames per second: {wanted}")]
    Fps {
        /// The kind of file.
        kind: &'static str,
        /// Frames per second.
        fps: f64,
        /// What it can have.
        wanted: &'static str,
    },
    /// An encoder that fails.
    #[error("cannot encode frame {frame} of {path}: {reason}", path = path.display())]
    Encode {
        /// The file.
        path: PathBuf,
        /// Number of the frame, from 0.
        frame: u64,
        /// Why.
        reason: String,
    },
    /// A camera that takes no image.
    #[error(transparent)]
    Camera(#[from] CameraError),
    /// An animation that its format cannot hold.
    #[error("{path} would have {bytes} bytes, more than the 4 GiB of a .glb: record less time, or with a greater --every", path = path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// How many it would have.
        bytes: u64,
    },
}

impl RecordError {
    pub(crate) fn write(path: &Path, error: io::Error) -> Self {
        Self::Write { path: path.to_owned(), error }
    }
}
