/// What a step of a world did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WorldReport {
    /// Greatest distance between the two sides of a joint after the step and its parts \[m]; springs do not count.
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
    /// Newton iterations (or sweeps) of the island that took most, summed over the parts of the step.
    pub iterations: u32,
    /// The same for factorizations of its matrix.
    pub factorizations: u32,
    /// Parts into which the step was cut.
    pub substeps: u32,
}

impl WorldReport {
    /// Goes on with the next part of a step.
    pub(super) fn add(&mut self, part: &Self) {
        let substeps = self.substeps + part.substeps;
        *self = Self {
            gap_max: self.gap_max.max(part.gap_max),
            angle_max: self.angle_max.max(part.angle_max),
            error: self.error.max(part.error),
            unsolved: self.unsolved.max(part.unsolved),
            iterations: self.iterations + part.iterations,
            factorizations: self.factorizations + part.factorizations,
            substeps,
            ..*part
        };
    }
}
