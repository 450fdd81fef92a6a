//! Impulses at contacts: sweeps over the manifolds, each visited with the velocities that the others left.
//!
//! Velocities are kept in coordinates z in which the mass matrix is one (`dynamics::square_root`): an impulse λ along a row x changes
//! them by `x λ`, and the speed of the row is `x · z`. A row has eight numbers for a single body, and as many as there are degrees of
//! freedom on the way from the root for a link of an articulation. A visit reads z of its two movers once and writes it once.

use glam::{DMat3, DVec3};

use super::pair::Kept;
use super::vec8::{self, Vec8, ZERO};
use crate::dynamics::kinematics::Kinematics;
use crate::dynamics::square_root::SquareRoot;
use crate::model::Tree;
use crate::spatial::{Force, Motion, Sym3};

/// Rounds over the normals of a manifold of more than two points, before friction.
const ROUNDS: usize = 2;

/// No way: a mover of its own.
const DIRECT: u32 = u32::MAX;

/// Something that contacts push.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mover {
    pub(crate) body: Pushed,
    /// First of its numbers in z, in eights, and how many eights.
    first: u32,
    chunks: u32,
    /// What forces on a single body are about \[m].
    at: DVec3,
    /// `1/√m`, and G with `I⁻¹ = G Gᵀ`, of a single body.
    root_mass: f64,
    root_inertia: DMat3,
    /// Level in the contact graph.
    pub(crate) level: u32,
    /// First of the ways to its links.
    ways: u32,
}

/// Whose mover it is, by the place in the world's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pushed {
    /// The world, and what sleeps.
    Nothing,
    Single(u32),
    Articulation(u32),
}

/// One side of a manifold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    pub(crate) mover: u32,
    /// Where the way to its link starts.
    way: u32,
    chunks: u32,
}

/// A point where two movers touch. Its rows stand one after the other: normal and two tangents, for each the first mover's part, then
/// the second's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    /// Normal from the first to the second, then two tangents.
    pub(crate) axes: [DVec3; 3],
    pub(crate) at: DVec3,
    rows: u32,
    /// One over what the speed of a row answers; 0 if nothing does.
    inverse: [f64; 3],
    pub(crate) separation: f64,
    /// Least speed along the normal \[m/s].
    pub(crate) target: f64,
    /// Speeds of the rows by what moves and is not moved \[m/s].
    drift: [f64; 3],
    pub(crate) impulse: [f64; 3],
    /// Impulses of collisions with restitution.
    pub(crate) bounce: [f64; 3],
    /// Its place in the manifold, and what it had there.
    pub(crate) place: u32,
    pub(crate) kept: Kept,
}

/// Points of one manifold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub(crate) sides: [Side; 2],
    /// Pair and manifold that it is of.
    pub(crate) pair: u32,
    pub(crate) manifold: u32,
    first: u32,
    count: u32,
    pub(crate) friction: f64,
    pub(crate) restitution: f64,
    rolling: f64,
    /// Its place among those that resist rolling.
    roll: u32,
}

/// Resistance to rolling and spinning of one manifold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Roll {
    axes: [DVec3; 3],
    rows: u32,
    inverse: [f64; 3],
    drift: [f64; 3],
    impulse: [f64; 3],
}

/// What a manifold is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface {
    pub(crate) friction: f64,
    pub(crate) restitution: f64,
    pub(crate) rolling: f64,
}

/// An articulation, for the rows of its links.
pub(crate) struct Links<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) kinematics: &'a Kinematics,
    pub(crate) root: &'a mut SquareRoot,
}

/// Contacts of one pose, ready to be solved.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactSolver {
    pub(crate) movers: Vec<Mover>,
    pub(crate) touches: Vec<Touch>,
    pub(crate) points: Vec<Point>,
    rolls: Vec<Roll>,
    z: Vec<Vec8>,
    rows: Vec<Vec8>,
    /// Places in z on the ways to links, filled up to eights with one that stays zero.
    ways: Vec<u32>,
    /// By link of a mover: where its way starts, and how many eights.
    link_ways: Vec<(u32, u32)>,
    local: [Vec<Vec8>; 2],
    scratch: Vec<u32>,
}

