//! What actuators do to degrees of freedom over a step, with the limits of their forces.
//!
//! The force of a drive falls with the velocity v' of the end of the step, until limits cut it:
//!
//! ```text
//! f(v') = cut( τ + Σ cut( still − (d + h k) v', force range ), effort limit )
//! ```
//!
//! A sweep takes forces that are linear in v'. So f is made linear at the velocity of the start: beyond a limit the force is the
//! limit, within them it is implicit. If the same limits are reached at the velocities that the sweep finds, that is the step; always
//! so where none is near. Else f is made linear anew there, and the sweep is done again (Newton's method, exact once the right limits are
//! found). A step that stayed with the limits of its start would throw a light joint from one to the other for ever.
//!
//! Since f falls, `M v' − h f(v')` is the gradient of a convex function, and has one root. Newton's method alone may still go round in
//! circles, between the two limits of a light joint; so it takes, of each of its ways but the first, the part that leads to the lowest
//! point of that function. Along a way the slope is known without a sweep: what a sweep solved for balances the linear
//! forces that it was given.

use std::ops::Range;

use super::BodyState;
use super::actuator::{Actuator, position_of};
use super::integrate::Loads;

/// Sweeps for one solve at most. Servos that come to a limit or leave it take 2 or 3; chains of thirty that are told something else all
/// the time, with limits over four decades, 8 in 99 % of the steps. After the last one the forces are those that it was given,
/// which go beyond a limit where it should have cut.
const MOST_SOLVES: u32 = 20;
/// Forces this near to those of the law are those, as a share of the terms that they are the difference of: rounding is some 1e-15
/// of them, and nothing that anybody measures is finer.
const CLOSE_ENOUGH: f64 = 1e-12;
/// Halvings of a way: the rest, 2⁻⁴⁸ or 4e-15 of it, is some rounding of the velocities on it.
const HALVINGS: u32 = 48;

/// What one actuator does to its degree of freedom: `still − (d + h k) v'`, cut to a range.
#[derive(Clone, Copy, Debug)]
struct Servo {
    dof: usize,
    order: u32,
    /// Force at the present position if the joint stood still \[N·m or N].
    still: f64,
    k: f64,
    d: f64,
    range: [f64; 2],
}

/// What all actuators do to one degree of freedom, as a spring and a damper: `force − k (h v') − d v'` over a step `h` at
/// whose end the velocity is v'.
#[derive(Clone, Debug)]
pub struct Drive {
    /// The degree of freedom: its place in v.
    pub dof: usize,
    /// Force at the present position if the joint stood still \[N·m or N], beyond that of the simulation's `tau`.
    pub force: f64,
    /// Stiffness \[N·m/rad or N/m].
    pub k: f64,
    /// Damping \[N·m·s/rad or N·s/m].
    pub d: f64,
    /// Its actuators.
    servos: Range<usize>,
    /// The simulation's `tau`, and what is left of it if it acts alone.
    asked: f64,
    alone: f64,
    effort_limit: f64,
    /// Whether the force depends on v' and may be cut.
    limited: bool,
    /// Where f was made linear last, if it was, and the force there that is in balance.
    here: Point,
    /// Where a solve has led to.
    there: Point,
    /// Force of the solve for the middle of a step, at the velocity it found.
    pub(crate) given: f64,
    /// Joint force and diagonal of the solve without this drive.
    bare: [f64; 2],
}

/// A velocity v', and a force there beyond that of the simulation's `tau`.
#[derive(Clone, Copy, Debug, Default)]
struct Point {
    v: f64,
    force: f64,
}

impl Point {
    fn toward(self, other: Self, share: f64) -> Self {
        // the end itself, not to rounding
        let between = |a: f64, b: f64| if share == 1.0 { b } else { a + share * (b - a) };
        Self { v: between(self.v, other.v), force: between(self.force, other.force) }
    }
}

impl Drive {
    /// The explicit part over a step `h` \[s] at velocity `v`: what is added to the joint force.
    #[inline]
    pub fn joint_force(&self, v: f64, h: f64) -> f64 {
        self.force - (self.d + h * self.k) * v
    }

    /// The implicit part over a step `h` \[s]: what is added to the joint's inertia.
    #[inline]
    pub fn diagonal(&self, h: f64) -> f64 {
        h * self.d + h * h * self.k
    }

    /// f at the velocity `v`, and the sum of the absolute terms it is made of.
    fn law(&self, servos: &[Servo], h: f64, v: f64) -> (f64, f64) {
        let (mut total, mut terms) = (self.asked, self.asked.abs());
        for servo in &servos[self.servos.clone()] {
            let slope = servo.d + h * servo.k;
            total += cut(servo.still - slope * v, servo.range);
            terms += servo.still.abs() + (slope * v).abs();
        }
        (cut(total, self.effort_range()) - self.alone, terms)
    }

