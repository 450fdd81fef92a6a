//! Impulses at contacts: sweeps over the manifolds, each visited with the velocities that the others left.
//!
//! A visit reads the velocities of its two movers once and writes them once; what its impulses do to other ports of the same
//! articulation is passed on when it is done.

use glam::DVec3;

use super::pair::Kept;
use super::vec8::{self, Vec8, ZERO};
use crate::constraint::island::Node;
use crate::spatial::{Force, Motion, Sym3};
use crate::world::Articulations;

/// Something that contacts push.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mover {
    /// What it is; `None` if nothing moves it.
    pub(crate) node: Option<Node>,
    /// First mover of its articulation, and how many there are; its own place and 1 for others.
    pub(crate) first: u32,
    pub(crate) count: u32,
    /// What velocities and impulses are about \[m].
    pub(crate) at: DVec3,
    pub(crate) velocity: Vec8,
    /// What all contacts gave it.
    pub(crate) impulse: Vec8,
    pub(crate) inverse_mass: f64,
    pub(crate) inverse_inertia: Sym3,
    /// Level in the contact graph.
    pub(crate) level: u32,
}

impl Mover {
    /// The world, and what sleeps.
    pub(crate) const FIXED: Self = Self {
        node: None,
        first: 0,
        count: 1,
        at: DVec3::ZERO,
        velocity: ZERO,
        impulse: ZERO,
        inverse_mass: 0.0,
        inverse_inertia: Sym3::ZERO,
        level: 0,
    };

    fn port(&self) -> Option<(usize, usize)> {
        match self.node {
            Some(Node::Port { articulation, port }) => Some((articulation as usize, port as usize)),
            _ => None,
        }
    }

    pub(crate) fn motion(&self) -> Motion {
        vec8::motion(&self.velocity)
    }

    pub(crate) fn set_motion(&mut self, motion: Motion) {
        self.velocity = vec8::of(motion.angular, motion.linear);
    }

    pub(crate) fn force(&self) -> Force {
        vec8::force(&self.impulse)
    }
}

/// One direction of a contact: an impulse of size one on either mover, and what it does to their velocities.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    push: [Vec8; 2],
    answer: [Vec8; 2],
    /// One over what the speed of the row answers; 0 if nothing does.
    inverse: f64,
}

/// A point where two movers touch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    /// Normal from the first to the second, then two tangents.
    pub(crate) axes: [DVec3; 3],
    pub(crate) at: DVec3,
    rows: [Row; 3],
    pub(crate) separation: f64,
    /// Least speed along the normal \[m/s].
    pub(crate) target: f64,
    /// Impulses.
    pub(crate) impulse: [f64; 3],
    /// Impulse of collisions with restitution.
    pub(crate) bounce: f64,
    /// Its place in the manifold, and what it had there.
    pub(crate) place: u32,
    pub(crate) kept: Kept,
}

/// Points of one manifold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub(crate) movers: [u32; 2],
    /// Pair and manifold that it is of.
    pub(crate) pair: u32,
    pub(crate) manifold: u32,
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) friction: f64,
    pub(crate) restitution: f64,
    pub(crate) rolling: f64,
    /// Its place among those that resist rolling.
    pub(crate) roll: u32,
}

/// Resistance to rolling and spinning of one manifold.
#[derive(Clone, Copy, Debug)]
struct Roll {
    rows: [Row; 3],
    impulse: [f64; 3],
}

/// Contacts of one pose, ready to be solved.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactSolver {
    pub(crate) movers: Vec<Mover>,
    pub(crate) touches: Vec<Touch>,
    pub(crate) points: Vec<Point>,
    rolls: Vec<Roll>,
}

impl ContactSolver {
    pub(crate) fn clear(&mut self) {
        self.movers.clear();
        self.movers.push(Mover::FIXED);
        self.touches.clear();
        self.points.clear();
        self.rolls.clear();
    }

    /// Starts a manifold; its points follow.
    pub(crate) fn begin_touch(&mut self, touch: Touch) {
        self.touches.push(Touch { first: self.points.len() as u32, count: 0, roll: u32::MAX, ..touch });
    }

