//! `supple bench impulses`: what an impulse on a body costs, by the number of bodies of its articulation that are pushed.
//!
//! One visit reads the velocity of a port and pushes it. Single bodies answer from two tensors; few ports from blocks between all of
//! them; many by impulses deferred along the ways between them; and all could answer by one response of the whole articulation each.

use std::hint::black_box;
use std::io::Write;

use anyhow::Result;
use clap::Args;
use glam::{DQuat, DVec3};
use serde::Serialize;
use supple::constraint::Side;
use supple::dynamics::deferred::Deferred;
use supple::dynamics::kinematics::Kinematics;
use supple::dynamics::port::Port;
use supple::dynamics::response::Response;
use supple::dynamics::response_blocks::ResponseBlocks;
use supple::spatial::Sym3;
use supple::{Force, Motion, Simulation};
use supple_scenes::simulation;

use super::report;
use super::timing::best_ns;

/// Sweeps over all ports per factorization, for the sums.
const SWEEPS: f64 = 10.0;
/// Pairs of single bodies: enough not to stay in registers.
const PAIRS: usize = 256;

/// What an impulse costs: on single bodies, on few and on many bodies of an articulation
#[derive(Args)]
#[command(after_help = "\
Examples:
  supple bench impulses
  supple bench impulses --ports 2,8,32 --json")]
pub(crate) struct ImpulsesArgs {
    /// How many bodies are pushed
    #[arg(long, value_name = "K,…", value_delimiter = ',', default_values_t = [1, 2, 4, 8, 12, 24, 48],
          value_parser = clap::value_parser!(u64).range(1..=10_000))]
    ports: Vec<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    scene: &'static str,
    ports: u64,
    /// One visit to a pair of single bodies, or to a port by blocks, or deferred \[ns].
    visit_single_pair: Option<f64>,
    visit_blocks: Option<f64>,
    visit_deferred: Option<f64>,
    /// The same with what it takes before and after ten sweeps, per visit \[ns].
    all_blocks: Option<f64>,
    all_deferred: Option<f64>,
    /// A response of the whole articulation per visit \[ns].
    response: Option<f64>,
}

pub(crate) fn bench(args: &ImpulsesArgs, out: &mut impl Write) -> Result<()> {
    let mut rows = vec![Row {
        scene: "single bodies",
        ports: 2,
        visit_single_pair: Some(single_pair()),
        visit_blocks: None,
        visit_deferred: None,
        all_blocks: None,
        all_deferred: None,
        response: None,
    }];
    for (scene, settings) in [("humanoid", &[][..]), ("pendulum", &[("links", "300")][..])] {
        let body = simulation(scene, settings)?;
        rows.extend(args.ports.iter().map(|k| articulation(scene, &body, *k)));
    }
    let heading = format!(
        "{:<16} {:>6} {:>12} {:>10} {:>10} {:>14} {:>14} {:>10}",
        "scene", "ports", "single pair", "blocks", "deferred", "blocks, all", "deferred, all", "response"
    );
    let ns = |x: Option<f64>| x.map_or("-".into(), |x| format!("{x:.1}"));
    let line = |r: &Row| {
        format!(
            "{:<16} {:>6} {:>12} {:>10} {:>10} {:>14} {:>14} {:>10}",
            r.scene,
            r.ports,
            ns(r.visit_single_pair),
            ns(r.visit_blocks),
            ns(r.visit_deferred),
            ns(r.all_blocks),
            ns(r.all_deferred),
            ns(r.response)
        )
    };
    report::print("impulses [ns]", &rows, args.json, &heading, line, out)
}

/// An impulse between two single bodies at a point: relative velocity there, and both velocities after it \[ns].
fn single_pair() -> f64 {
    let side = |i: usize| Side {
        position: DVec3::X * i as f64,
        rotation: DQuat::IDENTITY,
        velocity: DVec3::Y * 0.1,
        omega: DVec3::Z * 0.2,
        inverse_mass: 0.5,
        inverse_inertia: Sym3::diagonal(DVec3::new(1.0, 2.0, 3.0)),
    };
    let mut sides: Vec<Side> = (0..2 * PAIRS).map(side).collect();
    let arms = [DVec3::new(0.3, 0.1, 0.0), DVec3::new(-0.3, 0.0, 0.2)];
    let sweep = best_ns(|| {
        for pair in sides.chunks_exact_mut(2) {
            let velocity = |i: usize| pair[i].velocity + pair[i].omega.cross(arms[i]);
            let impulse = (velocity(1) - velocity(0)) * 0.1;
            for (i, sign) in [1.0, -1.0].into_iter().enumerate() {
                pair[i] = pair[i].pushed(impulse * sign, arms[i]);
            }
        }
        black_box(&mut sides);
    });
    sweep / PAIRS as f64
}

fn articulation(scene: &'static str, body: &Simulation, k: u64) -> Row {
    let tree = body.model.tree();
    let mut kinematics = Kinematics::default();
    kinematics.update(tree, &body.state.q, &body.state.v);
    let mut response = Response::default();
    response.factor(tree, &kinematics, body.model.armature());
    let links = tree.links.len() as u64;
    let ports: Vec<Port> =
        (0..k).map(|i| Port::Link(((i + 1) * links / k).saturating_sub(1) as u32)).collect();
    let force = Force::new(DVec3::new(0.1, 0.2, -0.3), DVec3::new(0.5, 0.3, 0.1)) * 1e-3;
    let mut dv = vec![0.0; body.model.nv()];
    let impulses = vec![force; ports.len()];
    let spread = best_ns(|| response.apply_ports(tree, &kinematics, &ports, &impulses, &mut dv));

    let mut blocks = ResponseBlocks::default();
    let update = best_ns(|| blocks.update(&response, tree, &kinematics, &ports));
    let mut velocities = vec![Motion::ZERO; ports.len()];
    let sweep_blocks = best_ns(|| {
        for i in 0..ports.len() {
            let push = force * (1.0 - 1e-3 * velocities[i].linear.x);
            blocks.push(i, push, &mut velocities);
        }
        velocities.fill(Motion::ZERO);
        black_box(&mut velocities);
    });

    let mut deferred = Deferred::default();
    let begin = best_ns(|| deferred.begin(&response, tree, &kinematics, &ports));
    let sweep_deferred = best_ns(|| {
        for i in 0..deferred.len() {
            let port = deferred.order()[i] as usize;
            let velocity = deferred.velocity_at(port);
            deferred.push(port, force * (1.0 - 1e-3 * velocity.linear.x));
        }
    });
    deferred.restart();

    let visits = k as f64;
    let per_visit = |before: f64, sweep: f64| (before + SWEEPS * sweep + spread) / (SWEEPS * visits);
    Row {
        scene,
        ports: k,
        visit_single_pair: None,
        visit_blocks: Some(sweep_blocks / visits),
        visit_deferred: Some(sweep_deferred / visits),
        all_blocks: Some(per_visit(update, sweep_blocks)),
        all_deferred: Some(per_visit(begin, sweep_deferred)),
        response: Some(best_ns(|| {
            response.apply(tree, &kinematics, black_box(&[(0, force)]), &[], &mut dv);
        })),
    }
}