    /// Makes f linear at the velocity `v`.
    fn linearize(&mut self, servos: &[Servo], h: f64, v: f64) {
        let limit = |force: f64, [lower, upper]: [f64; 2]| {
            (force > upper).then_some(upper).or((force < lower).then_some(lower))
        };
        (self.force, self.k, self.d) = (0.0, 0.0, 0.0);
        for servo in &servos[self.servos.clone()] {
            match limit(servo.still - (servo.d + h * servo.k) * v, servo.range) {
                Some(limit) => self.force += limit,
                None => {
                    self.force += servo.still;
                    self.k += servo.k;
                    self.d += servo.d;
                }
            }
        }
        match limit(self.asked + self.joint_force(v, h), self.effort_range()) {
            Some(limit) => (self.force, self.k, self.d) = (limit - self.alone, 0.0, 0.0),
            None => self.force += self.asked - self.alone,
        }
    }

    fn effort_range(&self) -> [f64; 2] {
        [-self.effort_limit, self.effort_limit]
    }
}

fn cut(x: f64, [lower, upper]: [f64; 2]) -> f64 {
    // not `f64::clamp`, which panics on a range that is none
    x.max(lower).min(upper)
}

impl Actuator {
    /// What it does to its joint where that has position `q` (if that is one number).
    fn servo(&self, order: u32, dof: usize, q: f64) -> Servo {
        let control = self.control_range.map_or(self.control, |range| cut(self.control, range));
        let still = self.gain * control + self.offset - self.stiffness * self.gear * (q + self.zero);
        let [a, b] = self.force_range.map_or([f64::NEG_INFINITY, f64::INFINITY], |range| {
            let [a, b] = range.map(|force| self.gear * force);
            if self.gear < 0.0 { [b, a] } else { [a, b] }
        });
        let square = self.gear * self.gear;
        let (k, d) = (square * self.stiffness, square * self.damping);
        Servo { dof, order, still: self.gear * still, k, d, range: [a, b] }
    }
}

/// The degrees of freedom that actuators drive, ascending, each once. Time and room grow with the actuators, not with
/// the joints.
#[derive(Clone, Debug, Default)]
pub struct Drives {
    drives: Vec<Drive>,
    servos: Vec<Servo>,
    /// Time over which springs are taken ahead \[s].
    h: f64,
    /// Whether some drive is limited.
    limited: bool,
    /// How often a solve was not the last.
    repeats: u32,
}

impl Drives {
    /// What the actuators of `loads` do to the joints of a body that move. Those on frozen joints do nothing. Limits are those that are
    /// reached in this state.
    pub fn set(&mut self, body: &BodyState<'_>, loads: &Loads) {
        self.begin(body, loads, 0.0);
    }

    /// Begins the solve of a step `h` \[s], at whose end limits are to be kept: to be solved for until [`Drives::are_cut`] says so. Velocities
    /// of the body are a first guess of those there.
    pub(crate) fn begin(&mut self, body: &BodyState<'_>, loads: &Loads, h: f64) {
        let BodyState { model, tree, q, v } = *body;
        let Self { drives, servos, .. } = self;
        drives.clear();
        servos.clear();
        for (i, actuator) in loads.actuators.iter().enumerate() {
            let joint = &model.joints()[actuator.joint.index()];
            let Some(link) = joint.link else { continue };
            if !tree.moves(link) {
                continue;
            }
            let position = position_of(joint, actuator.axis).map_or(0.0, |at| q[at]);
            servos.push(actuator.servo(i as u32, joint.v + actuator.axis, position));
        }
        // the order given within a degree of freedom, so that sums have the same bits every time
        servos.sort_unstable_by_key(|s| (s.dof, s.order));
        let mut first = 0;
        for of_dof in servos.chunk_by(|a, b| a.dof == b.dof) {
            let dof = of_dof[0].dof;
            let effort_limit = model.effort_limits()[dof];
            let ranged = |s: &Servo| s.range[0].is_finite() || s.range[1].is_finite();
            let mut drive = Drive {
                dof,
                force: 0.0,
                k: 0.0,
                d: 0.0,
                servos: first..first + of_dof.len(),
                asked: loads.tau.get(dof).copied().unwrap_or(0.0),
                alone: loads.drive(model, dof),
                effort_limit,
                limited: (effort_limit.is_finite() || of_dof.iter().any(ranged))
                    && of_dof.iter().any(|s| s.k != 0.0 || s.d != 0.0),
                here: Point::default(),
                there: Point::default(),
                given: 0.0,
                bare: [0.0; 2],
            };
            drive.linearize(servos, h, v[dof]);
            first = drive.servos.end;
            drives.push(drive);
        }
        self.limited = drives.iter().any(|d| d.limited);
        (self.h, self.repeats) = (h, 0);
    }

    /// Springs are where `v` has taken them after `h` \[s].
    pub(crate) fn advance(&mut self, v: &[f64], h: f64) {
        let Self { drives, servos, .. } = self;
        for servo in &mut *servos {
            servo.still -= h * servo.k * v[servo.dof];
        }
        for drive in drives {
            drive.linearize(servos, self.h, v[drive.dof]);
        }
    }

