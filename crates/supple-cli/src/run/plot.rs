//! A picture of the run: energies, and where the tip goes.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use plotters::coord::Shift;
use plotters::prelude::*;
use supple::Simulation;

use super::measure::Meter;
use super::tip::Tip;

/// Samples along the time axis: more than pixels would not show.
const MOST_SAMPLES: u64 = 1500;
const SIZE: (u32, u32) = (960, 760);
/// Colours that can be told apart also by people who see fewer of them (Okabe and Ito).
const BLUE: RGBColor = RGBColor(0, 114, 178);
const ORANGE: RGBColor = RGBColor(230, 159, 0);
const GREEN: RGBColor = RGBColor(0, 158, 115);
const INK: RGBColor = RGBColor(40, 40, 40);

struct Sample {
    time: f64,
    /// Kinetic, potential, total \[J].
    energies: [f64; 3],
    /// Position of the tip \[m].
    tip: [f64; 3],
}

/// Collects samples, then draws them.
pub(crate) struct Plot {
    path: PathBuf,
    title: String,
    stride: u64,
    tip: Option<Tip>,
    samples: Vec<Sample>,
}

/// Whether the file is one that can be drawn.
pub(crate) fn check(path: &Path) -> Result<()> {
    if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("svg")) {
        bail!("--plot {} must end in .svg", path.display());
    }
    Ok(())
}

impl Plot {
    pub(crate) fn new(path: &Path, title: String, steps: u64, tip: Option<Tip>) -> Self {
        let stride = steps.div_ceil(MOST_SAMPLES).max(1);
        Self { path: path.to_owned(), title, stride, tip, samples: Vec::new() }
    }

    /// Takes a sample if its turn has come.
    pub(crate) fn note(&mut self, simulation: &Simulation, meter: &Meter, last: bool) {
        if !simulation.state.step.is_multiple_of(self.stride) && !last {
            return;
        }
        let energy = meter.energy;
        self.samples.push(Sample {
            time: simulation.state.time,
            energies: [energy.kinetic, energy.potential, energy.total()],
            tip: self.tip.as_ref().map_or([0.0; 3], |t| t.position(&meter.kinematics).to_array()),
        });
    }

    /// Writes the file.
    pub(crate) fn draw(&self) -> Result<()> {
        let mut svg = String::new();
        self.draw_on(&mut svg).map_err(|e| anyhow!("cannot draw {}: {e}", self.path.display()))?;
        std::fs::write(&self.path, svg).map_err(|e| anyhow!("cannot write {}: {e}", self.path.display()))
    }

    fn draw_on(&self, svg: &mut String) -> Result<(), Box<dyn std::error::Error + '_>> {
        let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let root = root.titled(&self.title, ("sans-serif", 22).into_font().color(&INK))?;
        let (above, below) = root.split_vertically(SIZE.1 / 2);
        let energies = ["kinetic", "potential", "total"].map(str::to_owned);
        self.panel(&above, "energy [J]", energies, |s| s.energies)?;
        if let Some(tip) = &self.tip {
            let names = ["x", "y", "z"].map(|axis| format!("{axis} of {}", tip.body));
            self.panel(&below, "position of the tip [m]", names, |s| s.tip)?;
        }
        root.present()?;
        Ok(())
    }

    /// Three curves over time.
    fn panel(
        &self,
        area: &DrawingArea<SVGBackend<'_>, Shift>,
        y_label: &str,
        names: [String; 3],
        values: impl Fn(&Sample) -> [f64; 3],
    ) -> Result<(), Box<dyn std::error::Error + '_>> {
        let points = self.samples.iter().flat_map(&values).filter(|y| y.is_finite());
        let (low, high) = points.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), y| (a.min(y), b.max(y)));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 0.0) };
        // bounded, so that the last numbers before an explosion do not overflow the scale
        let (low, high) = (low.max(-1e30), high.min(1e30));
        let margin = (0.06 * (high - low)).max(1e-3 * high.abs().max(low.abs())).max(1e-9);
        let end = self.samples.last().map_or(0.0, |s| s.time).max(1e-9);

        let mut chart = ChartBuilder::on(area)
            .margin(10)
            .margin_right(24)
            .x_label_area_size(42)
            .y_label_area_size(82)
            .build_cartesian_2d(0.0..end, low - margin..high + margin)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(RGBColor(225, 225, 225))
            .axis_style(INK)
            .x_desc("time [s]")
            .y_desc(y_label)
            .axis_desc_style(("sans-serif", 16).into_font().color(&INK))
            .label_style(("sans-serif", 14).into_font().color(&INK))
            .y_label_formatter(&|y| tick(*y, high - low))
            .x_label_formatter(&|x| tick(*x, end))
            .draw()?;
        for (k, (name, color)) in names.iter().zip([BLUE, ORANGE, GREEN]).enumerate() {
            let style = ShapeStyle::from(color).stroke_width(2);
            let curve = self.samples.iter().map(|s| (s.time, values(s)[k])).filter(|(_, y)| y.abs() <= 1e30);
            chart
                .draw_series(LineSeries::new(curve, style))?
                .label(name.as_str())
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], style));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .margin(10)
            .background_style(WHITE.mix(0.85))
            .border_style(RGBColor(200, 200, 200))
            .label_font(("sans-serif", 14).into_font().color(&INK))
            .draw()?;
        Ok(())
    }
}

/// A number at an axis with this span: no more digits than it needs.
fn tick(x: f64, span: f64) -> String {
    let x = if x.abs() < 1e-9 * span { 0.0 } else { x };
    if x.abs() >= 1e6 || (span < 1e-3 && x != 0.0) {
        return format!("{x:.2e}");
    }
    let decimals = (2.0 - span.max(1e-12).log10()).ceil().clamp(0.0, 6.0) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
