//! How a run ends.

use std::fmt;

use crate::number::{grouped, short};
use crate::signals::Signal;

use super::work::Balance;

/// A run has diverged once its energy has risen by so many times all that there was to begin with. Integrators err by shares of that; a
/// motion that explodes passes any such bound within a few steps, so the figure matters little.
const DIVERGED: f64 = 100.0;
/// And by more than this share of its greatest kinetic energy: where there was nothing to begin with, rounding is many times of it.
const SHARE: f64 = 0.5;
/// What explodes moves: its kinetic energy is this share of what it gained at least. Joints that are closed and bodies that are moved apart are only
/// put elsewhere.
const MOVING: f64 = 1e-3;
/// And faster than this \[m/s], were all of it to move alike: what is slower may sleep in a world, and has rounding and tolerances for a motion.
const SLOWEST: f64 = 0.05;

/// What is wrong with a motion that went on to its end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Trouble {
    /// Its energy rose, and nothing gave it.
    Diverged { rise: f64, scale: f64 },
    /// Its constraints were not met in more than half of its steps.
    Unsolved { steps: u64, of: u64 },
    /// Constraints are not closed at the end of `assemble`.
    Open(String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Diverged { rise, scale } => write!(
                f,
                "the motion diverged: its energy rose by {} J, and {} J were there to begin with: take smaller steps, or add damping",
                short(*rise),
                short(*scale)
            ),
            Self::Unsolved { steps, of } => write!(
                f,
                "constraints were not met in {} of {} steps: look for constraints that contradict, or take smaller steps",
                grouped(*steps),
                grouped(*of)
            ),
            Self::Open(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for Trouble {}

/// How energies went over a run \[J].
#[derive(Clone, Debug, Default)]
pub(crate) struct Energies {
    pub(crate) start: f64,
    pub(crate) end: f64,
    pub(crate) max: f64,
    /// Greatest kinetic energy: the scale of energy errors.
    pub(crate) kinetic_max: f64,
    /// Of all that moves \[kg].
    mass: f64,
    kinetic_start: f64,
    potential_start: f64,
    potential_min: f64,
    /// Greatest rise of the energy beyond the work.
    rise: f64,
    pub(crate) balance: Balance,
}

impl Energies {
    pub(crate) fn new(first: supple::Energy, mass: f64) -> Self {
        Self {
            mass,
            start: first.total(),
            end: first.total(),
            max: first.total(),
            kinetic_max: first.kinetic,
            kinetic_start: first.kinetic,
            potential_start: first.potential,
            potential_min: first.potential,
            rise: 0.0,
            balance: Balance::default(),
        }
    }

    /// After a step.
    pub(crate) fn note(&mut self, now: supple::Energy, balance: &Balance) {
        // the energy, of second order in the velocities, overflows before they do
        if !now.total().is_finite() {
            return;
        }
        self.end = now.total();
        self.max = self.max.max(self.end);
        self.kinetic_max = self.kinetic_max.max(now.kinetic);
        self.potential_min = self.potential_min.min(now.potential);
        self.rise = self.rise.max(self.end - self.start - balance.work);
        self.balance.clone_from(balance);
    }

    /// Change of the energy that nothing did which is counted; none where something did work that is not.
    pub(crate) fn drift(&self) -> Option<f64> {
        self.balance.not_counted.is_empty().then_some(self.end - self.start - self.balance.work)
    }

    /// Whether the energy rose far beyond all that there was.
    pub(crate) fn diverged(&self) -> Option<Trouble> {
        let scale = self.kinetic_start + (self.potential_start - self.potential_min) + self.balance.amount;
        let far = self.rise > DIVERGED * scale && self.rise > SHARE * self.kinetic_max;
        let moves =
            self.kinetic_max > MOVING * self.rise && self.kinetic_max > 0.5 * self.mass * SLOWEST * SLOWEST;
        (far && moves && !self.balance.may_give).then_some(Trouble::Diverged { rise: self.rise, scale })
    }

    /// The lines of a summary.
    pub(crate) fn print(&self, out: &mut impl std::io::Write) -> anyhow::Result<()> {
        let [start, end, max] = [self.start, self.end, self.max].map(short);
        writeln!(out, "  energy           {start} J at the start, {end} J at the end, {max} J at most")?;
        if self.balance.amount > 0.0 {
            let (work, amount) = (short(self.balance.work), short(self.balance.amount));
            writeln!(out, "  work             {work} J by what drives and brakes ({amount} J to and fro)")?;
        }
        match self.drift() {
            Some(drift) if drift.abs() <= self.balance.error => {
                let error = short(self.balance.error);
                writeln!(
                    out,
                    "  energy drift     {} J, within the {error} J that the work may be off",
                    short(drift)
                )?;
            }
            Some(drift) => {
                let scale = self.kinetic_max;
                let share = if scale > 1e-9 * self.start.abs() {
                    format!(", {} % of the greatest kinetic energy", short(100.0 * drift / scale))
                } else {
                    String::new()
                };
                writeln!(out, "  energy drift     {} J{share}", short(drift))?;
            }
            None => {
                let left = short(self.end - self.start - self.balance.work);
                let what: Vec<&str> = self.balance.not_counted.iter().copied().collect();
                writeln!(out, "  energy drift     not known: of {left} J {} did a part", what.join(", "))?;
            }
        }
        Ok(())
    }
}

/// How a run ended, as JSON has it.
pub(crate) fn word(signal: Option<Signal>, failed: Option<bool>, trouble: Option<&Trouble>) -> &'static str {
    match (signal, failed, trouble) {
        (Some(Signal::Interrupt), ..) => "interrupted",
        (Some(Signal::Terminate), ..) => "terminated",
        (_, Some(true), _) => "non-finite",
        (_, Some(false), _) => "failed",
        (.., Some(Trouble::Diverged { .. })) => "diverged",
        (.., Some(Trouble::Unsolved { .. } | Trouble::Open(_))) => "unsolved",
        _ => "done",
    }
}

#[cfg(test)]
mod tests {
    use supple::Energy;

    use super::*;

    fn run(list: &[(f64, f64)], work: f64) -> Energies {
        let energy = |&(kinetic, potential): &(f64, f64)| Energy { kinetic, potential };
        let mut energies = Energies::new(energy(&list[0]), 1.0);
        let balance = Balance { work, amount: work.abs(), ..Balance::default() };
        list[1..].iter().for_each(|e| energies.note(energy(e), &balance));
        energies
    }

    #[test]
    fn only_what_comes_from_nowhere_diverges() {
        // a pendulum released level, with rounding
        assert_eq!(run(&[(0.0, 0.0), (5.0, -5.0), (0.0, 1e-9)], 0.0).diverged(), None);
        // nothing moves, but for rounding
        assert_eq!(run(&[(0.0, 7.0), (1e-12, 7.0 + 1e-15)], 0.0).diverged(), None);
        // a motor does it
        assert_eq!(run(&[(0.0, 0.0), (1e6, 0.0)], 1e6).diverged(), None);
        assert!(run(&[(0.0, 0.0), (1e6, 0.0)], 1.0).diverged().is_some());
        // at rest without gravity, and a million joules later
        assert!(run(&[(0.0, 0.0), (1e4, 1e6)], 0.0).diverged().is_some());
        // joints that start open are closed: bodies are put elsewhere, and do not move
        assert_eq!(run(&[(0.0, 0.0), (1e-3, 500.0)], 0.0).diverged(), None);
        let mut lifted = run(&[(0.0, 0.0), (5.0, 500.0)], 0.0);
        assert!(lifted.diverged().is_some());
        lifted.balance.may_give = true;
        assert_eq!(lifted.diverged(), None);
    }

    #[test]
    fn work_is_no_drift() {
        let driven = run(&[(0.0, 1.0), (3.0, 1.0)], 2.5);
        assert_eq!(driven.drift(), Some(0.5));
        let mut touched = driven;
        touched.balance.not_counted.insert("contacts");
        assert_eq!(touched.drift(), None);
    }
}
