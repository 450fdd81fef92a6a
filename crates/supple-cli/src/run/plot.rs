//! A picture of the run: energies, and how well joints hold, or where the tip goes.

use std::path::Path;

use anyhow::Result;
use supple::Energy;
use supple_scenes::Stage;

use super::chart::{self, Canvas, Curve, Panel};
use super::motion::Measured;
use super::tip::Tip;

struct Sample {
    measured: Measured,
    /// Position of the tip \[m].
    tip: [f64; 3],
}

/// Collects samples, then draws them.
pub(crate) struct Plot {
    canvas: Canvas,
    title: String,
    stride: u64,
    /// What is followed where no joint can open.
    tip: Option<Tip>,
    /// Whether joints can open.
    joined: bool,
    samples: Vec<Sample>,
    /// Greatest gap since the last sample \[m].
    gap: f64,
}

impl Plot {
    /// Creates the file.
    pub(crate) fn new(path: &Path, title: String, steps: u64, stage: &Stage) -> Result<Self> {
        let canvas = Canvas::create(path)?;
        let joined = stage.world.constraints().next().is_some();
        let tip = if joined { None } else { Tip::find(stage) };
        Ok(Self { canvas, title, stride: chart::stride(steps), tip, joined, samples: Vec::new(), gap: 0.0 })
    }

    /// Takes a sample if its turn has come; of gaps the greatest between samples counts.
    pub(crate) fn note(&mut self, stage: &Stage, step: u64, measured: &Measured, last: bool) {
        self.gap = self.gap.max(measured.gap_max);
        if !step.is_multiple_of(self.stride) && !last {
            return;
        }
        let gap_max = std::mem::take(&mut self.gap);
        let tip = self.tip.as_ref().and_then(|tip| tip.position(stage));
        self.samples.push(Sample {
            measured: Measured { gap_max, ..*measured },
            tip: tip.unwrap_or_default().to_array(),
        });
    }

    /// Writes the file.
    pub(crate) fn draw(self) -> Result<()> {
        let curve = |name: String, width: u32, of: &dyn Fn(&Sample) -> f64| Curve {
            name,
            width,
            points: self.samples.iter().map(|sample| (sample.measured.time, of(sample))).collect(),
        };
        let energy = |name: &str, width: u32, of: fn(&Energy) -> f64| {
            curve(name.to_owned(), width, &|sample| of(&sample.measured.energy))
        };
        let energies = vec![
            energy("total", 4, Energy::total),
            energy("kinetic", 2, |e| e.kinetic),
            energy("potential", 2, |e| e.potential),
        ];
        let mut panels = vec![Panel { label: "energy [J]", curves: energies, powers: false }];
        if self.joined {
            let gaps = vec![
                curve("greatest".to_owned(), 3, &|sample| sample.measured.gap_max),
                curve("mean".to_owned(), 2, &|sample| sample.measured.gap_mean),
            ];
            panels.push(Panel { label: "gap of joints [m]", curves: gaps, powers: true });
        }
        if let Some(tip) = &self.tip {
            let axes = ["x", "y", "z"].into_iter().enumerate();
            let curves = axes.map(|(k, axis)| curve(format!("{axis} of {}", tip.body), 2, &|s| s.tip[k]));
            panels.push(Panel { label: "position of the tip [m]", curves: curves.collect(), powers: false });
        }
        self.canvas.draw(&self.title, &panels)
    }
}
