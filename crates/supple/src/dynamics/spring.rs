//! Springs between points of bodies and points of the world.
//!
//! Let d be the way from the anchor to the point, v the velocity of the point, u = d/|d|. The force on the point is
//!
//! ```text
//! without rest length   F = −k d − c v                      it pulls the point home and resists every motion of it
//! with rest length L    F = −k (|d| − L) u − c u uᵀ v       it acts along the line alone, as a strut does
//! ```
//!
//! Over a step h the implicit integrators take the force at the end of the step to first order (theory, section 10):
//! `C = −∂F/∂v` and `K = −∂F/∂d` (its positive part: a pressed strut would add negative stiffness across its line) make an
//! inertia `h C + h² K` at the point, which the articulated-body sweep adds to that of the link. So a stiff spring does not
//! explode, whatever the step. (In the semi-implicit step a chain may that a spring pulls tight, as any tight chain may.) The
//! explicit ones, Euler's and both Runge–Kuttas, take the plain force, and hold only while √(k/m) h is below some 2.8 (Euler's never).

use glam::DVec3;

use crate::model::{BodyId, Model, Tree};
use crate::spatial::{ArticulatedInertia, Force, Motion, Sym3};

use super::kinematics::Kinematics;

/// A spring between a point of a body and a point of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// The body.
    pub body: BodyId,
    /// The point that is tied, in the body's frame \[m].
    pub point: DVec3,
    /// Where it is tied to, in the world \[m].
    pub anchor: DVec3,
    /// Stiffness \[N/m].
    pub stiffness: f64,
    /// Damping \[N·s/m]: of every motion of the point if the spring has no rest length, along its line if it has one.
    pub damping: f64,
    /// Length at which it pulls nowhere \[m].
    pub rest: f64,
}

impl Spring {
    /// A spring without damping and rest length.
    pub const fn new(body: BodyId, point: DVec3, anchor: DVec3, stiffness: f64) -> Self {
        Self { body, point, anchor, stiffness, damping: 0.0, rest: 0.0 }
    }

    /// With damping \[N·s/m].
    pub const fn damping(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }

    /// With a rest length \[m].
    pub const fn rest(mut self, rest: f64) -> Self {
        self.rest = rest;
        self
    }

    /// Its force on the point, world axes \[N], also where the body is part of the world.
    pub(crate) fn force(&self, model: &Model, tree: &Tree, kinematics: &Kinematics) -> DVec3 {
        if let Some(tie) = Tie::new(model, tree, kinematics, self) {
            return tie.pull - tie.c * tie.velocity;
        }
        let body = &model.bodies()[self.body.index()];
        let in_link = body.link_from_body.point(self.point);
        self.pull(body.link.map_or(in_link, |link| tree.member(link).group_from_link.point(in_link))).0
    }

    /// Energy that it holds while its point is at `at` in the world \[J].
    fn energy(&self, at: DVec3) -> f64 {
        let longer = at.distance(self.anchor) - self.rest;
        0.5 * self.stiffness * longer * longer
    }

    /// Its force at rest, K and C while its point is at `at` in the world.
    fn pull(&self, at: DVec3) -> (DVec3, Sym3, Sym3) {
        let (k, c, d) = (self.stiffness, self.damping, at - self.anchor);
        if self.rest == 0.0 {
            let same = |x: f64| Sym3::diagonal(DVec3::splat(x));
            return (d * -k, same(k), same(c));
        }
        let length = d.length();
        // at its anchor a strut has no direction, and pushes in none
        let Some(u) = d.try_normalize() else { return (DVec3::ZERO, Sym3::ZERO, Sym3::ZERO) };
        let along = Sym3::outer(u);
        // |d| changes by u·δ, u by (1 − u uᵀ) δ / |d|
        let across = (1.0 - self.rest / length).max(0.0);
        (u * (k * (self.rest - length)), along * k + Sym3::point_mass(u) * (k * across), along * c)
    }
}

/// Energy of springs where the links of `tree` are at `poses` \[J].
pub fn energy(model: &Model, tree: &Tree, poses: &Kinematics, springs: &[Spring]) -> f64 {
    let of = |spring: &Spring| {
        let body = &model.bodies()[spring.body.index()];
        let in_link = body.link_from_body.point(spring.point);
        let Some(member) = body.link.map(|link| tree.member(link)) else { return spring.energy(in_link) };
        let in_group = member.group_from_link.point(in_link);
        spring.energy(member.group.map_or(in_group, |g| poses.links[g.index()].pose().point(in_group)))
    };
    springs.iter().map(of).sum()
}

