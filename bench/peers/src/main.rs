//! Other engines on a world of supple: time of a step and gaps of the joints, one JSON row per engine.
//!
//! ```sh
//! supple export net --out net.json
//! cargo run --release -- net.json
//! cargo run --release -- net.json --dt 1/480 --engines rapier-4 --set warmstart=true
//! supple export ragdolls-100 --out pile.json
//! cargo run --release -- pile.json --contact
//! ```

mod contact;
mod gap;
mod multibody;
mod rapier;
mod shape;
mod tree;
mod tree_joint;
mod world;

use std::{path::PathBuf, time::Instant};

use anyhow::{Result, bail, ensure};
use clap::Parser;
use rapier3d_f64::math::{Pose, Vector};
use serde::Serialize;

use crate::{
    rapier::{Rapier, Settings},
    world::World,
};

/// The last seconds of a run, in which the world has come to rest.
const REST: f64 = 0.5;

/// Name and settings of every engine.
///
/// The best takes about as long as 20 iterations, with smaller gaps: picked among some 30 settings (bench/README.md).
const ENGINES: [(&str, &str); 3] = [
    ("rapier-4", "iterations=4"),
    ("rapier-20", "iterations=20"),
    ("rapier-best", "iterations=12,pgs=6,stabilization=0"),
];

/// Runs other engines on a world written by `supple export`.
#[derive(Parser)]
struct Arguments {
    /// The world
    world: PathBuf,
    /// Which engines; all if absent
    #[arg(long, value_delimiter = ',')]
    engines: Vec<String>,
    /// Bodies touch and may sleep: rows of times, gaps, penetration and rest
    #[arg(long)]
    contact: bool,
    /// Time that a run with `--contact` may take [s]; what takes longer is cut short
    #[arg(long, value_parser = number, default_value = "300")]
    most: f64,
    /// Time step [s], also as 1/240; the world's own if absent
    #[arg(long, value_parser = number)]
    dt: Option<f64>,
    /// Simulated time [s]; the world's own if absent
    #[arg(long, value_parser = number)]
    seconds: Option<f64>,
    /// Changes settings of the engines, for trying: KEY=VALUE,KEY=VALUE
    #[arg(long, default_value = "")]
    set: String,
}

#[derive(Serialize)]
struct Row {
    scene: String,
    engine: String,
    dt: f64,
    mean_ns: f64,
    worst_ns: f64,
    /// What a 240th of a simulated second costs.
    ns_per_240th: f64,
    /// Greatest gap after any step [m]; absent if the engine lost a body.
    gap_max: Option<f64>,
    gap_rest: Option<f64>,
    /// Mean height of all mass at the end [m]: equal worlds move alike.
    height: f64,
    /// Mechanical energy at the end less that at the start [J]: what the solver damped, or pumped in.
    energy_change: f64,
    settings: String,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let world = World::read(&arguments.world)?;
    let dt = arguments.dt.unwrap_or(world.dt);
    let seconds = arguments.seconds.unwrap_or(world.seconds);
    ensure!(dt > 0.0 && seconds >= 2.0 * dt, "two steps at least: {seconds} s in steps of {dt} s");
    let known = if arguments.contact { &contact::ENGINES } else { &ENGINES };
    let all = || known.iter().map(|(name, _)| (*name).to_owned()).collect();
    let engines = if arguments.engines.is_empty() { all() } else { arguments.engines };
    for engine in &engines {
        let Some((_, own)) = known.iter().find(|(name, _)| name == engine) else {
            bail!("there is no engine {engine:?}");
        };
        let settings = [own, arguments.set.as_str()].join(",").trim_end_matches(',').to_owned();
        let row = if arguments.contact {
            let row = contact::run(&world, engine, settings, dt, seconds, arguments.most)?;
            serde_json::to_string(&row)?
        } else {
            serde_json::to_string(&run(&world, engine, settings, dt, seconds)?)?
        };
        println!("{row}");
    }
    Ok(())
}

/// The whole run of one engine; its first step is not timed.
fn run(world: &World, engine: &str, settings: String, dt: f64, seconds: f64) -> Result<Row> {
    let mut rapier = Rapier::new(world, &Settings::default().set(&settings)?, dt)?;
    let steps = (seconds / dt).round() as usize;
    let rest = steps.saturating_sub((REST / dt).round() as usize);
    let (mut sum_ns, mut worst_ns) = (0.0, 0.0_f64);
    let (mut gap_max, mut gap_rest) = (0.0_f64, 0.0_f64);
    let mut poses = Vec::new();
    let energy = rapier.energy();
    for step in 0..steps {
        let start = Instant::now();
        rapier.step();
        let ns = start.elapsed().as_nanos() as f64;
        if step > 0 {
            sum_ns += ns;
            worst_ns = worst_ns.max(ns);
        }
        rapier.poses(&mut poses);
        let gap = if rapier.finite() { gap::greatest(world, &poses) } else { f64::INFINITY };
        gap_max = gap_max.max(gap);
        if step >= rest {
            gap_rest = gap_rest.max(gap);
        }
    }
    let mean_ns = sum_ns / (steps - 1) as f64;
    Ok(Row {
        scene: world.name.clone(),
        engine: engine.to_owned(),
        dt,
        mean_ns,
        worst_ns,
        ns_per_240th: mean_ns / (240.0 * dt),
        gap_max: gap_max.is_finite().then_some(gap_max),
        gap_rest: (gap_max + gap_rest).is_finite().then_some(gap_rest),
        height: height(world, &poses),
        energy_change: rapier.energy() - energy,
        settings,
    })
}

/// Mean height of all mass that may move, against gravity [m].
fn height(world: &World, poses: &[Pose]) -> f64 {
    let up = -Vector::from(world.gravity).normalize_or_zero();
    let free = world.bodies.iter().zip(poses).filter(|(body, _)| !body.fixed);
    let (mass, moment) = free.fold((0.0, 0.0), |(mass, moment), (body, pose)| {
        (mass + body.mass, moment + body.mass * (*pose * Vector::from(body.com)).dot(up))
    });
    moment / mass
}

/// A number, or a fraction of two.
fn number(text: &str) -> Result<f64> {
    let (above, below) = text.split_once('/').unwrap_or((text, "1"));
    let value = above.trim().parse::<f64>()? / below.trim().parse::<f64>()?;
    ensure!(value.is_finite(), "{text} is no number");
    Ok(value)
}
