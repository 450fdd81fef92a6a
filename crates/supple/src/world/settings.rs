use crate::constraint::{self, Solver};
use crate::contact::ContactSettings;

/// How a world holds its constraints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Which of the two papers.
    pub solver: Solver,
    /// Greatest error that predicted joints may have \[m or rad].
    pub tolerance: f64,
    /// Newton iterations per step at most.
    pub iterations: u32,
    /// Fastest speed at which joints that are apart come together \[m/s or rad/s], and limits that are exceeded are met. Bodies move so and
    /// keep nothing of it in their velocities.
    pub approach: f64,
    /// Steps into which each one is cut, 1 or more.
    pub substeps: u32,
    /// How often a step may be cut in two where its constraints cannot be met at once.
    pub halvings: u32,
    /// How contacts are held.
    pub contact: ContactSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            solver: Solver::default(),
            tolerance: 1e-7,
            iterations: 20,
            approach: 10.0,
            substeps: 1,
            halvings: 4,
            contact: ContactSettings::default(),
        }
    }
}

impl Settings {
    /// What of them the solver of constraints reads.
    pub(crate) fn of_constraints(&self) -> constraint::Settings {
        let Self { solver, tolerance, iterations, approach, .. } = *self;
        constraint::Settings { solver, tolerance, iterations, approach }
    }

    /// A step has failed if a greater error is left.
    pub(crate) fn failed(&self) -> f64 {
        self.of_constraints().failed()
    }
}
