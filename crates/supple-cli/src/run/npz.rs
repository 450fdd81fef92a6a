//! Trajectories as NumPy arrays: `numpy.load` gives the arrays of the layout, as `time`, `q`, `v`, and names, as `q_names`.
//!
//! An array tells its length before its numbers, and each array stands in one piece; so rows go to a file without a name
//! while the motion goes on, and into the archive at the end (also at an end that was not planned).

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Result, Seek, SeekFrom, Write};
use std::path::Path;

use supple_record::{Draft, scratch_beside};
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

use super::layout::Layout;

pub(crate) struct Npz {
    target: Draft,
    /// Rows so far, as they come: little-endian, `width` numbers each.
    rows: BufWriter<File>,
    count: u64,
    layout: Layout,
}

impl Npz {
    /// Creates both files.
    pub(crate) fn create(path: &Path, layout: Layout) -> Result<Self> {
        // the target is tried now: better no run than a run without its trajectory
        let target = Draft::create(path)?;
        let rows = BufWriter::new(scratch_beside(path)?);
        Ok(Self { target, rows, count: 0, layout })
    }

    pub(crate) fn row(&mut self, row: &[f64]) -> Result<()> {
        for x in row {
            self.rows.write_all(&x.to_le_bytes())?;
        }
        self.count += 1;
        Ok(())
    }

    /// Packs the rows into the archive.
    pub(crate) fn finish(self) -> Result<()> {
        let mut rows = self.rows.into_inner()?;
        let width = self.layout.width();
        let mut archive = ZipWriter::new(self.target);
        let mut first = 0;
        for array in &self.layout.arrays {
            let inner: String = array.shape.iter().map(|n| format!(" {n},")).collect();
            let shape = format!("({},{inner})", self.count);
            begin(&mut archive, array.name, "<f8", &shape)?;
            let range = 8 * first..8 * (first + array.columns.len());
            first += array.columns.len();
            rows.seek(SeekFrom::Start(0))?;
            let mut reader = BufReader::with_capacity(1 << 16, &mut rows);
            let mut row = vec![0; 8 * width];
            for _ in 0..self.count {
                reader.read_exact(&mut row)?;
                archive.write_all(&row[range.clone()])?;
            }
        }
        for (name, names) in &self.layout.names {
            write_names(&mut archive, name, names)?;
        }
        archive.finish()?.finish()
    }
}

type Archive = ZipWriter<Draft>;

/// Begins an array: a file of the archive with NumPy's header (format version 1.0).
fn begin(archive: &mut Archive, name: &str, dtype: &str, shape: &str) -> Result<()> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(true);
    archive.start_file(format!("{name}.npy"), options)?;
    let mut header = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}");
    // magic, version and length take 10 bytes; numbers begin at a multiple of 64
    let padding = (64 - (10 + header.len() + 1) % 64) % 64;
    header.push_str(&" ".repeat(padding));
    header.push('\n');
    archive.write_all(b"\x93NUMPY\x01\x00")?;
    let length = u16::try_from(header.len()).map_err(std::io::Error::other)?;
    archive.write_all(&length.to_le_bytes())?;
    archive.write_all(header.as_bytes())
}

/// Names as an array of Unicode strings, all as long as the longest.
fn write_names(archive: &mut Archive, name: &str, names: &[String]) -> Result<()> {
    let longest = names.iter().map(|n| n.chars().count()).max().unwrap_or(0).max(1);
    begin(archive, name, &format!("<U{longest}"), &format!("({},)", names.len()))?;
    for name in names {
        let padded = name.chars().map(u32::from).chain(std::iter::repeat(0)).take(longest);
        for character in padded {
            archive.write_all(&character.to_le_bytes())?;
        }
    }
    Ok(())
}
