//! A field of 50,000 people of 29 bodies, 1.45 million bodies, through which the camera walks.
//!
//! All share one model: where someone stands and which way they look is in the joint of the pelvis, which slides level and turns;
//! two springs, one for each foot, hold it to its place. It may be frozen like any other joint. Joints pull towards the
//! upright pose, which is the one at rest under their weight: gravity is not counted again, and who is left alone stands still,
//! to the bit. Gusts of wind run over the field along x, and now and then a push hits somebody's chest or head, or a hand is
//! pulled. All of that is a function of who and when: nobody has to be asked in every step.

use glam::DVec3;
use supple::detail::{Detail, Rule, Weights};
use supple::spatial::rotation;
use supple::{BodyId, Model, Simulation, Spring};

use crate::drawn::Drawn;
use crate::forces::{Felt, Nudged, Nudges, Wave};
use crate::humanoid::standing;
use crate::limb::Tone;
use crate::shot::{Lens, Shot};
use crate::stage::DT;
use crate::{
    Drive, ForceOverTime, Gaze, Kind, Parameter, Parameters, Ref, Scene, SceneError, SplitMix64, Stage,
};

pub(crate) const SCENE: Scene = Scene {
    name: "crowd-50000",
    figure: "",
    summary: "50,000 people (1.45 million bodies) in gusts and pushes, with one budget; the camera walks through",
    parameters: &[
        Parameter {
            name: "characters",
            kind: Kind::Count { default: 50_000, min: 1, max: 1_000_000 },
            doc: "number of people",
        },
        Parameter {
            name: "budget",
            kind: Kind::Count { default: 10_000, min: 1, max: 100_000_000 },
            doc: "joints that may be active in all of them together",
        },
        Parameter {
            name: "wind",
            kind: Kind::Number { default: 40.0, min: 0.0, max: 1e3, unit: "N" },
            doc: "force of a gust on a chest",
        },
        Parameter {
            name: "pace",
            kind: Kind::Number { default: 1.4, min: 0.0, max: 100.0, unit: "m/s" },
            doc: "speed of the camera",
        },
        Parameter {
            name: "seed",
            kind: Kind::Count { default: 1, min: 0, max: u64::MAX },
            doc: "who stands how, and which pushes",
        },
    ],
    build,
};

/// Distance between neighbours \[m], and how far they may stand from the points of the grid.
const SPACE: f64 = 2.0;
const JITTER: f64 = 0.4;
/// Muscles: what a joint carries would swing so often \[Hz], with so much of critical damping.
const MUSCLES: Tone = Tone::Held { frequency: 2.0, ratio: 0.3 };
/// Stiffness \[N/m] and damping \[N·s/m] of a foot on the ground: 70 kg sway at 1.5 Hz. Distance of a foot from the middle \[m].
const FOOT: f64 = 3000.0;
const FOOT_DAMPING: f64 = 330.0;
const FOOT_AT: f64 = 0.15;
/// Gusts: their speed \[m/s], how far they are apart, how long they are, how far behind their edges hang \[m].
const WIND_SPEED: f64 = 8.0;
const APART: f64 = 80.0;
const LONG: f64 = 10.0;
const WAVY: f64 = 12.0;
/// Share of the force on the chest that the forearms feel.
const ON_ARMS: f64 = 0.15;
/// In each such time \[s] somebody is pushed or not, with this chance, for this long \[s].
const TURN: f64 = 8.0;
const CHANCE: f64 = 0.5;
const PUSH: f64 = 0.5;
/// What is pushed or pulled, and how strongly at most \[N].
const PUSHED: [(&str, f64); 4] =
    [("thorax", 60.0), ("head", 15.0), ("left_hand", 12.0), ("right_hand", 12.0)];
