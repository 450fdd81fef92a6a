//! At most four points of a manifold: more hold nothing more, and sweeps take longer to share a load among them.

use glam::DVec3;

/// How many points are enough.
pub(crate) const ENOUGH: usize = 4;

/// Which of `count` points to take, by their places on the first body and their separations: the deepest, the one farthest from it,
/// and those that span the widest area to either side.
pub(crate) fn choose(
    count: usize,
    at: impl Fn(usize) -> DVec3,
    normal: DVec3,
    depth: impl Fn(usize) -> f64,
) -> [usize; ENOUGH] {
    let best = |worth: &dyn Fn(usize) -> f64| {
        (0..count).fold(0, |best, i| if worth(i) > worth(best) { i } else { best })
    };
    let deepest = best(&depth);
    let first = best(&|i| flat(at(i) - at(deepest), normal).length_squared());
    let second = best(&|i| flat(at(i) - at(first), normal).length_squared());
    let edge = at(second) - at(first);
    let side = |i: usize| normal.dot(edge.cross(at(i) - at(first)));
    [first, second, best(&|i| side(i)), best(&|i| -side(i))]
}

/// Points that were left out and are nearest to the chosen point `own`.
pub(crate) fn left_to(
    chosen: &[usize; ENOUGH],
    own: usize,
    count: usize,
    at: impl Fn(usize) -> DVec3,
) -> impl Iterator<Item = usize> {
    let chosen = *chosen;
    (0..count).filter(move |i| {
        let nearest = chosen
            .iter()
            .min_by(|a, b| at(*i).distance_squared(at(**a)).total_cmp(&at(*i).distance_squared(at(**b))));
        !chosen.contains(i) && nearest == Some(&own)
    })
}

fn flat(x: DVec3, normal: DVec3) -> DVec3 {
    x - normal * normal.dot(x)
}
