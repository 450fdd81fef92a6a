//! A field of 50,000 people of 29 bodies, 1.45 million bodies, through which the camera walks.
//!
//! All share one model: where someone stands and which way they look is in the joint of the pelvis, which slides level and turns;
//! two springs, one for each foot, hold it to its place. It may be frozen like any other joint. Joints pull towards the
//! upright pose, which is the one at rest under their weight: gravity is not counted again, and who is left alone stands still,
//! to the bit. Gusts of wind run over the field along x, and now and then a push hits somebody's chest or head, or a hand is
//! pulled. All of that is a function of who and when: nobody has to be asked in every step.

use glam::{DQuat, DVec3};
use supple::adaptive::{Detail, Rule, Weights};
use supple::view::Camera;
use supple::{Axes, BodyId, Force, Load, Model, Simulation, Spring};

use crate::humanoid::standing;
use crate::limb::Tone;
use crate::{Drive, Gaze, Kind, Parameter, Parameters, Scene, SceneError, SplitMix64, Stage};

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
    let mut stage = standing(MUSCLES)?;
    let (seed, count) = (parameters.seed("seed"), parameters.count("characters"));
    let field = Field { seed, side: side(count) };
    let person = &mut stage.simulation;
    person.gravity = DVec3::ZERO;
    // made once, and shared by all
    person.assembly();
    person.set_weights(Weights::by_reach(&person.model));
    person.set_detail(Detail { update_every: UPDATE_EVERY, rule: Rule::Free, ..Detail::default() })?;
    let all = person.model.moving_joints();
    stage.others = (1..count).map(|i| field.stood(&stage.simulation, i)).collect();
    stage.simulation = field.stood(&stage.simulation, 0);
    stage.budget = Some(parameters.count("budget").min(count * all));
    let weather = Weather::new(field, &stage.simulation.model, parameters.number("wind"));
    let forecast = weather.clone();
    let drive = Drive::new(move |i, person| weather.act(i, person));
    stage.drive = Some(drive.pausing(move |i, time| forecast.next(i, time)));
    let pace = parameters.number("pace");
    stage.gaze = Some(Gaze::new(move |time| vec![field.walk(pace * time, time)]));
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
        let (pelvis, turn) = (BodyId::new(0), DQuat::from_rotation_z(heading));
        let height = person.model.bodies()[0].placement.translation;
        person.springs = [FOOT_AT, -FOOT_AT]
            .map(|aside| {
                let point = DVec3::Y * aside;
                Spring::new(pelvis, point, at + height + turn * point, FOOT).damping(FOOT_DAMPING)
            })
            .to_vec();
        person
    }

    /// The camera that has gone so far \[m] at a time \[s]: along the aisle, from a quarter of the field to its end.
    fn walk(&self, gone: f64, time: f64) -> Camera {
        let x = (gone - 0.5 * self.half()).min(self.half());
        let (aside, ahead) = (GLANCE * (std::f64::consts::TAU * GLANCES * time).sin()).sin_cos();
        let eye = DVec3::new(x, 0.0, EYE);
        Camera::look_at(eye, eye + DVec3::new(ahead, aside, -DOWN), DVec3::Z)
    }
}

/// What happens to people.
#[derive(Clone, Debug)]
struct Weather {
    field: Field,
    wind: f64,
    chest: Option<BodyId>,
    arms: Vec<BodyId>,
    pushed: Vec<(BodyId, f64)>,
}

impl Weather {
    fn new(field: Field, model: &Model, wind: f64) -> Self {
        let pushed = PUSHED.iter().filter_map(|(name, most)| Some((model.body(name)?, *most))).collect();
        let arms = ["left_forearm", "right_forearm"].iter().filter_map(|name| model.body(name)).collect();
        Self { field, wind, chest: model.body("thorax"), arms, pushed }
    }

    /// Puts the forces of its time on a person.
    fn act(&self, i: usize, person: &mut Simulation) {
        let time = person.state.time;
        person.wrenches.clear();
        let load = |body, force| Load { body, wrench: Force::new(DVec3::ZERO, force), axes: Axes::World };
        let gust = self.wind * self.gust(self.field.place(i).0, time);
        if gust > 0.0 {
            person.wrenches.extend(self.chest.map(|chest| load(chest, DVec3::X * gust)));
            person.wrenches.extend(self.arms.iter().map(|arm| load(*arm, DVec3::X * (ON_ARMS * gust))));
        }
        person.wrenches.extend(self.push(i, time).map(|(body, force)| load(body, force)));
    }

    /// When the next force on somebody begins, from a time on \[s].
    fn next(&self, i: usize, time: f64) -> f64 {
        let gust = if self.wind > 0.0 { self.next_gust(self.field.place(i).0, time) } else { f64::INFINITY };
        gust.min(self.next_push(i, time))
    }

    /// How far the last gust has gone beyond a place at a time \[m]. The first is at the edge of the field at the start.
    fn beyond(&self, at: DVec3, time: f64) -> f64 {
        let front = WIND_SPEED * time - (at.x + self.field.half()) - WAVY * (1.0 - (0.05 * at.y).cos());
        front.rem_euclid(APART)
    }

    /// How strong the wind is at a place \[m] and a time \[s]: 0 to 1.
    fn gust(&self, at: DVec3, time: f64) -> f64 {
        bump(self.beyond(at, time) / LONG)
    }

    fn next_gust(&self, at: DVec3, time: f64) -> f64 {
        let beyond = self.beyond(at, time);
        if beyond < LONG { time } else { time + (APART - beyond) / WIND_SPEED }
    }

    /// The push on somebody at a time \[s], if there is one.
    fn push(&self, i: usize, time: f64) -> Option<(BodyId, DVec3)> {
        let clock = time / TURN + self.phase(i);
        let since = clock.fract() * TURN / PUSH;
        if since >= 1.0 {
            return None;
        }
        self.push_of(i, clock as u64).map(|(body, force)| (body, force * bump(since)))
    }

    fn next_push(&self, i: usize, time: f64) -> f64 {
        let (clock, phase) = (time / TURN + self.phase(i), self.phase(i));
        let turn = clock as u64;
        if clock.fract() * TURN < PUSH && self.push_of(i, turn).is_some() {
            return time;
        }
        // some time or other everybody is pushed
        let turns = turn + 1..turn + 100;
        let pushed = turns.clone().find(|turn| self.push_of(i, *turn).is_some()).unwrap_or(turns.end);
        (pushed as f64 - phase) * TURN
    }

    /// People are not pushed all at once: by how many turns somebody is ahead.
    fn phase(&self, i: usize) -> f64 {
        SplitMix64::of(self.field.seed, i, 1).between(0.0, 1.0)
    }

    /// The push of a turn at its strongest, if there is one.
    fn push_of(&self, i: usize, turn: u64) -> Option<(BodyId, DVec3)> {
        let mut random = SplitMix64::of(self.field.seed, i, 2 + turn);
        let (body, most) = *self.pushed.get(random.below(self.pushed.len()))?;
        let felt = random.between(0.0, 1.0) < CHANCE;
        let force = DVec3::from_array([0.0; 3].map(|_: f64| random.between(-most, most)));
        felt.then_some((body, force))
    }
}

/// Rises from 0 to 1 and falls back while x goes from 0 to 1.
fn bump(x: f64) -> f64 {
    if x < 1.0 { (std::f64::consts::PI * x).sin().powi(2) } else { 0.0 }
}