/// Steps from one update of a person to the next.
const UPDATE_EVERY: u32 = 40;
/// Height of the eye \[m], how far it turns aside \[rad] and how often \[Hz], how far it looks down \[m per m].
const EYE: f64 = 1.65;
const GLANCE: f64 = 0.4;
const GLANCES: f64 = 0.1;
const DOWN: f64 = 0.08;

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let Drawn { simulation: mut person, shapes } = standing(MUSCLES)?;
    let (seed, count) = (parameters.seed("seed"), parameters.count("characters"));
    let field = Field { seed, side: side(count) };
    person.gravity = DVec3::ZERO;
    // made once, and shared by all
    person.assembly();
    person.set_weights(Weights::by_reach(&person.model));
    person.set_detail(Detail { update_every: UPDATE_EVERY, rule: Rule::Free, ..Detail::default() })?;
    let all = person.model.moving_joints();
    let people = (0..count).map(|i| field.stood(&person, i));
    let mut stage = Drawn::stage_of(people, &shapes, DT);
    stage.world.set_budget(Some(parameters.count("budget").min(count * all)))?;
    stage.script.drive = Some(Drive::told(weather(&field, count, &person.model, parameters.number("wind"))));
    stage.gaze = Some(Gaze::told(vec![Shot::Stroll {
        from: -0.5 * field.half(),
        to: field.half(),
        pace: parameters.number("pace"),
        eye: EYE,
        glance: GLANCE,
        glances: GLANCES,
        down: DOWN,
        lens: Lens::default(),
    }]));
    Ok(stage)
}

/// Rows of a field, as many as there are columns.
fn side(count: usize) -> usize {
    (1..).find(|n: &usize| n * n >= count).unwrap_or(1)
}

/// Where people stand.
#[derive(Clone, Copy, Debug)]
struct Field {
    seed: u64,
    /// Rows, and columns.
    side: usize,
}

impl Field {
    /// Half the length of the field \[m].
    fn half(&self) -> f64 {
        0.5 * SPACE * self.side as f64
    }

    /// Where somebody stands \[m], and which way they look \[rad]. An aisle is left at y = 0.
    fn place(&self, i: usize) -> (DVec3, f64) {
        let (row, column) = (i / self.side, i % self.side);
        let mut random = SplitMix64::of(self.seed, i, 0);
        let mut on_grid = |n: f64| SPACE * (n + 0.5) + random.between(-JITTER, JITTER);
        let x = on_grid(row as f64) - self.half();
        let y = on_grid(column as f64 - (self.side / 2) as f64);
        (DVec3::new(x, y, 0.0), random.between(-std::f64::consts::PI, std::f64::consts::PI))
    }

    /// A copy of a person at the place of this number.
    fn stood(&self, person: &Simulation, i: usize) -> Simulation {
        let (mut person, (at, heading)) = (person.clone(), self.place(i));
        person.state.q[..3].copy_from_slice(&[at.x, at.y, heading]);
        let (pelvis, turn) = (BodyId::new(0), rotation::about_z(heading));
        let height = person.model.bodies()[0].placement.translation;
        person.springs = [FOOT_AT, -FOOT_AT]
            .map(|aside| {
                let point = DVec3::Y * aside;
                Spring::new(pelvis, point, at + height + turn * point, FOOT).damping(FOOT_DAMPING)
            })
            .to_vec();
        person
    }
}

/// What happens to people.
fn weather(field: &Field, count: usize, model: &Model, wind: f64) -> Vec<ForceOverTime> {
    let body = |name: &str| model.body(name).map(|body| Ref::from(body.index()));
    let felt = [("thorax", 1.0), ("left_forearm", ON_ARMS), ("right_forearm", ON_ARMS)];
    let pushed = PUSHED.iter().filter_map(|(name, most)| Some(Nudged { body: body(name)?, most: *most }));
    let wave = Wave {
        places: (0..count).map(|i| field.place(i).0.to_array()).collect(),
        bodies: felt
            .iter()
            .filter_map(|(name, share)| Some(Felt { body: body(name)?, share: *share }))
            .collect(),
        force: wind,
        speed: WIND_SPEED,
        // the first is at the edge of the field at the start
        from: field.half(),
        apart: APART,
        long: LONG,
        wavy: WAVY,
        waves: 0.05,
    };
    let nudges =
        Nudges { seed: field.seed, bodies: pushed.collect(), every: TURN, chance: CHANCE, seconds: PUSH };
    vec![ForceOverTime::Wave(wave), ForceOverTime::Nudges(nudges)]
}
