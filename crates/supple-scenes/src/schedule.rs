/// How many joints may be active, over time: straight lines between points, level before the first and after the last.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// Time \[s] and joints, by time.
    points: Vec<(f64, f64)>,
}

impl Schedule {
    /// A schedule through these points: time \[s] and joints. They are brought into the order of time.
    pub fn new(points: impl IntoIterator<Item = (f64, usize)>) -> Self {
        let mut points: Vec<_> = points.into_iter().map(|(time, joints)| (time, joints as f64)).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Self { points }
    }

    /// The points: time \[s] and joints.
    pub fn points(&self) -> impl Iterator<Item = (f64, usize)> {
        self.points.iter().map(|(time, joints)| (*time, *joints as usize))
    }

    /// Joints that may be active at this time \[s]; none if the schedule has no points.
    pub fn joints(&self, time: f64) -> usize {
        let after = self.points.partition_point(|point| point.0 <= time);
        let joints = match (after.checked_sub(1).map(|i| self.points[i]), self.points.get(after)) {
            (Some((t0, n0)), Some(&(t1, n1))) => n0 + (n1 - n0) * (time - t0) / (t1 - t0),
            (Some((_, n)), None) | (None, Some(&(_, n))) => n,
            (None, None) => 0.0,
        };
        joints.round() as usize
    }

    /// Time of the last point \[s]: from then on nothing changes.
    pub fn end(&self) -> f64 {
        self.points.last().map_or(0.0, |point| point.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straight_lines_between_points() {
        let schedule = Schedule::new([(3.0, 1), (1.0, 101), (4.0, 1)]);
        let at = [-1.0, 0.0, 1.0, 1.5, 2.0, 3.0, 3.5, 9.0].map(|t| schedule.joints(t));
        assert_eq!(at, [101, 101, 101, 76, 51, 1, 1, 1]);
        assert_eq!(schedule.end(), 4.0);
        assert_eq!(Schedule::new([]).joints(1.0), 0);
        // a jump: the later point counts
        assert_eq!(Schedule::new([(1.0, 5), (1.0, 9)]).joints(1.0), 9);
    }
}
