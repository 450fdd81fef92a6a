//! Constraints that hang together: their rows, their bodies, and the matrix `A = J M⁻¹ Jᵀ` between them.

use glam::{DMat3, DVec3};

use crate::bodies::answers::FEW;
use crate::bodies::{Articulations, Moving, Node, Tension};
use crate::spatial::{Force, Motion, Sym3};

use super::block_ldl::{Factor, Pattern, Place};
use super::holder::{AnyConstraint, Holders};
use super::measure::{Ask, Measure};
use super::{Constraint, Coupling, Frame};

/// Points are far apart that are so many times the size of a body, seen from the joint. At a tenth, arms at the midpoint are a twentieth off,
/// and Newton gains a factor of twenty per step.
const FAR: f64 = 0.1;
/// Points nearer than this are near even for a body of ten micrometres \[m]: sizes are not computed then.
const NEAR: f64 = 1e-6;

/// The end of a joint that is fixed to the world.
pub(crate) const FIXED: u32 = u32::MAX;

/// A constraint as the solver sees it. Side 0 is the parent's (or leader's), side 1 the child's (or follower's).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Joint {
    /// Place in the world's list of constraints.
    pub(crate) constraint: u32,
    /// Nodes of the island, or [`FIXED`].
    pub(crate) ends: [u32; 2],
    /// The sides of the joint in the frames of the nodes, or in the world.
    pub(crate) frames: [Frame; 2],
    /// First of its rows, and how many.
    pub(crate) first: u32,
    pub(crate) rows: u32,
    /// Which of its limits are lower stops, a bit per row.
    pub(crate) low_sides: u16,
    /// How fast its direction turns as the child moves sideways \[1/m].
    pub(crate) bend: f64,
    /// Whether it holds a point and nothing else, and nothing acts on it: its rows are the axes of the parent's side.
    pub(crate) is_point: bool,
}

impl Joint {
    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.rows) as usize
    }
}

/// One row at the present pose.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Line {
    /// Impulse of size one, on either side; velocities against it are the speed of the row.
    pub(crate) push: [Force; 2],
    pub(crate) ask: Ask,
    /// Error, excess or coordinate at the present pose.
    pub(crate) value: f64,
    /// `A_kk`.
    pub(crate) diagonal: f64,
}

/// A product that goes into the matrix: of side `a.1` of joint `a.0` with side `b.1` of joint `b.0`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Product {
    pub(super) a: (u32, u8),
    pub(super) b: (u32, u8),
    pub(super) place: Place,
}

/// Constraints that hang together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Island {
    pub(crate) nodes: Vec<Node>,
    pub(crate) joints: Vec<Joint>,
    /// Steps until one may be cut into halves again on its account.
    pub(crate) retry_after: u32,
    /// Whether all of it sleeps.
    pub(crate) asleep: bool,
    /// Whether some node is a port.
    pub(crate) has_ports: bool,
    /// Whether the matrix is factored; not so where an articulation has many ports.
    pub(super) is_direct: bool,
    // --- by node ---
    /// The bodies, for single ones.
    pub(crate) bodies: Vec<Moving>,
    /// Inverse inertias of single bodies, world axes.
    pub(crate) inverse_inertias: Vec<Sym3>,
    /// Terms that tension adds to the inertias and masses of single bodies.
    pub(super) tensions: Vec<[Sym3; 2]>,
    /// Inverse inertias and masses of bodies under tension, for the position update.
    pub(super) tension: Vec<Option<Tension>>,
    /// Impulses on the nodes.
    pub(crate) impulses: Vec<Force>,
    /// Frames of the nodes, present or predicted.
    pub(crate) frames: Vec<Frame>,
    /// Velocities of the nodes.
    pub(crate) velocities: Vec<Motion>,
    // --- by row ---
    pub(crate) lines: Vec<Line>,
    /// Velocity jumps of the bodies per impulse of size one, on either side.
    pub(crate) answers: Vec<[Motion; 2]>,
    /// Residuals of the rows.
    pub(crate) residuals: Vec<f64>,
    /// Impulses before the position update, and after it.
    pub(crate) lambda: Vec<f64>,
    pub(crate) mu: Vec<f64>,
    /// Impulses that the next step starts with, and those that the last one did, with whether they were good: to go back to.
    pub(crate) start: Vec<f64>,
    pub(crate) start_before: Vec<f64>,
    pub(crate) warm_before: bool,
    /// Rows whose impulses have bounds: limits, motors, friction, springs.
    pub(super) bounded: Vec<u32>,
    /// Rows that have their greatest impulse, or none, whatever the velocity.
    pub(crate) off: Vec<bool>,
    pub(super) pivots: super::pivot::Pivots,
    /// Rows that are predicted to be beyond their other stop: joint, row, value.
    pub(super) passed: Vec<(usize, usize, f64)>,
    /// Impulses that close joints that are apart, by node: they move bodies, and their speeds are taken back. Empty if there are none.
    pub(crate) closing: Vec<Force>,
    // --- the matrix ---
    pub(super) pattern: Pattern,
    pub(super) factor: Factor,
    pub(super) products: Vec<Product>,
    /// For which the factor is: damping and step length; `None` if it is not.
    pub(super) factored: Option<(f64, f64)>,
    /// Step length for which the matrix is assembled.
    pub(super) assembled: Option<f64>,
    pub(crate) factored_off: Vec<bool>,
    pub(super) scratch: Vec<f64>,
    /// How the single bodies turn on their predicted ways \[rad], by node, empty where no row counts turns; and whether any turns so far
    /// that angles may go round unseen.
    pub(super) turns: Vec<DVec3>,
    pub(super) spins: bool,
    /// How far the row is off at the present pose that is off farthest \[m or rad]: of those that hold, and of stops.
    pub(super) farthest: f64,
    pub(crate) newton: super::pre_stabilize::Newton,
    pub(super) displacement: super::displacement::Displacement,
    // --- what the report says ---
    pub(crate) gap: f64,
    pub(crate) gap_sum: f64,
    pub(crate) angle: f64,
    pub(crate) factorizations: u32,
}

