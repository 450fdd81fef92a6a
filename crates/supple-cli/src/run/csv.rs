//! Trajectories as comma-separated values, one row per sample.

use std::io::{BufWriter, Result, Stdout, Write, stdout};
use std::path::Path;

use supple_record::Draft;

use super::layout::Layout;

pub(crate) struct Csv {
    to: To,
}

/// Where rows go.
enum To {
    File(Draft),
    Out(BufWriter<Stdout>),
}

/// The name that means stdout.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

impl Csv {
    /// Creates the file with its header; `-` is stdout.
    pub(crate) fn create(path: &Path, layout: &Layout) -> Result<Self> {
        let to = match is_stdout(path) {
            true => To::Out(BufWriter::new(stdout())),
            false => To::File(Draft::create(path)?),
        };
        let mut csv = Self { to };
        let columns: Vec<String> =
            layout.arrays.iter().flat_map(|array| &array.columns).map(|column| quoted(column)).collect();
        writeln!(csv.to(), "{}", columns.join(","))?;
        Ok(csv)
    }

    fn to(&mut self) -> &mut dyn Write {
        match &mut self.to {
            To::File(file) => file,
            To::Out(out) => out,
        }
    }

    /// Numbers are written with as many digits as it takes to read the same bits again.
    pub(crate) fn row(&mut self, row: &[f64]) -> Result<()> {
        for (i, x) in row.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            write!(self.to(), "{comma}{x:?}")?;
        }
        writeln!(self.to())
    }

    pub(crate) fn finish(self) -> Result<()> {
        match self.to {
            To::File(file) => file.finish(),
            To::Out(mut out) => out.flush(),
        }
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
