use glam::{DMat3, DVec3};

use super::image::Image;
use crate::spatial::Pose;

/// A bounding volume, in the frame of what it bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Volume {
    /// Bounds nothing.
    #[default]
    Empty,
    /// A ball.
    Ball {
        /// Its centre \[m].
        center: DVec3,
        /// Its radius \[m].
        radius: f64,
    },
    /// A box.
    Box {
        /// Its centre \[m].
        center: DVec3,
        /// Directions of its edges, orthonormal.
        axes: DMat3,
        /// Half of its edges \[m].
        half: DVec3,
    },
}

impl Volume {
    /// The volume seen from where its frame has this pose.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        match *self {
            Self::Empty => Self::Empty,
            Self::Ball { center, radius } => Self::Ball { center: pose.point(center), radius },
            Self::Box { center, axes, half } => {
                Self::Box { center: pose.point(center), axes: pose.rotation * axes, half }
            }
        }
    }

    /// The axis-aligned box about it.
    #[must_use]
    pub fn aligned(&self) -> Self {
        let aligned = |center, half| Self::Box { center, axes: DMat3::IDENTITY, half };
        match *self {
            Self::Empty => Self::Empty,
            Self::Ball { center, radius } => aligned(center, DVec3::splat(radius)),
            Self::Box { center, axes, half } => aligned(center, reach(&axes, half)),
        }
    }

    /// A volume about two of one kind, from them alone.
    #[must_use]
    pub fn merged(&self, other: &Self) -> Self {
        match (*self, *other) {
            (Self::Empty, v) | (v, Self::Empty) => v,
            (Self::Ball { center: a, radius: r }, Self::Ball { center: b, radius: s }) => {
                let apart = (b - a).length();
                if apart + s <= r {
                    return *self;
                }
                if apart + r <= s {
                    return *other;
                }
                let radius = 0.5 * (apart + r + s);
                Self::Ball { center: a + (b - a) * ((radius - r) / apart), radius }
            }
            (Self::Box { axes: a, .. }, Self::Box { axes: b, .. }) => {
                // along the axes of either, or halfway; the smallest
                let of = |axes| both(self, other, axes);
                let (a_box, b_box) = (of(a), of(b));
                if a == b {
                    return a_box;
                }
                let smaller = |v: Self, w: Self| if w.size() < v.size() { w } else { v };
                smaller(smaller(a_box, b_box), of(between(self, other, &a)))
            }
            (ball @ Self::Ball { .. }, v) | (v, ball @ Self::Ball { .. }) => ball.aligned().merged(&v),
        }
    }

    /// The ball about it: centre and radius.
    pub fn ball(&self) -> Option<(DVec3, f64)> {
        match *self {
            Self::Empty => None,
            Self::Ball { center, radius } => Some((center, radius)),
            Self::Box { center, half, .. } => Some((center, half.length())),
        }
    }

    /// Pixels that it covers.
    pub(crate) fn area(&self, image: &Image) -> f64 {
        match self {
            Self::Empty => 0.0,
            Self::Ball { center, radius } => image.of_ball(*center, *radius),
            Self::Box { center, axes, half } => {
                let [x, y, z] = half.to_array();
                image.of_box(*center, &DMat3::from_cols(axes.x_axis * x, axes.y_axis * y, axes.z_axis * z))
            }
        }
    }

    /// Surface of a box: the smaller, the less of it is seen, on average.
    fn size(&self) -> f64 {
        match self {
            Self::Box { half, .. } => half.x * half.y + half.y * half.z + half.z * half.x,
            _ => 0.0,
        }
    }

    /// How far it reaches along the columns of `axes`: lowest and highest.
    fn extent(&self, axes: &DMat3) -> (DVec3, DVec3) {
        match *self {
            Self::Empty => (DVec3::INFINITY, DVec3::NEG_INFINITY),
            Self::Ball { center, radius } => {
                let at = axes.transpose() * center;
                (at - radius, at + radius)
            }
            Self::Box { center, axes: own, half } => {
                let to = axes.transpose();
                let (at, by) = (to * center, reach(&(to * own), half));
                (at - by, at + by)
            }
        }
    }
}

/// How far a box with these axes reaches along those of its frame.
fn reach(axes: &DMat3, half: DVec3) -> DVec3 {
    axes.x_axis.abs() * half.x + axes.y_axis.abs() * half.y + axes.z_axis.abs() * half.z
}

fn both(a: &Volume, b: &Volume, axes: DMat3) -> Volume {
    let ((low_a, high_a), (low_b, high_b)) = (a.extent(&axes), b.extent(&axes));
    let (low, high) = (low_a.min(low_b), high_a.max(high_b));
    Volume::Box { center: axes * (0.5 * (low + high)), axes, half: 0.5 * (high - low) }
}

/// Axes of which one goes from the centre of one volume to that of the other.
fn between(a: &Volume, b: &Volume, otherwise: &DMat3) -> DMat3 {
    let (Some((p, _)), Some((q, _))) = (a.ball(), b.ball()) else { return *otherwise };
    let Some(along) = (q - p).try_normalize() else { return *otherwise };
    // the others as near to those of A as may be
    let across = otherwise.x_axis.cross(along);
    let across = if across.length_squared() > 0.01 { across } else { otherwise.y_axis.cross(along) };
    let across = across.normalize();
    DMat3::from_cols(along, across, along.cross(across))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merged_volume_holds_both() {
        let turn = |x: f64| DMat3::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), x);
        let a = Volume::Box { center: DVec3::X, axes: turn(0.3), half: DVec3::new(1.0, 0.1, 0.2) };
        let b = Volume::Box {
            center: DVec3::new(3.0, 1.0, 0.0),
            axes: turn(1.1),
            half: DVec3::new(0.5, 0.4, 0.1),
        };
        let Volume::Box { center, axes, half } = a.merged(&b) else { panic!("a box") };
        for part in [a, b] {
            let (low, high) = part.extent(&axes);
            let at = axes.transpose() * center;
            assert!(
                (low - (at - half)).min_element() > -1e-12 && ((at + half) - high).min_element() > -1e-12
            );
        }
        let ball = |x: f64, radius| Volume::Ball { center: DVec3::X * x, radius };
        assert_eq!(ball(0.0, 1.0).merged(&ball(4.0, 1.0)), ball(2.0, 3.0));
        assert_eq!(ball(0.0, 5.0).merged(&ball(1.0, 1.0)), ball(0.0, 5.0));
        assert_eq!(Volume::Empty.merged(&ball(1.0, 1.0)), ball(1.0, 1.0));
    }
}
