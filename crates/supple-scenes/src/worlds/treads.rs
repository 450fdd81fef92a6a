//! Two treads of hinged links round gears: attached to teeth that are near, and released from them, as they run.

use std::f64::consts::TAU;
use supple::spatial::rotation;

use glam::DVec3;
use supple::constraint::{Frame, Hinge, Twist};
use supple::world::{BodyRef, ConstraintId, SingleId, World};

use super::figure::{block, joint, rod};
use super::proximity::{LINK, LINKS, TEETH, proximity, radius, tooth};
use crate::script::{Soft, Tread};
use crate::{Kind, Parameter, Parameters, Scene, SceneError, Stage};
use supple::spatial::math;

pub(crate) const SCENE: Scene = Scene {
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

/// Radius of the middle gear, in those of the circle that pins go round on.
pub(crate) const MIDDLE: f64 = 0.5;
/// Links from gear to gear.
const RUN: usize = (LINKS - TEETH) / 2;
/// How much shorter the way from gear to gear is than the links that go there \[m].
const SLACK: f64 = 0.03;
/// A link and a gear \[kg].
const LINK_MASS: f64 = 5.0;
const GEAR_MASS: f64 = 60.0;
/// A link that is attached while it is off its tooth is drawn to it, not thrown \[m/s].
const APPROACH: f64 = 0.5;
/// Greatest torque of each motor \[N·m].
pub(crate) const TORQUE: f64 = 2000.0;

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let mut stage = Stage::new(World::new(), 1.0 / 240.0, 60.0);
    stage.world.settings.approach = APPROACH;
    let (speed, reach) = (parameters.number("speed"), parameters.number("reach"));
    let mut treads = Vec::new();
    for (y, speed) in [(1.0, speed), (-1.0, -speed)] {
        treads.push(tread(&mut stage, BodyRef::World, DVec3::Y * y, speed, Lower::Sags)?.tread(None));
    }
    stage.world.drag = 1.0;
    stage.direct(vec![proximity(treads, reach)])?;
    Ok(stage)
}

/// A tread, its gears and what drives them.
pub(crate) struct Track {
    pub(crate) links: Vec<SingleId>,
    /// Those that drive: front and back.
    pub(crate) gears: [SingleId; 2],
    /// The gear that nothing drives.
    pub(crate) middle: SingleId,
    /// Joints of the front and the back gear with what carries them.
    pub(crate) axles: [ConstraintId; 2],
}

impl Track {
    /// What is to be attached: rigidly, or by springs.
    pub(crate) fn tread(&self, soft: Option<Soft>) -> Tread {
        let links = self.links.iter().map(|link| link.index().into()).collect();
        Tread { links, gears: self.gears.map(|gear| gear.index().into()), soft }
    }
}

/// How the lower run of a tread is at first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lower {
    /// As the upper one.
    Sags,
    /// Straight: the front gear is turned a little against the back one, so that all slack is above; the middle gear lies on it.
    Taut,
}

/// One tread and its gears about a point of the world \[m], on axles that something carries.
pub(crate) fn tread(
    stage: &mut Stage,
    carrier: BodyRef,
    side: DVec3,
    speed: f64,
    lower: Lower,
) -> Result<Track, SceneError> {
    let half = 0.5 * (RUN as f64 * LINK.x - SLACK) * DVec3::X;
    let taut = lower == Lower::Taut;
    // by so much the front gear is turned
    let ahead = if taut { math::asin(SLACK / radius()) } else { 0.0 };
    let mut gear = |name: &str, at: DVec3, size: f64, turn: f64| {
        let (at, across) = (side + at, 0.4 * LINK.y * DVec3::Y);
        let Stage { world, shapes, .. } = &mut *stage;
        let id = rod(world, shapes, name, GEAR_MASS, [at - across, at + across], size * radius())?;
        world.body_mut(id)?.place(Frame::new(at, rotation::about_y(turn)));
        let axle = joint(world, format!("{name} axle"), Twist, carrier, id, Frame::with_z(at, DVec3::Y))?;
        let axle = if name == "middle" { axle } else { axle.motor(0, speed, TORQUE) };
        Ok::<_, SceneError>((id, world.add(axle)?))
    };
    let (front, back) = (gear("front", half, 0.8, -ahead)?, gear("back", -half, 0.8, 0.0)?);
    let middle = DVec3::Z * if taut { MIDDLE * radius() + 0.5 * LINK.z - radius() } else { 0.0 };
    let middle = gear("middle", middle, MIDDLE, 0.0)?.0;
    let pins = pins(half, ahead);
    let mut links = Vec::new();
    for k in 0..LINKS {
        let [from, to] = [pins[k], pins[(k + 1) % LINKS]];
        let turn = rotation::about_y(math::atan2(from.z - to.z, to.x - from.x));
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
    Ok(Track { links, gears: [front.0, back.0], middle, axles: [front.1, back.1] })
}

/// Where pins are at first: along the top from front to back, round the back, along the bottom, round the front.
fn pins(half: DVec3, ahead: f64) -> Vec<DVec3> {
    let front = |k: usize| half + rotation::about_y(-ahead) * tooth(k as f64);
    let back = |k: usize| tooth(k as f64) - half;
    let mut pins = hang(front(0), back(0));
    pins.extend((0..TEETH / 2).map(back));
    pins.extend(hang(back(TEETH / 2), front(TEETH / 2)));
    pins.extend((TEETH / 2..TEETH).map(front));
    pins
}

/// The first pins of a run of links that sag from one point to another, each turned against the next by the same angle.
fn hang(from: DVec3, to: DVec3) -> Vec<DVec3> {
    let way = to - from;
    let reach = |turn: f64| LINK.x * math::sin(0.5 * RUN as f64 * turn) / math::sin(0.5 * turn);
    let (mut low, mut high) = (1e-9, TAU / RUN as f64);
    while high - low > 1e-15 {
        let middle = 0.5 * (low + high);
        if reach(middle) > way.length() { low = middle } else { high = middle }
    }
    let along = way.normalize();
    let up = DVec3::Y.cross(along) * -along.x.signum();
    let mut at = from;
    let mut pins = Vec::new();
    for k in 0..RUN {
        pins.push(at);
        let (s, c) = math::sin_cos((k as f64 - 0.5 * (RUN - 1) as f64) * low);
        at += LINK.x * (c * along + s * up);
    }
    pins
}
