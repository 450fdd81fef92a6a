//! How constraints of a world are solved.

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use supple::world::Solver;

/// How constraints are held
#[derive(Args, Default)]
#[command(next_help_heading = "Constraints")]
pub(crate) struct SolverArgs {
    /// How impulses of constraints are found [default: together, or the scene's]
    #[arg(long, value_name = "S")]
    solver: Option<SolverName>,
    /// Sweeps per step of `--solver sweeps` [default: 9]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    sweeps: Option<u32>,
    /// Linearizations per step of `--solver displacement`, and conjugate gradients of each [default: 2x30]
    #[arg(long, value_name = "OUTERxINNER", value_parser = pair)]
    iterations: Option<(u32, u32)>,
}

/// How impulses of constraints are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SolverName {
    /// All joints that hang together at once, by Newton
    Together,
    /// Joint by joint, in sweeps (Weinstein et al. 2006)
    Sweeps,
    /// Displacements by conjugate gradients, cut off where it takes long (Faure 1998)
    Displacement,
}

impl SolverArgs {
    /// The first option that was given.
    pub(crate) fn asked(&self) -> Option<&'static str> {
        let given = [
            ("--solver", self.solver.is_some()),
            ("--sweeps", self.sweeps.is_some()),
            ("--iterations", self.iterations.is_some()),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }

    /// What was asked for, or else the solver that there is.
    pub(crate) fn over(&self, present: Solver) -> Result<Solver> {
        if self.sweeps.is_some() && self.solver != Some(SolverName::Sweeps) {
            bail!("--sweeps is for --solver sweeps");
        }
        if self.iterations.is_some() && self.solver != Some(SolverName::Displacement) {
            bail!("--iterations is for --solver displacement");
        }
        Ok(match self.solver {
            None => present,
            Some(SolverName::Together) => Solver::Together,
            Some(SolverName::Sweeps) => Solver::Sweeps { sweeps: self.sweeps.unwrap_or(9) },
            Some(SolverName::Displacement) => {
                let (outer, inner) = self.iterations.unwrap_or((2, 30));
                Solver::Displacement { outer, inner }
            }
        })
    }
}

/// The solver as reports call it.
pub(crate) fn name(solver: Solver) -> String {
    match solver {
        Solver::Together => "together".into(),
        Solver::Sweeps { sweeps } => format!("sweeps-{sweeps}"),
        Solver::Displacement { outer, inner } => format!("displacement-{outer}x{inner}"),
    }
}

/// Two positive whole numbers with an x between.
fn pair(text: &str) -> Result<(u32, u32), String> {
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|n| *n > 0);
    let both = text.split_once(['x', 'X']).and_then(|(a, b)| number(a).zip(number(b)));
    both.ok_or_else(|| "must be two positive whole numbers, as 2x30".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs() {
        assert_eq!(pair("2x30"), Ok((2, 30)));
        for bad in ["", "2", "2x", "x3", "0x3", "2x-1", "2x3x4"] {
            assert!(pair(bad).is_err(), "{bad}");
        }
    }
}
