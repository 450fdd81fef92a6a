//! What one visit of a manifold does, with z of its two movers at hand.
//!
//! Rows of a manifold answer each other by a small matrix, its block: a visit asks z for the speeds of the rows once, goes over the
//! impulses in rounds with the block alone, and gives z all of what was added in the end.

use glam::DVec3;

use super::super::reduce;
use super::{Point, Roll, Touch};
use crate::spatial::vec8::{self, Vec8, ZERO};

/// Rounds over the normals of a manifold of more than two points, before friction.
const ROUNDS: usize = 2;

/// Rows of a manifold at most: three of each of its points, and three against rolling.
const MOST: usize = 3 * (reduce::ENOUGH + 1);

/// Four columns of a block.
pub(super) type Four = [f64; 4];

/// Speed of row `k` of those given, from the first of a manifold or of a point on.
#[inline(always)]
pub(super) fn speed(rows: &[Vec8], k: usize, a: &[Vec8], b: &[Vec8]) -> f64 {
    let rows = &rows[k * (a.len() + b.len())..][..a.len() + b.len()];
    let mut sum = ZERO;
    for (row, z) in rows.iter().zip(a.iter().chain(b)) {
        for i in 0..8 {
            sum[i] += row[i] * z[i];
        }
    }
    vec8::sum(&sum)
}

/// Adds an impulse along row `k` of those given.
#[inline(always)]
pub(super) fn apply(rows: &[Vec8], k: usize, a: &mut [Vec8], b: &mut [Vec8], impulse: f64, rigid: [bool; 2]) {
    let rows = &rows[k * (a.len() + b.len())..][..a.len() + b.len()];
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

/// Adds the block of a manifold: how the speed of each of its `count` rows answers an impulse along each. What is `rigid` does not.
pub(super) fn add_block(
    rows: &[Vec8],
    sides: [usize; 2],
    count: usize,
    rigid: [bool; 2],
    block: &mut Vec<Four>,
) {
    let (width, length) = (count.div_ceil(4), sides[0] + sides[1]);
    let (from, to) = (if rigid[0] { sides[0] } else { 0 }, if rigid[1] { sides[0] } else { length });
    let first = block.len();
    block.resize(first + count * width, [0.0; 4]);
    let block = &mut block[first..];
    let row = |i: usize| &rows[i * length + from..i * length + to];
    for i in 0..count {
        for j in 0..=i {
            let answer = row(i).iter().zip(row(j)).map(|(a, b)| vec8::dot(a, b)).sum::<f64>();
            block[i * width + j / 4][j % 4] = answer;
            block[j * width + i / 4][i % 4] = answer;
        }
    }
}

/// One over what the speeds of three rows answer, from row `first` of a block on: of a point, if `tangents`, the last two have one over
/// the greatest answer in any direction between them, so that they cannot overshoot together.
pub(super) fn inverses(block: &[Four], width: usize, first: usize, tangents: bool) -> [f64; 3] {
    let answer = |i: usize, j: usize| block[(first + i) * width + (first + j) / 4][(first + j) % 4];
    let over = |x: f64| if x > 1e-12 { 1.0 / x } else { 0.0 };
    let mut inverse = [0, 1, 2].map(|k| over(answer(k, k)));
    if tangents && inverse[1] > 0.0 && inverse[2] > 0.0 {
        let (a, b) = (answer(1, 1), answer(2, 2));
        let greatest = 0.5 * (a + b) + (0.25 * (a - b) * (a - b) + answer(1, 2) * answer(1, 2)).sqrt();
        (inverse[1], inverse[2]) = (1.0 / greatest, 1.0 / greatest);
    }
    inverse
}

/// Speeds of the rows of a manifold \[m/s], less what those of the normals are to be, and the impulses that were added to them.
struct Rows<'a> {
    block: &'a [Four],
    width: usize,
    off: [Four; MOST.div_ceil(4)],
    added: [f64; MOST],
}

