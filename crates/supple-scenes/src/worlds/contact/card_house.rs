//! A house of cards: cards that lean against each other in pairs, cards across their tops, the next storey on those.

use glam::DVec3;
use supple::constraint::Frame;
use supple::spatial::rotation;
use supple::world::World;

use super::props::{DT, cuboid, floor, rough};
use crate::{Kind, Parameter, Parameters, Scene, SceneError, Stage};
use supple::spatial::math;

pub(crate) const SCENE: Scene = Scene {
    name: "card-house",
    figure: "",
    summary: "a house of cards of three storeys that stands",
    parameters: &[
        Parameter {
            name: "storeys",
            kind: Kind::Count { default: 3, min: 1, max: 20 },
            doc: "how many storeys; the lowest has as many pairs of cards",
        },
        Parameter {
            name: "friction",
            kind: Kind::Number { default: 0.8, min: 0.0, max: 10.0, unit: "" },
            doc: "between cards and on the table; leaning cards slide if less than about 0.5",
        },
    ],
    build,
};

/// A card: length, width, thickness \[m]; \[kg].
const LENGTH: f64 = 0.2;
const WIDTH: f64 = 0.14;
const THICK: f64 = 0.004;
const MASS: f64 = 0.05;
/// Between cards that lie end to end \[m].
const GAP: f64 = 0.001;

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let storeys = parameters.count("storeys");
    let surface = rough(parameters.number("friction"));
    let mut stage = Stage::new(World::new(), DT, 10.0);
    floor(&mut stage, surface)?;
    let lean = lean();
    let (sin, cos) = math::sin_cos(lean);
    // a leaning card is so high, and its middle so far from where it meets the other
    let height = LENGTH * cos + THICK * sin;
    let aside = 0.5 * (LENGTH * sin + THICK * cos);
    let size = DVec3::new(THICK, WIDTH, LENGTH);
    for storey in 0..storeys {
        let pairs = storeys - storey;
        let ground = storey as f64 * (height + THICK);
        let top = |k: usize| (LENGTH + GAP) * (k as f64 - 0.5 * (pairs as f64 - 1.0));
        for k in 0..pairs {
            for side in [-1.0, 1.0] {
                let at = DVec3::new(top(k) + side * aside, 0.0, ground + 0.5 * height);
                let frame = Frame::new(at, rotation::about_y(-side * lean));
                cuboid(&mut stage, format!("leaning {storey} {k} {side}"), MASS, frame, size, surface)?;
            }
        }
        for k in 1..pairs {
            let at = DVec3::new(0.5 * (top(k - 1) + top(k)), 0.0, ground + height + 0.5 * THICK);
            let flat = DVec3::new(LENGTH, WIDTH, THICK);
            cuboid(&mut stage, format!("flat {storey} {k}"), MASS, Frame::at(at), flat, surface)?;
        }
    }
    Ok(stage)
}

/// How much cards lean \[rad]: a pair is as wide at its feet as a card is long.
fn lean() -> f64 {
    let (mut low, mut high) = (0.0, 1.0f64);
    while high - low > 1e-12 {
        let middle = 0.5 * (low + high);
        let (sin, cos) = math::sin_cos(middle);
        if 2.0 * (LENGTH * sin + THICK * cos) > LENGTH { high = middle } else { low = middle }
    }
    low
}
