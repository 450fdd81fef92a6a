//! What one visit of a manifold does, with z of its two movers at hand.

use glam::DVec3;

use super::super::vec8::{self, Vec8, ZERO};
use super::{Point, Roll, Touch};

/// Rounds over the normals of a manifold of more than two points, before friction.
const ROUNDS: usize = 2;

/// Movers with more numbers than this, in eights, have no faces to press as one.
const TOGETHER: usize = 8;

/// Speed of row `k` of those that start at `first`.
#[inline(always)]
pub(super) fn speed(rows: &[Vec8], first: u32, k: usize, a: &[Vec8], b: &[Vec8]) -> f64 {
    let rows = &rows[first as usize + k * (a.len() + b.len())..][..a.len() + b.len()];
    let mut sum = ZERO;
    for (row, z) in rows.iter().zip(a.iter().chain(b)) {
        for i in 0..8 {
            sum[i] += row[i] * z[i];
        }
    }
    vec8::sum(&sum)
}

/// Adds an impulse along row `k`.
#[inline(always)]
pub(super) fn apply(
    rows: &[Vec8],
    first: u32,
    k: usize,
    a: &mut [Vec8],
    b: &mut [Vec8],
    impulse: f64,
    rigid: [bool; 2],
) {
    let rows = &rows[first as usize + k * (a.len() + b.len())..][..a.len() + b.len()];
    let (of_a, of_b) = rows.split_at(a.len());
    if !rigid[0] {
        for (z, row) in a.iter_mut().zip(of_a) {
            vec8::add(z, row, impulse);
        }
    }
    if !rigid[1] {
        for (z, row) in b.iter_mut().zip(of_b) {
            vec8::add(z, row, impulse);
        }
    }
}

/// Impulse per speed of row `k`, if some side does not answer.
fn weight(rows: &[Vec8], first: u32, k: usize, a: usize, b: usize, rigid: [bool; 2]) -> f64 {
    let rows = &rows[first as usize + k * (a + b)..][..a + b];
    let square = |rows: &[Vec8]| rows.iter().map(|r| vec8::dot(r, r)).sum::<f64>();
    let mut yields = 0.0;
    if !rigid[0] {
        yields += square(&rows[..a]);
    }
    if !rigid[1] {
        yields += square(&rows[a..]);
    }
    if yields > 1e-12 { 1.0 / yields } else { 0.0 }
}

/// The normal of a point; how much its speed changed \[m/s].
#[inline(always)]
fn press(
    point: &mut Point,
    rows: &[Vec8],
    a: &mut [Vec8],
    b: &mut [Vec8],
    inverse: f64,
    rigid: [bool; 2],
) -> f64 {
    let off = speed(rows, point.rows, 0, a, b) + point.drift[0] - point.target;
    let next = (point.impulse[0] - off * inverse).max(0.0);
    let step = next - point.impulse[0];
    if step == 0.0 {
        return 0.0;
    }
    point.impulse[0] = next;
    apply(rows, point.rows, 0, a, b, step, rigid);
    step.abs() / inverse
}

/// The same impulse at all points of a face, the best one; how much their mean speed changed \[m/s].
fn press_together(points: &mut [Point], rows: &[Vec8], a: &mut [Vec8], b: &mut [Vec8]) -> f64 {
    let count = a.len() + b.len();
    let mut sum = [ZERO; TOGETHER];
    let Some(sum) = sum.get_mut(..count) else { return 0.0 };
    let (mut off, mut least) = (0.0, f64::INFINITY);
    for point in points.iter() {
        off += speed(rows, point.rows, 0, a, b) + point.drift[0] - point.target;
        least = least.min(point.impulse[0]);
        for (sum, row) in sum.iter_mut().zip(&rows[point.rows as usize..][..count]) {
            vec8::add(sum, row, 1.0);
        }
    }
    let answers: f64 = sum.iter().map(|row| vec8::dot(row, row)).sum();
    if answers <= 1e-12 {
        return 0.0;
    }
    let step = (-off / answers).max(-least);
    for point in points.iter_mut() {
        point.impulse[0] += step;
    }
    for (z, row) in a.iter_mut().chain(b).zip(sum.iter()) {
        vec8::add(z, row, step);
    }
    step.abs() * answers / points.len() as f64
}

