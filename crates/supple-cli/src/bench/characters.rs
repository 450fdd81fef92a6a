//! `supple bench characters`: one step of many characters at full detail, on one thread and on several.
//!
//! Redon et al. 2005, figure 1: 200 characters, 17,800 bodies, 19,000 degrees of freedom. Every character is
//! stepped for itself, so the result has the same bits for any number of threads.

use std::io::Write;

use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;
use supple::{Integrator, Simulation, State, World};
use supple_scenes::SplitMix64;

use crate::number::grouped;

use super::{report, timing};

/// Length of the step \[s].
const DT: f64 = 1.0 / 240.0;

/// One step of many detailed humanoids at full detail (89 bodies, 95 degrees of freedom each)
#[derive(Args)]
#[command(after_help = "\
Examples:
  supple bench characters
  supple bench characters --characters 200 --threads 1,2 --json")]
pub(crate) struct CharactersArgs {
    /// How many characters
    #[arg(long, value_name = "N", default_value = "200", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    characters: u64,
    /// Numbers of threads
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values = ["1", "2"],
          value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Vec<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    threads: u64,
    integrator: &'static str,
    characters: u64,
    ns: f64,
    checksum: f64,
}

pub(crate) fn bench(args: &CharactersArgs, out: &mut impl Write) -> Result<()> {
    let mut rows = Vec::new();
    for (name, integrator) in [("semi-implicit", Integrator::SemiImplicit), ("default", Integrator::Default)]
    {
        for &threads in &args.threads {
            let pool = pool(threads)?;
            let (ns, checksum) = time(args.characters, integrator, &pool)?;
            rows.push(Row { threads, integrator: name, characters: args.characters, ns, checksum });
        }
    }
    let heading =
        format!("{:>8} {:<14} {:>11} {:>14}  checksum", "threads", "integrator", "characters", "ns per step");
    let line = |r: &Row| {
        format!(
            "{:>8} {:<14} {:>11} {:>14}  {}",
            r.threads,
            r.integrator,
            grouped(r.characters),
            grouped(r.ns as u64),
            r.checksum
        )
    };
    report::print("characters", &rows, args.json, &heading, line, out)
}

pub(crate) fn pool(threads: u64) -> Result<rayon::ThreadPool> {
    let threads = usize::try_from(threads)?;
    let cannot = || format!("cannot start {threads} threads");
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().with_context(cannot)
}

/// Steps taken before the clock starts.
const WARM_UP: usize = 10;
/// Steps timed together.
const STEPS: u32 = 10;

/// Characters with one model, each in a motion of its own.
fn crowd(count: u64, integrator: Integrator) -> Result<World> {
    let mut first = supple_scenes::simulation("humanoid-detailed", &[("gravity", "9.81")])?;
    first.integrator = integrator;
    let mut crowd = World::new();
    crowd.gravity = first.gravity;
    for i in 0..count {
        let mut character = first.clone();
        let mut random = SplitMix64::new(i);
        character.state.v.iter_mut().for_each(|v| *v = random.between(-1.0, 1.0));
        crowd.add_articulation(character);
    }
    Ok(crowd)
}

fn steps(crowd: &mut World, count: usize) -> Result<()> {
    for _ in 0..count {
        crowd.step(DT)?;
    }
    Ok(())
}

fn characters(crowd: &World) -> impl Iterator<Item = &Simulation> {
    crowd.articulations().map(|(_, character)| character)
}

/// Sum of all positions and velocities, in order.
fn checksum(crowd: &World) -> f64 {
    characters(crowd).flat_map(|c| c.state.q.iter().chain(&c.state.v)).sum()
}

/// Time of one step \[ns], best of some runs of several steps, and the checksum after the last.
fn time(count: u64, integrator: Integrator, pool: &rayon::ThreadPool) -> Result<(f64, f64)> {
    let mut warm = crowd(count, integrator)?;
    pool.install(|| {
        steps(&mut warm, WARM_UP)?;
        let start: Vec<State> = characters(&warm).map(|c| c.state.clone()).collect();
        let reset = |crowd: &mut World| {
            for ((_, member), start) in crowd.articulations_mut().zip(&start) {
                member.state.clone_from(start);
            }
        };
        let mut failure = None;
        let ns = timing::best_prepared_ns(&mut warm, reset, |crowd| {
            if let Err(error) = steps(crowd, STEPS as usize) {
                failure = Some(error);
            }
        });
        match failure {
            Some(error) => Err(error),
            None => Ok((ns / f64::from(STEPS), checksum(&warm))),
        }
    })
}

#[cfg(test)]
mod tests {
    use supple::Simulation;

    use super::*;

    #[test]
    fn one_and_two_threads_give_the_same_bits() {
        for integrator in [Integrator::SemiImplicit, Integrator::Default] {
            let states = [1, 2].map(|threads| {
                let mut crowd = crowd(20, integrator).unwrap();
                let pool = pool(threads).unwrap();
                pool.install(|| steps(&mut crowd, 20)).unwrap();
                characters(&crowd).map(|c| c.state.clone()).collect::<Vec<_>>()
            });
            let bits = |states: &[State]| -> Vec<u64> {
                states.iter().flat_map(|s| s.q.iter().chain(&s.v)).map(|x| x.to_bits()).collect()
            };
            assert_eq!(bits(&states[0]), bits(&states[1]), "{integrator:?}");
        }
    }

    #[test]
    fn the_paper_s_crowd_has_17800_bodies_and_19000_degrees_of_freedom() {
        let crowd = crowd(200, Integrator::Default).unwrap();
        let count = |f: fn(&Simulation) -> usize| characters(&crowd).map(f).sum::<usize>();
        assert_eq!(count(|c| c.model.bodies().len()), 17_800);
        assert_eq!(count(|c| c.model.nv()), 19_000);
    }
}
