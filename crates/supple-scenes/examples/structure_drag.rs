//! What is left open of Faure's dragged structure (1998, figure 5) against the products of conjugate gradients per frame, for one, two
//! and three linearizations. Prints a table (CSV) and draws it:
//!
//! ```text
//! cargo run --release -p supple-scenes --example structure_drag -- docs/structure-drag.svg
//! ```

use std::error::Error;

use plotters::prelude::*;
use supple_scenes::world_stage;

/// Products per linearization.
const INNER: [u32; 9] = [2, 3, 5, 8, 12, 20, 30, 50, 80];
/// Frames while the tracker moves.
const FRAMES: u32 = 60;
/// Colours that can be told apart also by people who see fewer of them (Okabe and Ito).
const COLOURS: [RGBColor; 3] = [RGBColor(0, 114, 178), RGBColor(230, 159, 0), RGBColor(0, 158, 115)];

/// Mean over the frames of the greatest gap of a joint \[m].
fn gap(outer: u32, inner: u32) -> Result<f64, Box<dyn Error>> {
    let mut stage =
        world_stage("structure-drag", &[("outer", &outer.to_string()), ("inner", &inner.to_string())])?;
    let mut sum = 0.0;
    for _ in 0..FRAMES {
        sum += stage.step(stage.dt)?.gap_max;
    }
    Ok(sum / f64::from(FRAMES))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut curves = Vec::new();
    println!("outer,inner,gap");
    for outer in 1..=3 {
        let mut curve = Vec::new();
        for inner in INNER {
            let gap = gap(outer, inner)?;
            println!("{outer},{inner},{gap:.3e}");
            curve.push((f64::from(outer * inner), gap.log10()));
        }
        curves.push(curve);
    }
    let Some(path) = std::env::args().nth(1) else { return Ok(()) };
    let area = SVGBackend::new(&path, (800, 480)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption("56 solids, 261 rows, dragged: what is left open", ("sans-serif", 20))
        .margin(15)
        .x_label_area_size(45)
        .y_label_area_size(70)
        .build_cartesian_2d((1.5..260.0).log_scale(), -10.0..-1.0)?;
    chart
        .configure_mesh()
        .x_desc("products of conjugate gradients per frame")
        .y_desc("greatest gap, mean over frames [m]")
        .y_label_formatter(&|y| format!("1e{y:.0}"))
        .draw()?;
    for (i, (curve, colour)) in curves.into_iter().zip(COLOURS).enumerate() {
        let style = colour.stroke_width(2);
        chart.draw_series(curve.iter().map(|at| Circle::new(*at, 4, colour.filled())))?;
        let name = format!("{} × inner", i + 1);
        let legend = move |(x, y)| PathElement::new(vec![(x, y), (x + 20, y)], style);
        chart.draw_series(LineSeries::new(curve, style))?.label(name).legend(legend);
    }
    let place = SeriesLabelPosition::LowerLeft;
    chart.configure_series_labels().position(place).background_style(WHITE).border_style(BLACK).draw()?;
    area.present()?;
    Ok(())
}