#[inline(always)]
pub(super) fn visit(
    touch: &Touch,
    points: &mut [Point],
    rolls: &mut [Roll],
    rows: &[Vec8],
    a: &mut [Vec8],
    b: &mut [Vec8],
    rigid: [bool; 2],
) -> f64 {
    let mut worst = 0.0f64;
    let mut normals = 0.0;
    let last = points.len().saturating_sub(1);
    // points of a face share a load: all together first, else the one that is visited first would have most of it and tilt the body;
    // then a few rounds to and fro while they are at hand
    if points.len() > 2 && rigid == [false; 2] {
        worst = press_together(points, rows, a, b);
    }
    for round in 0..if points.len() > 2 { ROUNDS } else { 0 } {
        for i in 0..points.len() {
            let point = &mut points[if round % 2 == 0 { i } else { i.abs_diff(last) }];
            let inverse = match rigid {
                [false, false] => point.inverse[0],
                _ => weight(rows, point.rows, 0, a.len(), b.len(), rigid),
            };
            worst = worst.max(press(point, rows, a, b, inverse, rigid));
        }
    }
    for point in points.iter_mut() {
        let inverse = match rigid {
            [false, false] => point.inverse,
            _ => [0, 1, 2].map(|k| weight(rows, point.rows, k, a.len(), b.len(), rigid)),
        };
        // friction first: what is sure is held last
        let bound = touch.friction * point.impulse[0];
        // both tangents at once, each with the greatest that either answers: then they cannot overshoot
        let mut next = [0.0; 2];
        // what does not press does not rub
        let rubs = bound > 0.0 || point.impulse[1] != 0.0 || point.impulse[2] != 0.0;
        for k in 0..if rubs { 2 } else { 0 } {
            let speed = speed(rows, point.rows, k + 1, a, b) + point.drift[k + 1];
            next[k] = point.impulse[k + 1] - speed * inverse[k + 1];
        }
        let length = next[0] * next[0] + next[1] * next[1];
        let scale = if length > bound * bound { bound / length.sqrt() } else { 1.0 };
        for k in 0..2 {
            let step = next[k] * scale - point.impulse[k + 1];
            if step != 0.0 {
                point.impulse[k + 1] += step;
                apply(rows, point.rows, k + 1, a, b, step, rigid);
            }
        }
        worst = worst.max(press(point, rows, a, b, inverse[0], rigid));
        normals += point.impulse[0];
    }
    for roll in rolls {
        // one axis after the other: to a link on a hinge all three are one, and three answers at once would be twice too much
        for k in 0..3 {
            let step = -(speed(rows, roll.rows, k, a, b) + roll.drift[k]) * roll.inverse[k];
            roll.impulse[k] += step;
            apply(rows, roll.rows, k, a, b, step, rigid);
        }
        let (length, bound) = (DVec3::from(roll.impulse).length(), touch.rolling * normals);
        if length > bound {
            for k in 0..3 {
                let step = roll.impulse[k] * (bound / length - 1.0);
                roll.impulse[k] += step;
                apply(rows, roll.rows, k, a, b, step, rigid);
            }
        }
    }
    worst
}

pub(super) fn throw_back(
    touch: &Touch,
    points: &mut [Point],
    rows: &[Vec8],
    a: &mut [Vec8],
    b: &mut [Vec8],
    least: f64,
    dt: f64,
) -> bool {
    let closing = |p: &Point, a: &[Vec8], b: &[Vec8]| {
        let speed = speed(rows, p.rows, 0, a, b) + p.drift[0];
        (speed < -least && p.separation + dt * speed < 0.0).then_some(speed)
    };
    let before: f64 = points.iter().filter_map(|p| closing(p, a, b)).fold(0.0, f64::min);
    if before == 0.0 {
        return false;
    }
    // the fastest point first: a ball has one, a box that lands flat four
    for _ in 0..4 * points.len() {
        let worst = (0..points.len())
            .filter_map(|i| Some((i, closing(&points[i], a, b)?)))
            .min_by(|x, y| x.1.total_cmp(&y.1));
        let Some((i, fastest)) = worst else { break };
        let point = &mut points[i];
        let impulse = -(1.0 + touch.restitution) * fastest * point.inverse[0];
        point.bounce[0] += impulse;
        apply(rows, point.rows, 0, a, b, impulse, [false; 2]);
        let mut friction =
            [1, 2].map(|k| -(speed(rows, point.rows, k, a, b) + point.drift[k]) * point.inverse[k]);
        let (length, bound) = (friction[0].hypot(friction[1]), touch.friction * impulse);
        if length > bound {
            friction = friction.map(|x| x * bound / length);
        }
        for k in 0..2 {
            point.bounce[k + 1] += friction[k];
            apply(rows, point.rows, k + 1, a, b, friction[k], [false; 2]);
        }
    }
    true
}