    /// A point of the manifold begun last.
    pub(crate) fn add_point(
        &mut self,
        articulations: &Articulations,
        at: DVec3,
        normal: DVec3,
        separation: f64,
    ) -> &mut Point {
        let movers = self.touches[self.touches.len() - 1].movers;
        let (t, u) = normal.any_orthonormal_pair();
        let axes = [normal, t, u];
        let rows = axes.map(|axis| {
            let arm = |m: u32| at - self.movers[m as usize].at;
            let push = |arm: DVec3, axis: DVec3| vec8::of(arm.cross(axis), axis);
            self.row(articulations, movers, [push(arm(movers[0]), -axis), push(arm(movers[1]), axis)])
        });
        self.points.push(Point {
            axes,
            at,
            rows,
            separation,
            target: 0.0,
            impulse: [0.0; 3],
            bounce: 0.0,
            place: 0,
            kept: Kept::default(),
        });
        let last = self.touches.len() - 1;
        self.touches[last].count += 1;
        let last = self.points.len() - 1;
        &mut self.points[last]
    }

    /// Ends a manifold: resistance to rolling, if there is any.
    pub(crate) fn end_touch(&mut self, articulations: &Articulations) {
        let last = self.touches.len() - 1;
        let touch = self.touches[last];
        if touch.rolling > 0.0 && touch.count > 0 {
            let axes = self.points[touch.first as usize].axes;
            let rows = axes.map(|axis| {
                let push = [vec8::of(-axis, DVec3::ZERO), vec8::of(axis, DVec3::ZERO)];
                self.row(articulations, touch.movers, push)
            });
            self.touches[last].roll = self.rolls.len() as u32;
            self.rolls.push(Roll { rows, impulse: [0.0; 3] });
        }
    }

    fn row(&self, articulations: &Articulations, movers: [u32; 2], push: [Vec8; 2]) -> Row {
        let [a, b] = movers.map(|m| &self.movers[m as usize]);
        let mut answer = [respond(articulations, a, a, &push[0]), respond(articulations, b, b, &push[1])];
        if a.first == b.first && a.port().is_some() {
            // of one articulation
            let others = [respond(articulations, a, b, &push[1]), respond(articulations, b, a, &push[0])];
            for side in 0..2 {
                vec8::add(&mut answer[side], &others[side], 1.0);
            }
        }
        let yields = vec8::dot(&push[0], &answer[0]) + vec8::dot(&push[1], &answer[1]);
        Row { push, answer, inverse: if yields > 1e-12 { 1.0 / yields } else { 0.0 } }
    }

    /// Gives the movers the impulses that the points start with.
    pub(crate) fn start(&mut self, articulations: &Articulations) {
        for t in 0..self.touches.len() {
            let touch = self.touches[t];
            let mut given = [ZERO; 2];
            for point in &self.points[touch.range()] {
                for (row, impulse) in point.rows.iter().zip(point.impulse) {
                    vec8::add(&mut given[0], &row.push[0], impulse);
                    vec8::add(&mut given[1], &row.push[1], impulse);
                }
            }
            if given != [ZERO; 2] {
                self.give(articulations, touch.movers, &given);
            }
        }
    }

    /// Adds impulses to two movers, and what they do to the velocities of all.
    fn give(&mut self, articulations: &Articulations, movers: [u32; 2], given: &[Vec8; 2]) {
        for side in 0..2 {
            self.push(articulations, movers[side] as usize, &given[side]);
            vec8::add(&mut self.movers[movers[side] as usize].impulse, &given[side], 1.0);
        }
    }

    /// What an impulse on a mover does to its velocity and to those of the other ports of its articulation.
    pub(crate) fn push(&mut self, articulations: &Articulations, mover: usize, impulse: &Vec8) {
        let it = self.movers[mover];
        match it.port() {
            None => {
                let change = respond(articulations, &it, &it, impulse);
                vec8::add(&mut self.movers[mover].velocity, &change, 1.0);
            }
            Some((articulation, port)) => {
                let ports = &mut self.movers[it.first as usize..(it.first + it.count) as usize];
                articulations.at(articulation).respond_from(port, vec8::force(impulse), |to, change| {
                    vec8::add(&mut ports[to].velocity, &vec8::of(change.angular, change.linear), 1.0);
                });
            }
        }
    }

    /// One sweep over all contacts, from the last to the first if `back`; the greatest change of a speed \[m/s].
    pub(crate) fn sweep(&mut self, articulations: &Articulations, back: bool) -> f64 {
        let mut worst = 0.0f64;
        for i in 0..self.touches.len() {
            let t = if back { self.touches.len() - 1 - i } else { i };
            worst = worst.max(self.visit(articulations, t, [false; 2]));
        }
        worst
    }

