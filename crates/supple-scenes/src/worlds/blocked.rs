//! Two bodies with a joint between them, and a third one in their way: where they would be after a step without constraints, it is no
//! longer seen on which side of the joint the third body was.

use glam::DVec3;
use supple::constraint::{Frame, Hinge, Prismatic};
use supple::world::{BodyRef, World};

use super::figure::{ball, joint, rod};
use crate::file::{Joint, Numbers};
use crate::script::{Beside, Stabilize};
use crate::{Cue, Kind, Parameter, Parameters, Scene, SceneError, Stage};

pub(crate) const SCENE: Scene = Scene {
    name: "blocked",
    figure: "Weinstein, Teran & Fedkiw 2006, figure 10",
    summary: "a third body in the way of two that are joined: pre-stabilization pushes it, post-stabilization passes it",
    parameters: &[
        Parameter {
            name: "stabilize",
            kind: Kind::Choice { default: "pre", among: &["pre", "post"] },
            doc: "pre: impulses before positions; post: positions first, then the nearest allowed ones",
        },
        Parameter {
            name: "turn",
            kind: Kind::Number { default: 0.8, min: 0.01, max: 1.5, unit: "rad" },
            doc: "how far B1 and B2 turn in a step",
        },
    ],
    build,
};

const DT: f64 = 1.0 / 60.0;
/// How near B3 may come to the joint \[m].
const CLEARANCE: f64 = 0.1;

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let mut stage = Stage::new(World::new(), DT, 0.5);
    stage.world.gravity = DVec3::ZERO;
    let omega = DVec3::Y * (parameters.number("turn") / DT);
    let b1 = rod(&mut stage.world, &mut stage.shapes, "B1", 1.0, [DVec3::ZERO, DVec3::Z], 0.03)?;
    let b2 = rod(&mut stage.world, &mut stage.shapes, "B2", 1.0, [DVec3::ZERO, -DVec3::Z], 0.03)?;
    // the joint shoots forward, both middles stand still
    stage.world.body_mut(b1)?.set_motion(DVec3::ZERO, -omega);
    stage.world.body_mut(b2)?.set_motion(DVec3::ZERO, omega);
    let start = DVec3::X * 1.1 * CLEARANCE;
    let b3 = ball(&mut stage, "B3", 0.5, start, 0.07)?;
    let rail = joint(&stage.world, "rail", Prismatic::Z, BodyRef::World, b3, Frame::with_z(start, DVec3::X))?;
    stage.world.add(rail)?;
    let knuckle = joint(&stage.world, "joint", Hinge, b1, b2, Frame::with_z(DVec3::ZERO, DVec3::Y))?;
    let post = parameters.text("stabilize") == "post";
    if !post {
        stage.world.add(knuckle.clone())?;
    }
    let beside = Beside {
        body: b3.index().into(),
        other: b1.index().into(),
        clearance: CLEARANCE,
        joint: Joint::of(&knuckle, &Numbers::of(&stage.world))?,
        stabilize: if post { Stabilize::Post } else { Stabilize::Pre },
    };
    stage.direct(vec![Cue::Beside(Box::new(beside))])?;
    Ok(stage)
}
