//! Characters as tables of limbs, in the coordinates of a person who stands at the origin.
//!
//! x points forward, y to the left, z up; all body frames have these axes in the pose of the table, and stand at
//! the joint that carries the body. Limbs of the left side are given, the right ones mirrored.

use std::f64::consts::TAU;

use glam::DVec3;
use supple::model::Limit;
use supple::{Body, BodyId, Joint, JointKind, ModelBuilder, ModelError, Pose, RigidInertia, Simulation};

use crate::drawn::{Drawn, Rod};

/// Range of an angle \[degrees], as tables of anatomy have it.
pub(crate) type Range = (f64, f64);

/// What moves a limb. Positive angles: about x the left side rises outward, about y it swings back, about z it
/// turns outward; on the right side the ranges about x and z are mirrored.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Moves {
    /// A floating base.
    Free,
    /// A base that slides level and turns about z.
    Level,
    /// About any axis, by at most this angle \[degrees].
    Ball(f64),
    /// About x: sideways.
    X(Range),
    /// About y: forward and back.
    Y(Range),
    /// About z: twist.
    Z(Range),
    /// About x, then about y.
    XY(Range, Range),
    /// About y, then about x.
    YX(Range, Range),
    /// About z, then about x.
    ZX(Range, Range),
}

/// A limb: the capsule between its joint and its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limb {
    pub(crate) name: &'static str,
    /// Name of the limb that carries it; empty for the root.
    pub(crate) on: &'static str,
    pub(crate) moves: Moves,
    /// The joint \[m].
    pub(crate) at: [f64; 3],
    /// The far end \[m].
    pub(crate) to: [f64; 3],
    /// \[m]
    pub(crate) radius: f64,
    /// \[kg]
    pub(crate) mass: f64,
}

/// Short to write in tables.
#[expect(clippy::too_many_arguments, reason = "a row of a table")]
pub(crate) const fn limb(
    name: &'static str,
    on: &'static str,
    moves: Moves,
    at: [f64; 3],
    to: [f64; 3],
    radius: f64,
    mass: f64,
) -> Limb {
    Limb { name, on, moves, at, to, radius, mass }
}

/// What joints do besides letting limbs turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tone {
    /// Nothing.
    Slack,
    /// They resist a little.
    Damped,
    /// They pull towards the pose of the table, as muscles or an elastic cord would.
    Held {
        /// What a joint carries would swing so often, if all other joints were stiff \[Hz].
        frequency: f64,
        /// Damping of that, 1 is critical.
        ratio: f64,
    },
}

/// Damping of a joint per mass it carries directly, so that heavy limbs come to rest as soon as light ones
/// \[N·m·s/rad per kg·m²].
const DAMPING_RATE: f64 = 1.0;

/// A character of `trunk` limbs, and `side` limbs that it has on the left and on the right.
pub(crate) fn character(trunk: &[Limb], side: &[Limb], tone: Tone) -> Result<Drawn, ModelError> {
    let limbs = trunk.iter().map(|limb| (*limb, 1.0)).chain(side.iter().map(|limb| (*limb, 2.0))).collect();
    let (builder, shapes, joints) = (ModelBuilder::new(), Vec::new(), Vec::new());
    let mut figure = Figure { builder, shapes, joints, limbs, tone };
    for limb in trunk {
        figure.add(limb, String::new(), 1.0);
    }
    for (prefix, mirror) in [("left_", 1.0), ("right_", -1.0)] {
        for limb in side {
            figure.add(limb, prefix.to_owned(), mirror);
        }
    }
    let root_height = figure.joints.first().map_or(0.0, |(_, at)| at.z);
    let mut simulation = Simulation::new(figure.builder.finish()?);
    // the root stands where the table has it
    if matches!(simulation.model.joints()[0].kind, JointKind::Free) {
        simulation.state.q[2] = root_height;
    }
    Ok(Drawn::new(simulation, figure.shapes))
}

struct Figure {
    builder: ModelBuilder,
    shapes: Vec<Rod>,
    /// Name and joint position of the limbs so far \[m].
    joints: Vec<(String, DVec3)>,
    /// The tables, and how many there are of each limb.
    limbs: Vec<(Limb, f64)>,
    tone: Tone,
}

impl Tone {
    /// Damped or slack.
    pub(crate) const fn damped(damped: bool) -> Self {
        if damped { Self::Damped } else { Self::Slack }
    }
}

