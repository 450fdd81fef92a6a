//! A person of 29 bodies with the joints that people have: balls, hinges, universal joints.
//!
//! 1.77 m and 70 kg; masses of the limbs near de Leva's (1996), ranges near those of common tables of anatomy.

use glam::DVec3;
use supple::ModelError;

use crate::drawn::Drawn;
use crate::gaze::FINE;
use crate::limb::Moves::{Ball, Free, X, XY, Y, YX, Z, ZX};
use crate::limb::{Limb, Moves, Tone, character, limb};
use crate::{Kind, Parameter, Parameters, Scene, SceneError, SplitMix64, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "humanoid",
    figure: "",
    summary: "a person of 29 bodies and 56 degrees of freedom afloat, with limits in every joint",
    parameters: PARAMETERS,
    build,
};

/// What can be chosen about every character.
pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "gravity",
        kind: Kind::Number { default: 0.0, min: 0.0, max: 1e3, unit: "m/s²" },
        doc: "gravity along -z (there is no ground to stand on)",
    },
    Parameter {
        name: "speed",
        kind: Kind::Number { default: 1.0, min: 0.0, max: 1e2, unit: "rad/s" },
        doc: "greatest speed of a joint at the start",
    },
    Parameter {
        name: "seed",
        kind: Kind::Count { default: 1, min: 0, max: u64::MAX },
        doc: "which joint speeds",
    },
    Parameter {
        name: "damped",
        kind: Kind::Flag { default: false },
        doc: "whether joints have a little viscous damping",
    },
];

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    Ok(set_in_motion(person(parameters.flag("damped"))?, parameters).stage(FINE))
}

/// The person at rest, upright at the origin.
pub(crate) fn person(damped: bool) -> Result<Drawn, ModelError> {
    character(TRUNK, SIDE, Tone::damped(damped))
}

/// The person upright at the origin, held there by the joints. The pelvis moves only on the level.
pub(crate) fn standing(tone: Tone) -> Result<Drawn, ModelError> {
    let mut trunk = TRUNK.to_vec();
    trunk[0].moves = Moves::Level;
    character(&trunk, SIDE, tone)
}

/// Gives a character its gravity and its joints their speeds; the root starts at rest.
pub(crate) fn set_in_motion(mut drawn: Drawn, parameters: &Parameters) -> Drawn {
    let simulation = &mut drawn.simulation;
    // without gravity 0, not -0, which would be printed so
    simulation.gravity = DVec3::new(0.0, 0.0, 0.0 - parameters.number("gravity"));
    let mut random = SplitMix64::new(parameters.seed("seed"));
    let speed = parameters.number("speed");
    for v in simulation.state.v.iter_mut().skip(6) {
        *v = random.between(-speed, speed);
    }
    drawn
}

#[rustfmt::skip]
const TRUNK: &[Limb] = &[
    limb("pelvis", "", Free, [0.0, 0.0, 0.95], [0.0, 0.0, 1.03], 0.12, 8.0),
    limb("abdomen", "pelvis", Ball(40.0), [0.0, 0.0, 1.06], [0.0, 0.0, 1.16], 0.11, 9.0),
    limb("thorax", "abdomen", XY((-25.0, 25.0), (-20.0, 40.0)), [0.0, 0.0, 1.20], [0.0, 0.0, 1.38], 0.12, 11.5),
    limb("neck", "thorax", Ball(45.0), [0.0, 0.0, 1.47], [0.0, 0.0, 1.54], 0.05, 1.0),
    limb("head", "neck", YX((-40.0, 40.0), (-30.0, 30.0)), [0.01, 0.0, 1.57], [0.02, 0.0, 1.68], 0.09, 4.6),
];

#[rustfmt::skip]
const SIDE: &[Limb] = &[
    limb("clavicle", "thorax", ZX((-15.0, 15.0), (-5.0, 30.0)), [0.0, 0.03, 1.43], [0.0, 0.15, 1.44], 0.03, 0.6),
    limb("upper_arm", "clavicle", Ball(120.0), [0.0, 0.18, 1.43], [0.0, 0.18, 1.14], 0.045, 1.9),
    limb("forearm", "upper_arm", Y((-145.0, 0.0)), [0.0, 0.18, 1.13], [0.0, 0.18, 0.97], 0.038, 0.8),
    limb("wrist", "forearm", Z((-85.0, 85.0)), [0.0, 0.18, 0.95], [0.0, 0.18, 0.89], 0.030, 0.35),
    limb("hand", "wrist", XY((-70.0, 70.0), (-20.0, 30.0)), [0.0, 0.18, 0.87], [0.0, 0.18, 0.79], 0.025, 0.28),
    limb("thumb", "hand", XY((-60.0, 10.0), (-50.0, 20.0)), [0.03, 0.18, 0.84], [0.05, 0.18, 0.80], 0.011, 0.03),
    limb("fingers", "hand", X((-90.0, 10.0)), [0.0, 0.18, 0.77], [0.0, 0.18, 0.735], 0.014, 0.09),
    limb("fingertips", "fingers", X((-100.0, 0.0)), [0.0, 0.18, 0.725], [0.0, 0.18, 0.69], 0.012, 0.06),
    limb("thigh", "pelvis", Ball(110.0), [0.0, 0.09, 0.92], [0.0, 0.09, 0.53], 0.075, 9.8),
    limb("shin", "thigh", Y((0.0, 140.0)), [0.0, 0.09, 0.49], [0.0, 0.09, 0.13], 0.05, 3.0),
    limb("foot", "shin", YX((-20.0, 45.0), (-20.0, 20.0)), [0.0, 0.09, 0.08], [0.12, 0.09, 0.04], 0.038, 0.8),
    limb("toes", "foot", Y((-60.0, 30.0)), [0.16, 0.09, 0.03], [0.20, 0.09, 0.03], 0.025, 0.15),
];