/// A spring at one pose of the link that carries its point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tie {
    /// The link of the tree.
    pub(crate) link: u32,
    /// The point in the link's frame \[m].
    point: DVec3,
    /// From the link's origin to the point, world axes \[m].
    pub(crate) lever: DVec3,
    /// Force on the point if it stood still, world axes \[N].
    pub(crate) pull: DVec3,
    /// K, world axes \[N/m].
    pub(crate) k: Sym3,
    /// C, world axes \[N·s/m].
    pub(crate) c: Sym3,
    /// Velocity of the point \[m/s].
    pub(crate) velocity: DVec3,
}

impl Tie {
    /// A spring at the pose and velocity that `kinematics` has; `None` if its body does not move.
    pub(crate) fn new(model: &Model, tree: &Tree, kinematics: &Kinematics, spring: &Spring) -> Option<Self> {
        let body = &model.bodies()[spring.body.index()];
        let member = tree.member(body.link?);
        let group = member.group?;
        let motion = &kinematics.links[group.index()];
        let point = member.group_from_link.point(body.link_from_body.point(spring.point));
        let lever = motion.rotation * point;
        let (pull, k, c) = spring.pull(motion.position + lever);
        let velocity = motion.velocity.at(lever).linear;
        Some(Self { link: group.0, point, lever, pull, k, c, velocity })
    }
}

/// A mass at a point of a link, which need not be the same in all directions: what implicit springs add to its inertia.
#[derive(Clone, Copy, Debug)]
pub struct PointMass {
    /// The link.
    pub link: u32,
    /// From the link's origin to the point, world axes \[m].
    pub lever: DVec3,
    /// `h C + h² K` of a spring, world axes \[kg].
    pub mass: Sym3,
}

impl PointMass {
    /// As an inertia about the link's origin.
    #[inline]
    pub fn inertia(&self) -> ArticulatedInertia {
        ArticulatedInertia { linear: self.mass, ..ArticulatedInertia::ZERO }.about(self.lever)
    }
}

/// The springs of a step of the momentum integrators, ascending by link.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ties {
    ties: Vec<Tie>,
}

impl Ties {
    /// Takes springs to the pose and velocity that `kinematics` has.
    pub(crate) fn set(&mut self, model: &Model, tree: &Tree, kinematics: &Kinematics, springs: &[Spring]) {
        self.ties.clear();
        self.ties.extend(springs.iter().filter_map(|s| Tie::new(model, tree, kinematics, s)));
        super::wrench::insertion_sort(&mut self.ties, |tie| tie.link);
    }

    /// Takes the levers to another pose; forces, K and C stay.
    pub(crate) fn carry(&mut self, kinematics: &Kinematics) {
        for tie in &mut self.ties {
            tie.lever = kinematics.links[tie.link as usize].rotation * tie.point;
        }
    }

    /// Once a sweep over `h` \[s] has given the links these velocities: what each spring then pulls with, K taken along from
    /// the velocity that the pose was reached with. The velocities of the points are now those.
    pub(crate) fn settle(&mut self, motions: &[Motion], h: f64) {
        for tie in &mut self.ties {
            let velocity = motions[tie.link as usize].at(tie.lever).linear;
            tie.pull -= tie.k * (velocity - tie.velocity) * h + tie.c * velocity;
            tie.velocity = velocity;
        }
    }

    /// Counts K from points at rest, not from the velocity that the pose was reached with.
    pub(crate) fn still(&mut self) {
        for tie in &mut self.ties {
            tie.velocity = DVec3::ZERO;
        }
    }

    /// A cursor for loops that visit links from last to first.
    #[inline(always)]
    pub(crate) fn descending(&self) -> DescendingTies<'_> {
        DescendingTies { left: &self.ties }
    }
}

pub(crate) struct DescendingTies<'a> {
    left: &'a [Tie],
}

impl<'a> DescendingTies<'a> {
    /// All springs on link `i`; links must come in descending order.
    #[inline(always)]
    pub(crate) fn at(&mut self, i: usize) -> &'a [Tie] {
        let mut first = self.left.len();
        while first > 0 && self.left[first - 1].link as usize == i {
            first -= 1;
        }
        let (rest, here) = self.left.split_at(first);
        self.left = rest;
        here
    }

    /// Adds the springs on link `i` to its inertia and (minus) momentum: `mass` of each at its point, and the momentum
    /// that `impulse` gives.
    #[inline(always)]
    pub(crate) fn add_at(
        &mut self,
        i: usize,
        inertia: &mut ArticulatedInertia,
        force: &mut Force,
        mass: impl Fn(&Tie) -> Sym3,
        impulse: impl Fn(&Tie) -> DVec3,
    ) {
        for tie in self.at(i) {
            *inertia += PointMass { link: tie.link, lever: tie.lever, mass: mass(tie) }.inertia();
            *force -= Force::new(DVec3::ZERO, impulse(tie)).about(tie.lever);
        }
    }
}