impl ContactSolver {
    pub(crate) fn clear(&mut self) {
        self.movers.clear();
        self.touches.clear();
        self.points.clear();
        self.rolls.clear();
        self.z.clear();
        self.rows.clear();
        self.ways.clear();
        self.link_ways.clear();
        // the world
        self.add_mover(Pushed::Nothing, 0, DVec3::ZERO, 0.0, DMat3::ZERO);
    }

    fn add_mover(
        &mut self,
        body: Pushed,
        numbers: usize,
        at: DVec3,
        root_mass: f64,
        root_inertia: DMat3,
    ) -> u32 {
        let (first, chunks) = (self.z.len() as u32, numbers.div_ceil(8) as u32);
        self.z.resize(self.z.len() + chunks as usize, ZERO);
        let ways = self.link_ways.len() as u32;
        self.movers.push(Mover { body, first, chunks, at, root_mass, root_inertia, level: 0, ways });
        self.movers.len() as u32 - 1
    }

    /// A single body; nothing moves one without inverse mass.
    pub(crate) fn add_single(
        &mut self,
        place: u32,
        at: DVec3,
        inverse_mass: f64,
        inverse_inertia: Sym3,
    ) -> u32 {
        let numbers = if inverse_mass > 0.0 { 8 } else { 0 };
        self.add_mover(Pushed::Single(place), numbers, at, inverse_mass.sqrt(), lower(inverse_inertia))
    }

    /// An articulation of so many links and degrees of freedom.
    pub(crate) fn add_articulation(&mut self, place: u32, links: usize, dofs: usize) -> u32 {
        let mover = self.add_mover(Pushed::Articulation(place), dofs + 1, DVec3::ZERO, 0.0, DMat3::ZERO);
        self.link_ways.resize(self.link_ways.len() + links, (DIRECT, 0));
        mover
    }

    /// The side of a single body, or of the world.
    pub(crate) fn side(&self, mover: u32) -> Side {
        let it = &self.movers[mover as usize];
        Side { mover, way: DIRECT, chunks: it.chunks }
    }

    /// The side of a link.
    pub(crate) fn link_side(&mut self, mover: u32, link: usize, root: &mut SquareRoot) -> Side {
        let it = self.movers[mover as usize];
        let known = it.ways as usize + link;
        if self.link_ways[known].0 == DIRECT {
            let way = root.way(link);
            self.link_ways[known] = put_way(&mut self.ways, &it, way);
        }
        let (way, chunks) = self.link_ways[known];
        Side { mover, way, chunks }
    }

    /// Both sides of a manifold between two links of one articulation: all is on the first.
    pub(crate) fn own_sides(&mut self, mover: u32, links: [usize; 2], root: &mut SquareRoot) -> [Side; 2] {
        let it = self.movers[mover as usize];
        self.scratch.clear();
        for link in links {
            self.scratch.extend_from_slice(root.way(link));
        }
        self.scratch.sort_unstable();
        self.scratch.dedup();
        let (way, chunks) = put_way(&mut self.ways, &it, &self.scratch);
        [Side { mover, way, chunks }, self.side(0)]
    }

    /// Starts a manifold; its points follow.
    pub(crate) fn begin_touch(&mut self, sides: [Side; 2], pair: u32, manifold: u32, surface: Surface) {
        for (side, local) in sides.iter().zip(&mut self.local) {
            if local.len() < side.chunks as usize {
                local.resize(side.chunks as usize, ZERO);
            }
        }
        let Surface { friction, restitution, rolling } = surface;
        let first = self.points.len() as u32;
        let roll = u32::MAX;
        self.touches.push(Touch {
            sides,
            pair,
            manifold,
            first,
            count: 0,
            friction,
            restitution,
            rolling,
            roll,
        });
    }

    /// A point of the manifold begun last. `push` fills in the row of a side for a force at a point: see [`ContactSolver::push_row`].
    pub(crate) fn add_point(
        &mut self,
        at: DVec3,
        normal: DVec3,
        separation: f64,
        mut row: impl FnMut(&Self, usize, Force, &mut [Vec8]),
    ) -> &mut Point {
        let (t, u) = normal.any_orthonormal_pair();
        let axes = [normal, t, u];
        let rows = self.rows.len() as u32;
        let mut inverse = axes.map(|axis| self.add_row(Force::new(at.cross(axis), axis), &mut row));
        (inverse[1], inverse[2]) = self.both_tangents(rows as usize, inverse);
        self.points.push(Point {
            axes,
            at,
            rows,
            inverse,
            separation,
            target: 0.0,
            drift: [0.0; 3],
            impulse: [0.0; 3],
            bounce: [0.0; 3],
            place: 0,
            kept: Kept::default(),
        });
        let last = self.touches.len() - 1;
        self.touches[last].count += 1;
        let last = self.points.len() - 1;
        &mut self.points[last]
    }

