//! 100 toy dogs on springs in space, some behind others, some beyond the edge of the view, some far.
//!
//! The camera is at the origin and looks along x. Every dog hangs on two springs, at its shoulders and at its rump, and is
//! twisted at the start: let go, it swings back. Now and then a torque turns one of its bodies.
//!
//! The paper counts 1,500 joints, the 15 inside every dog. Here each dog floats, which is a joint too and never frozen: 1,600
//! joints move, of which 100 always.

use std::f64::consts::FRAC_PI_3;
use supple::spatial::rotation;

use glam::{DQuat, DVec3};
use supple::view::Camera;
use supple::{JointKind, Simulation, Spring};

use crate::dog::dog;
use crate::drawn::Drawn;
use crate::forces::Pulses;
use crate::gaze::watched;
use crate::stage::DT;
use crate::{
    Drive, ForceOverTime, Gaze, Kind, Parameter, Parameters, Ref, Scene, SceneError, SplitMix64, Stage,
};

pub(crate) const SCENE: Scene = Scene {
    name: "dogs-100",
    figure: "Kim et al. 2008, figure 6",
    summary: "100 toy dogs of 16 bodies hang on springs, twisted at first, with random torques",
    parameters: &[
        Parameter {
            name: "dogs",
            kind: Kind::Count { default: 100, min: 1, max: 10_000 },
            doc: "number of dogs",
        },
        Parameter {
            name: "torque",
            kind: Kind::Number { default: 1.0, min: 0.0, max: 1e3, unit: "N·m" },
            doc: "strongest of the torques that come now and then",
        },
        Parameter {
            name: "seed",
            kind: Kind::Count { default: 1, min: 0, max: u64::MAX },
            doc: "which twists and torques",
        },
    ],
    build,
};

/// Dogs in a row across the view, the distance between neighbours and between rows \[m], and that of the first row from the camera.
const ROW: usize = 10;
const BESIDE: f64 = 1.1;
const BEHIND: f64 = 1.2;
const NEAREST: f64 = 2.5;
/// Height at which dogs hang: their trunks, and the camera \[m].
const HEIGHT: f64 = 1.0;
/// Stiffness \[N/m] and damping \[N·s/m] of a spring. Two of them carry a dog, 0.34 m below their anchors.
const STIFFNESS: f64 = 60.0;
const DAMPING: f64 = 1.0;
/// Where they hold a dog, from the middle of its trunk forward or back \[m].
const HOLD: f64 = 0.12;
/// Greatest twist of a dog as a whole, and of its joints \[rad].
const TURNED: f64 = FRAC_PI_3;
const BENT: f64 = 0.4;
/// In each such time \[s] a dog feels a torque or not, with this chance, for this long \[s].
const TURN: f64 = 2.0;
const CHANCE: f64 = 0.6;
const PULSE: f64 = 0.3;
/// What torques act on.
const TURNED_BODIES: [&str; 4] = ["chest", "rump", "head", "tail"];

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let Drawn { simulation: mut dog, shapes } = dog()?;
    let (seed, count) = (parameters.seed("seed"), parameters.count("dogs"));
    // made once, and shared by all
    dog.assembly();
    dog.set_detail(watched())?;
    let dogs = (0..count).map(|i| hung(&dog, i, &mut SplitMix64::of(seed, i, u64::MAX)));
    let mut stage = Drawn::stage_of(dogs, &shapes, DT);
    let model = &dog.model;
    let body = |name: &&str| model.body(name).map(|body| Ref::from(body.index()));
    stage.script.drive = Some(Drive::told(vec![ForceOverTime::Pulses(Pulses {
        seed,
        bodies: TURNED_BODIES.iter().filter_map(body).collect(),
        torque: parameters.number("torque"),
        every: TURN,
        chance: CHANCE,
        seconds: PULSE,
    })]));
    let eye = DVec3::Z * HEIGHT;
    stage.gaze = Some(Gaze::fixed(Camera::look_at(eye, eye + DVec3::X, DVec3::Z)));
    Ok(stage)
}

/// Where the middle of a dog's trunk is while it hangs at rest \[m].
fn place(i: usize) -> DVec3 {
    let (row, column) = (i / ROW, i % ROW);
    let middle = 0.5 * (ROW - 1) as f64;
    DVec3::new(NEAREST + BEHIND * row as f64, BESIDE * (column as f64 - middle), HEIGHT)
}

/// A dog on its springs, twisted: it looks across the view.
fn hung(dog: &Simulation, i: usize, random: &mut SplitMix64) -> Simulation {
    let (mut dog, at) = (dog.clone(), place(i));
    let mass: f64 = dog.model.bodies().iter().map(|body| body.inertia.mass).sum();
    let up = DVec3::Z * (0.5 * mass * dog.gravity.length() / STIFFNESS);
    let across = rotation::about_z(std::f64::consts::FRAC_PI_2);
    for (name, hold) in [("chest", HOLD), ("rump", -HOLD)] {
        let Some(body) = dog.model.body(name) else { continue };
        let point = DVec3::X * hold;
        let spring = Spring::new(body, point, at + across * point + up, STIFFNESS);
        dog.springs.push(spring.damping(DAMPING));
    }
    let DQuat { x, y, z, w } = across * rotation::about_z(random.between(-TURNED, TURNED));
    dog.state.q[..7].copy_from_slice(&[at.x, at.y, at.z, x, y, z, w]);
    let model = dog.model.clone();
    for joint in model.joints().iter().skip(1) {
        let q = &mut dog.state.q[joint.q..joint.q + joint.nq];
        let mut bend = || random.between(-BENT, BENT);
        if matches!(joint.kind, JointKind::Spherical) {
            let turn = rotation::exp(DVec3::new(bend(), bend(), bend()));
            q.copy_from_slice(&turn.to_array());
        } else {
            q.iter_mut().for_each(|angle| *angle = bend());
        }
    }
    dog
}
