/// How a world holds its contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// Which sweeps.
    pub method: ContactMethod,
    /// Longer steps are cut while anything touches \[s]: two short steps hold a stack much better than one with twice the sweeps.
    pub longest: f64,
    /// Depth to which bodies may penetrate, so that contacts at rest stay contacts \[m].
    pub slop: f64,
    /// Share of a deeper penetration that a step takes back.
    pub recover: f64,
    /// Fastest speed of that \[m/s].
    pub fastest: f64,
    /// Sweeps that move apart what penetrates, at most.
    pub sweeps_apart: u32,
    /// Impacts slower than this have no restitution \[m/s].
    pub bounce: f64,
    /// Sweeps end when a position would change by less \[m].
    pub tolerance: f64,
    /// While something hits an articulation, links that turn have this share of the inertia of the greatest of them at least; 0 is exact.
    /// An impact would else turn light hands and feet by radians within a step, and nobody could say where they go. Momentum is kept, and
    /// at 1 or less chains of equal links are exact.
    pub impact_armature: f64,
    /// Whether what rests falls asleep.
    pub sleep: bool,
    /// What is slower than this \[m/s], and than its own size in [`ContactSettings::calm`] \[s], is calm. It sleeps if it stays so for that
    /// time, something fixed supports it, and its motion does not grow.
    pub slow: f64,
    /// How long something is calm before it sleeps \[s].
    pub calm: f64,
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self {
            method: ContactMethod::default(),
            longest: 1.0 / 120.0,
            slop: 1e-4,
            recover: 0.3,
            fastest: 3.0,
            sweeps_apart: 6,
            bounce: 0.1,
            tolerance: 5e-6,
            impact_armature: 0.25,
            sleep: true,
            slow: 0.05,
            calm: 0.5,
        }
    }
}

/// How impulses of contacts are found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContactMethod {
    /// Sweeps that start with the impulses of the step before.
    Warm {
        /// Sweeps, at most.
        sweeps: u32,
    },
    /// The paper's: cold sweeps by the levels of the contact graph, then shock propagation.
    Levels {
        /// Sweeps; the paper takes less than 10.
        sweeps: u32,
        /// Whether shocks are propagated, lower bodies without answer.
        shock: bool,
        /// Whether velocities are those before the last sweep over the joints again, once positions are updated.
        restore: bool,
    },
}

impl Default for ContactMethod {
    fn default() -> Self {
        Self::Warm { sweeps: 12 }
    }
}

impl ContactMethod {
    /// Whether velocities are restored after the last sweep over the joints.
    pub(crate) fn restores(self) -> bool {
        matches!(self, Self::Levels { restore: true, .. })
    }

    pub(crate) fn is_cold(self) -> bool {
        matches!(self, Self::Levels { .. })
    }
}
