//! Videos: frames in, a file out.

mod frames;
mod gif;
#[cfg(feature = "mp4")]
mod mp4;

use std::path::Path;

use crate::{Image, RecordError};

/// Most frames per second.
const FASTEST: f64 = 240.0;

/// Takes frames and makes a file of them.
pub trait Sink: Send {
    /// The next frame, of the size that was said at the start.
    fn frame(&mut self, image: &Image) -> Result<(), RecordError>;

    /// Completes the file; tells how many frames it has.
    fn finish(self: Box<Self>) -> Result<u64, RecordError>;
}

/// Begins a video with so many pixels and frames per second; the extension names the format: `.mp4`, `.gif`, or `.png` for numbered frames.
///
/// ```
/// # use supple_record::{Image, create};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("black.gif");
/// let mut video = create(&path, [64, 48], 25.0)?;
/// video.frame(&Image::new([64, 48]))?;
/// assert_eq!(video.finish()?, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn create(path: &Path, size: [u32; 2], fps: f64) -> Result<Box<dyn Sink>, RecordError> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
    let [width, height] = size;
    if width == 0 || height == 0 || width > 16_384 || height > 16_384 {
        let wanted = "from 1 to 16384 each way";
        return Err(RecordError::Size { kind: "a video", width, height, wanted });
    }
    if !(fps > 0.0 && fps <= FASTEST) {
        return Err(RecordError::Fps { kind: "a video", fps, wanted: "more than 0, and 240 at most" });
    }
    match extension.as_str() {
        "gif" => Ok(Box::new(gif::Gif::create(path, size, fps)?)),
        "png" => Ok(Box::new(frames::Frames::create(path)?)),
        #[cfg(feature = "mp4")]
        "mp4" => Ok(Box::new(mp4::Mp4::create(path, size, fps)?)),
        #[cfg(not(feature = "mp4"))]
        "mp4" => Err(RecordError::NoMp4 { path: path.to_owned() }),
        _ => Err(RecordError::Extension { path: path.to_owned() }),
    }
}
