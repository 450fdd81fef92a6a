//! `supple bench figure6`: the paper's figure 6, which joints settle a chain on a spring.
//!
//! A chain of 50 links hangs down; the end of one link is tied to a point by a spring and a damper. With five joints, how
//! near does it come to the pose of least energy? Once with the five joints that stand highest in the assembly tree,
//! then with five chosen anew every 20 steps by each rule. The pose of least energy is found by another way
//! ([`super::hanging`]), since the full chain swings on for long.

use std::collections::VecDeque;
use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use glam::DVec2;
use serde::Serialize;
use supple::detail::{AssemblyTree, Detail, Keep, Rule, Target};
use supple::{Integrator, JointId, Simulation};

use crate::detail_names::MetricName;
use crate::number::{grouped, real, short};
use crate::progress::progress;
use crate::run::integrator;

use super::hanging::Hanging;
use super::report;

/// Length of a step \[s], and steps from one update to the next.
const DT: f64 = 4e-3;
const UPDATE_EVERY: u32 = 20;

/// Figure 6 of Redon et al. 2005: how near five joints bring a chain on a spring to its equilibrium
#[derive(Args)]
#[command(after_help = "\
Examples:
  supple bench figure6
  supple bench figure6 --attach 15,30,41 --json")]
pub(crate) struct Figure6Args {
    /// Links whose ends are tied, one after the other
    #[arg(long, value_name = "LINK,…", value_delimiter = ',', default_values = ["30"],
          value_parser = clap::value_parser!(u64).range(1..=50))]
    attach: Vec<u64>,
    /// Active joints
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u64).range(1..=50))]
    active: u64,
    /// Simulated time in s
    #[arg(long, value_name = "S", default_value = "24", value_parser = real)]
    seconds: f64,
    /// How steps are taken
    #[arg(long, value_name = "I", default_value = "default",
          value_parser = PossibleValuesParser::new(Integrator::ALL.map(|(name, _)| name)))]
    integrator: String,
    /// How updates know what joints would do
    #[arg(long, value_name = "M", default_value = "auto")]
    metric: MetricName,
    /// Also tell where the links end, here and in equilibrium, and the RMS distance every 20 steps
    #[arg(long)]
    shapes: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    rule: &'static str,
    active: u64,
    attach: u64,
    /// Distance of the ends of all links from equilibrium \[m].
    rms: f64,
    max: f64,
    /// Potential energy above the least \[J].
    energy: f64,
    /// Whether this is what one gets without asking.
    default: bool,
    /// Greatest speed of a joint at the end \[rad/s].
    speed: f64,
    /// Mean time of a step \[ns].
    ns: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    shape: Option<Vec<[f64; 2]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    equilibrium: Option<Vec<[f64; 2]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<Vec<f64>>,
}

/// What is compared: the fixed choice, and the rules.
const RULES: [(&str, Option<Rule>); 4] = [
    ("breadth-first", None),
    ("tree", Some(Rule::Tree)),
    ("free", Some(Rule::Free)),
    ("split", Some(Rule::Split)),
];

