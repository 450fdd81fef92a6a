//! More points between two capsules: parry gives the nearest one, on which capsules that lie side by side would see-saw.

use glam::DVec3;
use parry3d_f64::math::Pose3;
use parry3d_f64::query::TrackedContact;
use parry3d_f64::shape::{Capsule, PackedFeatureId};

use super::pair::{Manifold, WarmStart};

/// Axes that are more aslant than this (cosine) cross: one point will do.
const SIDE_BY_SIDE: f64 = 0.7;
/// Points are of use where the axes are not farther apart sideways than this share of both radii.
const SIDEWAYS: f64 = 0.7;

/// Adds the two ends of the stretch along which two capsules lie side by side, where they are nearer than `prediction` \[m]. The
/// manifold has the nearest point already.
pub(crate) fn add_ends(between: &Pose3, a: &Capsule, b: &Capsule, prediction: f64, manifold: &mut Manifold) {
    let warm_start = |feature: u32, points: &[TrackedContact<WarmStart>]| {
        let same = points.iter().find(|p| p.fid1 == PackedFeatureId::face(feature));
        same.map_or(WarmStart::default(), |p| p.data)
    };
    let data = [1, 2].map(|feature| warm_start(feature, &manifold.points));
    manifold.points.truncate(1);
    let n = manifold.local_n1;
    let (p, q) = ([a.segment.a, a.segment.b], [b.segment.a, b.segment.b].map(|x| *between * x));
    let (along, other) = (p[1] - p[0], q[1] - q[0]);
    let (Some(axis), Some(other)) = (flat(along, n), flat(other, n)) else { return };
    if manifold.points.is_empty() || axis.dot(other).abs() < SIDE_BY_SIDE {
        return;
    }
    // places along the first capsule
    let place = |x: DVec3| (x - p[0]).dot(axis);
    let (length, ends) = (place(p[1]), [place(q[0]), place(q[1])]);
    let stretch = [ends[0].min(ends[1]).max(0.0), ends[0].max(ends[1]).min(length)];
    if stretch[1] - stretch[0] < 1e-3 * length {
        return;
    }
    let radii = a.radius + b.radius;
    for (s, (feature, data)) in stretch.into_iter().zip([1, 2].into_iter().zip(data)) {
        let on_a = p[0].lerp(p[1], s / length);
        let on_b = q[0].lerp(q[1], (s - ends[0]) / (ends[1] - ends[0]));
        let way = on_b - on_a;
        let (apart, aside) = (way.dot(n), way.reject_from(n).length());
        let distance = (apart * apart + aside * aside).sqrt() - radii;
        if aside > SIDEWAYS * radii || distance > prediction || apart < 0.0 {
            continue;
        }
        let id = PackedFeatureId::face(feature);
        let (local_p1, on_b) = (on_a + n * a.radius, on_b - n * b.radius);
        let mut point =
            TrackedContact::new(local_p1, between.inverse_transform_point(on_b), id, id, distance);
        point.data = data;
        manifold.points.push(point);
    }
}

/// Direction of a vector, seen along the normal; none if it has none to speak of.
fn flat(v: DVec3, n: DVec3) -> Option<DVec3> {
    let across = v - n * v.dot(n);
    (across.length_squared() > 0.25 * v.length_squared()).then(|| across.normalize_or_zero())
}
