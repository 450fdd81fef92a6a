//! GIF: 256 colours per frame, and times in hundredths of a second.

use std::path::{Path, PathBuf};

use gif::{Encoder, Frame, Repeat};

use super::Sink;
use crate::{Draft, Image, RecordError};

/// What browsers still show as fast as it says.
const FASTEST: f64 = 50.0;
/// How roughly palettes are chosen, from 1 (finest) to 30.
const ROUGHNESS: i32 = 12;

/// Writes an animation that begins again at its end.
pub(crate) struct Gif {
    path: PathBuf,
    encoder: Encoder<Draft>,
    fps: f64,
    count: u64,
}

impl Gif {
    pub(crate) fn create(path: &Path, [width, height]: [u32; 2], fps: f64) -> Result<Self, RecordError> {
        if fps > FASTEST {
            return Err(RecordError::Fps {
                kind: "a .gif",
                fps,
                wanted: "50 at most, take --fps 50 or an .mp4",
            });
        }
        let file = Draft::create(path).map_err(|error| RecordError::write(path, error))?;
        let wrong = |error| encoding(path, 0, &error);
        // sizes were checked: they fit
        let mut encoder = Encoder::new(file, width as u16, height as u16, &[]).map_err(wrong)?;
        encoder.set_repeat(Repeat::Infinite).map_err(wrong)?;
        Ok(Self { path: path.to_owned(), encoder, fps, count: 0 })
    }
}

fn encoding(path: &Path, frame: u64, error: &gif::EncodingError) -> RecordError {
    RecordError::Encode { path: path.to_owned(), frame, reason: error.to_string() }
}

/// When a frame begins, in hundredths of a second.
fn begins(frame: u64, fps: f64) -> u64 {
    (frame as f64 * 100.0 / fps).round() as u64
}

impl Sink for Gif {
    fn frame(&mut self, image: &Image) -> Result<(), RecordError> {
        let [width, height] = image.size;
        let mut frame = Frame::from_rgb_speed(width as u16, height as u16, &image.pixels, ROUGHNESS);
        let delay = begins(self.count + 1, self.fps) - begins(self.count, self.fps);
        frame.delay = delay.clamp(2, u64::from(u16::MAX)) as u16;
        self.encoder.write_frame(&frame).map_err(|error| encoding(&self.path, self.count, &error))?;
        self.count += 1;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<u64, RecordError> {
        let file = self.encoder.into_inner().map_err(|error| encoding(&self.path, self.count, &error))?;
        file.finish().map_err(|error| RecordError::write(&self.path, error))?;
        Ok(self.count)
    }
}
