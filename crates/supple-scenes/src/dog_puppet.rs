//! A toy dog on strings walks behind a wall and out again.
//!
//! ```text
//!            ──┬──┬─────┬──   stick, which somebody moves
//!              │  │     │     strings: back (2), head, paws (4)
//!       head ○═╪══╪═════╧~ tail
//!              ║  ║          ▓▓▓▓▓▓  wall: hides the legs, not the back
//!   camera →   (from the side of the dog, level with the top of the wall)
//! ```
//!
//! The stick rocks, and its long arms lift the paws in turn. In the paper a hand holds it by a haptic device; here it follows
//! [`Puppet::path`], or whoever calls [`Puppet::pull`].

use glam::DVec3;
use supple::constraint::Frame;
use supple::contact::Shape;
use supple::view::Camera;
use supple::{Simulation, Spring};

use crate::dog::dog;
use crate::forces::{Strings, Tied};
use crate::gaze::watched;
use crate::stage::DT;
use crate::{Drive, ForceOverTime, Gaze, Parameters, Path, Scene, SceneError, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "dog-puppet",
    figure: "Kim et al. 2008, figure 2",
    summary: "a toy dog on strings walks behind a wall that hides its legs, and out again",
    parameters: &[],
    build,
};

/// Height of the stick \[m].
const STICK: f64 = 1.2;
/// Strings are a little short, so that they carry at once, of their length.
const SHORT: f64 = 0.99;
/// Stiffness \[N/m] and damping \[N·s/m] of a string on the trunk; those on the head and the paws are lighter by this.
const STIFFNESS: f64 = 3000.0;
const DAMPING: f64 = 30.0;
const LIGHTER: f64 = 0.2;
/// Where the strings are tied: body, point in its frame \[m], how much farther aside it hangs from the stick, stiffness.
const STRINGS: [(&str, [f64; 3], f64, f64); 7] = [
    ("chest", [0.14, 0.0, 0.09], 1.0, 1.0),
    ("rump", [-0.16, 0.0, 0.08], 1.0, 1.0),
    ("head", [0.06, 0.0, 0.05], 1.0, LIGHTER),
    ("left_foreleg", [0.0, 0.0, -0.15], REACH, LIGHTER),
    ("right_foreleg", [0.0, 0.0, -0.15], REACH, LIGHTER),
    ("left_paw", [0.02, 0.0, -0.05], REACH, LIGHTER),
    ("right_paw", [0.02, 0.0, -0.05], REACH, LIGHTER),
];
/// Arms of the stick are so much longer than the dog is wide.
const REACH: f64 = 3.0;

/// The way that the stick goes along x, from −this to this \[m], and the time that it takes \[s].
const WAY: f64 = 2.2;
const WALK: f64 = 12.0;
/// Paces per second, and how far the stick rocks to lift the paws and nods \[rad].
const PACE: f64 = 1.0;
const ROCK: f64 = 0.5;
const NOD: f64 = 0.05;

/// Size of the wall, and the distance of its middle from the way of the dog \[m].
const WALL: DVec3 = DVec3::new(2.4, 0.1, 0.455);
const WALL_AT: f64 = 0.5;
/// Where the camera is, and what it looks at \[m].
const EYE: DVec3 = DVec3::new(0.0, -3.2, 0.6);
const TARGET: DVec3 = DVec3::new(0.0, 0.0, 0.6);

/// A dog on strings: who holds the stick moves the dog.
#[derive(Clone, Debug)]
pub struct Puppet {
    strings: Strings,
}

/// The way of the stick.
const STICKS_WAY: Path =
    Path::Walk { way: WAY, seconds: WALK, height: STICK, pace: PACE, rock: ROCK, nod: NOD };

impl Puppet {
    /// From when to when the legs of the dog are behind the wall, as the camera sees it \[s].
    pub const HIDDEN: (f64, f64) = (4.6, 7.4);

    /// The stick at a time \[s]: x is along the dog, z up.
    pub fn path(time: f64) -> Frame {
        STICKS_WAY.at(time)
    }

    /// Ties strings from a dog that stands below the stick to the stick.
    fn tie(dog: &mut Simulation, stick: Frame) -> Self {
        let mut strings = Vec::with_capacity(STRINGS.len());
        for (name, point, aside, share) in STRINGS {
            let Some(body) = dog.model.body(name) else { continue };
            let point = DVec3::from(point);
            let at = stick.inverse().point(dog.pose_of(body).point(point));
            let above = DVec3::new(at.x, aside * at.y, 0.0);
            let length = SHORT * at.distance(above);
            let (spring, stiffness, damping) = (dog.springs.len(), share * STIFFNESS, share * DAMPING);
            dog.springs.push(Spring::new(body, point, stick.point(above), stiffness).rest(length));
            let (body, point, stick) = (body.index().into(), point.to_array(), above.to_array());
            strings.push(Tied { spring, body, point, stick, length, stiffness, damping });
        }
        Self { strings: Strings { articulation: None, path: STICKS_WAY, strings } }
    }

    /// Moves the stick: strings pull where they are taut, and do not push where they are slack.
    pub fn pull(&self, dog: &mut Simulation, stick: Frame) {
        self.strings.pull(dog, stick);
    }

    /// How long each string is now, of the length that it has when it just does not pull.
    pub fn stretch(&self, dog: &Simulation) -> Vec<f64> {
        self.strings.stretch(dog)
    }

    /// The dog at the start of its way, its strings, and the wall.
    pub fn stage() -> Result<(Stage, Self), SceneError> {
        let mut drawn = dog()?;
        let (dog, stick) = (&mut drawn.simulation, Self::path(0.0));
        dog.state.q[0] = stick.position.x;
        dog.set_detail(watched())?;
        let puppet = Self::tie(dog, stick);
        let mut stage = drawn.stage(DT);
        stage.walls.push((Frame::at(DVec3::new(0.0, -WALL_AT, 0.5 * WALL.z)), Shape::cuboid(WALL)?));
        stage.gaze = Some(Gaze::fixed(Camera::look_at(EYE, TARGET, DVec3::Z)));
        Ok((stage.dress()?, puppet))
    }
}

fn build(_: &Parameters) -> Result<Stage, SceneError> {
    let (mut stage, puppet) = Puppet::stage()?;
    stage.script.drive = Some(Drive::told(vec![ForceOverTime::Strings(puppet.strings)]));
    Ok(stage)
}