impl Rows<'_> {
    #[inline(always)]
    fn off(&self, row: usize) -> f64 {
        self.off[row / 4][row % 4]
    }

    #[inline(always)]
    fn answer(&self, row: usize, other: usize) -> f64 {
        self.block[row * self.width + other / 4][other % 4]
    }

    /// Adds an impulse along a row: all speeds of the manifold change.
    #[inline(always)]
    fn add(&mut self, row: usize, impulse: f64) {
        self.added[row] += impulse;
        let answers = &self.block[row * self.width..][..self.width];
        for (off, answers) in self.off.iter_mut().zip(answers) {
            for i in 0..4 {
                off[i] += impulse * answers[i];
            }
        }
    }

    /// The normal of a point; how much its speed changed \[m/s].
    #[inline(always)]
    fn press(&mut self, i: usize, point: &mut Point, inverse: f64) -> f64 {
        let next = (point.impulse[0] - self.off(3 * i) * inverse).max(0.0);
        let step = next - point.impulse[0];
        if step == 0.0 {
            return 0.0;
        }
        point.impulse[0] = next;
        self.add(3 * i, step);
        step.abs() / inverse
    }

    /// Adds one impulse to all points of a face, the best that is equal for all; how much their mean speed changed \[m/s].
    fn press_together(&mut self, points: &mut [Point]) -> f64 {
        let (mut off, mut answers, mut least) = (0.0, 0.0, f64::INFINITY);
        for (i, point) in points.iter().enumerate() {
            off += self.off(3 * i);
            least = least.min(point.impulse[0]);
            answers += (0..points.len()).map(|j| self.answer(3 * i, 3 * j)).sum::<f64>();
        }
        if answers <= 1e-12 {
            return 0.0;
        }
        let step = (-off / answers).max(-least);
        if step == 0.0 {
            return 0.0;
        }
        for (i, point) in points.iter_mut().enumerate() {
            point.impulse[0] += step;
            self.add(3 * i, step);
        }
        step.abs() * answers / points.len() as f64
    }
}

/// Of what a visit reads: all rows, the block of the manifold, and which side does not answer.
pub(super) struct Given<'a> {
    pub(super) rows: &'a [Vec8],
    pub(super) block: &'a [Four],
    pub(super) rigid: [bool; 2],
}

/// One manifold: its impulses are found by the block alone; z of the two movers is read for the speeds before, and written after. What
/// is `rigid` does not answer, and has a block of its own.
#[inline(always)]
pub(super) fn visit(
    touch: &Touch,
    points: &mut [Point],
    rolls: &mut [Roll],
    given: &Given,
    a: &mut [Vec8],
    b: &mut [Vec8],
) -> f64 {
    let Given { rows, block, rigid } = *given;
    let Some(first) = points.first() else { return 0.0 };
    let rows = &rows[first.rows as usize..];
    let count = 3 * (points.len() + rolls.len());
    let width = count.div_ceil(4);
    let mut it = Rows { block, width, off: [[0.0; 4]; MOST.div_ceil(4)], added: [0.0; MOST] };
    let mut idle = rolls.iter().all(|roll| roll.impulse == [0.0; 3]);
    for (i, point) in points.iter().enumerate() {
        let off = speed(rows, 3 * i, a, b) + point.drift[0] - point.target;
        it.off[3 * i / 4][3 * i % 4] = off;
        idle &= off >= 0.0 && point.impulse == [0.0; 3];
    }
    if idle {
        return 0.0;
    }
    for (i, point) in points.iter().enumerate() {
        for k in 1..3 {
            it.off[(3 * i + k) / 4][(3 * i + k) % 4] = speed(rows, 3 * i + k, a, b) + point.drift[k];
        }
    }
    let rolling = 3 * points.len();
    for roll in rolls.iter() {
        for k in 0..3 {
            let speed = speed(rows, rolling + k, a, b);
            it.off[(rolling + k) / 4][(rolling + k) % 4] = speed + roll.drift[k];
        }
    }
    let worst = solve(touch, points, rolls, &mut it, rigid != [false; 2]);
    for row in 0..count {
        if it.added[row] != 0.0 {
            apply(rows, row, a, b, it.added[row], rigid);
        }
    }
    worst
}

