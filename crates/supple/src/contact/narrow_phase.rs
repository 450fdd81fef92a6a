//! Where two colliders touch, or may touch within the next step: parry's manifolds.

use glam::DVec3;
use parry3d_f64::bounding_volume::BoundingVolume;
use parry3d_f64::math::Pose3;
use parry3d_f64::query::{DefaultQueryDispatcher, PersistentQueryDispatcher};
use parry3d_f64::shape::SharedShape;
use rayon::prelude::*;

use super::body_colliders::{BodyColliders, Part};
use super::capsules;
use super::pair::Pair;

/// Points are looked for within this distance, at least \[m].
const LEAST_PREDICTION: f64 = 0.002;
/// Pairs that a thread takes at once, at least.
pub(crate) const CHUNK: usize = 32;

/// Updates the manifolds of all pairs of which one moves.
pub(crate) fn update(pairs: &mut [Pair], collider_sets: &[BodyColliders], gravity: DVec3, dt: f64) {
    pairs.par_iter_mut().with_min_len(CHUNK).for_each(|pair| touch(pair, collider_sets, gravity, dt));
}

/// Updates manifolds once more where one of the two is fast after an impact. Whether new points are found that would penetrate by more than
/// `deep` \[m] within the step.
pub(crate) fn update_again(
    pairs: &mut [Pair],
    collider_sets: &[BodyColliders],
    gravity: DVec3,
    dt: f64,
    deep: f64,
) -> bool {
    let each = |pair: &mut Pair| {
        let [a, b] = pair.collider_sets.map(|s| &collider_sets[s as usize]);
        if pair.sensor || (a.fast_after_impact.is_none() && b.fast_after_impact.is_none()) {
            return false;
        }
        let known: usize = pair.manifolds.iter().map(|m| m.points.len()).sum();
        pair.near = false;
        touch(pair, collider_sets, gravity, dt);
        let count: usize = pair.manifolds.iter().map(|m| m.points.len()).sum();
        count > known && pair.points(collider_sets).any(|(separation, speed)| separation + dt * speed < -deep)
    };
    pairs.par_iter_mut().with_min_len(CHUNK).map(each).reduce(|| false, |a, b| a | b)
}

/// Whether boxes around two colliders, along the axes of either, are farther apart than `prediction` \[m]: most pairs of the broad phase
/// are, and of shapes of many pieces that takes long to find out otherwise.
fn are_apart(p: &Part, q: &Part, between: &Pose3, prediction: f64) -> bool {
    let apart = |own: &SharedShape, other: &SharedShape, between: &Pose3| {
        let room = own.compute_local_aabb().loosened(prediction);
        !room.intersects(&other.compute_aabb(between))
    };
    apart(&p.shape, &q.shape, between) || apart(&q.shape, &p.shape, &between.inverse())
}

fn touch(pair: &mut Pair, collider_sets: &[BodyColliders], gravity: DVec3, dt: f64) {
    let [a, b] = pair.collider_sets.map(|s| &collider_sets[s as usize]);
    if a.still && b.still && pair.near {
        return;
    }
    if a.group == b.group {
        // of one rigid group
        pair.manifolds.clear();
        (pair.near, pair.workspace) = (true, None);
        return;
    }
    let [p, q] = [&a.parts[pair.parts[0] as usize], &b.parts[pair.parts[1] as usize]];
    let falls = if a.still || b.still { dt * gravity.length() } else { 0.0 };
    let mut speed =
        (b.velocity - a.velocity).length() + a.turning() + b.turning() + a.surge + b.surge + falls;
    if a.fast_after_impact.is_some() || b.fast_after_impact.is_some() {
        let [(u, v), (w, x)] = [a, b].map(|s| s.fast_after_impact.unwrap_or((s.velocity, s.omega)));
        speed = speed.max((w - u).length() + a.turning_by(v) + b.turning_by(x));
    }
    let prediction = LEAST_PREDICTION.max(dt * speed).min(1e6);
    let between = p.pose.inv_mul(&q.pose);
    if !(a.is_endless() || b.is_endless()) && are_apart(p, q, &between, prediction) {
        pair.manifolds.clear();
        (pair.near, pair.workspace) = (true, None);
        return;
    }
    let dispatcher = DefaultQueryDispatcher;
    let shapes = (&*p.shape.0, &*q.shape.0);
    let result = dispatcher.contact_manifolds(
        &between,
        shapes.0,
        shapes.1,
        prediction,
        &mut pair.manifolds,
        &mut pair.workspace,
    );
    if result.is_err() {
        pair.manifolds.clear();
    }
    if let (Some(c), Some(d)) = (p.shape.as_capsule(), q.shape.as_capsule()) {
        for manifold in &mut pair.manifolds {
            capsules::add_ends(&between, c, d, prediction, manifold);
        }
    }
    pair.near = true;
}
