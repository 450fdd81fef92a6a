//! A person of 89 bodies and 95 degrees of freedom: spine, hands, feet, jaw and eyes.
//!
//! The paper's crowd has 17,800 bodies and 19,000 degrees of freedom in 200 characters: 89 and 95 in each. Every
//! joint moves; all are hinges but the one of the head, and a shoulder or a hip is three of them, close together.

use supple::ModelError;

use crate::drawn::Drawn;
use crate::gaze::FINE;
use crate::humanoid::{PARAMETERS, set_in_motion};
use crate::limb::Moves::{Free, X, Y, YX, Z};
use crate::limb::{Limb, Tone, character, limb};
use crate::{Parameters, Scene, SceneError, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "humanoid-detailed",
    figure: "Redon et al. 2005, figure 1",
    summary: "a person of 89 bodies and 95 degrees of freedom afloat: spine, hands, feet, jaw, eyes",
    parameters: PARAMETERS,
    build,
};

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    Ok(set_in_motion(person(parameters.flag("damped"))?, parameters).stage(FINE))
}

/// The person at rest, upright at the origin.
pub(crate) fn person(damped: bool) -> Result<Drawn, ModelError> {
    character(TRUNK, SIDE, Tone::damped(damped))
}

#[rustfmt::skip]
const TRUNK: &[Limb] = &[
    limb("pelvis", "", Free, [0.0, 0.0, 0.95], [0.0, 0.0, 1.01], 0.12, 7.8),
    // lumbar spine
    limb("lumbar5", "pelvis", Y((-8.0, 15.0)), [0.0, 0.0, 1.030], [0.0, 0.0, 1.055], 0.10, 1.9),
    limb("lumbar4", "lumbar5", X((-8.0, 8.0)), [0.0, 0.0, 1.065], [0.0, 0.0, 1.090], 0.10, 1.9),
    limb("lumbar3", "lumbar4", Y((-8.0, 15.0)), [0.0, 0.0, 1.100], [0.0, 0.0, 1.125], 0.10, 1.9),
    limb("lumbar2", "lumbar3", Z((-6.0, 6.0)), [0.0, 0.0, 1.135], [0.0, 0.0, 1.160], 0.10, 1.9),
    limb("lumbar1", "lumbar2", Y((-8.0, 12.0)), [0.0, 0.0, 1.170], [0.0, 0.0, 1.195], 0.10, 1.9),
    // thoracic spine with the ribs
    limb("thoracic11", "lumbar1", X((-8.0, 8.0)), [0.0, 0.0, 1.205], [0.0, 0.0, 1.235], 0.11, 1.9),
    limb("thoracic9", "thoracic11", Z((-10.0, 10.0)), [0.0, 0.0, 1.250], [0.0, 0.0, 1.280], 0.12, 2.0),
    limb("thoracic7", "thoracic9", Y((-6.0, 10.0)), [0.0, 0.0, 1.295], [0.0, 0.0, 1.325], 0.12, 2.0),
    limb("thoracic5", "thoracic7", X((-6.0, 6.0)), [0.0, 0.0, 1.340], [0.0, 0.0, 1.370], 0.12, 2.0),
    limb("thoracic3", "thoracic5", Z((-8.0, 8.0)), [0.0, 0.0, 1.385], [0.0, 0.0, 1.415], 0.11, 2.0),
    limb("thoracic1", "thoracic3", Y((-6.0, 10.0)), [0.0, 0.0, 1.430], [0.0, 0.0, 1.455], 0.08, 1.6),
    // neck and head
    limb("cervical7", "thoracic1", Y((-25.0, 25.0)), [0.0, 0.0, 1.475], [0.0, 0.0, 1.495], 0.050, 0.35),
    limb("cervical5", "cervical7", X((-25.0, 25.0)), [0.0, 0.0, 1.505], [0.0, 0.0, 1.525], 0.050, 0.35),
    limb("cervical3", "cervical5", Z((-45.0, 45.0)), [0.0, 0.0, 1.535], [0.0, 0.0, 1.555], 0.050, 0.35),
    limb("head", "cervical3", YX((-20.0, 20.0), (-10.0, 10.0)), [0.01, 0.0, 1.580], [0.02, 0.0, 1.680], 0.085, 4.1),
    limb("jaw", "head", Y((0.0, 30.0)), [0.02, 0.0, 1.590], [0.08, 0.0, 1.565], 0.025, 0.25),
    limb("left_eye", "head", Z((-35.0, 35.0)), [0.08, 0.032, 1.650], [0.085, 0.032, 1.650], 0.012, 0.0075),
    limb("right_eye", "head", Z((-35.0, 35.0)), [0.08, -0.032, 1.650], [0.085, -0.032, 1.650], 0.012, 0.0075),
];

