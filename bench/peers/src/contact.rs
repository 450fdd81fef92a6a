//! A run of a world whose bodies touch: times, gaps, penetration, when all of it sleeps.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::Instant,
};

use anyhow::Result;
use serde::Serialize;

use crate::{
    gap,
    rapier::{Rapier, Settings},
    world::World,
};

/// Name and settings of every engine.
pub const ENGINES: [(&str, &str); 3] = [
    ("rapier-4", "sleep=true,iterations=4"),
    ("rapier-20", "sleep=true,iterations=20"),
    ("rapier-multibody", "sleep=true,iterations=4,multibody=true"),
];

#[derive(Serialize)]
pub struct Row {
    scene: String,
    engine: String,
    dt: f64,
    /// Over all steps but the first.
    mean_ns: f64,
    /// Over the steps before everything sleeps.
    mean_moving_ns: f64,
    worst_ns: f64,
    /// The same by the time that the thread had a processor.
    cpu_ns: f64,
    cpu_moving_ns: f64,
    cpu_worst_ns: f64,
    /// Greatest after any step [m]; absent if the engine lost a body.
    gap: Option<f64>,
    penetration: Option<f64>,
    /// Of the step of the greatest penetration [s].
    penetration_at_s: f64,
    /// Depth of the deepest contact after the last step [m].
    penetration_end: Option<f64>,
    /// From when on all bodies sleep [s]; absent: never.
    rest_s: Option<f64>,
    /// Share of the bodies that sleep at the end.
    asleep: f64,
    /// Greatest number of contact points.
    contacts: usize,
    bodies: usize,
    /// Simulated time [s], less than the world's if the run took too long.
    seconds: f64,
    finite: bool,
    settings: String,
}

/// What a step left behind.
struct Seen {
    depth: f64,
    contacts: usize,
    asleep: usize,
    moving: usize,
}

/// The whole run of one engine, or as much of it as `most_s` seconds of stepping allow; its first step is not timed.
pub fn run(world: &World, engine: &str, settings: String, dt: f64, seconds: f64, most_s: f64) -> Result<Row> {
    let mut rapier = Rapier::new(world, &Settings::default().set(&settings)?, dt)?;
    let steps = (seconds / dt).round() as usize;
    let (mut times, mut cpu_times, mut poses) = (Vec::new(), Vec::new(), Vec::new());
    let (mut gap, mut depth, mut depth_at) = (0.0_f64, 0.0_f64, 0.0);
    let (mut contacts, mut rest, mut finite) = (0, None, true);
    let mut seen = see(&rapier);
    let mut spent = 0.0;
    for step in 0..steps {
        let (start, cpu_start) = (Instant::now(), processor());
        // some of Rapier's joints panic where numbers are no longer finite
        let stepped = catch_unwind(AssertUnwindSafe(|| rapier.step())).is_ok();
        let took = start.elapsed().as_secs_f64();
        times.push(1e9 * took);
        cpu_times.push(processor() - cpu_start);
        spent += took;
        if !stepped || !rapier.finite() {
            finite = false;
            break;
        }
        rapier.poses(&mut poses);
        gap = gap.max(gap::greatest(world, &poses));
        seen = see(&rapier);
        if seen.depth > depth {
            (depth, depth_at) = (seen.depth, (step + 1) as f64 * dt);
        }
        contacts = contacts.max(seen.contacts);
        rest = if seen.asleep == seen.moving { rest.or(Some(step + 1)) } else { None };
        if spent > most_s {
            break;
        }
    }
    finite &= gap.is_finite() && depth.is_finite();
    let timed = times.get(1..).unwrap_or_default();
    let cpu_timed = cpu_times.get(1..).unwrap_or_default();
    let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len().max(1) as f64;
    let moving = rest.map_or(timed.len(), |rest| rest.clamp(1, timed.len()));
    Ok(Row {
        scene: world.name.clone(),
        engine: engine.to_owned(),
        dt,
        mean_ns: mean(timed),
        mean_moving_ns: mean(&timed[..moving]),
        worst_ns: timed.iter().copied().fold(0.0, f64::max),
        cpu_ns: mean(cpu_timed),
        cpu_moving_ns: mean(&cpu_timed[..moving]),
        cpu_worst_ns: cpu_timed.iter().copied().fold(0.0, f64::max),
        gap: finite.then_some(gap),
        penetration: finite.then_some(depth),
        penetration_at_s: depth_at,
        penetration_end: finite.then_some(seen.depth),
        rest_s: rest.filter(|_| finite).map(|step| step as f64 * dt),
        asleep: seen.asleep as f64 / seen.moving.max(1) as f64,
        contacts,
        bodies: seen.moving,
        seconds: times.len() as f64 * dt,
        finite,
        settings,
    })
}

/// Time that this thread had a processor [ns].
fn processor() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Contacts as Rapier found them at the start of its last step.
fn see(rapier: &Rapier) -> Seen {
    let physics = &rapier.physics;
    let points = || physics.narrow_phase.contact_pairs().flat_map(|p| p.manifolds()).flat_map(|m| &m.points);
    let worse = |most: f64, depth: f64| if depth.is_nan() { f64::INFINITY } else { most.max(depth) };
    let bodies = || rapier.bodies.iter().map(|&b| &physics.bodies[b]).filter(|body| body.is_dynamic());
    Seen {
        depth: points().map(|point| -point.dist).fold(0.0, worse),
        contacts: points().count(),
        asleep: bodies().filter(|body| body.is_sleeping()).count(),
        moving: bodies().count(),
    }
}
