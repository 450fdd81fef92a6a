//! Curves over time, in panels one below the other.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use supple_record::Draft;

/// Samples along the time axis: more than pixels would not show.
pub(crate) const MOST_SAMPLES: u64 = 1500;
/// Size of the picture \[px].
const SIZE: (u32, u32) = (960, 760);
/// Points are drawn to a whole number of units; this many units make a pixel.
const FINE: u32 = 8;
/// Colours that can be told apart also by people who see fewer of them (Okabe and Ito).
const COLORS: [RGBColor; 3] = [RGBColor(0, 158, 115), RGBColor(0, 114, 178), RGBColor(230, 159, 0)];
const INK: RGBColor = RGBColor(40, 40, 40);
/// Beyond this numbers are no longer drawn, so that the last ones before an explosion do not overflow the scale.
const MOST: f64 = 1e30;

/// Some curves with one scale.
pub(crate) struct Panel {
    /// What the scale shows, with its unit.
    pub(crate) label: &'static str,
    pub(crate) curves: Vec<Curve>,
    /// Whether the scale is one of powers; numbers that are not positive are then left out.
    pub(crate) powers: bool,
}

/// One curve: times \[s] and values.
pub(crate) struct Curve {
    pub(crate) name: String,
    pub(crate) width: u32,
    pub(crate) points: Vec<(f64, f64)>,
}

/// A file that a picture will be drawn to.
pub(crate) struct Canvas {
    path: PathBuf,
    file: Draft,
}

impl Canvas {
    /// Begins the file, to learn before the run whether it can be written.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let file = Draft::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Writes the picture.
    pub(crate) fn draw(self, title: &str, panels: &[Panel]) -> Result<()> {
        let Self { path, mut file } = self;
        let mut svg = String::new();
        draw_on(&mut svg, title, panels).map_err(|e| anyhow!("cannot draw {}: {e}", path.display()))?;
        let (width, height) = SIZE;
        let fine = format!("width=\"{}\" height=\"{}\"", FINE * width, FINE * height);
        let svg = svg.replacen(&fine, &format!("width=\"{width}\" height=\"{height}\""), 1);
        let written = file.write_all(svg.as_bytes()).and_then(|()| file.finish());
        written.with_context(|| format!("cannot write {}", path.display()))
    }
}

/// Whether the name is that of a file that can be drawn.
pub(crate) fn check(path: &Path) -> Result<()> {
    if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("svg")) {
        bail!("--plot {} must end in .svg", path.display());
    }
    Ok(())
}

/// Steps between samples of a run.
pub(crate) fn stride(steps: u64) -> u64 {
    steps.div_ceil(MOST_SAMPLES).max(1)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn<'a> = Result<(), Box<dyn std::error::Error + 'a>>;

fn draw_on<'a>(svg: &'a mut String, title: &'a str, panels: &'a [Panel]) -> Drawn<'a> {
    let root = SVGBackend::with_string(svg, (FINE * SIZE.0, FINE * SIZE.1)).into_drawing_area();
    root.fill(&WHITE)?;
    let root = root.margin(FINE * 10, 0, 0, 0);
    let root = root.titled(title, font(22))?;
    let (above, below) = root.split_vertically(FINE * (SIZE.1 / 2 - 20));
    for (panel, area) in panels.iter().zip([above, below]) {
        let (low, high) = panel.range();
        let scale = Scale { end: panel.end(), low, high };
        if panel.powers {
            let range = (low / 2.0..high * 2.0).log_scale();
            panel.draw(&area, range, &scale, &|y| format!("{y:.0e}"))?;
        } else {
            let margin = (0.06 * (high - low)).max(1e-3 * high.abs().max(low.abs())).max(1e-9);
            panel.draw(&area, low - margin..high + margin, &scale, &|y| tick(*y, high - low))?;
        }
    }
    root.present()?;
    Ok(())
}

/// The ends of both axes.
struct Scale {
    end: f64,
    low: f64,
    high: f64,
}

impl Panel {
    fn draw<'a, Y>(
        &self,
        area: &Area<'a>,
        range: Y,
        scale: &Scale,
        label: &dyn Fn(&f64) -> String,
    ) -> Drawn<'a>
    where
        Y: AsRangedCoord<Value = f64>,
        Y::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        let end = scale.end;
        let mut chart = ChartBuilder::on(area)
            .margin(FINE * 10)
            .margin_right(FINE * 24)
            .x_label_area_size(FINE * 42)
            .y_label_area_size(FINE * 82)
            .build_cartesian_2d::<std::ops::Range<f64>, Y>(0.0..end, range)?;
        let _: &Cartesian2d<RangedCoordf64, Y::CoordDescType> = chart.as_coord_spec();
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(RGBColor(225, 225, 225).stroke_width(FINE))
            .set_all_tick_mark_size(FINE * 5)
            .axis_style(INK.stroke_width(FINE))
            .x_desc("time [s]")
            .y_desc(self.label)
            .axis_desc_style(font(16))
            .label_style(font(14))
            .y_label_formatter(&|y| label(y))
            .x_label_formatter(&|x| tick(*x, end))
            .draw()?;
        for (curve, color) in self.curves.iter().zip(COLORS.iter().cycle()) {
            let style = ShapeStyle::from(color).stroke_width(curve.width * FINE);
            let points = curve.points.iter().copied().filter(|(_, y)| self.shown(*y));
            chart
                .draw_series(LineSeries::new(points, style))?
                .label(curve.name.as_str())
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 22 * FINE as i32, y)], style));
        }
        chart
            .configure_series_labels()
            .position(self.emptiest_corner(scale))
            .margin(FINE * 10)
            .background_style(WHITE.mix(0.85))
            .border_style(RGBColor(200, 200, 200).stroke_width(FINE))
            .legend_area_size(FINE * 30)
            .label_font(font(14))
            .draw()?;
        Ok(())
    }

    /// Whether a value can be drawn.
    fn shown(&self, y: f64) -> bool {
        y.abs() <= MOST && (!self.powers || y > 0.0)
    }

    fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        self.curves.iter().flat_map(|c| c.points.iter().copied()).filter(|(_, y)| self.shown(*y))
    }

    /// Least and greatest value.
    fn range(&self) -> (f64, f64) {
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = self.points().fold(ends, |(a, b), (_, y)| (a.min(y), b.max(y)));
        match (low <= high, self.powers) {
            (true, _) => (low, high),
            (false, true) => (1e-12, 1.0),
            (false, false) => (0.0, 0.0),
        }
    }

    /// The last time.
    fn end(&self) -> f64 {
        let last = self.curves.iter().filter_map(|c| c.points.last()).map(|(t, _)| *t);
        last.fold(1e-9, f64::max)
    }

    /// The corner that fewest points of the curves pass through.
    fn emptiest_corner(&self, scale: &Scale) -> SeriesLabelPosition {
        use SeriesLabelPosition::{LowerLeft, LowerRight, UpperLeft, UpperRight};
        let of = |y: f64| if self.powers { y.ln() } else { y };
        let (low, high) = (of(scale.low), of(scale.high));
        let span = (high - low).max(1e-30);
        let inside = |left: bool, upper: bool| {
            let near = |t: f64| if left { t < 0.22 * scale.end } else { t > 0.78 * scale.end };
            let height = |y: f64| (of(y) - low) / span;
            let points = self.points().filter(|(t, _)| near(*t));
            points.filter(|&(_, y)| if upper { height(y) > 0.7 } else { height(y) < 0.3 }).count()
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