impl Island {
    /// An island of these nodes and joints.
    pub(crate) fn new(nodes: Vec<Node>, joints: Vec<Joint>) -> Self {
        let rows = joints.iter().map(|j| j.rows as usize).sum();
        let sizes: Vec<u8> = joints.iter().map(|j| j.rows as u8).collect();
        // what is pushed at the same single body, or at the same articulation
        let mut touched: Vec<(Node, (u32, u8))> = Vec::new();
        for (i, joint) in joints.iter().enumerate() {
            for (side, end) in joint.ends.iter().enumerate() {
                if *end != FIXED {
                    let owner = match nodes[*end as usize] {
                        Node::Port { articulation, .. } => Node::Port { articulation, port: 0 },
                        single => single,
                    };
                    touched.push((owner, (i as u32, side as u8)));
                }
            }
        }
        touched.sort_unstable();
        let is_direct = !nodes.iter().any(|n| matches!(n, Node::Port { port, .. } if *port as usize >= FEW));
        if !is_direct {
            touched.clear();
        }
        let mut edges = Vec::new();
        for same in touched.chunk_by(|a, b| a.0 == b.0) {
            for (k, (_, b)) in same.iter().enumerate() {
                edges.extend(same[..k].iter().filter(|(_, a)| a.0 != b.0).map(|(_, a)| (a.0, b.0)));
            }
        }
        let pattern = Pattern::new(&sizes, &edges);
        let mut products = Vec::new();
        for same in touched.chunk_by(|a, b| a.0 == b.0) {
            for (_, a) in same {
                for (_, b) in same.iter().filter(|(_, b)| b.0 <= a.0) {
                    products.push(Product { a: *a, b: *b, place: pattern.place(a.0 as usize, b.0 as usize) });
                }
            }
        }
        Self {
            has_ports: nodes.iter().any(|n| matches!(n, Node::Port { .. })),
            is_direct,
            tension: vec![None; nodes.len()],
            bodies: vec![Moving::FIXED; nodes.len()],
            inverse_inertias: vec![Sym3::ZERO; nodes.len()],
            impulses: vec![Force::ZERO; nodes.len()],
            frames: vec![Frame::IDENTITY; nodes.len()],
            velocities: vec![Motion::ZERO; nodes.len()],
            nodes,
            lines: vec![Line::default(); rows],
            answers: vec![[Motion::ZERO; 2]; rows],
            residuals: vec![0.0; rows],
            lambda: vec![0.0; rows],
            mu: vec![0.0; rows],
            start: vec![0.0; rows],
            off: vec![false; rows],
            joints,
            pattern,
            products,
            ..Self::default()
        }
    }

    /// Whether it pushes an articulation.
    pub(crate) fn holds(&self, place: usize) -> bool {
        self.nodes
            .iter()
            .any(|n| matches!(n, Node::Port { articulation, .. } if *articulation as usize == place))
    }

