//! The trajectory file, written while the motion goes on.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::csv::{Csv, is_stdout};
use super::layout::Layout;
use super::npz::Npz;

enum Format {
    Csv(Csv),
    Npz(Npz),
}

/// Writes rows of numbers.
pub(crate) struct Recorder {
    path: PathBuf,
    format: Format,
    rows: u64,
}

impl Recorder {
    /// Creates the file; its extension names the format.
    pub(crate) fn create(path: &Path, layout: Layout) -> Result<Self> {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
        let cannot = || format!("cannot write {}", path.display());
        let format = match extension.as_str() {
            _ if is_stdout(path) => Format::Csv(Csv::create(path, &layout).with_context(cannot)?),
            "csv" => Format::Csv(Csv::create(path, &layout).with_context(cannot)?),
            "npz" => Format::Npz(Npz::create(path, layout).with_context(cannot)?),
            _ => bail!("--out {} must end in .csv, .npz or .glb, or be - for CSV on stdout", path.display()),
        };
        Ok(Self { path: path.to_owned(), format, rows: 0 })
    }

    /// Writes one row, as wide as the layout.
    pub(crate) fn row(&mut self, row: &[f64]) -> Result<()> {
        let written = match &mut self.format {
            Format::Csv(csv) => csv.row(row),
            Format::Npz(npz) => npz.row(row),
        };
        written.with_context(|| format!("cannot write {}", self.path.display()))?;
        self.rows += 1;
        Ok(())
    }

    /// Completes the file; tells how many rows it has.
    pub(crate) fn finish(self) -> Result<u64> {
        let written = match self.format {
            Format::Csv(csv) => csv.finish(),
            Format::Npz(npz) => npz.finish(),
        };
        written.with_context(|| format!("cannot write {}", self.path.display()))?;
        Ok(self.rows)
    }
}
