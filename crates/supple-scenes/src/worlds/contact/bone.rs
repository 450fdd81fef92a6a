//! Bones as meshes of any fineness: a profile turned about z, with bumps.

use std::f64::consts::TAU;

use glam::DVec3;
use supple::constraint::Frame;
use supple::contact::Shape;

use crate::SceneError;
use supple::spatial::math;

/// What a bone looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Profile {
    /// A shaft that is thicker at both ends.
    Long,
    /// As an egg.
    Round,
}

impl Profile {
    /// Distance from the axis in radii, at −1 ≤ x ≤ 1 along it.
    fn at(self, x: f64) -> f64 {
        match self {
            Self::Long => {
                let x2 = x * x;
                let x4 = x2 * x2;
                (0.55 + 0.45 * x4) * (1.0 - x4 * x4).max(0.0).sqrt()
            }
            Self::Round => (1.0 - x * x).max(0.0).sqrt(),
        }
    }
}

/// A closed mesh about the origin, along z.
pub(crate) struct Bone {
    profile: Profile,
    /// Rings of corners, from end to end; the first and the last are one point each.
    rings: Vec<Vec<DVec3>>,
}

impl Bone {
    /// A bone of this length and radius \[m], with about so many triangles.
    pub(crate) fn new(profile: Profile, length: f64, radius: f64, triangles: usize) -> Self {
        let around = ((0.25 * triangles as f64).sqrt().round() as usize).max(5);
        // quarters of it are pieces
        let along = (triangles / (2 * around) + 1).next_multiple_of(4).max(8);
        let ring = |k: usize| {
            let x = 2.0 * k as f64 / along as f64 - 1.0;
            let z = 0.5 * length * x;
            if k == 0 || k == along {
                return vec![DVec3::Z * z];
            }
            let corner = |i: usize| {
                let angle = TAU * i as f64 / around as f64;
                let bumps = 1.0 + 0.06 * math::cos(3.0 * angle) + 0.03 * math::cos(5.0 * angle + 7.0 * x);
                let (sin, cos) = math::sin_cos(angle);
                DVec3::new(cos, sin, 0.0) * (radius * profile.at(x) * bumps) + DVec3::Z * z
            };
            (0..around).map(corner).collect()
        };
        Self { profile, rings: (0..=along).map(ring).collect() }
    }

    /// How many triangles it has.
    pub(crate) fn triangles(&self) -> usize {
        let between = |two: &[Vec<DVec3>]| if two[0].len() == two[1].len() { 2 } else { 1 } * two[0].len().max(two[1].len());
        self.rings.windows(2).map(between).sum()
    }

    /// Convex hulls of its corners: one of an egg, three of a shaft and its ends.
    pub(crate) fn pieces(&self) -> Result<Shape, SceneError> {
        let last = self.rings.len() - 1;
        let cuts = match self.profile {
            Profile::Long => vec![0..=last / 4, last / 4..=3 * last / 4, 3 * last / 4..=last],
            Profile::Round => vec![0..=last],
        };
        let hull = |rings: &[Vec<DVec3>]| Ok((Frame::IDENTITY, Shape::hull(&rings.concat())?));
        let hulls =
            cuts.into_iter().map(|cut| hull(&self.rings[cut])).collect::<Result<Vec<_>, SceneError>>()?;
        Ok(Shape::compound(hulls)?)
    }
}