pub(crate) fn bench(args: &Figure6Args, out: &mut impl Write) -> Result<()> {
    if !(args.seconds > 0.0 && args.seconds <= 1e5) {
        bail!("--seconds must be positive and at most 1e5, got {} s", args.seconds);
    }
    let how = integrator(&args.integrator, None)?;
    let mut bar = progress((args.attach.len() * RULES.len()) as u64);
    let mut rows = Vec::new();
    for &attach in &args.attach {
        let chain = chain(attach);
        let least = chain.minimum();
        for (name, rule) in RULES {
            let mut simulation =
                supple_scenes::simulation("pendulum-50-spring", &[("attach", &attach.to_string())])?;
            simulation.integrator = how;
            let detail = match rule {
                Some(rule) => Detail { rule, ..Detail::joints(args.active as usize) },
                None => top_joints(&simulation, args.active as usize),
            };
            let metric = args.metric.metric();
            simulation.set_detail(Detail { update_every: UPDATE_EVERY, metric, ..detail })?;
            let steps = (args.seconds / DT).round() as u64;
            let (mut clock, mut history) = (Duration::ZERO, Vec::new());
            for step in 0..steps {
                if step.is_multiple_of(u64::from(UPDATE_EVERY)) {
                    history.push(Distance::new(&chain, &least, &simulation).rms());
                }
                let start = Instant::now();
                simulation.step(DT)?;
                clock += start.elapsed();
            }
            let row = row((name, rule), args, attach, &chain, &least, &simulation);
            let ns = clock.as_secs_f64() * 1e9 / steps.max(1) as f64;
            rows.push(Row { ns, history: args.shapes.then_some(history), ..row });
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    let heading = format!(
        "{:<15} {:>6} {:>6} {:>9} {:>9} {:>9} {:>14} {:>8} {:>9}",
        "rule", "active", "attach", "RMS [m]", "max [m]", "E [J]", "speed [rad/s]", "nearer", "ns/step"
    );
    let fixed = |r: &Row| rows.iter().find(|f| f.rule == "breadth-first" && f.attach == r.attach);
    let line = |r: &Row| {
        format!(
            "{:<15} {:>6} {:>6} {:>9} {:>9} {:>9} {:>14} {:>8} {:>9}",
            if r.default { format!("{} (default)", r.rule) } else { r.rule.to_owned() },
            r.active,
            r.attach,
            short(r.rms),
            short(r.max),
            short(r.energy),
            short(r.speed),
            fixed(r).map_or("-".into(), |f| short(f.rms / r.rms)),
            grouped(r.ns as u64),
        )
    };
    report::print("figure6", &rows, args.json, &heading, line, out)
}

/// The chain of theory, section 13.2, as the minimiser knows it.
fn chain(attach: u64) -> Hanging {
    Hanging {
        links: 50,
        length: 0.1,
        weight: 0.981,
        attach: attach as usize,
        stiffness: 200.0,
        anchor: DVec2::new(2.25, -1.25),
    }
}

/// Only the joints that stand highest in the assembly tree, breadth first, are ever active.
fn top_joints(simulation: &Simulation, count: usize) -> Detail {
    let assembly = AssemblyTree::build(simulation.model.tree());
    let mut queue: VecDeque<_> = assembly.root().into_iter().collect();
    let mut top: Vec<JointId> = Vec::new();
    while let Some(node) = queue.pop_front().filter(|_| top.len() < count) {
        let node = assembly.node(node);
        top.extend(node.joint().map(|link| simulation.model.tree().links[link.index()].id));
        queue.extend(node.children().into_iter().flatten());
    }
    let moving = (0..simulation.model.joints().len()).map(JointId::new);
    let keep = moving
        .filter(|joint| simulation.model.joints()[joint.index()].link.is_some())
        .map(|joint| (joint, if top.contains(&joint) { Keep::Active } else { Keep::Rigid }))
        .collect();
    Detail { target: Target::Joints(count), keep, ..Detail::default() }
}

/// How far the chain is from equilibrium.
struct Distance {
    angles: Vec<f64>,
    here: Vec<DVec2>,
    there: Vec<DVec2>,
}

impl Distance {
    fn new(chain: &Hanging, least: &[f64], simulation: &Simulation) -> Self {
        // joint angles are relative to the link before
        let along = |angle: &mut f64, q: &f64| {
            *angle += q;
            Some(*angle)
        };
        let angles: Vec<f64> = simulation.state.q.iter().scan(0.0, along).collect();
        Self { here: chain.ends(&angles), there: chain.ends(least), angles }
    }

    /// Of the ends of all links, one by one \[m].
    fn each(&self) -> impl Iterator<Item = f64> {
        self.here.iter().zip(&self.there).map(|(a, b)| a.distance(*b))
    }

    fn rms(&self) -> f64 {
        (self.each().map(|d| d * d).sum::<f64>() / self.here.len() as f64).sqrt()
    }
}

fn row(
    (name, rule): (&'static str, Option<Rule>),
    args: &Figure6Args,
    attach: u64,
    chain: &Hanging,
    least: &[f64],
    simulation: &Simulation,
) -> Row {
    let distance = Distance::new(chain, least, simulation);
    let points = |ends: &[DVec2]| args.shapes.then(|| ends.iter().map(|p| p.to_array()).collect());
    Row {
        rule: name,
        active: args.active,
        attach,
        rms: distance.rms(),
        max: distance.each().fold(0.0, f64::max),
        energy: chain.energy(&distance.angles) - chain.energy(least),
        default: rule == Some(Detail::default().rule),
        speed: simulation.state.v.iter().fold(0.0, |m, v| m.max(v.abs())),
        ns: f64::NAN,
        shape: points(&distance.here),
        equilibrium: points(&distance.there),
        history: None,
    }
}