    /// One sweep along the normals alone, to move apart what penetrates.
    pub(crate) fn sweep_apart(&mut self, articulations: &Articulations, back: bool) -> f64 {
        let mut worst = 0.0f64;
        for i in 0..self.touches.len() {
            let touch = self.touches[if back { self.touches.len() - 1 - i } else { i }];
            let Self { movers, points, .. } = self;
            let [a, b] = touch.movers.map(|m| m as usize);
            let mut v = [movers[a].velocity, movers[b].velocity];
            let mut given = [ZERO; 2];
            for point in &mut points[touch.range()] {
                let row = &point.rows[0];
                let next = (point.impulse[0] - (row.speed(&v) - point.target) * row.inverse).max(0.0);
                let step = next - point.impulse[0];
                if step != 0.0 {
                    point.impulse[0] = next;
                    row.apply(step, [false; 2], &mut v, &mut given);
                    worst = worst.max(step.abs() / row.inverse);
                }
            }
            if given != [ZERO; 2] {
                (movers[a].velocity, movers[b].velocity) = (v[0], v[1]);
                self.pass_on(articulations, touch.movers, &given);
            }
        }
        worst
    }

    /// One manifold. A mover that is `rigid` does not answer, whatever it weighs.
    pub(crate) fn visit(&mut self, articulations: &Articulations, t: usize, rigid: [bool; 2]) -> f64 {
        let touch = self.touches[t];
        let Self { movers, points, rolls, .. } = self;
        let points = &mut points[touch.range()];
        let [a, b] = touch.movers.map(|m| m as usize);
        let mut v = [movers[a].velocity, movers[b].velocity];
        let mut given = [ZERO; 2];
        let mut worst = 0.0f64;
        let mut normals = 0.0;
        for point in points.iter_mut() {
            // friction first: what is sure is held last
            let bound = touch.friction * point.impulse[0];
            let mut change = [0.0; 2];
            let mut length = 0.0;
            for k in 0..2 {
                let row = &point.rows[k + 1];
                let step = -row.speed(&v) * row.weight(rigid);
                change[k] = point.impulse[k + 1] + step;
                length += change[k] * change[k];
            }
            let scale = if length > bound * bound { bound / length.sqrt() } else { 1.0 };
            for k in 0..2 {
                let next = change[k] * scale;
                let step = next - point.impulse[k + 1];
                point.impulse[k + 1] = next;
                point.rows[k + 1].apply(step, rigid, &mut v, &mut given);
            }
            let row = &point.rows[0];
            let off = row.speed(&v) - point.target;
            let next = (point.impulse[0] - off * row.weight(rigid)).max(0.0);
            let step = next - point.impulse[0];
            point.impulse[0] = next;
            row.apply(step, rigid, &mut v, &mut given);
            if row.inverse > 0.0 {
                worst = worst.max(step.abs() / row.inverse);
            }
            normals += point.impulse[0];
        }
        if let Some(roll) = rolls.get_mut(touch.roll as usize) {
            let bound = touch.rolling * normals;
            let next: [f64; 3] = std::array::from_fn(|k| {
                roll.impulse[k] - roll.rows[k].speed(&v) * roll.rows[k].weight(rigid)
            });
            let length = DVec3::from(next).length();
            let scale = if length > bound { bound / length } else { 1.0 };
            for k in 0..3 {
                let step = next[k] * scale - roll.impulse[k];
                roll.impulse[k] += step;
                roll.rows[k].apply(step, rigid, &mut v, &mut given);
            }
        }
        (movers[a].velocity, movers[b].velocity) = (v[0], v[1]);
        self.pass_on(articulations, touch.movers, &given);
        worst
    }

    /// Notes what a visit gave, and passes it on to the other ports of the articulations.
    fn pass_on(&mut self, articulations: &Articulations, both: [u32; 2], given: &[Vec8; 2]) {
        for side in 0..2 {
            let mover = both[side] as usize;
            vec8::add(&mut self.movers[mover].impulse, &given[side], 1.0);
            let it = self.movers[mover];
            if let Some((articulation, port)) = it.port().filter(|_| it.count > 1 && given[side] != ZERO) {
                let known = both.map(|m| m.wrapping_sub(it.first) as usize);
                let ports = &mut self.movers[it.first as usize..(it.first + it.count) as usize];
                articulations.at(articulation).respond_from(port, vec8::force(&given[side]), |to, change| {
                    if !known.contains(&to) {
                        vec8::add(&mut ports[to].velocity, &vec8::of(change.angular, change.linear), 1.0);
                    }
                });
            }
        }
    }

