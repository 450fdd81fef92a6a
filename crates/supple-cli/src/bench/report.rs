//! The one shape that all benchmarks print.

use std::io::Write;

use anyhow::Result;
use serde::Serialize;

use super::machine::machine;

#[derive(Serialize)]
struct Report<'a, R> {
    bench: &'a str,
    machine: String,
    rows: &'a [R],
}

/// Prints rows as JSON, or as lines with a heading.
pub(crate) fn print<R: Serialize>(
    bench: &str,
    rows: &[R],
    json: bool,
    heading: &str,
    line: impl Fn(&R) -> String,
    out: &mut impl Write,
) -> Result<()> {
    let report = Report { bench, machine: machine(), rows };
    if json {
        serde_json::to_writer(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(());
    }
    writeln!(out, "{bench} on {}", report.machine)?;
    writeln!(out, "{heading}")?;
    for row in rows {
        writeln!(out, "{}", line(row))?;
    }
    Ok(())
}
