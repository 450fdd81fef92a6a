//! Since when all of a world sleeps.

use supple::world::WorldReport;

/// The step since which nothing is awake.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rest {
    since: Option<u64>,
}

impl Rest {
    /// Takes note of a step, counted from 1.
    pub(crate) fn note(&mut self, step: u64, report: &WorldReport) {
        let asleep = report.awake == 0 && report.asleep > 0;
        self.since = if asleep { self.since.or(Some(step)) } else { None };
    }

    /// The step after which all slept, if all still sleeps.
    pub(crate) fn since(&self) -> Option<u64> {
        self.since
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_wakes_again_does_not_rest() {
        let mut rest = Rest::default();
        for (step, awake) in [(1, 2), (2, 0), (3, 1), (4, 0), (5, 0)] {
            rest.note(step, &WorldReport { awake, asleep: 2 - awake, ..WorldReport::default() });
        }
        assert_eq!(rest.since(), Some(4));
        rest.note(6, &WorldReport::default());
        assert_eq!(rest.since(), None);
    }
}