    /// After a solve for `v` over the step `h`, springs stay where it has taken them. The limits that it reached are the first
    /// guess, and the forces that it found are known as [`Drive::given`].
    pub(crate) fn close(&mut self, v: &[f64]) {
        let Self { drives, servos, h, .. } = self;
        for drive in drives.iter_mut().filter(|d| d.limited) {
            let v = v[drive.dof];
            drive.given = drive.law(servos, *h, v).0;
            for servo in &mut servos[drive.servos.clone()] {
                servo.still -= *h * servo.k * v;
                servo.k = 0.0;
            }
            drive.linearize(servos, 0.0, v);
        }
        (self.h, self.repeats) = (0.0, 0);
    }

    /// All of them, ascending by degree of freedom.
    pub fn all(&self) -> &[Drive] {
        &self.drives
    }

    /// Those whose force may be cut.
    pub(crate) fn limited(&self) -> impl Iterator<Item = &Drive> {
        self.drives.iter().filter(|d| d.limited)
    }

    /// Those whose force follows one line, whatever v' is.
    pub(crate) fn unlimited(&self) -> impl Iterator<Item = &Drive> {
        self.drives.iter().filter(|d| !d.limited)
    }

    /// What the actuators of each degree of freedom give at the velocities `v`, each cut to its own range, their sum not to the effort limit
    /// of the joint \[N·m or N]. For drives that were set for no time ahead.
    pub(crate) fn for_each_uncut(&self, v: &[f64], mut each: impl FnMut(usize, f64)) {
        for servo in &self.servos {
            each(servo.dof, cut(servo.still - servo.d * v[servo.dof], servo.range));
        }
    }

    /// What drives a degree of freedom.
    pub fn at(&self, dof: usize) -> Option<&Drive> {
        self.drives.binary_search_by_key(&dof, |d| d.dof).ok().map(|i| &self.drives[i])
    }

    /// Adds what `part` says of each drive to the joint force and the diagonal of a solve; in a solve that is repeated, instead of
    /// what it was before.
    pub(crate) fn add(&mut self, tau: &mut [f64], diagonal: &mut [f64], part: impl Fn(&Drive) -> (f64, f64)) {
        if self.repeats == 0 {
            for drive in self.unlimited() {
                let (force, inertia) = part(drive);
                tau[drive.dof] += force;
                diagonal[drive.dof] += inertia;
            }
        }
        self.add_limited(tau, diagonal, part);
    }

    /// Adds what `part` says of those drives whose force may be cut.
    pub(crate) fn add_limited(
        &mut self,
        tau: &mut [f64],
        diagonal: &mut [f64],
        part: impl Fn(&Drive) -> (f64, f64),
    ) {
        let first = self.repeats == 0;
        for drive in self.drives.iter_mut().filter(|d| d.limited) {
            let dof = drive.dof;
            if first {
                drive.bare = [tau[dof], diagonal[dof]];
            }
            let (force, inertia) = part(drive);
            (tau[dof], diagonal[dof]) = (drive.bare[0] + force, drive.bare[1] + inertia);
        }
    }

    /// Whether all forces are within their limits at the velocities that a solve has found, and at a limit only where they would
    /// be beyond it. If not, they are made linear anew, and the solve is to be done again.
    pub(crate) fn are_cut(&mut self, velocity: impl Fn(usize) -> f64) -> bool {
        if !self.limited || self.repeats + 1 >= MOST_SOLVES {
            return true;
        }
        let Self { drives, servos, h, .. } = self;
        let mut cut = true;
        for drive in drives.iter_mut().filter(|d| d.limited) {
            let v = velocity(drive.dof);
            drive.there = Point { v, force: drive.joint_force(v, *h) };
            let (force, terms) = drive.law(servos, *h, v);
            // what is no number is not mended by another solve
            cut &= !((drive.there.force - force).abs() > CLOSE_ENOUGH * terms);
        }
        if cut {
            return true;
        }
        let share = if self.repeats == 0 { 1.0 } else { self.lowest() };
        let Self { drives, servos, h, .. } = self;
        for drive in drives.iter_mut().filter(|d| d.limited) {
            drive.here = drive.here.toward(drive.there, share);
            drive.linearize(servos, *h, drive.here.v);
        }
        self.repeats += 1;
        false
    }

    /// Where on the way of the last solve the function is lowest whose gradient is `M v' − h f(v')`, as a share of that way.
    fn lowest(&self) -> f64 {
        let slope = |share: f64| -> f64 {
            let of_drive = |drive: &Drive| {
                let at = drive.here.toward(drive.there, share);
                (drive.there.v - drive.here.v) * (at.force - drive.law(&self.servos, self.h, at.v).0)
            };
            self.limited().map(of_drive).sum()
        };
        if slope(1.0) <= 0.0 {
            return 1.0;
        }
        let (mut falls, mut rises) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (falls + rises);
            if slope(middle) < 0.0 {
                falls = middle;
            } else {
                rises = middle;
            }
        }
        rises
    }
}
