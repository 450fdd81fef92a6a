//! Skeletons dropped in a heap: bones with meshes as fine as wanted, joints as constraints.

use std::f64::consts::{FRAC_PI_2, PI};
use supple::spatial::rotation;

use glam::{DQuat, DVec3};
use supple::constraint::{Ball, Frame, Hinge};
use supple::contact::{Collider, Shape};
use supple::world::{SingleBody, SingleId, World};

use super::bone::Bone;
use super::bone::Profile::{self, Long, Round};
use super::props::{AIR, DT, floor, near_pairs, rough};
use crate::{Capsule, Kind, Parameter, Parameters, Scene, SceneError, SplitMix64, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "skeletons",
    figure: "Weinstein, Teran & Fedkiw 2006, figure 8",
    summary: "20 skeletons of 21 bones and 19 joints, dropped in a heap; meshes of up to a million triangles each",
    parameters: &[
        Parameter {
            name: "count",
            kind: Kind::Count { default: 20, min: 1, max: 1000 },
            doc: "how many skeletons",
        },
        Parameter {
            name: "triangles",
            kind: Kind::Count { default: 2000, min: 1500, max: 1_000_000 },
            doc: "triangles of a skeleton, about; bones touch by the convex hulls of their ends and shafts",
        },
        Parameter {
            name: "seed",
            kind: Kind::Count { default: 1, min: 0, max: u64::MAX },
            doc: "how they are turned at first",
        },
        AIR,
    ],
    build,
};

/// How a bone hangs on another.
#[derive(Clone, Copy, PartialEq)]
enum Joint {
    /// On nothing: the root, and the lower jaw, which no muscle holds any more.
    Loose,
    /// By a ball joint at its beginning.
    Ball,
    /// By a hinge across, at its beginning.
    Hinge,
}

/// Name, what it hangs on and how, from where to where \[m] in a skeleton that stands at the origin and looks along x, radius \[m].
type Row = (&'static str, &'static str, Joint, [f64; 3], [f64; 3], f64, Profile);

#[rustfmt::skip]
const TRUNK: &[Row] = &[
    ("pelvis", "", Joint::Loose, [0.0, -0.12, 0.90], [0.0, 0.12, 0.90], 0.06, Long),
    ("lumbar", "pelvis", Joint::Ball, [0.0, 0.0, 0.94], [0.0, 0.0, 1.02], 0.035, Long),
    ("spine", "lumbar", Joint::Ball, [0.0, 0.0, 1.02], [0.0, 0.0, 1.10], 0.035, Long),
    ("ribs", "spine", Joint::Ball, [0.0, 0.0, 1.10], [0.0, 0.0, 1.40], 0.13, Round),
    ("neck", "ribs", Joint::Ball, [0.0, 0.0, 1.40], [0.0, 0.0, 1.50], 0.025, Long),
    ("skull", "neck", Joint::Ball, [0.0, 0.0, 1.50], [0.0, 0.0, 1.72], 0.085, Round),
    ("jaw", "", Joint::Loose, [0.12, -0.04, 1.53], [0.12, 0.04, 1.53], 0.015, Long),
];
#[rustfmt::skip]
const SIDE: &[Row] = &[
    ("clavicle", "ribs", Joint::Ball, [0.0, 0.02, 1.42], [0.0, 0.18, 1.42], 0.015, Long),
    ("humerus", "clavicle", Joint::Ball, [0.0, 0.19, 1.41], [0.0, 0.19, 1.12], 0.025, Long),
    ("forearm", "humerus", Joint::Hinge, [0.0, 0.19, 1.11], [0.0, 0.19, 0.87], 0.022, Long),
    ("hand", "forearm", Joint::Ball, [0.0, 0.19, 0.86], [0.0, 0.19, 0.69], 0.025, Round),
    ("femur", "pelvis", Joint::Ball, [0.0, 0.10, 0.88], [0.0, 0.10, 0.48], 0.035, Long),
    ("shin", "femur", Joint::Hinge, [0.0, 0.10, 0.47], [0.0, 0.10, 0.08], 0.03, Long),
    ("foot", "shin", Joint::Ball, [-0.04, 0.10, 0.04], [0.18, 0.10, 0.04], 0.03, Round),
];
/// Bones, living ones \[kg/m³].
const BONES: usize = TRUNK.len() + 2 * SIDE.len();
const DENSITY: f64 = 1200.0;
const FRICTION: f64 = 0.5;
/// Room of a skeleton that lies, along and across, and how many lie abreast \[m].
const ROOM: DVec3 = DVec3::new(2.0, 0.6, 0.6);
const ABREAST: usize = 4;
const DROP: f64 = 0.6;
/// Bones that are nearer than this at first never touch \[m].
const NEAR: f64 = 0.002;

