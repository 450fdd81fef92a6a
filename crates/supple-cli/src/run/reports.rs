//! What every step did, one line each: how many joints were active, what an update left out, how long it took.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use supple::world::WorldReport;
use supple_record::Draft;
use supple_scenes::Stage;

use super::updates::{Size, Tally};

/// Name and value of a number in a line.
type Cell = (&'static str, String);

enum Format {
    Csv,
    JsonLines,
}

/// Writes a line per step.
pub(crate) struct Reports {
    path: PathBuf,
    file: Draft,
    format: Format,
    header: bool,
}

impl Reports {
    /// Creates the file; its extension names the format.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
        let format = match extension.as_str() {
            "csv" => Format::Csv,
            "jsonl" => Format::JsonLines,
            _ => bail!("--report {} must end in .csv or .jsonl", path.display()),
        };
        let file = Draft::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { path: path.to_owned(), file, format, header: false })
    }

    /// Writes the line of the step that was just taken.
    pub(crate) fn note(&mut self, cells: &[Cell]) -> Result<()> {
        let join =
            |part: &dyn Fn(&(&str, String)) -> String| cells.iter().map(part).collect::<Vec<_>>().join(",");
        let cannot = || format!("cannot write {}", self.path.display());
        let text = match self.format {
            Format::JsonLines => format!("{{{}}}", join(&|(name, value)| format!("\"{name}\":{value}"))),
            Format::Csv => {
                if !std::mem::replace(&mut self.header, true) {
                    writeln!(self.file, "{}", join(&|(name, _)| (*name).into())).with_context(cannot)?;
                }
                join(&|(_, value)| value.clone())
            }
        };
        writeln!(self.file, "{text}").with_context(cannot)
    }

    /// Completes the file.
    pub(crate) fn finish(self) -> Result<()> {
        self.file.finish().with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// A number as JSON has it, with as many digits as it takes to read the same bits again.
fn real(x: f64) -> String {
    if x.is_finite() { format!("{x:?}") } else { "null".into() }
}

/// Names and values of a line: step, time at its end and time that it took \[s], regions now, updates of this step, gaps, what the solver did,
/// contacts, what sleeps, where the time went.
pub(crate) fn cells(
    stage: &Stage,
    step: u64,
    report: &WorldReport,
    updates: &Tally,
    wall: Duration,
) -> Vec<Cell> {
    let size = Size::of(stage);
    let whole = |x: u64| x.to_string();
    let count = |x: usize| x.to_string();
    vec![
        ("step", whole(step)),
        ("time", real(stage.world.time())),
        ("wall_s", real(wall.as_secs_f64())),
        ("active", whole(size.active)),
        ("joints", count(stage.joints())),
        ("groups", whole(size.groups)),
        ("pieces", whole(size.pieces)),
        ("open", whole(size.open)),
        ("updates", whole(updates.updates)),
        ("transient", whole(updates.transient)),
        ("stopped", whole(updates.stopped)),
        ("force_region", whole(updates.force_region)),
        ("visited", whole(updates.visited)),
        ("acceleration", real(updates.acceleration)),
        ("acceleration_left_out", real(updates.acceleration_left_out)),
        ("velocity_left_out", real(updates.velocity_left_out)),
        ("kinetic_lost", real(updates.kinetic_lost)),
        ("look_s", real(updates.look_s)),
        ("metric_s", real(updates.metric_s)),
        ("select_s", real(updates.select_s)),
        ("choose_s", real(updates.choose_s)),
        ("rigidify_s", real(updates.rigidify_s)),
        ("gap_max", real(report.gap_max)),
        ("gap_mean", real(report.gap_mean)),
        ("angle_max", real(report.angle_max)),
        ("constraints", count(report.constraints)),
        ("islands", count(report.islands)),
        ("unsolved", count(report.unsolved)),
        ("error", real(report.error)),
        ("iterations", report.iterations.to_string()),
        ("factorizations", report.factorizations.to_string()),
        ("substeps", report.substeps.to_string()),
        ("contacts", count(report.contacts)),
        ("penetration_max", real(report.penetration_max)),
        ("contact_sweeps", report.contact_sweeps.to_string()),
        ("asleep", count(report.asleep)),
        ("awake", count(report.awake)),
        ("broad_s", real(report.times.broad)),
        ("narrow_s", real(report.times.narrow)),
        ("solve_s", real(report.times.solve)),
        ("joints_s", real(report.times.joints)),
        ("dynamics_s", real(report.times.dynamics)),
    ]
}