#[rustfmt::skip]
const SIDE: &[Limb] = &[
    // shoulder and arm
    limb("clavicle", "thoracic3", X((-5.0, 30.0)), [0.02, 0.03, 1.430], [0.01, 0.13, 1.440], 0.020, 0.30),
    limb("scapula", "clavicle", Z((-15.0, 20.0)), [0.00, 0.14, 1.440], [-0.02, 0.16, 1.400], 0.025, 0.40),
    limb("shoulder_swing", "scapula", Y((-160.0, 50.0)), [0.0, 0.180, 1.430], [0.0, 0.180, 1.415], 0.035, 0.25),
    limb("shoulder_raise", "shoulder_swing", X((-10.0, 150.0)), [0.0, 0.180, 1.430], [0.0, 0.180, 1.390], 0.038, 0.35),
    limb("upper_arm", "shoulder_raise", Z((-80.0, 80.0)), [0.0, 0.180, 1.390], [0.0, 0.180, 1.145], 0.042, 1.35),
    limb("forearm", "upper_arm", Y((-145.0, 0.0)), [0.0, 0.180, 1.130], [0.0, 0.180, 1.020], 0.038, 0.65),
    limb("radius", "forearm", Z((-85.0, 85.0)), [0.0, 0.180, 1.010], [0.0, 0.180, 0.895], 0.030, 0.45),
    limb("carpus", "radius", X((-75.0, 70.0)), [0.0, 0.180, 0.880], [0.0, 0.180, 0.865], 0.022, 0.07),
    limb("palm", "carpus", Y((-20.0, 30.0)), [0.0, 0.180, 0.860], [0.01, 0.180, 0.800], 0.024, 0.16),
    // fingers, palm to the body: x runs from the little finger to the thumb
    limb("thumb1", "palm", Y((-50.0, 15.0)), [0.025, 0.180, 0.850], [0.042, 0.175, 0.820], 0.011, 0.022),
    limb("thumb2", "thumb1", X((-55.0, 10.0)), [0.044, 0.174, 0.815], [0.055, 0.172, 0.790], 0.010, 0.015),
    limb("thumb3", "thumb2", X((-80.0, 10.0)), [0.056, 0.172, 0.785], [0.062, 0.171, 0.765], 0.009, 0.010),
    limb("index1", "palm", X((-90.0, 20.0)), [0.028, 0.180, 0.780], [0.029, 0.180, 0.745], 0.009, 0.016),
    limb("index2", "index1", X((-105.0, 0.0)), [0.029, 0.180, 0.738], [0.029, 0.180, 0.718], 0.008, 0.009),
    limb("index3", "index2", X((-80.0, 5.0)), [0.029, 0.180, 0.711], [0.029, 0.180, 0.697], 0.007, 0.006),
    limb("middle1", "palm", X((-90.0, 20.0)), [0.009, 0.180, 0.778], [0.009, 0.180, 0.738], 0.009, 0.018),
    limb("middle2", "middle1", X((-105.0, 0.0)), [0.009, 0.180, 0.731], [0.009, 0.180, 0.708], 0.008, 0.010),
    limb("middle3", "middle2", X((-80.0, 5.0)), [0.009, 0.180, 0.701], [0.009, 0.180, 0.686], 0.007, 0.006),
    limb("ring0", "palm", X((-10.0, 0.0)), [-0.008, 0.180, 0.840], [-0.010, 0.180, 0.795], 0.008, 0.020),
    limb("ring1", "ring0", X((-90.0, 20.0)), [-0.010, 0.180, 0.780], [-0.010, 0.180, 0.743], 0.009, 0.016),
    limb("ring2", "ring1", X((-105.0, 0.0)), [-0.010, 0.180, 0.736], [-0.010, 0.180, 0.715], 0.008, 0.009),
    limb("ring3", "ring2", X((-80.0, 5.0)), [-0.010, 0.180, 0.708], [-0.010, 0.180, 0.694], 0.007, 0.006),
    limb("little0", "palm", X((-20.0, 0.0)), [-0.022, 0.180, 0.840], [-0.027, 0.180, 0.800], 0.008, 0.018),
    limb("little1", "little0", X((-90.0, 20.0)), [-0.028, 0.180, 0.785], [-0.028, 0.180, 0.757], 0.008, 0.012),
    limb("little2", "little1", X((-105.0, 0.0)), [-0.028, 0.180, 0.750], [-0.028, 0.180, 0.735], 0.007, 0.006),
    limb("little3", "little2", X((-80.0, 5.0)), [-0.028, 0.180, 0.729], [-0.028, 0.180, 0.717], 0.006, 0.004),
    // hip and leg
    limb("hip_turn", "pelvis", Z((-45.0, 45.0)), [0.0, 0.090, 0.920], [0.0, 0.090, 0.900], 0.060, 0.80),
    limb("hip_raise", "hip_turn", X((-25.0, 45.0)), [0.0, 0.090, 0.910], [0.0, 0.090, 0.880], 0.065, 1.00),
    limb("thigh", "hip_raise", Y((-120.0, 20.0)), [0.0, 0.090, 0.900], [0.0, 0.090, 0.530], 0.072, 8.00),
    limb("shin", "thigh", Y((0.0, 140.0)), [0.0, 0.090, 0.490], [0.0, 0.090, 0.130], 0.050, 3.00),
    limb("talus", "shin", Y((-20.0, 45.0)), [0.0, 0.090, 0.085], [0.0, 0.090, 0.070], 0.025, 0.15),
    limb("heel", "talus", X((-20.0, 20.0)), [0.0, 0.090, 0.060], [0.04, 0.090, 0.040], 0.032, 0.40),
    limb("midfoot", "heel", Y((-10.0, 10.0)), [0.06, 0.090, 0.050], [0.12, 0.090, 0.030], 0.026, 0.28),
    limb("big_toe", "midfoot", Y((-65.0, 30.0)), [0.150, 0.072, 0.020], [0.185, 0.072, 0.015], 0.013, 0.05),
    limb("toes", "midfoot", Y((-60.0, 35.0)), [0.140, 0.105, 0.020], [0.170, 0.110, 0.015], 0.012, 0.05),
];
