//! Two treads of hinged links round gears: attached to teeth that are near, and released from them, as they run.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3};
use supple::constraint::{Ball, Constraint, Frame, Hinge, OnCircle, Twist};
use supple::world::{BodyRef, ConstraintId, SingleId, World, WorldError};

use super::air::Air;
use super::figure::{block, joint, rod};
use crate::world_stage::{Director, WorldStage};
use crate::{Kind, Parameter, Parameters, Scene, SceneError};

pub(crate) const SCENE: Scene<WorldStage> = Scene {
    name: "treads",
    figure: "Weinstein, Teran & Fedkiw 2006, figures 4 and 7",
    summary: "the treads of a tank that turns on the spot: joints with the gears made and cut by proximity",
    parameters: &[
        Parameter {
            name: "speed",
            kind: Kind::Number { default: 3.0, min: -20.0, max: 20.0, unit: "rad/s" },
            doc: "of the gears of the left tread; those of the right one turn the other way",
        },
        Parameter {
            name: "reach",
            kind: Kind::Number { default: 0.4, min: 0.01, max: 0.49, unit: "links" },
            doc: "how near a tooth a link must be to be attached to it",
        },
    ],
    build,
};

/// Links of a tread, teeth of a gear, links from gear to gear.
const LINKS: usize = 34;
const TEETH: usize = 12;
const RUN: usize = (LINKS - TEETH) / 2;
/// How much shorter the way from gear to gear is than the links that go there \[m].
const SLACK: f64 = 0.03;
/// A link \[m, kg], a gear \[kg].
const LINK: DVec3 = DVec3::new(0.2, 0.4, 0.04);
const LINK_MASS: f64 = 5.0;
const GEAR_MASS: f64 = 60.0;
/// Greatest torque of each motor \[N·m].
const TORQUE: f64 = 2000.0;

fn build(parameters: &Parameters) -> Result<WorldStage, SceneError> {
    let mut stage = WorldStage::new(World::new(), 1.0 / 240.0, 60.0);
    // a link that is attached while it is off its tooth is drawn to it, not thrown
    stage.world.settings.approach = 0.5;
    let (speed, reach) = (parameters.number("speed"), parameters.number("reach"));
    let mut treads = Vec::new();
    for (y, speed) in [(1.0, speed), (-1.0, -speed)] {
        treads.push(tread(&mut stage, DVec3::Y * y, speed)?);
    }
    let air = Air::new(&stage.world, 1.0);
    stage.director = Some(Box::new(Proximity { air, treads, reach: reach * LINK.x }));
    Ok(stage)
}

/// Radius of the circle that pins go round on \[m].
fn radius() -> f64 {
    0.5 * LINK.x / (0.5 * TAU / TEETH as f64).sin()
}

/// A point of that circle, counted from the top backwards, in teeth.
fn tooth(k: f64) -> DVec3 {
    let (s, c) = (k * TAU / TEETH as f64).sin_cos();
    DVec3::new(-s, 0.0, c) * radius()
}

/// One tread and its gears, at one side.
fn tread(stage: &mut WorldStage, side: DVec3, speed: f64) -> Result<Tread, SceneError> {
    let half = 0.5 * (RUN as f64 * LINK.x - SLACK) * DVec3::X;
    let mut gears = Vec::new();
    for (name, at, drive) in [("front", half, speed), ("back", -half, speed), ("middle", DVec3::ZERO, 0.0)] {
        let (at, across) = (side + at, 0.4 * LINK.y * DVec3::Y);
        let size = if drive == 0.0 { 0.5 } else { 0.8 } * radius();
        let gear = rod(&mut stage.world, &mut stage.shapes, name, GEAR_MASS, at - across, at + across, size)?;
        let axle = joint(
            &stage.world,
            format!("{name} axle"),
            Twist,
            BodyRef::World,
            gear,
            Frame::with_z(at, DVec3::Y),
        )?;
        stage.world.add(if drive == 0.0 { axle } else { axle.motor(0, drive, TORQUE) })?;
        gears.push(gear);
    }
    let pins = pins(half);
    let mut links = Vec::new();
    for k in 0..LINKS {
        let [from, to] = [pins[k], pins[(k + 1) % LINKS]];
        let turn = DQuat::from_rotation_y((from.z - to.z).atan2(to.x - from.x));
        let place = Frame::new(side + 0.5 * (from + to), turn);
        links.push(block(stage, format!("link {k}"), LINK_MASS, place, LINK)?);
    }
    for k in 0..LINKS {
        stage.world.join(
            Hinge,
            links[(k + LINKS - 1) % LINKS],
            links[k],
            Frame::with_z(side + pins[k], DVec3::Y),
        )?;
    }
    Ok(Tread { links, gears: [gears[0], gears[1]], attached: vec![None; LINKS] })
}

