//! What many random worlds measured, against bars: quantiles, and who is beyond.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Worlds that panicked, in the engine or in a test's assertion.
const BROKEN: &str = "panicked";

/// Numbers by what they measure, each with the seed of its world.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    found: BTreeMap<&'static str, Vec<(f64, u64)>>,
    counts: BTreeMap<&'static str, u64>,
}

/// What a number may be at most, and in how many worlds of a million it may be more.
#[derive(Clone, Copy, Debug)]
pub struct Bar {
    /// What is measured.
    pub what: &'static str,
    /// At most.
    pub most: f64,
    /// Worlds beyond it per million.
    pub beyond: f64,
}

/// A bar for every world.
pub const fn bar(what: &'static str, most: f64) -> Bar {
    Bar { what, most, beyond: 0.0 }
}

/// A bar that so many worlds of a thousand are still beyond: what is to come down. A repair lowers it; nothing may raise it.
pub const fn not_yet(what: &'static str, most: f64, beyond_of_1000: f64) -> Bar {
    Bar { what, most, beyond: 1e3 * beyond_of_1000 }
}

impl Survey {
    /// A world measured this; the greatest of a world counts, so call it once per world.
    pub fn note(&mut self, what: &'static str, value: f64, seed: u64) {
        self.found.entry(what).or_default().push((value, seed));
    }

    /// Something happened so often.
    pub fn count(&mut self, what: &'static str, times: u64) {
        *self.counts.entry(what).or_default() += times;
    }

    /// In how many worlds it was measured.
    pub fn measured(&self, what: &str) -> u64 {
        self.found.get(what).map_or(0, |values| values.len() as u64)
    }

    /// How often it happened.
    pub fn counted(&self, what: &str) -> u64 {
        self.counts.get(what).copied().unwrap_or(0)
    }

    /// Both together.
    pub fn and(mut self, other: Self) -> Self {
        for (what, values) in other.found {
            self.found.entry(what).or_default().extend(values);
        }
        for (what, times) in other.counts {
            self.count(what, times);
        }
        self
    }

    /// Prints a table of quantiles; fails if more worlds are beyond a bar than may be, and names the first of them and the worst.
    pub fn check(mut self, bars: &[Bar]) {
        println!("{:?}", self.counts);
        println!(
            "{:<44} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9}  (worst seed)  beyond the bar",
            "", "worlds", "50 %", "90 %", "99 %", "99.9 %", "100 %"
        );
        let mut wrong = Vec::new();
        for (what, values) in &mut self.found {
            // a NaN is the worst of all
            values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let at = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
            let quantiles = [0.5, 0.9, 0.99, 0.999, 1.0].map(|share| format!("{:>9.1e}", at(share).0));
            let row = format!("{what:<44} {:>8} {}  ({})", values.len(), quantiles.join(" "), at(1.0).1);
            let broken = bar(BROKEN, 0.0);
            let Some(bar) = bars.iter().chain([&broken]).find(|bar| bar.what == *what) else {
                println!("{row}");
                continue;
            };
            let mut beyond: Vec<(f64, u64)> =
                values.iter().filter(|(value, _)| !(*value <= bar.most)).copied().collect();
            println!("{row}  {} beyond {:.0e}", beyond.len(), bar.most);
            if beyond.len() as f64 > bar.beyond * 1e-6 * values.len() as f64 {
                let (count, worst) = (beyond.len(), beyond[beyond.len() - 1]);
                beyond.sort_unstable_by_key(|(_, seed)| *seed);
                let first: Vec<String> =
                    beyond.iter().take(12).map(|(x, seed)| format!("{seed}: {x:.1e}")).collect();
                wrong.push(format!(
                    "{what}: {count} of {} worlds beyond {:.1e}, the worst {}: {:.1e}, the first {}",
                    values.len(),
                    bar.most,
                    worst.1,
                    worst.0,
                    first.join(", ")
                ));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

/// Whether more is to be told of every world: `SUPPLE_VERBOSE`.
pub fn verbose() -> bool {
    std::env::var("SUPPLE_VERBOSE").is_ok()
}

/// A number from the environment.
pub fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}

/// The seeds to try: `SUPPLE_WORLDS` of them, from `SUPPLE_FIRST` on, and these in any case.
fn seeds(count: u64, always: &[u64]) -> Vec<u64> {
    let (count, first) = (number("SUPPLE_WORLDS", count), number("SUPPLE_FIRST", 0));
    (first..first + count).chain(always.iter().copied()).collect()
}

/// One world; if it panics the others are not hidden.
fn try_one(seed: u64, world: impl FnOnce(u64) -> Survey) -> Survey {
    if verbose() {
        eprintln!("world {seed}");
    }
    catch_unwind(AssertUnwindSafe(|| world(seed))).unwrap_or_else(|_| {
        let mut survey = Survey::default();
        survey.note(BROKEN, 1.0, seed);
        survey
    })
}

/// Surveys worlds by their seeds, in parallel.
pub fn survey(count: u64, always: &[u64], world: impl Fn(u64) -> Survey + Sync) -> Survey {
    use rayon::prelude::*;
    seeds(count, always).par_iter().map(|seed| try_one(*seed, &world)).reduce(Survey::default, Survey::and)
}

/// The same on threads of their own, each with something made once: worlds that choose their threads themselves.
pub fn survey_with<T>(
    count: u64,
    always: &[u64],
    make: impl Fn() -> T + Sync,
    world: impl Fn(u64, &T) -> Survey + Sync,
) -> Survey {
    let (seeds, next) = (seeds(count, always), AtomicUsize::new(0));
    let work = || {
        let (made, mut all) = (make(), Survey::default());
        while let Some(seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed)) {
            all = all.and(try_one(*seed, |seed| world(seed, &made)));
        }
        all
    };
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        all.into_iter().map(|thread| thread.join().unwrap()).fold(Survey::default(), Survey::and)
    })
}
