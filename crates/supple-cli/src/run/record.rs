//! The trajectory file, written while the motion goes on.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use supple::{Energy, Model, State};

use super::csv::Csv;
use super::npz::Npz;

enum Format {
    Csv(Csv),
    Npz(Npz),
}

/// Writes rows of time, q, v and energies.
pub(crate) struct Recorder {
    path: PathBuf,
    format: Format,
    rows: u64,
    row: Vec<f64>,
}

impl Recorder {
    /// Creates the file; its extension names the format.
    pub(crate) fn create(path: &Path, model: &Model) -> Result<Self> {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
        let cannot = || format!("cannot write {}", path.display());
        let format = match extension.as_str() {
            "csv" => Format::Csv(Csv::create(path, model).with_context(cannot)?),
            "npz" => Format::Npz(Npz::create(path, model).with_context(cannot)?),
            _ => bail!("--out {} must end in .csv or .npz", path.display()),
        };
        Ok(Self { path: path.to_owned(), format, rows: 0, row: Vec::new() })
    }

    /// Writes one row.
    pub(crate) fn row(&mut self, state: &State, energy: Energy) -> Result<()> {
        self.row.clear();
        self.row.push(state.time);
        self.row.extend(&state.q);
        self.row.extend(&state.v);
        self.row.extend([energy.kinetic, energy.potential, energy.total()]);
        let written = match &mut self.format {
            Format::Csv(csv) => csv.row(&self.row),
            Format::Npz(npz) => npz.row(&self.row),
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