    /// One over the greatest that the two tangents of a point answer, in any direction between them.
    fn both_tangents(&self, rows: usize, inverse: [f64; 3]) -> (f64, f64) {
        if inverse[1] == 0.0 || inverse[2] == 0.0 {
            return (inverse[1], inverse[2]);
        }
        let length = (self.rows.len() - rows) / 3;
        let (t, u) = self.rows[rows + length..].split_at(length);
        let both: f64 = t.iter().zip(u).map(|(a, b)| vec8::dot(a, b)).sum();
        let (a, b) = (1.0 / inverse[1], 1.0 / inverse[2]);
        let greatest = 0.5 * (a + b) + (0.5 * (a - b)).hypot(both);
        (1.0 / greatest, 1.0 / greatest)
    }

    /// Ends a manifold: resistance to rolling, if there is any.
    pub(crate) fn end_touch(&mut self, mut row: impl FnMut(&Self, usize, Force, &mut [Vec8])) {
        let last = self.touches.len() - 1;
        let touch = self.touches[last];
        if touch.rolling > 0.0 && touch.count > 0 {
            let axes = self.points[touch.first as usize].axes;
            let rows = self.rows.len() as u32;
            let inverse = axes.map(|axis| self.add_row(Force::new(axis, DVec3::ZERO), &mut row));
            self.touches[last].roll = self.rolls.len() as u32;
            self.rolls.push(Roll { axes, rows, inverse, drift: [0.0; 3], impulse: [0.0; 3] });
        }
    }

    /// A row of a force, given about the world's origin, on the second side, and against it on the first; one over what it answers.
    fn add_row(&mut self, force: Force, row: &mut impl FnMut(&Self, usize, Force, &mut [Vec8])) -> f64 {
        let sides = self.touches[self.touches.len() - 1].sides;
        let first = self.rows.len();
        let chunks = sides.map(|side| side.chunks as usize);
        let mut rows = std::mem::take(&mut self.rows);
        rows.resize(first + chunks[0] + chunks[1], ZERO);
        let (a, b) = rows[first..].split_at_mut(chunks[0]);
        row(self, 0, -force, a);
        row(self, 1, force, b);
        let yields: f64 = rows[first..].iter().map(|r| vec8::dot(r, r)).sum();
        self.rows = rows;
        if yields > 1e-12 { 1.0 / yields } else { 0.0 }
    }

    /// The row of a force, about the world's origin, on a single body.
    pub(crate) fn single_row(&self, mover: u32, force: Force, row: &mut [Vec8]) {
        if let [row] = row {
            *row = self.movers[mover as usize].row(force);
        }
    }

    /// What is on the way of a side, as it is in z.
    pub(crate) fn way(&self, side: &Side) -> &[u32] {
        &self.ways[side.way as usize..side.way as usize + 8 * side.chunks as usize]
    }

    /// First place of an articulation's numbers in z.
    pub(crate) fn first(&self, mover: u32) -> u32 {
        8 * self.movers[mover as usize].first
    }

    /// z of an articulation.
    pub(crate) fn numbers(&self, mover: usize) -> &[f64] {
        let it = &self.movers[mover];
        self.z[it.first as usize..(it.first + it.chunks) as usize].as_flattened()
    }

    pub(crate) fn numbers_mut(&mut self, mover: usize) -> &mut [f64] {
        let it = &self.movers[mover];
        self.z[it.first as usize..(it.first + it.chunks) as usize].as_flattened_mut()
    }

    /// Velocity of a single body.
    pub(crate) fn motion(&self, mover: usize) -> Motion {
        let it = &self.movers[mover];
        if it.chunks == 0 {
            return Motion::ZERO;
        }
        let z = vec8::motion(&self.z[it.first as usize]);
        Motion::new(it.root_inertia * z.angular, z.linear * it.root_mass)
    }

