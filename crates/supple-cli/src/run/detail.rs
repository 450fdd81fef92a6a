//! How much of the body `supple run` simulates.

use clap::{Args, ValueEnum};
use supple::adaptive::{Detail, Rule, Target};

use crate::number::real;

/// Which joints become active, among those that moved.
#[derive(Clone, Copy, ValueEnum)]
enum RuleName {
    /// From the root of the assembly tree down, as in the 2005 paper
    Tree,
    /// The fastest ones
    Free,
    /// Most by the tree, the rest the fastest ones
    Split,
}

/// Simulate only the joints that matter
#[derive(Args)]
#[command(next_help_heading = "Detail")]
pub(crate) struct DetailArgs {
    /// Simulate all joints (the default)
    #[arg(long, conflicts_with_all = ["active", "tolerance"])]
    full: bool,
    /// Simulate at most N joints, those that move most
    #[arg(long, value_name = "N", conflicts_with = "tolerance")]
    active: Option<usize>,
    /// Leave out joints while the sum of their squared accelerations is at most E, in rad²/s⁴
    #[arg(long, value_name = "E", value_parser = real, allow_negative_numbers = true)]
    tolerance: Option<f64>,
    /// Choose the joints anew every K steps
    #[arg(long, value_name = "K", default_value = "20", value_parser = clap::value_parser!(u32).range(1..))]
    update_every: u32,
    /// Which joints stay active
    #[arg(long, value_name = "R", default_value = "split")]
    rule: RuleName,
}

impl DetailArgs {
    pub(crate) fn detail(&self, dt: f64) -> Detail {
        let target = match (self.active, self.tolerance) {
            (Some(joints), _) => Target::Joints(joints),
            (None, Some(acceleration)) => {
                // what such accelerations come to until the next update
                let period = dt * f64::from(self.update_every);
                Target::Error { acceleration, velocity: acceleration * period * period }
            }
            (None, None) => Target::Full,
        };
        let rule = match self.rule {
            RuleName::Tree => Rule::Tree,
            RuleName::Free => Rule::Free,
            RuleName::Split => Rule::Split,
        };
        Detail { target, rule, update_every: self.update_every, ..Detail::default() }
    }
}
