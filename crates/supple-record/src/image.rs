//! Images.

use std::io::Write;
use std::path::Path;

use crate::{Draft, RecordError};

/// An image: red, green and blue of each pixel, row after row from the top (sRGB).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Pixels from left to right, and from top to bottom.
    pub size: [u32; 2],
    /// Three bytes per pixel.
    pub pixels: Vec<u8>,
}

impl Image {
    /// A black image.
    pub fn new(size: [u32; 2]) -> Self {
        Self { size, pixels: vec![0; 3 * size[0] as usize * size[1] as usize] }
    }

    /// The colour of a pixel, from the left and from the top.
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 3] {
        let first = 3 * (y as usize * self.size[0] as usize + x as usize);
        [self.pixels[first], self.pixels[first + 1], self.pixels[first + 2]]
    }

    /// Writes it as a PNG.
    pub fn write_png(&self, path: &Path) -> Result<(), RecordError> {
        let cannot = |error: std::io::Error| RecordError::write(path, error);
        let mut file = Draft::create(path).map_err(cannot)?;
        self.encode_png(&mut file).and_then(|()| file.finish()).map_err(cannot)
    }

    fn encode_png(&self, file: impl Write) -> Result<(), std::io::Error> {
        let mut encoder = png::Encoder::new(file, self.size[0], self.size[1]);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        writer.finish()?;
        Ok(())
    }
}
