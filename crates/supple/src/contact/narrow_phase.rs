//! Where two colliders touch, or may touch within the next step: parry's manifolds.

use glam::DVec3;
use parry3d_f64::bounding_volume::BoundingVolume;
use parry3d_f64::math::Pose3;
use parry3d_f64::query::{DefaultQueryDispatcher, PersistentQueryDispatcher};
use parry3d_f64::shape::SharedShape;
use rayon::prelude::*;

use super::pair::Pair;
use super::skin::{Part, Skin};

/// Points are looked for within this distance, at least \[m].
const LEAST_PREDICTION: f64 = 0.002;

/// Updates the manifolds of all pairs of which one moves.
pub(crate) fn update(pairs: &mut [Pair], skins: &[Skin], gravity: DVec3, dt: f64) {
    let each = |pair: &mut Pair| touch(pair, skins, gravity, dt);
    if pairs.len() < 64 {
        pairs.iter_mut().for_each(each)
    } else {
        pairs.par_iter_mut().with_min_len(32).for_each(each)
    }
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

fn touch(pair: &mut Pair, skins: &[Skin], gravity: DVec3, dt: f64) {
    let [a, b] = pair.skins.map(|s| &skins[s as usize]);
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
    let speed = (b.velocity - a.velocity).length() + a.turning() + b.turning() + falls;
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
    pair.near = true;
}
