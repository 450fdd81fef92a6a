//! The paper's crowd: 200 detailed characters, suddenly pushed away from the camera.
//!
//! The camera is at the origin and looks along x. Characters stand in rows behind one another and float. A blast runs
//! from the camera over the crowd: for a moment forces push each character at hips and chest, away from the camera, and
//! another hits one of its limbs. The farther away, the fewer joints of a character are simulated; or there is one
//! budget for all, and what moves most gets most.

use glam::DVec3;
use supple::detail::{Detail, Rule, Target, Weights};
use supple::view::Camera;
use supple::{Axes, Force, Load, Simulation};

use crate::drawn::Drawn;
use crate::forces::{Push, Wrench};
use crate::gaze::FINE;
use crate::{
    Drive, ForceOverTime, Gaze, Kind, Parameter, Parameters, Scene, SceneError, SplitMix64, Stage,
    humanoid_detailed,
};

pub(crate) const SCENE: Scene = Scene {
    name: "crowd-200",
    figure: "Redon et al. 2005, figure 1",
    summary: "200 detailed characters (19,000 degrees of freedom) pushed away from the camera",
    parameters: &[
        Parameter {
            name: "characters",
            kind: Kind::Count { default: 200, min: 1, max: 100_000 },
            doc: "number of characters",
        },
        Parameter {
            name: "joints",
            kind: Kind::Count { default: 1000, min: 1, max: 10_000_000 },
            doc: "joints that may be active in all characters together, at least one in each",
        },
        Parameter {
            name: "budget",
            kind: Kind::Choice { default: "distance", among: &["distance", "world", "full"] },
            doc: "shares of the joints that fall with the distance, one budget for the world, or all joints",
        },
        Parameter {
            name: "seed",
            kind: Kind::Count { default: 1, min: 0, max: u64::MAX },
            doc: "which pushes",
        },
    ],
    build,
};

/// Characters in a row, and the distance between neighbours \[m].
const ROW: usize = 10;
const SPACE: f64 = 2.0;
/// Distance of the first row from the camera \[m].
const NEAREST: f64 = 3.0;
/// From where all of it is seen, and what is looked at \[m].
const EYE: DVec3 = DVec3::new(-6.0, -3.0, 5.0);
const TARGET: DVec3 = DVec3::new(8.0, 0.0, -0.5);
/// Speed of the blast \[m/s], how long the push lasts \[s], how strong it is at the hips and at the chest \[N], and how it would speed up a limb
/// alone \[m/s²].
const BLAST: f64 = 100.0;
const PUSH: f64 = 0.3;
const AT_TRUNK: f64 = 60.0;
const AT_LIMB: f64 = 20.0;
/// Steps from one update of a character to the next: at 1/240 s a sixth of a second. (With 1,000 joints for all, the error after
/// one second is the same as with updates twice as often: 0.328 and 0.327 m.)
const UPDATE_EVERY: u32 = 40;
/// What else is hit.
const LIMBS: [&str; 8] = [
    "left_palm",
    "right_palm",
    "left_forearm",
    "right_forearm",
    "left_shin",
    "right_shin",
    "left_heel",
    "right_heel",
];

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let Drawn { simulation: mut person, shapes } = humanoid_detailed::person(true)?;
    person.gravity = DVec3::ZERO;
    // made once, and shared by all; an arm counts for more than a finger
    person.assembly();
    person.set_weights(Weights::by_reach(&person.model));
    // the joints of a character are worth what they are by themselves: with 2,000 joints for all rule *free* is 0.25 m off
    // after one second, rule *split* 0.31 m
    let detail = Detail { update_every: UPDATE_EVERY, rule: Rule::Free, ..Detail::default() };
    person.set_detail(detail.clone())?;
    let count = parameters.count("characters");
    let mut random = SplitMix64::new(parameters.seed("seed"));
    let stand = |i| {
        let (mut character, at) = (person.clone(), place(i));
        character.state.q[0] = at.x;
        character.state.q[1] = at.y;
        character
    };
    let mut crowd: Vec<Simulation> = (0..count).map(stand).collect();
    let pushes: Vec<_> = (0..count).map(|i| push(&person, place(i), &mut random)).collect();
    let joints = parameters.count("joints");
    let all = person.model.moving_joints();
    let mut budget = None;
    match parameters.text("budget") {
        "distance" => {
            for (i, share) in shares(count, joints, all).into_iter().enumerate() {
                // one after the other, so that no step has all the updates
                let phase = i as u32 % UPDATE_EVERY;
                crowd[i].set_detail(Detail { phase, target: Target::Joints(share), ..detail.clone() })?;
            }
        }
        "world" => budget = Some(joints.clamp(count, count * all)),
        _ => {}
    }
    let mut stage = Drawn::stage_of(crowd, &shapes, FINE);
    stage.world.set_budget(budget)?;
    // from behind the paper's camera, and above, so that all are seen
    stage.gaze = Some(Gaze::fixed(Camera::look_at(EYE, TARGET, DVec3::Z)));
    let push = |(i, loads): (usize, Vec<Load>)| {
        ForceOverTime::Push(Push {
            articulation: Some(i),
            start: place(i).length() / BLAST,
            seconds: PUSH,
            loads: loads.iter().map(Wrench::from).collect(),
        })
    };
    stage.script.drive = Some(Drive::told(pushes.into_iter().enumerate().map(push).collect()));
    Ok(stage)
}

/// Where a character stands \[m]: rows across the view, one behind the other.
fn place(i: usize) -> DVec3 {
    let (row, column) = (i / ROW, i % ROW);
    let middle = 0.5 * (ROW - 1) as f64;
    DVec3::new(NEAREST + SPACE * row as f64, SPACE * (column as f64 - middle), 0.0)
}

/// Joints for each character: one for its floating base, the others the fewer the farther it is.
fn shares(count: usize, joints: usize, all: usize) -> Vec<usize> {
    let weight = |i: usize| 1.0 / place(i).length();
    let weights: f64 = (0..count).map(weight).sum();
    let spare = joints.saturating_sub(count) as f64;
    // what one cannot use is left over: the nearest have all their joints first
    let share = |i| (1 + (spare * weight(i) / weights).floor() as usize).min(all);
    (0..count).map(share).collect()
}

/// The forces on a character at this place.
fn push(character: &Simulation, at: DVec3, random: &mut SplitMix64) -> Vec<Load> {
    let away = at.normalize();
    let limb = LIMBS[random.below(LIMBS.len())];
    let mut force = |body: &str, strength: &dyn Fn(f64) -> f64| {
        let aside = DVec3::new(0.0, random.between(-0.3, 0.3), random.between(-0.3, 0.3));
        let push = random.between(0.7, 1.3) * (away + aside);
        let body = character.model.body(body)?;
        let mass = character.model.bodies()[body.index()].inertia.mass;
        let wrench = Force::new(DVec3::ZERO, strength(mass) * push);
        Some(Load { body, wrench, axes: Axes::World })
    };
    let trunk = |_| AT_TRUNK;
    let loads = [force("pelvis", &trunk), force("thoracic7", &trunk), force(limb, &|mass| AT_LIMB * mass)];
    loads.into_iter().flatten().collect()
}