    /// Sets the velocity of a single body that contacts can move.
    pub(crate) fn set_motion(&mut self, mover: usize, motion: Motion) {
        let it = self.movers[mover];
        if it.chunks > 0 {
            let angular = solve_lower(it.root_inertia, motion.angular);
            let linear = if it.root_mass > 0.0 { motion.linear / it.root_mass } else { DVec3::ZERO };
            self.z[it.first as usize] = vec8::of(angular, linear);
        }
    }

    /// All velocities to zero.
    pub(crate) fn stop(&mut self) {
        self.z.fill(ZERO);
        for point in &mut self.points {
            (point.drift, point.bounce) = ([0.0; 3], [0.0; 3]);
        }
        for roll in &mut self.rolls {
            (roll.drift, roll.impulse) = ([0.0; 3], [0.0; 3]);
        }
    }

    /// What bodies do to the speeds that nothing moves: `motion` is asked for those, about their centres of mass.
    pub(crate) fn set_drifts(&mut self, motion: impl Fn(u32) -> Motion) {
        let Self { movers, touches, points, rolls, .. } = self;
        for touch in touches.iter() {
            for (side, sign) in touch.sides.iter().zip([-1.0, 1.0]) {
                let mover = &movers[side.mover as usize];
                let Pushed::Single(place) = mover.body else { continue };
                if mover.chunks > 0 {
                    continue;
                }
                let motion = motion(place);
                for point in &mut points[touch.range()] {
                    let velocity = motion.at(point.at - mover.at).linear;
                    for k in 0..3 {
                        point.drift[k] += sign * point.axes[k].dot(velocity);
                    }
                }
                if let Some(roll) = rolls.get_mut(touch.roll as usize) {
                    for k in 0..3 {
                        roll.drift[k] += sign * roll.axes[k].dot(motion.angular);
                    }
                }
            }
        }
    }

    /// An impulse on a single body, about its centre of mass.
    pub(crate) fn push_single(&mut self, mover: usize, impulse: Force) {
        let it = self.movers[mover];
        if it.chunks > 0 {
            let change = it.about_centre(impulse);
            vec8::add(&mut self.z[it.first as usize], &change, 1.0);
        }
    }

    /// Gives the movers the impulses that the points start with.
    pub(crate) fn start(&mut self) {
        for t in 0..self.touches.len() {
            let touch = self.touches[t];
            if self.points[touch.range()].iter().all(|p| p.impulse == [0.0; 3]) {
                continue;
            }
            self.with_local(&touch, |points, _, rows, a, b| {
                for point in points {
                    for k in 0..3 {
                        apply(rows, point.rows, k, a, b, point.impulse[k], [false; 2]);
                    }
                }
            });
        }
    }

    /// Lends z of the two movers of a manifold, in the order of their rows.
    #[inline(always)]
    fn with_local<T>(
        &mut self,
        touch: &Touch,
        work: impl FnOnce(&mut [Point], &mut [Roll], &[Vec8], &mut [Vec8], &mut [Vec8]) -> T,
    ) -> T {
        let Self { points, rolls, rows, z, ways, movers, local, .. } = self;
        let points = &mut points[touch.range()];
        let rolls = match rolls.get_mut(touch.roll as usize) {
            Some(roll) => std::slice::from_mut(roll),
            None => &mut [],
        };
        let [s, t] = &touch.sides;
        let place = |side: &Side| movers[side.mover as usize].first as usize;
        match (s.way, t.way, s.chunks, t.chunks) {
            // two single bodies, or one and the world: no loops over eights
            (DIRECT, DIRECT, 1, 1) => {
                let (mut a, mut b) = ([z[place(s)]], [z[place(t)]]);
                let result = work(points, rolls, rows, &mut a, &mut b);
                (z[place(s)], z[place(t)]) = (a[0], b[0]);
                result
            }
            (DIRECT, DIRECT, 0, 1) => {
                let mut b = [z[place(t)]];
                let result = work(points, rolls, rows, &mut [], &mut b);
                z[place(t)] = b[0];
                result
            }
            _ => {
                let [a, b] = local;
                let (a, b) = (&mut a[..s.chunks as usize], &mut b[..t.chunks as usize]);
                gather(z, ways, s, place(s), a);
                gather(z, ways, t, place(t), b);
                let result = work(points, rolls, rows, a, b);
                scatter(z, ways, s, place(s), a);
                scatter(z, ways, t, place(t), b);
                result
            }
        }
    }

