//! Two bodies with a joint between them, and a third one in their way: where they would be after a step without constraints, it is no
//! longer seen on which side of the joint the third body was.

use glam::DVec3;
use supple::constraint::{Constraint, Frame, Hinge, JointModel, Prismatic, Rows};
use supple::world::{Assembly, BodyRef, SingleId, World, WorldError};

use super::figure::{ball, joint, rod};
use crate::world_stage::{Director, WorldStage};
use crate::{Kind, Parameter, Parameters, Scene, SceneError};

pub(crate) const SCENE: Scene<WorldStage> = Scene {
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

fn build(parameters: &Parameters) -> Result<WorldStage, SceneError> {
    let mut stage = WorldStage::new(World::new(), DT, 0.5);
    stage.world.gravity = DVec3::ZERO;
    let omega = DVec3::Y * (parameters.number("turn") / DT);
    let b1 = rod(&mut stage.world, &mut stage.shapes, "B1", 1.0, DVec3::ZERO, DVec3::Z, 0.03)?;
    let b2 = rod(&mut stage.world, &mut stage.shapes, "B2", 1.0, DVec3::ZERO, -DVec3::Z, 0.03)?;
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
    stage.director = Some(Box::new(Crossing { b1, b3, knuckle, post }));
    Ok(stage)
}

/// Keeps the child's point on one side of a plane, as a contact does.
#[derive(Debug)]
struct Apart {
    /// To where the child's point is to be, parent's axes.
    normal: DVec3,
    /// At least so far \[m].
    clearance: f64,
}

impl JointModel for Apart {
    fn nearest(&self, joint: Frame) -> Frame {
        let excess = self.clearance - joint.position.dot(self.normal);
        Frame { position: joint.position + self.normal * excess.max(0.0), ..joint }
    }

    fn held(&self, joint: Frame, rows: &mut Rows) {
        rows.limit(DVec3::ZERO, -self.normal, self.clearance - joint.position.dot(self.normal));
    }
}

/// Looks where B3 is, before every step, and keeps it on that side of the joint.
struct Crossing {
    b1: SingleId,
    b3: SingleId,
    knuckle: Constraint,
    post: bool,
}

impl Crossing {
    /// What keeps B3 where it is seen now: there is nothing else to tell the side by.
    fn contact(&self, world: &World) -> Result<Constraint, WorldError> {
        let end = self.knuckle.parent_frame;
        let ahead = world.frame(self.b1)?.point(end.position).x - world.frame(self.b3)?.position.x;
        let model = Apart { normal: DVec3::X * ahead.signum(), clearance: CLEARANCE };
        Ok(Constraint::new(model, self.b3, self.b1).child_frame(end).named("contact"))
    }
}

impl Director for Crossing {
    fn cue(&mut self, world: &mut World, _dt: f64) -> Result<(), WorldError> {
        let old = world.constraints().find(|(_, c)| c.name == "contact").map(|(id, _)| id);
        old.map_or(Ok(()), |id| world.cut(id))?;
        let contact = world.add(self.contact(world)?)?;
        if self.post {
            // bodies moved freely; now they are put where joint and contact allow them to be
            let knuckle = world.add(self.knuckle.clone())?;
            world.assemble(&Assembly::default())?;
            world.cut(knuckle)?;
            world.cut(contact)?;
        }
        Ok(())
    }
}
