use arrayvec::ArrayVec;
use glam::DVec3;

use super::Frame;
use crate::spatial::Motion;

/// Rows of a joint at most: six that are held, and limits.
pub const MAX_ROWS: usize = 12;

/// A joint as a black box (Weinstein et al., section III): it is told the joint frame J, where the child's side of the joint is
/// as seen from the parent's side, and answers with the nearest allowed frame and the directions that are held.
///
/// All is in the axes of the parent's joint frame. A direction is a pair (angular, linear): the joint holds
/// `angular · ω + linear · u`, with ω and u the velocity of the child relative to the parent at the child's joint point.
pub trait JointModel: std::fmt::Debug + Send + Sync {
    /// The allowed frame nearest to `joint`. Limits count as held here: a frame beyond a limit is taken back to it.
    fn nearest(&self, joint: Frame) -> Frame;

    /// The directions held at `joint`, and its limits: always as many and in the same order, wherever the joint is.
    fn held(&self, joint: Frame, rows: &mut Rows);

    /// Whether it holds the two joint points together and nothing else: then the place of the child's point says all, and nothing more is
    /// asked for.
    fn is_point(&self) -> bool {
        false
    }

    /// What files and reports call it.
    fn name(&self) -> &'static str {
        "custom"
    }

    /// Length of a rod or a rope \[m]; `None` for joints without one.
    fn length(&self) -> Option<f64> {
        None
    }

    /// Radius of the circle that a point is held to \[m]; `None` for joints without one.
    fn radius(&self) -> Option<f64> {
        None
    }

    /// Which of x, y and z are free; `None` for joints that have no such choice.
    fn slides(&self) -> Option<[bool; 3]> {
        None
    }

    /// How fast the linear direction that is held turns as the child's point moves sideways \[1/m]: one over the length of a rod or a
    /// rope, 0 for directions that stay. Steps that are long for the swinging of a taut rope need to know.
    fn bend(&self, joint: Frame) -> f64 {
        let _ = joint;
        0.0
    }

    /// The free coordinates at `joint`: angles \[rad] and travels \[m], with the direction in which each one grows. They are what
    /// drives, limits and friction of a constraint act on. Always as many and in the same order.
    fn coordinates(&self, joint: Frame, coordinates: &mut Coordinates) {
        let _ = (joint, coordinates);
    }
}

/// One direction of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Row {
    /// (angular, linear), axes of the parent's joint frame.
    pub direction: Motion,
    /// For a limit: how far beyond it the joint is, along the direction \[rad or m], negative within; `None` for a direction that
    /// is held both ways.
    pub excess: Option<f64>,
}

/// The directions of a joint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    rows: ArrayVec<Row, MAX_ROWS>,
}

impl Rows {
    /// Holds a direction both ways. More than [`MAX_ROWS`] are ignored.
    #[inline]
    pub fn hold(&mut self, angular: DVec3, linear: DVec3) {
        self.push(Row { direction: Motion::new(angular, linear), excess: None });
    }

    /// Holds a direction against further excess: the joint may move along −direction freely, and along +direction until `excess`,
    /// the signed distance beyond the limit \[rad or m], is 0.
    pub fn limit(&mut self, angular: DVec3, linear: DVec3, excess: f64) {
        self.push(Row { direction: Motion::new(angular, linear), excess: Some(excess) });
    }

    /// Holds the three translations.
    pub fn hold_point(&mut self) {
        for axis in DVec3::AXES {
            self.hold(DVec3::ZERO, axis);
        }
    }

    /// Holds the three rotations.
    pub fn hold_rotation(&mut self) {
        for axis in DVec3::AXES {
            self.hold(axis, DVec3::ZERO);
        }
    }

    #[inline(always)]
    fn push(&mut self, row: Row) {
        let _ = self.rows.try_push(row);
    }
}

impl std::ops::Deref for Rows {
    type Target = [Row];
    fn deref(&self) -> &[Row] {
        &self.rows
    }
}

/// One free coordinate of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Coordinate {
    /// Angle \[rad] or travel \[m].
    pub value: f64,
    /// Direction in which it grows, axes of the parent's joint frame.
    pub direction: Motion,
}

/// The free coordinates of a joint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coordinates {
    all: ArrayVec<Coordinate, 6>,
}

impl Coordinates {
    /// One more coordinate. More than six are ignored.
    pub fn push(&mut self, value: f64, angular: DVec3, linear: DVec3) {
        let _ = self.all.try_push(Coordinate { value, direction: Motion::new(angular, linear) });
    }
}

impl std::ops::Deref for Coordinates {
    type Target = [Coordinate];
    fn deref(&self) -> &[Coordinate] {
        &self.all
    }
}
