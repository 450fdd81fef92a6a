//! The contact solver: sweeps over the manifolds, each solved with the velocities that the others left (projected Gauss–Seidel).
//!
//! Velocities are kept in coordinates z in which the mass matrix is one (`dynamics::square_root`): an impulse λ along a row x changes
//! them by `x λ`, and the speed of the row is `x · z`. A row has eight numbers for a single body, and as many as there are degrees of
//! freedom on the way from the root for a link of an articulation. A visit reads z of its two movers once and writes it once.

mod build;
mod gains;
mod visit;

use glam::{DMat3, DVec3};

use super::pair::WarmStart;
use crate::spatial::vec8::{self, Vec8, ZERO};
use crate::spatial::{Force, Motion};

use visit::{Four, Given, add_block, apply, speed, throw_back, visit};

/// No way: a mover of its own.
const DIRECT: u32 = u32::MAX;

/// A single body or an articulation that contacts push.
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

/// The body of a mover, by its place in the world's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pushed {
    /// The world, or a body that sleeps.
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
    pub(crate) warm_start: WarmStart,
}

/// Points of one manifold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub(crate) sides: [Side; 2],
    /// Its pair and manifold, valid until pairs are updated; and the collider sets of the pair.
    pub(crate) pair: u32,
    pub(crate) manifold: u32,
    pub(crate) collider_sets: [u32; 2],
    first: u32,
    count: u32,
    pub(crate) friction: f64,
    pub(crate) restitution: f64,
    pub(crate) rolling: f64,
    /// Its place among those that resist rolling.
    roll: u32,
    /// Where its block starts.
    block: u32,
}

/// Resistance to rolling and spinning of one manifold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Roll {
    axes: [DVec3; 3],
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

/// Contacts of one pose, ready to be solved.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactSolver {
    pub(crate) movers: Vec<Mover>,
    pub(crate) touches: Vec<Touch>,
    pub(crate) points: Vec<Point>,
    rolls: Vec<Roll>,
    z: Vec<Vec8>,
    rows: Vec<Vec8>,
    /// How the rows of each manifold answer each other.
    blocks: Vec<Four>,
    /// The block of one of which a side does not answer.
    rigid_block: Vec<Four>,
    /// Places in z on the ways to links, filled up to eights with one that stays zero.
    ways: Vec<u32>,
    /// By link of a mover: where its way starts, and how many eights.
    link_ways: Vec<(u32, u32)>,
    local: [Vec<Vec8>; 2],
    /// The sweep to come, and by mover the last one that has to visit its contacts.
    round: u32,
    changed_at: Vec<u32>,
    /// The sweep before which changes were last asked for.
    asked: u32,
    before: gains::Before,
    scratch: Vec<u32>,
}

impl ContactSolver {
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

    /// Sets all velocities to zero.
    pub(crate) fn stop(&mut self) {
        self.z.fill(ZERO);
        self.begin_sweeps();
        for point in &mut self.points {
            (point.drift, point.bounce) = ([0.0; 3], [0.0; 3]);
        }
        for roll in &mut self.rolls {
            (roll.drift, roll.impulse) = ([0.0; 3], [0.0; 3]);
        }
    }