    /// From the child's side of a joint to what its impulses on the child are about \[m].
    pub(crate) fn arm(&self, joint: &Joint) -> DVec3 {
        match joint.ends[1] {
            FIXED => DVec3::ZERO,
            node => self.frames[node as usize].position - self.side(joint, 1).position,
        }
    }

    /// The constraint that is farthest off at the present pose, and by how much \[m or rad].
    pub(crate) fn worst(&self) -> Option<(usize, f64)> {
        let off = |joint: &Joint| self.lines[joint.range()].iter().map(Line::is_off_by).fold(0.0, f64::max);
        let worst = self.joints.iter().map(|j| (j.constraint as usize, off(j)));
        worst.max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Copies the single bodies into the island.
    pub(crate) fn gather(&mut self, single: impl Fn(usize) -> Moving) {
        for (node, body) in self.nodes.iter().zip(&mut self.bodies) {
            if let Node::Single { place } = node {
                *body = single(*place as usize);
            }
        }
    }

    /// Computes the frames of the nodes at the present pose.
    pub(crate) fn gather_frames(&mut self, articulations: &Articulations) {
        self.slacken();
        for (i, node) in self.nodes.iter().enumerate() {
            match *node {
                Node::Single { .. } => {
                    self.frames[i] = self.bodies[i].at;
                    self.inverse_inertias[i] = self.bodies[i].inverse_inertia_world();
                }
                Node::Port { articulation, port } => {
                    self.frames[i] = articulations.at(articulation as usize).port_frame(port as usize);
                }
            }
        }
    }

    /// The frame of one side of a joint, in the world.
    #[inline(always)]
    pub(crate) fn side(&self, joint: &Joint, side: usize) -> Frame {
        match joint.ends[side] {
            FIXED => joint.frames[side],
            node => self.frames[node as usize] * joint.frames[side],
        }
    }

    /// Where one side of a joint is, in the world.
    #[inline(always)]
    fn side_point(&self, joint: &Joint, side: usize) -> DVec3 {
        match joint.ends[side] {
            FIXED => joint.frames[side].position,
            node => self.frames[node as usize].point(joint.frames[side].position),
        }
    }

    /// Rows at the frames of the nodes, which are those of the present pose: directions, values, gaps.
    pub(crate) fn linearize(&mut self, constraints: &Holders, arms: Arms) {
        (self.gap, self.gap_sum, self.angle, self.farthest) = (0.0, 0.0, 0.0, 0.0);
        (self.factored, self.assembled, self.factorizations) = (None, None, 0);
        for i in 0..self.joints.len() {
            let joint = self.joints[i];
            match &constraints.at(joint.constraint as usize).constraint {
                AnyConstraint::Joint(constraint) => self.linearize_joint(i, &joint, constraint, arms),
                AnyConstraint::Coupling(coupling) => self.linearize_coupling(&joint, coupling),
            }
        }
        let Self { joints, lines, bounded, .. } = self;
        bounded.clear();
        for joint in joints.iter().filter(|joint| !joint.is_point) {
            let rows = joint.range().filter(|k| lines[*k].ask != Ask::Hold);
            bounded.extend(rows.map(|k| k as u32));
        }
        self.turns.clear();
        if self.bounded.iter().any(|k| self.lines[*k as usize].may_go_round()) {
            self.turns.resize(self.nodes.len(), DVec3::ZERO);
        }
    }

    #[inline]
    fn linearize_joint(&mut self, i: usize, joint: &Joint, constraint: &Constraint, arms: Arms) {
        let is_bare = constraint.actions.is_empty() && constraint.softness.is_none();
        self.joints[i].is_point = is_bare && joint.rows == 3 && constraint.model.is_point();
        if self.joints[i].is_point {
            return self.linearize_point(joint, arms);
        }
        let (parent, child) = (self.side(joint, 0), self.side(joint, 1));
        // a spring from what nothing moves may be long: at its midpoint it would spin the body and not draw it
        let leads = constraint.softness.is_some() && joint.ends.iter().any(|end| self.is_led(*end));
        let arms = if leads { Arms::Own } else { arms };
        let mut lines = std::mem::take(&mut self.lines);
        let arms = |target: Frame| {
            let own = [parent.point(target.position), child.position];
            let points = self.points(joint, arms, own);
            [0, 1].map(|side| match joint.ends[side] {
                FIXED => DVec3::ZERO,
                node => points[side] - self.frames[node as usize].position,
            })
        };
        let own = &mut lines[joint.range()];
        let (mut arm, mut farthest) = ([DVec3::ZERO; 2], 0.0f64);
        let measure = Measure::rows(constraint, parent.inverse() * child, None, |k, measure, row| {
            if k == 0 {
                arm = arms(measure.target);
            }
            let (angular, linear) =
                (parent.rotation * row.direction.angular, parent.rotation * row.direction.linear);
            let push = |arm: DVec3| Force::new(angular + arm.cross(linear), linear);
            if let Some(line) = own.get_mut(k) {
                line.push = [-push(arm[0]), push(arm[1])];
                (line.ask, line.value) = (row.ask, row.value);
                farthest = farthest.max(line.is_off_by());
            }
        });
        self.lines = lines;
        self.farthest = self.farthest.max(farthest);
        self.joints[i].low_sides = measure.low_sides;
        self.joints[i].bend = constraint.model.bend(measure.target);
        if constraint.softness.is_none() {
            self.gap = self.gap.max(measure.gap);
            self.gap_sum += measure.gap;
            self.angle = self.angle.max(measure.angle);
        }
    }

    /// Linearizes a joint that holds a point.
    #[inline]
    fn linearize_point(&mut self, joint: &Joint, arms: Arms) {
        let parent = self.side(joint, 0);
        let own = [parent.position, self.side_point(joint, 1)];
        let points = self.points(joint, arms, own);
        let arm = [0, 1].map(|side| match joint.ends[side] {
            FIXED => DVec3::ZERO,
            node => points[side] - self.frames[node as usize].position,
        });
        let (apart, axes) = (own[1] - own[0], DMat3::from_quat(parent.rotation));
        for (line, axis) in self.lines[joint.range()].iter_mut().zip([axes.x_axis, axes.y_axis, axes.z_axis])
        {
            line.push = [Force::new(axis.cross(arm[0]), -axis), Force::new(arm[1].cross(axis), axis)];
            (line.ask, line.value) = (Ask::Hold, axis.dot(apart));
            self.farthest = self.farthest.max(line.value.abs());
        }
        self.gap = self.gap.max(apart.length());
        self.gap_sum += apart.length();
    }

    /// Where impulses act on both sides of a joint. Where the points are far apart, at the child's: errors are seen from the parent, and turn
    /// with it, so that these are their true derivatives; and momenta stay.
    #[inline]
    fn points(&self, joint: &Joint, arms: Arms, own: [DVec3; 2]) -> [DVec3; 2] {
        let square = own[0].distance_squared(own[1]);
        match arms {
            Arms::Own => own,
            Arms::Middle if square > NEAR * NEAR && self.is_far(joint, own, square.sqrt()) => [own[1]; 2],
            Arms::Middle => [0.5 * (own[0] + own[1]); 2],
        }
    }

    /// Whether two points that a joint is to bring together are so far apart (`gap` \[m]) that what acts at the midpoint moves them in another
    /// way than if it acted on them: as seen from the centres of mass, and by how far from there bodies have their mass.
    #[cold]
    fn is_far(&self, joint: &Joint, points: [DVec3; 2], gap: f64) -> bool {
        (0..2).any(|side| match joint.ends[side] {
            FIXED => false,
            node => {
                let (node, body) = (node as usize, &self.bodies[node as usize]);
                let trace = self.inverse_inertias[node].trace();
                let wide = if trace > 0.0 { (body.inverse_mass / trace).sqrt() } else { 0.0 };
                let size = points[side].distance(self.frames[node].position) + wide;
                size > 0.0 && gap > FAR * size
            }
        })
    }

    /// Whether nothing pushes an end of a joint: the world, or a kinematic body.
    fn is_led(&self, end: u32) -> bool {
        let single = |node: usize| matches!(self.nodes[node], Node::Single { .. });
        end == FIXED || (single(end as usize) && self.bodies[end as usize].inverse_mass == 0.0)
    }

    fn linearize_coupling(&mut self, joint: &Joint, coupling: &Coupling) {
        let [leader, follower] = [0, 1].map(|side| self.side(joint, side).position.x);
        let (value, slope) = coupling.error(follower, leader);
        let one = |x: f64| Force::new(DVec3::new(x, 0.0, 0.0), DVec3::ZERO);
        let line = &mut self.lines[joint.first as usize];
        *line = Line { push: [one(slope), one(1.0)], ask: Ask::Hold, value, diagonal: 0.0 };
        self.angle = self.angle.max(value.abs());
        self.farthest = self.farthest.max(value.abs());
    }

    /// Values of the rows of a joint at the frames of the nodes, which are predicted ones.
    #[inline]
    pub(crate) fn values(&self, constraints: &Holders, joint: &Joint, mut each: impl FnMut(usize, f64)) {
        let first = joint.first as usize;
        if joint.is_point {
            let parent = self.side(joint, 0);
            let apart = parent.rotation.conjugate() * (self.side_point(joint, 1) - parent.position);
            for k in 0..3 {
                each(first + k, apart[k]);
            }
            return;
        }
        match &constraints.at(joint.constraint as usize).constraint {
            AnyConstraint::Joint(constraint) => {
                let frame = self.side(joint, 0).inverse() * self.side(joint, 1);
                Measure::rows(constraint, frame, Some(joint.low_sides), |k, _, row| {
                    // a joint model that breaks its word must not reach the rows of others
                    if k < joint.rows as usize {
                        each(first + k, row.value);
                    }
                });
            }
            AnyConstraint::Coupling(coupling) => {
                let [leader, follower] = [0, 1].map(|side| self.side(joint, side).position.x);
                each(first, coupling.error(follower, leader).0);
            }
        }
    }

    /// Impulses on the nodes by those of the rows.
    pub(crate) fn collect(&mut self, rows: Impulses) {
        let Self { joints, lines, impulses, lambda, mu, .. } = self;
        match rows {
            Impulses::Lambda => add_up(joints, lines, impulses, |k| lambda[k]),
            Impulses::Mu => add_up(joints, lines, impulses, |k| mu[k]),
        }
    }

    /// Impulses on the nodes by what those after the position update changed since `newton.before`.
    pub(super) fn collect_change(&mut self) {
        let Self { joints, lines, impulses, mu, newton, .. } = self;
        add_up(joints, lines, impulses, |k| mu[k] - newton.before[k]);
    }

    /// What an impulse at node `from` changes of the velocity at node `to`, both of one single body or articulation.
    #[inline(always)]
    pub(crate) fn respond(
        &self,
        articulations: &Articulations,
        to: usize,
        from: usize,
        impulse: Force,
    ) -> Motion {
        match (self.nodes[to], self.nodes[from]) {
            (Node::Port { articulation, port: i }, Node::Port { port: j, .. }) => {
                articulations.at(articulation as usize).respond(i as usize, j as usize, impulse)
            }
            _ => match &self.tension[to] {
                None => Motion::new(
                    self.inverse_inertias[to] * impulse.angular,
                    impulse.linear * self.bodies[to].inverse_mass,
                ),
                Some(t) => {
                    Motion::new(t.inverse_inertia_world * impulse.angular, t.inverse_mass * impulse.linear)
                }
            },
        }
    }

    /// Velocities of the nodes with the impulses that they have.
    pub(crate) fn velocities_with_impulses(&mut self, articulations: &Articulations) {
        let mut velocities = std::mem::take(&mut self.velocities);
        self.respond_all(articulations, &self.impulses, &mut velocities);
        for (i, v) in velocities.iter_mut().enumerate() {
            *v += match self.nodes[i] {
                Node::Single { .. } => self.bodies[i].motion(),
                Node::Port { articulation, port } => {
                    articulations.at(articulation as usize).port_velocity(port as usize)
                }
            };
        }
        self.velocities = velocities;
    }

    /// Speed of a row \[rad/s or m/s].
    #[inline(always)]
    pub(crate) fn speed(&self, joint: &Joint, k: usize) -> f64 {
        let line = &self.lines[k];
        let side = |s: usize| match joint.ends[s] {
            FIXED => 0.0,
            node => line.push[s].dot(self.velocities[node as usize]),
        };
        side(0) + side(1)
    }
}

/// Impulses on the nodes by those of the rows.
#[inline]
fn add_up(joints: &[Joint], lines: &[Line], impulses: &mut [Force], size: impl Fn(usize) -> f64) {
    impulses.fill(Force::ZERO);
    for joint in joints {
        for (side, end) in joint.ends.into_iter().enumerate().filter(|(_, end)| *end != FIXED) {
            let mut sum = impulses[end as usize];
            for (k, line) in joint.range().zip(&lines[joint.range()]) {
                sum += line.push[side] * size(k);
            }
            impulses[end as usize] = sum;
        }
    }
}

/// Where the impulses of a joint act whose two sides are apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arms {
    /// At the midpoint of the two articulation points (Weinstein et al., Fig. 5): momenta stay.
    Middle,
    /// On each body at its own point: the true derivatives of the errors, for displacements. A rod that is pushed at its end does not
    /// spin about its axis.
    Own,
}

/// Impulses of which update: before positions (λ) or after (μ).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Impulses {
    Lambda,
    Mu,
}
