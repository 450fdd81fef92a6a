//! A plant: branches that branch, springy in every joint.
//!
//! Sections are equally thick along a branch; where it forks, the branches share its cross-section, as Leonardo
//! saw. Joints bend both ways and are as stiff as a rod of green wood. The plant has grown under its own weight: the
//! pose of the table is the one at rest, so gravity is not counted again.

use std::f64::consts::PI;
use supple::spatial::rotation;

use glam::{DQuat, DVec3};
use supple::{Body, BodyId, Joint, JointKind, ModelBuilder, ModelError, Pose, RigidInertia, Simulation};

use crate::SplitMix64;
use crate::drawn::{Drawn, Rod};

/// Young's modulus of green wood \[Pa].
const MODULUS: f64 = 2e9;
/// Density \[kg/m³].
const DENSITY: f64 = 800.0;
/// Damping over stiffness of a joint \[s].
const RELAXATION: f64 = 0.05;
/// Sections of a branch.
const SECTIONS: usize = 4;
/// Radius of the trunk \[m], length of its sections \[m], and how much shorter those of the next branches are.
const RADIUS: f64 = 0.12;
const SECTION: f64 = 0.5;
const SHORTER: f64 = 0.8;
/// Height of a section over its radius may not be less.
const STOUTEST: f64 = 3.0;

/// A branch that has yet to grow.
struct Bud {
    /// The section that carries it.
    parent: Option<BodyId>,
    radius: f64,
    length: f64,
    /// Direction of growth in the frame of the parent, whose own is z.
    tilt: DQuat,
}

/// A plant, and where its leaves are.
pub(crate) struct Plant {
    pub(crate) drawn: Drawn,
    /// The last sections, their ends at rest \[m], and how much of the plant's foliage each carries, 1 in all.
    pub(crate) leaves: Vec<(BodyId, DVec3, f64)>,
}

/// Grows a plant of so many joints; each seed another.
pub(crate) fn grow(joints: usize, seed: u64) -> Result<Plant, ModelError> {
    let mut random = SplitMix64::new(seed);
    let mut builder = ModelBuilder::new();
    let mut shapes: Vec<Rod> = Vec::with_capacity(joints);
    // by section: orientation and far end at rest, and whether it carries another
    let mut frames: Vec<(DQuat, DVec3)> = Vec::with_capacity(joints);
    let mut carries = vec![false; joints];
    let mut buds = std::collections::VecDeque::from([Bud {
        parent: None,
        radius: RADIUS,
        length: SECTION,
        tilt: DQuat::IDENTITY,
    }]);
    while let Some(bud) = buds.pop_front().filter(|_| shapes.len() < joints) {
        let mut parent = bud.parent;
        for section in 0..SECTIONS.min(joints - shapes.len()) {
            let id = BodyId::new(shapes.len());
            let turn = if section == 0 { bud.tilt } else { lean(&mut random, 0.1) };
            let end = DVec3::new(0.0, 0.0, bud.length);
            let mut body = Body::new(name(id), joint(bud.radius, bud.length)).inertia(wood(&bud));
            let (mut rotation, mut start) = (turn, DVec3::ZERO);
            match parent {
                Some(p) => {
                    let place = DVec3::new(0.0, 0.0, shapes[p.index()].to.z);
                    body = body.on(name(p)).at(Pose::new(place, turn));
                    carries[p.index()] = true;
                    rotation = frames[p.index()].0 * turn;
                    start = frames[p.index()].1;
                }
                None => body = body.at(Pose::from_rotation(turn)),
            }
            builder.add(body);
            frames.push((rotation, start + rotation * end));
            shapes.push(Rod { body: id, from: DVec3::ZERO, to: end, radius: bud.radius });
            parent = Some(id);
        }
        let forks = 2 + random.below(2);
        let around = random.between(0.0, 2.0 * PI);
        for fork in 0..forks {
            let radius = bud.radius / (forks as f64).sqrt();
            let length = (SHORTER * bud.length).max(STOUTEST * radius);
            let side = rotation::about_z(around + 2.0 * PI * fork as f64 / forks as f64);
            let tilt = side * rotation::about_y(random.between(0.3, 0.8));
            buds.push_back(Bud { parent, radius, length, tilt });
        }
    }
    let leaf = |i: usize| (BodyId::new(i), frames[i].1, shapes[i].radius * shapes[i].radius);
    let mut leaves: Vec<_> = (0..shapes.len()).filter(|&i| !carries[i]).map(leaf).collect();
    let foliage: f64 = leaves.iter().map(|leaf| leaf.2).sum();
    leaves.iter_mut().for_each(|leaf| leaf.2 /= foliage);
    let mut simulation = Simulation::new(builder.finish()?);
    simulation.gravity = DVec3::ZERO;
    Ok(Plant { drawn: Drawn::new(simulation, shapes), leaves })
}

fn name(id: BodyId) -> String {
    format!("section{}", id.index())
}

/// A little out of line, in any direction \[rad].
fn lean(random: &mut SplitMix64, most: f64) -> DQuat {
    rotation::about_x(random.between(-most, most)) * rotation::about_y(random.between(-most, most))
}

/// A round rod along z.
fn wood(bud: &Bud) -> RigidInertia {
    let Bud { radius: r, length: l, .. } = *bud;
    let mass = DENSITY * PI * r * r * l;
    let across = mass * (3.0 * r * r + l * l) / 12.0;
    let moments = DVec3::new(across, across, 0.5 * mass * r * r);
    RigidInertia::new(mass, DVec3::new(0.0, 0.0, 0.5 * l), supple::spatial::Sym3::diagonal(moments))
}

/// Bends about x and y as a rod of the section's length would: k = E I / l with I = π r⁴/4.
fn joint(radius: f64, length: f64) -> Joint {
    let square = radius * radius;
    let stiffness = MODULUS * PI * (square * square) / (4.0 * length);
    Joint::new(JointKind::Universal { axes: [DVec3::X, DVec3::Y] })
        .stiffness(stiffness)
        .damping(RELAXATION * stiffness)
}