    /// Sets what bodies with a prescribed motion add to the speeds of all manifolds from number `first` on; `motion` gives theirs, about
    /// their centres of mass.
    pub(crate) fn set_drifts(&mut self, first: usize, motion: impl Fn(u32) -> Motion) {
        let Self { movers, touches, points, rolls, .. } = self;
        for touch in &touches[first..] {
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

    /// Adds the manifolds from number `first` on to a solve that has begun: their impulses are zero, and the next sweep visits them. `motion` as in
    /// [`ContactSolver::set_drifts`].
    pub(crate) fn join(&mut self, first: usize, dt: f64, motion: impl Fn(u32) -> Motion) {
        self.set_drifts(first, motion);
        for t in first..self.touches.len() {
            let touch = self.touches[t];
            for point in &mut self.points[touch.range()] {
                point.target = -point.separation / dt;
            }
            for side in &touch.sides {
                self.mark_changed(side.mover as usize);
            }
        }
    }

    /// Applies an impulse to a single body, about its centre of mass.
    pub(crate) fn push_single(&mut self, mover: usize, impulse: Force) {
        let it = self.movers[mover];
        if it.chunks > 0 {
            let change = it.about_centre(impulse);
            vec8::add(&mut self.z[it.first as usize], &change, 1.0);
        }
    }

    /// Applies the warm start of all points to the movers.
    pub(crate) fn start(&mut self) {
        for t in 0..self.touches.len() {
            let touch = self.touches[t];
            if self.points[touch.range()].iter().all(|p| p.impulse == [0.0; 3]) {
                continue;
            }
            self.with_local(&touch, |points, _, rows, a, b| {
                for point in points {
                    for k in 0..3 {
                        apply(&rows[point.rows as usize..], k, a, b, point.impulse[k], [false; 2]);
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

    /// Begins sweeps over what has changed: the first one goes over all.
    pub(crate) fn begin_sweeps(&mut self) {
        (self.round, self.asked) = (0, 0);
        self.changed_at.fill(0);
    }

    /// Whether a mover may have changed since [`ContactSolver::note_asked`].
    pub(crate) fn has_changed(&self, mover: u32) -> bool {
        self.changed_at[mover as usize] >= self.asked
    }

    /// Starts to count changes anew, for [`ContactSolver::has_changed`].
    pub(crate) fn note_asked(&mut self) {
        self.asked = self.round;
    }

    /// Notes that something other than a contact changed a mover: the next sweep visits its contacts.
    pub(crate) fn mark_changed(&mut self, mover: usize) {
        self.changed_at[mover] = self.round;
    }

    /// Whether a speed of a mover changed since the last sweep began.
    pub(crate) fn has_just_changed(&self, mover: usize) -> bool {
        self.changed_at[mover] >= self.round
    }

    /// Takes one sweep, forward and backward by turns, over the contacts of movers whose speeds changed by more than `least` \[m/s] since the
    /// sweep before began; the greatest change of a speed \[m/s].
    pub(crate) fn sweep_changed(&mut self, least: f64) -> f64 {
        let round = self.round;
        self.round += 1;
        let mut worst = 0.0f64;
        for i in 0..self.touches.len() {
            let t = if round % 2 == 1 { self.touches.len() - 1 - i } else { i };
            let movers = self.touches[t].sides.map(|side| side.mover as usize);
            if movers.iter().all(|m| self.changed_at[*m] < round) {
                continue;
            }
            let change = self.visit(t, [false; 2]);
            if change > least {
                // what does not answer changes nothing
                for m in movers.into_iter().filter(|m| self.movers[*m].chunks > 0) {
                    self.changed_at[m] = self.round;
                }
            }
            worst = worst.max(change);
        }
        worst
    }

    /// Takes one sweep over all contacts, from the last to the first if `back`; the greatest change of a speed \[m/s].
    pub(crate) fn sweep(&mut self, back: bool) -> f64 {
        let mut worst = 0.0f64;
        for i in 0..self.touches.len() {
            let t = if back { self.touches.len() - 1 - i } else { i };
            worst = worst.max(self.visit(t, [false; 2]));
        }
        worst
    }

    /// Solves one manifold. A mover that is `rigid` does not answer, whatever its mass.
    pub(crate) fn visit(&mut self, t: usize, rigid: [bool; 2]) -> f64 {
        let touch = self.touches[t];
        let mut own = std::mem::take(&mut self.rigid_block);
        let blocks = std::mem::take(&mut self.blocks);
        let change = self.with_local(&touch, |points, rolls, rows, a, b| {
            let mut block = &blocks[touch.block as usize..];
            if rigid != [false; 2] {
                own.clear();
                let count = 3 * (points.len() + rolls.len());
                let first = points.first().map_or(0, |point| point.rows as usize);
                add_block(&rows[first..], [a.len(), b.len()], count, rigid, &mut own);
                block = &own;
            }
            visit(&touch, points, rolls, &Given { rows, block, rigid }, a, b)
        });
        (self.rigid_block, self.blocks) = (own, blocks);
        change
    }

    /// Takes one sweep along the normals alone, to correct penetration.
    pub(crate) fn sweep_apart(&mut self, back: bool) -> f64 {
        let mut worst = 0.0f64;
        for i in 0..self.touches.len() {
            let touch = self.touches[if back { self.touches.len() - 1 - i } else { i }];
            let change = self.with_local(&touch, |points, _, rows, a, b| {
                let mut change = 0.0f64;
                for point in points {
                    let off = speed(&rows[point.rows as usize..], 0, a, b) - point.target;
                    let next = (point.impulse[0] - off * point.inverse[0]).max(0.0);
                    let step = next - point.impulse[0];
                    if step != 0.0 {
                        point.impulse[0] = next;
                        apply(&rows[point.rows as usize..], 0, a, b, step, [false; 2]);
                        change = change.max(step.abs() / point.inverse[0]);
                    }
                }
                change
            });
            worst = worst.max(change);
        }
        worst
    }

    /// Solves collisions (Guendelman, Bridson & Fedkiw 2003): points that close faster than `least` \[m/s] and would penetrate within `dt` \[s]
    /// bounce, in one pass over the pairs. Whether any did.
    pub(crate) fn collide(&mut self, least: f64, dt: f64) -> bool {
        let mut any = false;
        for t in 0..self.touches.len() {
            let touch = self.touches[t];
            if touch.restitution > 0.0 {
                let collides =
                    |point: &Point, speed: f64| speed < -least && point.separation + dt * speed < 0.0;
                any |= self.with_local(&touch, |points, _, rows, a, b| {
                    throw_back(&touch, points, rows, a, b, collides)
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
                    let speed = speed(&rows[point.rows as usize..], 0, a, b) + point.drift[0];
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

/// x with `G x = y`.
fn solve_lower(g: DMat3, y: DVec3) -> DVec3 {
    let over = |x: f64, y: f64| if y > 0.0 { x / y } else { 0.0 };
    let (a, b, c) = (g.x_axis, g.y_axis, g.z_axis);
    let x = over(y.x, a.x);
    let u = over(y.y - a.y * x, b.y);
    DVec3::new(x, u, over(y.z - a.z * x - b.z * u, c.z))
}
