//! A picture of the run: energies, and where the tip goes.

use std::path::Path;

use anyhow::Result;
use supple::{Energy, Simulation};

use super::chart::{self, Canvas, Curve, Panel};
use super::measure::Meter;
use super::tip::Tip;

struct Sample {
    time: f64,
    energy: Energy,
    /// Position of the tip \[m].
    tip: [f64; 3],
}

/// Collects samples, then draws them.
pub(crate) struct Plot {
    canvas: Canvas,
    title: String,
    stride: u64,
    tip: Option<Tip>,
    samples: Vec<Sample>,
}

impl Plot {
    /// Creates the file.
    pub(crate) fn new(path: &Path, title: String, steps: u64, tip: Option<Tip>) -> Result<Self> {
        let canvas = Canvas::create(path)?;
        Ok(Self { canvas, title, stride: chart::stride(steps), tip, samples: Vec::new() })
    }

    /// Takes a sample if its turn has come.
    pub(crate) fn note(&mut self, simulation: &Simulation, meter: &Meter, last: bool) {
        if !simulation.state.step.is_multiple_of(self.stride) && !last {
            return;
        }
        self.samples.push(Sample {
            time: simulation.state.time,
            energy: meter.energy,
            tip: self.tip.as_ref().map_or([0.0; 3], |t| t.position(&meter.kinematics).to_array()),
        });
    }

    /// Writes the file.
    pub(crate) fn draw(self) -> Result<()> {
        let mut panels = vec![energies(self.samples.iter().map(|s| (s.time, s.energy)))];
        if let Some(tip) = &self.tip {
            let curve = |(k, axis): (usize, &str)| Curve {
                name: format!("{axis} of {}", tip.body),
                width: 2,
                points: self.samples.iter().map(|s| (s.time, s.tip[k])).collect(),
            };
            let curves = ["x", "y", "z"].into_iter().enumerate().map(curve).collect();
            panels.push(Panel { label: "position of the tip [m]", curves, powers: false });
        }
        self.canvas.draw(&self.title, &panels)
    }
}

/// Total, kinetic and potential energy over time.
pub(crate) fn energies(samples: impl Iterator<Item = (f64, Energy)> + Clone) -> Panel {
    let curve = |name: &str, width: u32, of: fn(&Energy) -> f64| Curve {
        name: name.to_owned(),
        width,
        points: samples.clone().map(|(time, energy)| (time, of(&energy))).collect(),
    };
    let curves = vec![
        curve("total", 4, Energy::total),
        curve("kinetic", 2, |e| e.kinetic),
        curve("potential", 2, |e| e.potential),
    ];
    Panel { label: "energy [J]", curves, powers: false }
}