/// Impulses of one manifold; the greatest change of a speed \[m/s].
#[inline(always)]
fn solve(touch: &Touch, points: &mut [Point], rolls: &mut [Roll], it: &mut Rows, rigid: bool) -> f64 {
    let inverse = |it: &Rows, i: usize, point: &Point| match rigid {
        false => point.inverse,
        true => inverses(it.block, it.width, 3 * i, true),
    };
    let mut worst = 0.0f64;
    let last = points.len().saturating_sub(1);
    // points of a face share a load: all together first, else the one that is visited first would have most of it and tilt the body;
    // then a few rounds to and fro while they are at hand
    if points.len() > 2 {
        worst = it.press_together(points);
        for round in 0..ROUNDS {
            for i in 0..points.len() {
                let i = if round % 2 == 0 { i } else { last - i };
                let inverse = inverse(it, i, &points[i])[0];
                worst = worst.max(it.press(i, &mut points[i], inverse));
            }
        }
    }
    let mut normals = 0.0;
    for (i, point) in points.iter_mut().enumerate() {
        let inverse = inverse(it, i, point);
        // friction first: what is sure is held last
        let bound = touch.friction * point.impulse[0];
        // what does not press does not rub
        if bound > 0.0 || point.impulse[1] != 0.0 || point.impulse[2] != 0.0 {
            // both tangents at once
            let next = [1, 2].map(|k| point.impulse[k] - it.off(3 * i + k) * inverse[k]);
            let length = next[0] * next[0] + next[1] * next[1];
            let scale = if length > bound * bound { bound / length.sqrt() } else { 1.0 };
            for k in 1..3 {
                let step = next[k - 1] * scale - point.impulse[k];
                point.impulse[k] += step;
                it.add(3 * i + k, step);
            }
        }
        worst = worst.max(it.press(i, point, inverse[0]));
        normals += point.impulse[0];
    }
    let first = 3 * points.len();
    for roll in rolls {
        let inverse = if rigid { inverses(it.block, it.width, first, false) } else { roll.inverse };
        // one axis after the other: to a link on a hinge all three are one, and three answers at once would be twice too much
        for k in 0..3 {
            let step = -it.off(first + k) * inverse[k];
            roll.impulse[k] += step;
            it.add(first + k, step);
        }
        let (length, bound) = (DVec3::from(roll.impulse).length(), touch.rolling * normals);
        if length > bound {
            for k in 0..3 {
                let step = roll.impulse[k] * (bound / length - 1.0);
                roll.impulse[k] += step;
                it.add(first + k, step);
            }
        }
    }
    worst
}

/// Throws back the points of a manifold that collide, as told by the speed of their normals \[m/s]; whether any did.
pub(super) fn throw_back(
    touch: &Touch,
    points: &mut [Point],
    rows: &[Vec8],
    a: &mut [Vec8],
    b: &mut [Vec8],
    collides: impl Fn(&Point, f64) -> bool,
) -> bool {
    let closing = |p: &Point, a: &[Vec8], b: &[Vec8]| {
        let speed = speed(&rows[p.rows as usize..], 0, a, b) + p.drift[0];
        collides(p, speed).then_some(speed)
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
        let rows = &rows[point.rows as usize..];
        apply(rows, 0, a, b, impulse, [false; 2]);
        let mut friction = [1, 2].map(|k| -(speed(rows, k, a, b) + point.drift[k]) * point.inverse[k]);
        let (length, bound) =
            ((friction[0] * friction[0] + friction[1] * friction[1]).sqrt(), touch.friction * impulse);
        if length > bound {
            friction = friction.map(|x| x * bound / length);
        }
        for k in 0..2 {
            point.bounce[k + 1] += friction[k];
            apply(rows, k + 1, a, b, friction[k], [false; 2]);
        }
    }
    true
}
