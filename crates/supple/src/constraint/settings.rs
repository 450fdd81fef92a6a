/// What the solver of constraints is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Settings {
    /// How impulses are found.
    pub(crate) solver: Solver,
    /// Greatest error that predicted joints may have \[m or rad].
    pub(crate) tolerance: f64,
    /// Newton iterations per step at most.
    pub(crate) iterations: u32,
    /// Fastest speed at which joints that are apart come together \[m/s or rad/s], and limits that are exceeded are met.
    pub(crate) approach: f64,
}

impl Settings {
    /// A step has failed if an error is left that is so many tolerances, but not more than 10 µm: closing that in the next step would
    /// give bodies a push that can be seen.
    pub(crate) fn failed(&self) -> f64 {
        (100.0 * self.tolerance).min(1e-5)
    }
}

/// How impulses are found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Solver {
    /// Impulses by Newton for all joints of an island together, then velocity post-stabilization.
    #[default]
    Together,
    /// The paper's cold sweeps, joint by joint, each by its own Newton.
    Sweeps {
        /// Sweeps per step; the paper takes 9, and finds 5 too few and 15 no better.
        sweeps: u32,
    },
    /// Faure's displacement constraints: conjugate gradients, cut off where it takes too long.
    Displacement {
        /// Linearizations per step.
        outer: u32,
        /// Iterations of conjugate gradients per linearization.
        inner: u32,
    },
}

impl Solver {
    /// Shares of a step's forces that act before and after the position update: in halves where velocities are set right at both ends.
    pub(crate) fn kicks(self) -> (f64, f64) {
        match self {
            Self::Together => (0.5, 0.5),
            Self::Sweeps { .. } | Self::Displacement { .. } => (1.0, 0.0),
        }
    }
}