/// A bone of the skeleton that stands at the origin.
struct Part {
    name: String,
    /// Place of the bone that it hangs on, and the joint's frame.
    on: Option<(usize, Joint, Frame)>,
    at: Frame,
    collider: Collider,
    inertia: supple::RigidInertia,
    drawn: (DVec3, f64),
}

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let mut random = SplitMix64::new(parameters.seed("seed"));
    let mut stage = Stage::new(World::new(), DT, 10.0);
    stage.world.drag = parameters.number("air");
    floor(&mut stage, rough(FRICTION))?;
    let (parts, triangles) = skeleton(parameters.count("triangles"))?;
    let shapes: Vec<(Frame, Shape)> = parts.iter().map(|p| (p.at, p.collider.shape.clone())).collect();
    let near = near_pairs(&shapes, NEAR);
    let count = parameters.count("count");
    for k in 0..count {
        let cell = DVec3::new(0.0, (k % ABREAST) as f64 - 0.5 * (ABREAST as f64 - 1.0), (k / ABREAST) as f64);
        let end = if random.below(2) == 0 { 0.0 } else { PI };
        let lying = rotation::about_z(end + random.between(-0.1, 0.1))
            * rotation::about_y(FRAC_PI_2)
            * rotation::about_z(random.between(-PI, PI));
        // about the middle of the body
        let place = Frame::new(cell * ROOM + DROP * DVec3::Z, lying) * Frame::at(DVec3::Z * -0.85);
        add(&mut stage, k, &parts, &near, place)?;
    }
    stage.notes.push(format!("{triangles} triangles per skeleton, {} in all", count * triangles));
    Ok(stage)
}

/// The bones of a skeleton with about so many triangles, and how many it has.
fn skeleton(triangles: usize) -> Result<(Vec<Part>, usize), SceneError> {
    let mut parts: Vec<Part> = Vec::with_capacity(BONES);
    let mut sum = 0;
    let sides = [("left ", 1.0), ("right ", -1.0)];
    let rows = TRUNK.iter().map(|row| ("", 1.0, row));
    let rows = rows.chain(sides.iter().flat_map(|(side, y)| SIDE.iter().map(move |row| (*side, *y, row))));
    for (side, mirror, &(name, on, joint, from, to, radius, profile)) in rows {
        let [from, to] = [from, to].map(|x| DVec3::from(x) * DVec3::new(1.0, mirror, 1.0));
        let axis = to - from;
        let at = Frame::new(0.5 * (from + to), DQuat::from_rotation_arc(DVec3::Z, axis.normalize()));
        let bone = Bone::new(profile, axis.length(), radius, triangles / BONES);
        sum += bone.triangles();
        let collider = Collider::new(bone.pieces()?).friction(FRICTION);
        let carrier =
            parts.iter().position(|p| !on.is_empty() && (p.name == on || p.name == format!("{side}{on}")));
        parts.push(Part {
            name: format!("{side}{name}"),
            on: carrier.map(|carrier| (carrier, joint, Frame::with_z(from, DVec3::Y))),
            at,
            inertia: collider.inertia(DENSITY)?,
            collider,
            drawn: (DVec3::Z * (0.5 * axis.length() - radius).max(0.0), 0.8 * radius),
        });
    }
    Ok((parts, sum))
}

fn add(
    stage: &mut Stage,
    number: usize,
    parts: &[Part],
    near: &[[usize; 2]],
    place: Frame,
) -> Result<(), SceneError> {
    let mut ids: Vec<SingleId> = Vec::with_capacity(parts.len());
    for part in parts {
        let body = SingleBody::new(format!("{} {number}", part.name), part.inertia).at(place * part.at);
        let id = stage.world.add_body(body)?;
        stage.world.add_collider(id, part.collider.clone())?;
        let (half, radius) = part.drawn;
        stage.shapes.push(Capsule { body: id.into(), from: -half, to: half, radius });
        if let Some((carrier, joint, at)) = part.on {
            match joint {
                Joint::Loose => None,
                Joint::Ball => Some(stage.world.join(Ball, ids[carrier], id, place * at)?),
                Joint::Hinge => Some(stage.world.join(Hinge, ids[carrier], id, place * at)?),
            };
        }
        ids.push(id);
    }
    for [a, b] in near {
        stage.world.ignore(ids[*a], ids[*b])?;
    }
    Ok(())
}
