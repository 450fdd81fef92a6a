/// What a step of a world did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WorldReport {
    /// Greatest distance between the two sides of a joint after the step \[m]; springs do not count.
    pub gap_max: f64,
    /// Mean distance \[m].
    pub gap_mean: f64,
    /// Greatest angle between the two sides of a joint after the step \[rad].
    pub angle_max: f64,
    /// Constraints.
    pub constraints: usize,
    /// Groups of constraints that hang together.
    pub islands: usize,
    /// Islands whose constraints could not be met to the tolerance: they contradict, or the step is too long.
    pub unsolved: usize,
    /// Greatest error left in those \[m or rad].
    pub error: f64,
    /// Most Newton iterations (or sweeps) of an island.
    pub iterations: u32,
    /// Most factorizations of the matrix of an island.
    pub factorizations: u32,
}