impl Figure {
    fn add(&mut self, limb: &Limb, prefix: String, mirror: f64) {
        let count = if prefix.is_empty() { 1.0 } else { 2.0 };
        let place = |x: [f64; 3]| DVec3::new(x[0], mirror * x[1], x[2]);
        let (at, end) = (place(limb.at), place(limb.to) - place(limb.at));
        let name = format!("{prefix}{}", limb.name);
        let inertia = RigidInertia::solid_capsule(limb.mass, DVec3::ZERO, end, limb.radius);
        let mut joint = joint(limb.moves, mirror);
        if !matches!(limb.moves, Moves::Free | Moves::Level) {
            joint = match self.tone {
                Tone::Slack => joint,
                Tone::Damped => {
                    let swing = limb.mass * (end.length_squared() / 3.0 + limb.radius * limb.radius);
                    joint.damping(DAMPING_RATE * swing)
                }
                Tone::Held { frequency, ratio } => {
                    let (omega, carried) =
                        (TAU * frequency, carried(&self.limbs, (limb, count), limb.at.into()));
                    joint.stiffness(omega * omega * carried).damping(2.0 * ratio * omega * carried)
                }
            };
        }
        let mut body = Body::new(name.clone(), joint).inertia(inertia);
        // a limb of the same side, or else of the trunk
        let own_side = format!("{prefix}{}", limb.on);
        let carrier = self.joints.iter().find(|(n, _)| *n == own_side || *n == limb.on);
        if let Some((parent, parent_at)) = carrier {
            body = body.on(parent.clone()).at(Pose::from_translation(at - *parent_at));
        } else if !limb.on.is_empty() {
            // unknown: let the builder say so
            body = body.on(limb.on);
        } else if matches!(limb.moves, Moves::Level) {
            body = body.at(Pose::from_translation(at));
        }
        self.builder.add(body);
        let body = BodyId::new(self.shapes.len());
        self.shapes.push(Rod { body, from: DVec3::ZERO, to: end, radius: limb.radius });
        self.joints.push((name, at));
    }
}

/// Inertia of a limb of a table, and of all that it carries there, about a point \[kg·m²]: about any axis, if they were thin rods
/// across it.
fn carried(limbs: &[(Limb, f64)], (limb, count): (&Limb, f64), about: DVec3) -> f64 {
    let (at, to) = (DVec3::from(limb.at), DVec3::from(limb.to));
    let own = at.distance_squared(to) / 12.0 + 0.4 * limb.radius * limb.radius;
    let further = limbs.iter().filter(|(other, _)| other.on == limb.name);
    limb.mass * (about.distance_squared(0.5 * (at + to)) + own)
        + further.map(|(other, n)| n / count * carried(limbs, (other, *n), about)).sum::<f64>()
}

/// The joint of a limb, with its ranges mirrored for the right side.
fn joint(moves: Moves, mirror: f64) -> Joint {
    let (x, y, z) = (DVec3::X, DVec3::Y, DVec3::Z);
    // mirrored in the plane y = 0, turns about y stay and the others change sign
    let sides = |(low, high): Range| if mirror < 0.0 { (-high, -low) } else { (low, high) };
    let one = |axis, range| limited(JointKind::Revolute { axis }, &[range]);
    let two = |axes, a, b| limited(JointKind::Universal { axes }, &[a, b]);
    match moves {
        Moves::Free => Joint::free(),
        Moves::Level => Joint::new(JointKind::Planar { normal: z }),
        Moves::Ball(angle) => {
            let mut ball = Joint::spherical();
            ball.dofs[0].limit = Some(stop((0.0, angle)));
            ball
        }
        Moves::X(a) => one(x, sides(a)),
        Moves::Y(a) => one(y, a),
        Moves::Z(a) => one(z, sides(a)),
        Moves::XY(a, b) => two([x, y], sides(a), b),
        Moves::YX(a, b) => two([y, x], a, sides(b)),
        Moves::ZX(a, b) => two([z, x], sides(a), sides(b)),
    }
}

fn limited(kind: JointKind, ranges: &[Range]) -> Joint {
    let mut joint = Joint::new(kind);
    for (dof, range) in joint.dofs.iter_mut().zip(ranges) {
        dof.limit = Some(stop(*range));
    }
    joint
}

fn stop((low, high): Range) -> Limit {
    Limit { lower: low.to_radians(), upper: high.to_radians(), stiffness: None, damping: None }
}
