//! Trajectories as comma-separated values, one row per sample.

use std::io::{Result, Write};
use std::path::Path;

use supple_record::Draft;

use super::layout::Layout;

pub(crate) struct Csv {
    file: Draft,
}

impl Csv {
    /// Creates the file with its header.
    pub(crate) fn create(path: &Path, layout: &Layout) -> Result<Self> {
        let mut file = Draft::create(path)?;
        let columns: Vec<String> =
            layout.arrays.iter().flat_map(|array| &array.columns).map(|column| quoted(column)).collect();
        writeln!(file, "{}", columns.join(","))?;
        Ok(Self { file })
    }

    /// Numbers are written with as many digits as it takes to read the same bits again.
    pub(crate) fn row(&mut self, row: &[f64]) -> Result<()> {
        for (i, x) in row.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            write!(self.file, "{comma}{x:?}")?;
        }
        writeln!(self.file)
    }

    pub(crate) fn finish(self) -> Result<()> {
        self.file.finish()
    }
}

/// A name as RFC 4180 wants it.
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.into()
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn odd_names_are_quoted() {
        assert_eq!(quoted("q.elbow"), "q.elbow");
        assert_eq!(quoted("a,b"), "\"a,b\"");
        assert_eq!(quoted("say \"hi\""), "\"say \"\"hi\"\"\"");
    }
}
