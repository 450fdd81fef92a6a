//! Words of the command line for parts of a detail.

use clap::ValueEnum;
use supple::detail::{Metric, Rule};

/// Which joints become active, among those that moved.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum RuleName {
    /// From the root of the assembly tree down, as in the 2005 paper
    Tree,
    /// The fastest ones
    Free,
    /// Most by the tree, the rest the fastest ones
    Split,
}

impl RuleName {
    pub(crate) fn rule(self) -> Rule {
        match self {
            Self::Tree => Rule::Tree,
            Self::Free => Rule::Free,
            Self::Split => Rule::Split,
        }
    }
}

/// How updates know what joints would do.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum MetricName {
    /// Whichever costs less
    Auto,
    /// One sweep over the whole body
    Direct,
    /// The assembly tree, which never visits the body
    Assembly,
}

impl MetricName {
    pub(crate) fn metric(self) -> Metric {
        match self {
            Self::Auto => Metric::Auto,
            Self::Direct => Metric::Direct,
            Self::Assembly => Metric::Assembly,
        }
    }
}
