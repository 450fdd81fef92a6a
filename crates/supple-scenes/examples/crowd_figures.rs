//! What 50,000 people take: time to build them, bytes, and time of a step with a budget, with a viewer, and at full detail.
//!
//! ```text
//! cargo run --release -p supple-scenes --example crowd_figures
//! ```

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use supple::Simulation;
use supple::detail::Detail;
use supple::view::Viewer;
use supple_scenes::{Stage, stage};

const PEOPLE: usize = 50_000;
const DT: f64 = 1.0 / 60.0;

/// Bytes that this process has in memory, where Linux tells.
fn resident() -> f64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    4096.0 * pages.split(' ').nth(1).and_then(|n| n.parse::<f64>().ok()).unwrap_or(f64::NAN)
}

/// Steps, and tells of some of them.
fn run(show: &mut Stage, steps: u32, looked_at: bool, what: &str) -> Result<(), Box<dyn Error>> {
    for i in 0..steps {
        let clock = Instant::now();
        if looked_at {
            let cameras = show.gaze_or_framed().cameras(f64::from(i) * DT);
            show.world.set_viewer(Some(Arc::new(Viewer::new(cameras)?)))?;
        }
        show.step(DT)?;
        if i % 10 < 2 {
            let (took, stepped) = (clock.elapsed(), show.world.stepped().len());
            println!("step {i} {what}: {took:.1?}, {stepped} stepped, {} active", show.active());
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let (before, clock) = (resident(), Instant::now());
    let each = |before: f64| (resident() - before) / PEOPLE as f64;
    let mut show = stage("crowd-50000", &[])?;
    println!("built in {:.2?}: {:.0} bytes per person", clock.elapsed(), each(before));
    println!("a Simulation itself has {} bytes", size_of::<Simulation>());
    run(&mut show, 2, false, "with a budget")?;
    run(&mut show, 60, true, "with a viewer")?;
    show.world.set_viewer(None)?;
    println!("with groups: {:.0} bytes per person", each(before));
    show.set_detail(&Detail::default())?;
    run(&mut show, 2, false, "at full detail")
}
