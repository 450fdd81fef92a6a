/// How a world holds its constraints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Which of the two papers.
    pub solver: Solver,
    /// Greatest error that predicted joints may have \[m or rad].
    pub tolerance: f64,
    /// Newton iterations per step at most.
    pub iterations: u32,
    /// Fastest speed at which joints that are apart come together \[m/s or rad/s].
    pub approach: f64,
    /// Steps into which each one is cut.
    pub substeps: u32,
    /// How often a step may be cut in two where its constraints cannot be met at once.
    pub halvings: u32,
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
        }
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
