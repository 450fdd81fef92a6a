//! Numbered images: `frames.png` becomes `frames_0001.png` and so on, `f%05d.png` becomes `f00001.png`.

use std::path::{Path, PathBuf};

use super::Sink;
use crate::{Image, RecordError};

/// Digits of numbers where the name does not say.
const DIGITS: usize = 4;

/// Writes every frame to a file of its own.
pub(crate) struct Frames {
    folder: PathBuf,
    before: String,
    digits: usize,
    after: String,
    count: u64,
}

impl Frames {
    pub(crate) fn create(path: &Path) -> Result<Self, RecordError> {
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        if !folder.as_os_str().is_empty() && !folder.is_dir() {
            return Err(RecordError::write(path, std::io::ErrorKind::NotFound.into()));
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let (before, digits, after) = pattern(&name);
        Ok(Self { folder, before, digits, after, count: 0 })
    }
}

/// What stands before and after the number, and how many digits it has.
fn pattern(name: &str) -> (String, usize, String) {
    if let Some((before, rest)) = name.split_once('%')
        && let Some((digits, after)) = rest.split_once('d')
        && let Ok(digits) = if digits.is_empty() { Ok(1) } else { digits.parse() }
    {
        return (before.to_owned(), std::cmp::min(digits, 20), after.to_owned());
    }
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    (format!("{stem}_"), DIGITS, name[stem.len()..].to_owned())
}

impl Sink for Frames {
    fn frame(&mut self, image: &Image) -> Result<(), RecordError> {
        self.count += 1;
        let Self { before, digits, after, count, .. } = self;
        image.write_png(&self.folder.join(format!("{before}{count:0digits$}{after}", digits = *digits)))
    }

    fn finish(self: Box<Self>) -> Result<u64, RecordError> {
        Ok(self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::pattern;

    #[test]
    fn numbers_stand_where_the_name_says() {
        let of = |name| pattern(name);
        assert_eq!(of("frames.png"), ("frames_".into(), 4, ".png".into()));
        assert_eq!(of("f%05d.png"), ("f".into(), 5, ".png".into()));
        assert_eq!(of("100%.png"), ("100%_".into(), 4, ".png".into()));
    }
}
