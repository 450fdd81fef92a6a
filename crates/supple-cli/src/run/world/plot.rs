//! A picture of a world's run: energies, and how well joints hold.

use std::path::Path;

use anyhow::Result;
use supple::world::World;

use crate::run::chart::{self, Canvas, Curve, Panel};
use crate::run::plot::energies;

use super::Measured;

/// Collects samples, then draws them.
pub(crate) struct Plot {
    canvas: Canvas,
    title: String,
    stride: u64,
    samples: Vec<(f64, Measured)>,
    /// Greatest gap since the last sample \[m].
    gap: f64,
}

impl Plot {
    /// Creates the file.
    pub(crate) fn new(path: &Path, title: String, steps: u64) -> Result<Self> {
        let canvas = Canvas::create(path)?;
        Ok(Self { canvas, title, stride: chart::stride(steps), samples: Vec::new(), gap: 0.0 })
    }

    /// Takes a sample if its turn has come; of gaps the greatest between samples counts.
    pub(crate) fn note(&mut self, world: &World, step: u64, measured: &Measured, last: bool) {
        self.gap = self.gap.max(measured.gap_max);
        if step.is_multiple_of(self.stride) || last {
            let gap_max = std::mem::take(&mut self.gap);
            self.samples.push((world.time(), Measured { gap_max, ..*measured }));
        }
    }

    /// Writes the file.
    pub(crate) fn draw(self) -> Result<()> {
        let curve = |name: &str, width: u32, of: fn(&Measured) -> f64| Curve {
            name: name.to_owned(),
            width,
            points: self.samples.iter().map(|(time, measured)| (*time, of(measured))).collect(),
        };
        let curves = vec![curve("greatest", 3, |m| m.gap_max), curve("mean", 2, |m| m.gap_mean)];
        let panels = [
            energies(self.samples.iter().map(|(time, measured)| (*time, measured.energy))),
            Panel { label: "gap of joints [m]", curves, powers: true },
        ];
        self.canvas.draw(&self.title, &panels)
    }
}
