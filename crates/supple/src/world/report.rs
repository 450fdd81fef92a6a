use super::Times;

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
    /// Factorizations of the matrix of the island that took most, summed over the parts of the step.
    pub factorizations: u32,
    /// Parts into which the step was cut.
    pub substeps: u32,
    /// Points where bodies touch, of those that are awake.
    pub contacts: usize,
    /// Deepest penetration after the step and its parts \[m].
    pub penetration_max: f64,
    /// Sweeps over the contacts.
    pub contact_sweeps: u32,
    /// Single bodies and articulations that sleep, and those that move and are awake.
    pub asleep: usize,
    /// See [`WorldReport::asleep`].
    pub awake: usize,
    /// Where the time went.
    pub times: Times,
}

impl WorldReport {
    /// Goes on with the next part of a step.
    pub(super) fn add(&mut self, part: &Self) {
        let substeps = self.substeps + part.substeps;
        let mut times = self.times;
        times += part.times;
        *self = Self {
            gap_max: self.gap_max.max(part.gap_max),
            angle_max: self.angle_max.max(part.angle_max),
            error: self.error.max(part.error),
            unsolved: self.unsolved.max(part.unsolved),
            iterations: self.iterations + part.iterations,
            factorizations: self.factorizations + part.factorizations,
            substeps,
            penetration_max: self.penetration_max.max(part.penetration_max),
            contact_sweeps: self.contact_sweeps + part.contact_sweeps,
            times,
            ..*part
        };
    }
}