    /// One sweep over all contacts, from the last to the first if `back`; the greatest change of a speed \[m/s].
    pub(crate) fn sweep(&mut self, back: bool) -> f64 {
        let mut worst = 0.0f64;
        for i in 0..self.touches.len() {
            let t = if back { self.touches.len() - 1 - i } else { i };
            worst = worst.max(self.visit(t, [false; 2]));
        }
        worst
    }

    /// One manifold. A mover that is `rigid` does not answer, whatever it weighs.
    pub(crate) fn visit(&mut self, t: usize, rigid: [bool; 2]) -> f64 {
        let touch = self.touches[t];
        self.with_local(&touch, |points, rolls, rows, a, b| visit(&touch, points, rolls, rows, a, b, rigid))
    }

    /// One sweep along the normals alone, to move apart what penetrates.
    pub(crate) fn sweep_apart(&mut self, back: bool) -> f64 {
        let mut worst = 0.0f64;
        for i in 0..self.touches.len() {
            let touch = self.touches[if back { self.touches.len() - 1 - i } else { i }];
            let change = self.with_local(&touch, |points, _, rows, a, b| {
                let mut change = 0.0f64;
                for point in points {
                    let off = speed(rows, point.rows, 0, a, b) - point.target;
                    let next = (point.impulse[0] - off * point.inverse[0]).max(0.0);
                    let step = next - point.impulse[0];
                    if step != 0.0 {
                        point.impulse[0] = next;
                        apply(rows, point.rows, 0, a, b, step, [false; 2]);
                        change = change.max(step.abs() / point.inverse[0]);
                    }
                }
                change
            });
            worst = worst.max(change);
        }
        worst
    }

    /// Collisions (Guendelman, Bridson & Fedkiw 2003): what closes faster than `least` \[m/s] and would penetrate within `dt` \[s] is thrown
    /// back, pair after pair, until nothing closes. Whether anything was.
    pub(crate) fn collide(&mut self, least: f64, dt: f64) -> bool {
        let mut any = false;
        for t in 0..self.touches.len() {
            let touch = self.touches[t];
            if touch.restitution > 0.0 {
                any |= self.with_local(&touch, |points, _, rows, a, b| {
                    throw_back(&touch, points, rows, a, b, least, dt)
                });
            }
        }
        any
    }

    /// Points that would penetrate within `dt` \[s], with their speed and the impulse that each alone would take.
    pub(crate) fn closing(&mut self, dt: f64, mut each: impl FnMut(&Touch, &Point, f64, f64)) {
        for t in 0..self.touches.len() {
            let touch = self.touches[t];
            self.with_local(&touch, |points, _, rows, a, b| {
                for point in points.iter() {
                    let speed = speed(rows, point.rows, 0, a, b) + point.drift[0];
                    if point.separation + dt * speed < 0.0 {
                        each(&touch, point, speed, -speed * point.inverse[0]);
                    }
                }
            });
        }
    }

    /// What contacts gave all movers that are single bodies, about their centres of mass.
    pub(crate) fn forces(&self, mut each: impl FnMut(u32, Force)) {
        for touch in &self.touches {
            for (side, sign) in touch.sides.iter().zip([-1.0, 1.0]) {
                let mover = &self.movers[side.mover as usize];
                if let Pushed::Single(place) = mover.body {
                    let mut sum = Force::ZERO;
                    for point in &self.points[touch.range()] {
                        let given = point.given() * sign;
                        sum += Force::new((point.at - mover.at).cross(given), given);
                    }
                    if let Some(roll) = self.rolls.get(touch.roll as usize) {
                        sum.angular += sign * (0..3).map(|k| roll.axes[k] * roll.impulse[k]).sum::<DVec3>();
                    }
                    each(place, sum);
                }
            }
        }
    }
}

impl Mover {
    /// Whether nothing moves it.
    pub(crate) fn is_fixed(&self) -> bool {
        self.chunks == 0
    }

