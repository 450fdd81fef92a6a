//! A picture of the run: energies, and where the tip goes.

use std::fs::{self, File};
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use plotters::coord::Shift;
use plotters::prelude::*;
use supple::Simulation;

use super::measure::Meter;
use super::tip::Tip;

/// Samples along the time axis: more than pixels would not show.
const MOST_SAMPLES: u64 = 1500;
/// Size of the picture \[px].
const SIZE: (u32, u32) = (960, 760);
/// Points are drawn to a whole number of units; this many units make a pixel.
const FINE: u32 = 8;
/// Colours that can be told apart also by people who see fewer of them (Okabe and Ito).
const BLUE: RGBColor = RGBColor(0, 114, 178);
const ORANGE: RGBColor = RGBColor(230, 159, 0);
const GREEN: RGBColor = RGBColor(0, 158, 115);
const INK: RGBColor = RGBColor(40, 40, 40);

struct Sample {
    time: f64,
    /// Total, kinetic, potential \[J].
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
    /// Creates the file, to learn before the run whether it can be written.
    pub(crate) fn new(path: &Path, title: String, steps: u64, tip: Option<Tip>) -> Result<Self> {
        File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        let stride = steps.div_ceil(MOST_SAMPLES).max(1);
        Ok(Self { path: path.to_owned(), title, stride, tip, samples: Vec::new() })
    }

    /// Takes a sample if its turn has come.
    pub(crate) fn note(&mut self, simulation: &Simulation, meter: &Meter, last: bool) {
        if !simulation.state.step.is_multiple_of(self.stride) && !last {
            return;
        }
        let energy = meter.energy;
        self.samples.push(Sample {
            time: simulation.state.time,
            energies: [energy.total(), energy.kinetic, energy.potential],
            tip: self.tip.as_ref().map_or([0.0; 3], |t| t.position(&meter.kinematics).to_array()),
        });
    }

    /// Writes the file.
    pub(crate) fn draw(&self) -> Result<()> {
        let mut svg = String::new();
        self.draw_on(&mut svg).map_err(|e| anyhow!("cannot draw {}: {e}", self.path.display()))?;
        let (width, height) = SIZE;
        let fine = format!("width=\"{}\" height=\"{}\"", FINE * width, FINE * height);
        let svg = svg.replacen(&fine, &format!("width=\"{width}\" height=\"{height}\""), 1);
        fs::write(&self.path, svg).with_context(|| format!("cannot write {}", self.path.display()))
    }

    fn draw_on(&self, svg: &mut String) -> Result<(), Box<dyn std::error::Error + '_>> {
        let root = SVGBackend::with_string(svg, (FINE * SIZE.0, FINE * SIZE.1)).into_drawing_area();
        root.fill(&WHITE)?;
        let root = root.margin(FINE * 10, 0, 0, 0);
        let root = root.titled(&self.title, font(22))?;
        let (above, below) = root.split_vertically(FINE * (SIZE.1 / 2 - 20));
        let energies = ["total", "kinetic", "potential"].map(str::to_owned);
        self.panel(&above, "energy [J]", energies, [4, 2, 2], |s| s.energies)?;
        if let Some(tip) = &self.tip {
            let names = ["x", "y", "z"].map(|axis| format!("{axis} of {}", tip.body));
            self.panel(&below, "position of the tip [m]", names, [2; 3], |s| s.tip)?;
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
        widths: [u32; 3],
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
            .margin(FINE * 10)
            .margin_right(FINE * 24)
            .x_label_area_size(FINE * 42)
            .y_label_area_size(FINE * 82)
            .build_cartesian_2d(0.0..end, low - margin..high + margin)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(RGBColor(225, 225, 225).stroke_width(FINE))
            .set_all_tick_mark_size(FINE * 5)
            .axis_style(INK.stroke_width(FINE))
            .x_desc("time [s]")
            .y_desc(y_label)
            .axis_desc_style(font(16))
            .label_style(font(14))
            .y_label_formatter(&|y| tick(*y, high - low))
            .x_label_formatter(&|x| tick(*x, end))
            .draw()?;
        for (k, (name, color)) in names.iter().zip([GREEN, BLUE, ORANGE]).enumerate() {
            let style = ShapeStyle::from(color).stroke_width(widths[k] * FINE);
            let curve = self.samples.iter().map(|s| (s.time, values(s)[k])).filter(|(_, y)| y.abs() <= 1e30);
            chart
                .draw_series(LineSeries::new(curve, style))?
                .label(name.as_str())
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 22 * FINE as i32, y)], style));
        }
        chart
            .configure_series_labels()
            .position(self.emptiest_corner(low..high, end, &values))
            .margin(FINE * 10)
            .background_style(WHITE.mix(0.85))
            .border_style(RGBColor(200, 200, 200).stroke_width(FINE))
            .legend_area_size(FINE * 30)
            .label_font(font(14))
            .draw()?;
        Ok(())
    }

    /// The corner of a panel that fewest points of the curves pass through.
    fn emptiest_corner(
        &self,
        range: Range<f64>,
        end: f64,
        values: &impl Fn(&Sample) -> [f64; 3],
    ) -> SeriesLabelPosition {
        use SeriesLabelPosition::{LowerLeft, LowerRight, UpperLeft, UpperRight};
        let span = (range.end - range.start).max(1e-30);
        let inside = |left: bool, upper: bool| {
            let near = |s: &&Sample| if left { s.time < 0.22 * end } else { s.time > 0.78 * end };
            let height = |y: f64| (y - range.start) / span;
            let points = self.samples.iter().filter(near).flat_map(values);
            points.filter(|&y| if upper { height(y) > 0.7 } else { height(y) < 0.3 }).count()
        };
        let corners = [
            (UpperLeft, true, true),
            (UpperRight, false, true),
            (LowerLeft, true, false),
            (LowerRight, false, false),
        ];
        let emptiest = corners.into_iter().min_by_key(|(_, left, upper)| inside(*left, *upper));
        emptiest.map_or(UpperLeft, |(corner, ..)| corner)
    }
}

fn font(size: u32) -> TextStyle<'static> {
    ("sans-serif", FINE * size).into_font().color(&INK)
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