/// Where pins are at first: along the top from front to back, round the back, along the bottom, round the front.
fn pins(half: DVec3) -> Vec<DVec3> {
    // links sag from gear to gear, each turned against the next by so much
    let reach = |turn: f64| LINK.x * (0.5 * RUN as f64 * turn).sin() / (0.5 * turn).sin();
    let (mut low, mut high) = (1e-9, TAU / RUN as f64);
    while high - low > 1e-15 {
        let middle = 0.5 * (low + high);
        if reach(middle) > 2.0 * half.x { low = middle } else { high = middle }
    }
    let mut pins = Vec::new();
    for (back, first) in [(-1.0, 0), (1.0, TEETH / 2)] {
        let mut at = tooth(first as f64) - half * back;
        for k in 0..RUN {
            pins.push(at);
            let (s, c) = ((k as f64 - 0.5 * (RUN - 1) as f64) * low).sin_cos();
            at += LINK.x * DVec3::new(back * c, 0.0, s);
        }
        pins.extend((0..TEETH / 2).map(|k| half * back + tooth((first + k) as f64)));
    }
    pins
}

struct Tread {
    links: Vec<SingleId>,
    /// Those that drive.
    gears: [SingleId; 2],
    /// How the first pin of each link is attached, and by what.
    attached: Vec<Option<(Attached, ConstraintId)>>,
}

/// A tooth of one of the two gears.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Tooth {
    gear: usize,
    number: usize,
}

/// Links have a length, so that one of a row is enough to keep all of them at their teeth: the others are held to the gear's circle.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Attached {
    Tooth(Tooth),
    Circle(usize),
}

/// Attaches links to teeth that are near, and releases those of which a neighbour is attached to none.
struct Proximity {
    air: Air,
    treads: Vec<Tread>,
    reach: f64,
}

/// The first pin of a link, in the link's frame.
const PIN: DVec3 = DVec3::new(-0.5 * LINK.x, 0.0, 0.0);

impl Tread {
    /// The tooth that a link is near to.
    fn near(&self, world: &World, link: usize, reach: f64) -> Result<Option<Tooth>, WorldError> {
        let pin = world.frame(self.links[link])?.point(PIN);
        for (gear, id) in self.gears.iter().enumerate() {
            let seen = world.frame(*id)?.inverse().point(pin);
            let number = ((-seen.x).atan2(seen.z) / TAU * TEETH as f64).round().rem_euclid(TEETH as f64);
            if seen.distance(tooth(number)) < reach {
                return Ok(Some(Tooth { gear, number: number as usize }));
            }
        }
        Ok(None)
    }

    fn update(&mut self, world: &mut World, reach: f64) -> Result<(), WorldError> {
        let near = (0..LINKS).map(|k| self.near(world, k, reach)).collect::<Result<Vec<_>, _>>()?;
        let is_near = |k: usize| near[k % LINKS].is_some();
        let held = |k: usize| near[k % LINKS].filter(|_| is_near(k + 1) && is_near(k + LINKS - 1));
        for k in 0..LINKS {
            let row = |step: usize| (1..LINKS).take_while(|i| held(k + i * step).is_some()).count();
            let wanted = held(k).map(|tooth| match row(1) as i32 - row(LINKS - 1) as i32 {
                0 | 1 => Attached::Tooth(tooth),
                _ => Attached::Circle(tooth.gear),
            });
            if wanted == self.attached[k].map(|(how, _)| how) {
                continue;
            }
            if let Some((_, id)) = self.attached[k].take() {
                world.cut(id)?;
            }
            if let Some(how) = wanted {
                self.attached[k] = Some((how, world.add(self.attach(k, how))?));
            }
        }
        Ok(())
    }

    fn attach(&self, link: usize, how: Attached) -> Constraint {
        let child = self.links[link];
        let name = |gear: usize| ["front", "back"][gear];
        match how {
            Attached::Tooth(at) => Constraint::new(Ball, self.gears[at.gear], child)
                .parent_frame(Frame::at(tooth(at.number as f64)))
                .named(format!("{} tooth", name(at.gear))),
            Attached::Circle(gear) => Constraint::new(OnCircle { radius: radius() }, self.gears[gear], child)
                .parent_frame(Frame::with_z(DVec3::ZERO, DVec3::Y))
                .named(format!("{} circle", name(gear))),
        }
        .child_frame(Frame::at(PIN))
    }
}

impl Director for Proximity {
    fn cue(&mut self, world: &mut World) -> Result<(), WorldError> {
        self.air.cue(world)?;
        self.treads.iter_mut().try_for_each(|tread| tread.update(world, self.reach))
    }
}
