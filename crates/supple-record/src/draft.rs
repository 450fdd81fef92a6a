//! Files that take their place when they are whole.

use std::fs::{self, File};
use std::io::{BufWriter, Error, ErrorKind, Result, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file in the making. It stands beside the one that it will be, under a name of its own, and takes that one's place when it is whole: until then
/// an older file is what it was, and what is dropped unfinished leaves nothing behind.
///
/// What is no plain file, as a pipe or a terminal, is written straight.
///
/// ```
/// # use std::io::Write;
/// # use supple_record::Draft;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("motion.csv");
/// let mut draft = Draft::create(&path)?;
/// writeln!(draft, "time,q")?;
/// assert!(!path.exists());
/// draft.finish()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "time,q\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Draft {
    place: Place,
}

#[derive(Debug)]
enum Place {
    Beside { file: BufWriter<NamedTempFile>, target: PathBuf },
    Straight(BufWriter<File>),
}

impl Draft {
    /// Begins a file; fails if one could not be written there.
    pub fn create(path: &Path) -> Result<Self> {
        let place = match beside(path)? {
            Some((file, target)) => Place::Beside { file: BufWriter::new(file), target },
            None => Place::Straight(BufWriter::new(File::create(path)?)),
        };
        Ok(Self { place })
    }

    /// Puts the file in its place.
    pub fn finish(self) -> Result<()> {
        match self.place {
            Place::Straight(mut file) => file.flush(),
            Place::Beside { file, target } => {
                let file = file.into_inner().map_err(|error| error.into_error())?;
                if let Ok(older) = fs::metadata(&target) {
                    file.as_file().set_permissions(older.permissions())?;
                }
                file.persist(&target).map(drop).map_err(|error| error.error)
            }
        }
    }

    fn file(&mut self) -> &mut dyn WriteSeek {
        match &mut self.place {
            Place::Beside { file, .. } => file,
            Place::Straight(file) => file,
        }
    }
}

trait WriteSeek: Write + Seek {}
impl<T: Write + Seek> WriteSeek for T {}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> Result<()> {
        self.file().flush()
    }
}

impl Seek for Draft {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        self.file().seek(to)
    }
}

/// A new file in the folder of this one, and the file whose place it is to take; none where it must be written straight.
fn beside(path: &Path) -> Result<Option<(NamedTempFile, PathBuf)>> {
    let target = match (fs::symlink_metadata(path), fs::canonicalize(path)) {
        (Ok(here), Ok(end)) if here.is_symlink() => end,
        (Ok(here), Err(_)) if here.is_symlink() => return Ok(None),
        _ => path.to_owned(),
    };
    match fs::metadata(&target) {
        Ok(older) if older.is_file() => drop(File::options().write(true).open(&target)?),
        Ok(older) if older.is_dir() => return Err(Error::new(ErrorKind::IsADirectory, "it is a folder")),
        Ok(_) => return Ok(None),
        Err(_) => {}
    }
    let folder = folder(&target);
    if !folder.is_dir() {
        let missing = format!("there is no folder {}", folder.display());
        return Err(Error::new(ErrorKind::NotFound, missing));
    }
    match builder().tempfile_in(folder) {
        Ok(file) => Ok(Some((file, target))),
        // a file may be open to us in a folder that is not
        Err(error) if error.kind() == ErrorKind::PermissionDenied && target.exists() => Ok(None),
        // without the name of the file beside, which nobody asked for
        Err(error) => Err(error.raw_os_error().map_or(error, Error::from_raw_os_error)),
    }
}

/// A file without a name, in the folder of this one: gone with the last that has it open, whatever ends it.
pub fn scratch_beside(path: &Path) -> Result<File> {
    tempfile::tempfile_in(folder(path))
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".supple-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // as for any other new file: what the user's mask leaves
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let name = |entry: Result<fs::DirEntry>| entry.unwrap().file_name().to_string_lossy().into_owned();
        fs::read_dir(folder).unwrap().map(name).collect()
    }

    #[test]
    fn an_older_file_stays_until_the_new_one_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        fs::write(&path, "old").unwrap();
        let mut draft = Draft::create(&path).unwrap();
        draft.write_all(b"new").unwrap();
        draft.flush().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        drop(draft);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(folder.path()), ["a.csv"]);
        let mut draft = Draft::create(&path).unwrap();
        draft.write_all(b"new").unwrap();
        draft.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(folder.path()), ["a.csv"]);
    }

    #[test]
    fn what_cannot_be_written_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let told = |path: &str| Draft::create(&folder.path().join(path)).unwrap_err().to_string();
        assert!(told("no/such/a.csv").contains("there is no folder"), "{}", told("no/such/a.csv"));
        assert!(told("").contains("folder"), "{}", told(""));
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a.csv"), folder.path().join("link.csv"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        let mut draft = Draft::create(&link).unwrap();
        draft.write_all(b"new").unwrap();
        draft.finish().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_written_straight() {
        let mut draft = Draft::create(Path::new("/dev/null")).unwrap();
        draft.write_all(b"gone").unwrap();
        draft.finish().unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
