//! A structure of 56 solids and 261 rows that follows a tracker by assembly alone (Faure, sections 4.1 and 4.3): a spine of 8 solids
//! with 7 ball joints, each with 6 solids of two legs on hinges.

use glam::DVec3;
use supple::constraint::{Ball, Constraint, Frame, Hinge};
use supple::spatial::rotation;
use supple::world::{Assembly, SingleBody, SingleId, Solver, World};

use super::figure::rod;
use crate::script::{Assemble, Placed};
use crate::{Cue, Kind, Parameter, Parameters, Path, Scene, SceneError, Stage};

/// Solids of the spine, and of a leg.
const SPINE: usize = 8;
const LEG: usize = 3;
/// Length of a solid of the spine \[m], and of a leg.
const LENGTH: f64 = 0.3;
const SHIN: f64 = 0.2;

pub(crate) const SCENE: Scene = Scene {
    name: "structure-drag",
    figure: "Faure 1998, figure 5",
    summary: "56 solids and 261 rows dragged by a tracker: 2 × 5 iterations while it moves, 3 × 50 are exact",
    parameters: &[
        Parameter {
            name: "outer",
            kind: Kind::Count { default: 2, min: 0, max: 100 },
            doc: "linearizations per frame",
        },
        Parameter {
            name: "inner",
            kind: Kind::Count { default: 5, min: 1, max: 10_000 },
            doc: "products of conjugate gradients per linearization",
        },
    ],
    build,
};

/// Where the hand is: it pulls the head up, aside and back within two seconds, then holds still.
const WAY: Path = Path::Arc { seconds: 2.0, turn: 3.0, back: 0.6, aside: 0.8, up: 0.9 };

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let mut stage = Stage::new(World::new(), 1.0 / 30.0, 3.0);
    let Stage { world, shapes, .. } = &mut stage;
    world.gravity = DVec3::ZERO;
    // steps only let time pass: all that moves is assembled
    world.settings.solver = Solver::Displacement { outer: 0, inner: 1 };
    let mut last: Option<SingleId> = None;
    let mut head = None;
    for i in 0..SPINE {
        let [from, to] = [i, i + 1].map(|k| DVec3::NEG_X * (LENGTH * k as f64));
        let spine = rod(world, shapes, format!("spine {i}"), 2.0, [from, to], 0.06)?;
        head.get_or_insert(spine);
        if let Some(last) = last {
            world.join(Ball, last, spine, Frame::at(from))?;
        }
        for side in [1.0, -1.0] {
            let mut parent = spine;
            let mut at = 0.5 * (from + to) + DVec3::Y * (0.06 * side);
            // out and up, out and down, down
            for (k, fall) in [0.5, -0.6, -1.3].into_iter().enumerate().take(LEG) {
                let along = rotation::about_x(side * fall) * (DVec3::Y * side);
                let end = at + along * SHIN;
                let leg = rod(world, shapes, format!("leg {i} {k} {side}"), 0.3, [at, end], 0.03)?;
                let axis = if k == 0 { DVec3::Z } else { DVec3::X };
                world.join(Hinge, parent, leg, Frame::with_z(at, axis))?;
                (parent, at) = (leg, end);
            }
        }
        last = Some(spine);
    }
    let tracker = world.add_body(SingleBody::kinematic("tracker"))?;
    if let Some(head) = head {
        world.add(
            Constraint::new(Ball, tracker, head)
                .child_frame(Frame::at(DVec3::X * (0.5 * LENGTH)))
                .named("drag"),
        )?;
    }
    let [outer, inner] = ["outer", "inner"].map(|name| parameters.count(name) as u32);
    // the tracker moves, and the structure follows
    let tolerance = Assembly::default().tolerance;
    stage.direct(vec![
        Cue::Place(Placed { body: tracker.index().into(), path: WAY }),
        Cue::Assemble(Assemble { outer, inner, tolerance }),
    ])?;
    Ok(stage)
}