    /// Collisions (Guendelman, Bridson & Fedkiw 2003): what closes faster than `least` \[m/s] and would penetrate within `dt` \[s] is thrown
    /// back, pair after pair, until nothing closes. Whether anything was.
    pub(crate) fn collide(&mut self, articulations: &Articulations, least: f64, dt: f64) -> bool {
        let mut any = false;
        for t in 0..self.touches.len() {
            let touch = self.touches[t];
            if touch.restitution > 0.0 {
                any |= self.throw_back(articulations, &touch, least, dt);
            }
        }
        any
    }

    fn throw_back(&mut self, articulations: &Articulations, touch: &Touch, least: f64, dt: f64) -> bool {
        let Self { movers, points, .. } = self;
        let [a, b] = touch.movers.map(|m| m as usize);
        let mut v = [movers[a].velocity, movers[b].velocity];
        let mut given = [ZERO; 2];
        let points = &mut points[touch.range()];
        // the fastest point of a manifold first: a ball has one, a box that lands flat four
        let closing = |p: &Point, v: &[Vec8; 2]| {
            let speed = p.rows[0].speed(v);
            (speed < -least && p.separation + dt * speed < 0.0).then_some(speed)
        };
        let before: f64 = points.iter().filter_map(|p| closing(p, &v)).fold(0.0, f64::min);
        if before == 0.0 {
            return false;
        }
        for _ in 0..4 * points.len() {
            let worst = (0..points.len())
                .filter_map(|i| Some((i, closing(&points[i], &v)?)))
                .min_by(|x, y| x.1.total_cmp(&y.1));
            let Some((i, speed)) = worst else { break };
            let point = &mut points[i];
            let row = &point.rows[0];
            let impulse = -(speed + touch.restitution * speed.max(before)) * row.inverse;
            point.bounce += impulse;
            row.apply(impulse, [false; 2], &mut v, &mut given);
            let mut friction = [1, 2].map(|k| -point.rows[k].speed(&v) * point.rows[k].inverse);
            let (length, bound) = (friction[0].hypot(friction[1]), touch.friction * impulse);
            if length > bound {
                friction = friction.map(|x| x * bound / length);
            }
            for k in 0..2 {
                point.rows[k + 1].apply(friction[k], [false; 2], &mut v, &mut given);
            }
        }
        (movers[a].velocity, movers[b].velocity) = (v[0], v[1]);
        let both = touch.movers;
        self.pass_on(articulations, both, &given);
        true
    }
}

impl Touch {
    pub(crate) const EMPTY: Self = Self {
        movers: [0; 2],
        pair: 0,
        manifold: 0,
        first: 0,
        count: 0,
        friction: 0.0,
        restitution: 0.0,
        rolling: 0.0,
        roll: u32::MAX,
    };

    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

impl Point {
    /// The impulse on the second body \[N·s].
    pub(crate) fn given(&self) -> DVec3 {
        (0..3).map(|k| self.axes[k] * self.impulse[k]).sum()
    }

    /// Speed along the normal \[m/s].
    pub(crate) fn speed(&self, movers: [&Mover; 2]) -> f64 {
        self.rows[0].speed(&[movers[0].velocity, movers[1].velocity])
    }
}

impl Row {
    #[inline(always)]
    fn speed(&self, v: &[Vec8; 2]) -> f64 {
        vec8::dot(&self.push[0], &v[0]) + vec8::dot(&self.push[1], &v[1])
    }

    /// Impulse per speed.
    #[inline(always)]
    fn weight(&self, rigid: [bool; 2]) -> f64 {
        if rigid == [false; 2] {
            return self.inverse;
        }
        let yields: f64 =
            (0..2).filter(|s| !rigid[*s]).map(|s| vec8::dot(&self.push[s], &self.answer[s])).sum();
        if yields > 1e-12 { 1.0 / yields } else { 0.0 }
    }

    #[inline(always)]
    fn apply(&self, impulse: f64, rigid: [bool; 2], v: &mut [Vec8; 2], given: &mut [Vec8; 2]) {
        for side in 0..2 {
            if !rigid[side] {
                vec8::add(&mut v[side], &self.answer[side], impulse);
                vec8::add(&mut given[side], &self.push[side], impulse);
            }
        }
    }
}

/// What an impulse on `from` does to the velocity of `to`, both one or of one articulation.
fn respond(articulations: &Articulations, to: &Mover, from: &Mover, impulse: &Vec8) -> Vec8 {
    match (to.port(), from.port()) {
        (Some((articulation, i)), Some((_, j))) => {
            let change = articulations.at(articulation).respond(i, j, vec8::force(impulse));
            vec8::of(change.angular, change.linear)
        }
        _ => {
            let f = vec8::force(impulse);
            vec8::of(from.inverse_inertia * f.angular, f.linear * from.inverse_mass)
        }
    }
}