    /// The row of a force about the world's origin.
    fn row(&self, force: Force) -> Vec8 {
        self.about_centre(Force::new(force.angular - self.at.cross(force.linear), force.linear))
    }

    fn about_centre(&self, force: Force) -> Vec8 {
        vec8::of(self.root_inertia.transpose() * force.angular, force.linear * self.root_mass)
    }
}

impl Touch {
    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

impl Point {
    /// The impulse on the second body \[N·s].
    pub(crate) fn given(&self) -> DVec3 {
        (0..3).map(|k| self.axes[k] * (self.impulse[k] + self.bounce[k])).sum()
    }

    /// Starts with an impulse.
    pub(crate) fn start(&mut self, impulse: DVec3) {
        self.impulse = self.axes.map(|axis| axis.dot(impulse));
        self.impulse[0] = self.impulse[0].max(0.0);
    }
}

/// Speed of row `k` of those that start at `first`.
#[inline(always)]
fn speed(rows: &[Vec8], first: u32, k: usize, a: &[Vec8], b: &[Vec8]) -> f64 {
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
fn apply(
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

#[inline(always)]
fn visit(
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
    // points of a face share a load: a few rounds while they are at hand
    for _ in 0..if points.len() > 2 { ROUNDS } else { 0 } {
        for point in points.iter_mut() {
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
        for k in 0..2 {
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

fn throw_back(
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

/// Fills a row of a link: numbers on the way of its side.
pub(crate) fn link_row(links: &mut Links, link: usize, force: Force, row: &mut [Vec8]) {
    let at = links.kinematics.links[link].position;
    let force = Force::new(force.angular - at.cross(force.linear), force.linear);
    let x = links.root.pushed(links.tree, links.kinematics, link, force);
    row.as_flattened_mut()[..x.len()].copy_from_slice(x);
}

fn put_way(ways: &mut Vec<u32>, mover: &Mover, way: &[u32]) -> (u32, u32) {
    let start = ways.len();
    ways.extend(way.iter().map(|c| 8 * mover.first + c));
    let chunks = way.len().div_ceil(8);
    // one that stays zero
    ways.resize(start + 8 * chunks, 8 * (mover.first + mover.chunks) - 1);
    (start as u32, chunks as u32)
}

#[inline(always)]
fn gather(z: &[Vec8], ways: &[u32], side: &Side, first: usize, local: &mut [Vec8]) {
    if side.way == DIRECT {
        local.copy_from_slice(&z[first..first + local.len()]);
        return;
    }
    let z = z.as_flattened();
    let local = local.as_flattened_mut();
    for (x, at) in local.iter_mut().zip(&ways[side.way as usize..]) {
        *x = z[*at as usize];
    }
}

#[inline(always)]
fn scatter(z: &mut [Vec8], ways: &[u32], side: &Side, first: usize, local: &[Vec8]) {
    if side.way == DIRECT {
        z[first..first + local.len()].copy_from_slice(local);
        return;
    }
    let z = z.as_flattened_mut();
    for (x, at) in local.as_flattened().iter().zip(&ways[side.way as usize..]) {
        z[*at as usize] = *x;
    }
}

/// G with `m = G Gᵀ`, lower triangular; zero where m is.
fn lower(m: Sym3) -> DMat3 {
    let root = |x: f64| if x > 0.0 { x.sqrt() } else { 0.0 };
    let over = |x: f64, y: f64| if y > 0.0 { x / y } else { 0.0 };
    let a = root(m.xx);
    let (b, d) = (over(m.xy, a), over(m.xz, a));
    let c = root(m.yy - b * b);
    let e = over(m.yz - b * d, c);
    let f = root(m.zz - d * d - e * e);
    DMat3::from_cols(DVec3::new(a, b, d), DVec3::new(0.0, c, e), DVec3::new(0.0, 0.0, f))
}

/// x with `G x = y`.
fn solve_lower(g: DMat3, y: DVec3) -> DVec3 {
    let over = |x: f64, y: f64| if y > 0.0 { x / y } else { 0.0 };
    let (a, b, c) = (g.x_axis, g.y_axis, g.z_axis);
    let x = over(y.x, a.x);
    let u = over(y.y - a.y * x, b.y);
    DVec3::new(x, u, over(y.z - a.z * x - b.z * u, c.z))
}
