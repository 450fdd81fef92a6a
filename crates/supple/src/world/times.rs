/// Where the time of a step went \[s].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// Which colliders may be near each other.
    pub broad: f64,
    /// Where they touch.
    pub narrow: f64,
    /// Impulses of contacts.
    pub solve: f64,
    /// Constraints: their rows and matrices, and their impulses, those while contacts are solved for too.
    pub joints: f64,
    /// Motion of bodies and articulations, and which joints are active.
    pub dynamics: f64,
}

impl Times {
    /// All of it.
    pub fn total(&self) -> f64 {
        self.broad + self.narrow + self.solve + self.joints + self.dynamics
    }
}

impl std::ops::AddAssign for Times {
    fn add_assign(&mut self, other: Self) {
        self.broad += other.broad;
        self.narrow += other.narrow;
        self.solve += other.solve;
        self.joints += other.joints;
        self.dynamics += other.dynamics;
    }
}
