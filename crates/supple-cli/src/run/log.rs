//! Where samples of a motion go.

use std::time::Duration;

use anyhow::Result;
use supple::world::WorldReport;
use supple_scenes::Stage;

use super::film::{Film, Filmed};
use super::motion::Measured;
use super::plot::Plot;
use super::reports::{self, Reports};
use super::trajectory::Trajectory;
use super::updates::Tally;

/// Where samples of a motion go.
pub(crate) struct Log {
    pub(crate) trajectory: Option<Trajectory>,
    pub(crate) plot: Option<Plot>,
    pub(crate) reports: Option<Reports>,
    pub(crate) film: Option<Film>,
    pub(crate) every: u64,
    /// The step written last.
    pub(crate) written: Option<u64>,
}

/// What was written.
pub(crate) struct Logged {
    /// Rows of the trajectory, or samples of the animation.
    pub(crate) rows: Option<u64>,
    pub(crate) filmed: Filmed,
}

impl Log {
    /// What is being filmed.
    pub(crate) fn filmed(&self) -> String {
        self.film.as_ref().map(Film::written).unwrap_or_default()
    }

    /// Notes the present state if its turn has come, or if it is the `last`.
    pub(crate) fn note(&mut self, stage: &Stage, step: u64, measured: &Measured, last: bool) -> Result<()> {
        if let Some(film) = &mut self.film {
            film.note(step, stage, last)?;
        }
        if let Some(plot) = &mut self.plot {
            plot.note(stage, step, measured, last);
        }
        let due = (step.is_multiple_of(self.every) || last) && self.written != Some(step);
        if let Some(trajectory) = self.trajectory.as_mut().filter(|_| due) {
            trajectory.row(&stage.world, measured)?;
            self.written = Some(step);
        }
        Ok(())
    }

    /// Writes what a step did.
    pub(crate) fn report(
        &mut self,
        stage: &Stage,
        step: u64,
        report: &WorldReport,
        updates: &Tally,
        took: Duration,
    ) -> Result<()> {
        match &mut self.reports {
            Some(reports) => reports.note(&reports::cells(stage, step, report, updates, took)),
            None => Ok(()),
        }
    }

    /// Completes the files.
    pub(crate) fn finish(self) -> Result<Logged> {
        let rows = self.trajectory.map(Trajectory::finish).transpose()?;
        let filmed = self.film.map(Film::finish).transpose()?.unwrap_or_default();
        if let Some(plot) = self.plot {
            plot.draw()?;
        }
        self.reports.map_or(Ok(()), Reports::finish)?;
        Ok(Logged { rows: rows.or(filmed.samples), filmed })
    }
}
