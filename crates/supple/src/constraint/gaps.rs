//! How far the joints of an island are off at the present pose.

/// Gaps of joints, for the report and for whether joints are apart.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Gaps {
    /// Greatest distance of a joint from the nearest allowed frame \[m].
    distance: f64,
    /// Sum of these distances \[m].
    sum: f64,
    /// Greatest angle from there \[rad].
    angle: f64,
    /// How far the row is off that is off farthest \[m or rad]: of those that hold, and of stops.
    farthest: f64,
}

impl Gaps {
    /// Notes a joint that is so far from an allowed frame \[m, rad].
    #[inline(always)]
    pub(super) fn note_joint(&mut self, distance: f64, angle: f64) {
        self.distance = self.distance.max(distance);
        self.sum += distance;
        self.angle = self.angle.max(angle);
    }

    /// Notes a row that is so far off \[m or rad].
    #[inline(always)]
    pub(super) fn note_row(&mut self, error: f64) {
        self.farthest = self.farthest.max(error);
    }

    /// Greatest distance of a joint from the nearest allowed frame \[m].
    pub(crate) fn distance(&self) -> f64 {
        self.distance
    }

    /// Sum of the distances of all joints \[m].
    pub(crate) fn sum(&self) -> f64 {
        self.sum
    }

    /// Greatest angle of a joint from the nearest allowed frame \[rad].
    pub(crate) fn angle(&self) -> f64 {
        self.angle
    }

    /// How far the row is off that is off farthest \[m or rad].
    pub(super) fn farthest(&self) -> f64 {
        self.farthest
    }
}
