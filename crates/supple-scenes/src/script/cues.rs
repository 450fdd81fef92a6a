//! Cues for a world, by the numbers of its bodies and joints.

use glam::DVec3;
use supple::Force;
use supple::constraint::{Action, Constraint};
use supple::world::{Assembly, BodyRef, ConstraintId, SingleId, World, WorldError};

use super::treads::Attached;
use super::{Assemble, Cue, Director, Roll};
use crate::Ref;
use crate::file::Joint;

/// Cues for a world, in their order.
#[derive(Clone, Debug)]
pub struct Cues {
    pub(super) cues: Vec<Cue>,
    bodies: Vec<SingleId>,
    joints: Vec<ConstraintId>,
    /// How links of treads are attached, by cue and by tread.
    pub(super) attached: Vec<Vec<Vec<Option<Attached>>>>,
    /// Joints that cues make themselves, by cue.
    pub(super) made: Vec<Option<Constraint>>,
}

impl Cues {
    /// Cues for a world whose single bodies and joints are all there; they name them by their places in the world's lists.
    pub fn new(world: &World, cues: Vec<Cue>) -> Result<Self, WorldError> {
        let attached = cues.iter().map(|cue| match cue {
            Cue::Treads(it) => it.treads.iter().map(|tread| vec![None; tread.links.len()]).collect(),
            _ => Vec::new(),
        });
        let mut script = Self {
            attached: attached.collect(),
            bodies: world.bodies().map(|(id, _)| id).collect(),
            joints: world.constraints().map(|(id, _)| id).collect(),
            made: Vec::new(),
            cues,
        };
        let made = script.cues.iter().map(|cue| match cue {
            Cue::Beside(it) => script.constraint(&it.joint).map(Some),
            _ => Ok(None),
        });
        script.made = made.collect::<Result<_, _>>()?;
        Ok(script)
    }

    pub(super) fn body(&self, body: &Ref) -> Result<SingleId, WorldError> {
        let found = body.number().and_then(|i| self.bodies.get(i));
        found
            .copied()
            .ok_or(WorldError::Gone { what: "single body", index: body.number().unwrap_or(usize::MAX) })
    }

    fn joint(&self, joint: &Ref) -> Result<ConstraintId, WorldError> {
        let found = joint.number().and_then(|i| self.joints.get(i));
        found
            .copied()
            .ok_or(WorldError::Gone { what: "constraint", index: joint.number().unwrap_or(usize::MAX) })
    }

    /// A joint between single bodies, or one and the world.
    fn constraint(&self, joint: &Joint) -> Result<Constraint, WorldError> {
        let end = |body: &Ref| match body {
            Ref::Number(-1) => Ok(BodyRef::World),
            other => self.body(other).map(BodyRef::from),
        };
        Ok(joint.constraint(end(&joint.parent)?, end(&joint.child)?))
    }

    fn act(&mut self, k: usize, world: &mut World, dt: f64) -> Result<(), WorldError> {
        let time = world.time();
        match &self.cues[k] {
            Cue::Follow(it) => {
                let when = if it.late { time } else { time + dt };
                world.move_to(self.body(&it.body)?, it.path.at(when))
            }
            Cue::Place(it) => {
                world.body_mut(self.body(&it.body)?)?.place(it.path.at(time));
                Ok(())
            }
            Cue::Assemble(Assemble { outer, inner, tolerance }) => {
                let (outer, inner, tolerance) = (*outer, *inner, *tolerance);
                world.assemble(&Assembly { outer, inner, tolerance, ..Assembly::default() }).map(|_| ())
            }
            Cue::Motors(it) => {
                let share = ((time + dt) / it.seconds).min(1.0);
                if time <= it.seconds {
                    for motor in &it.motors {
                        drive(world, self.joint(&motor.joint)?, motor.speed * share, motor.force)?;
                    }
                }
                Ok(())
            }
            Cue::Legs(it) => {
                let platform = it.path.at(time + dt);
                for leg in &it.legs {
                    let joint = self.joint(&leg.joint)?;
                    let along = platform.point(DVec3::from(leg.head)) - DVec3::from(leg.foot);
                    let missing = along.length() - leg.length - world.coordinate(joint, 0)?;
                    drive(world, joint, missing / dt, f64::INFINITY)?;
                }
                Ok(())
            }
            Cue::Roll(it) => self.roll(it, world),
            Cue::Push(it) => {
                let since = time - it.start;
                let on = (0.0..it.seconds).contains(&since);
                let wrench = Force::new(DVec3::from(it.moment), DVec3::from(it.force));
                world.set_wrench(self.body(&it.body)?, if on { wrench } else { Force::ZERO })
            }
            Cue::Treads(_) => self.run_treads(k, world),
            Cue::Beside(_) => self.keep_beside(k, world),
        }
    }

    /// Weighs on the body that the load is on, then on the next.
    fn roll(&self, it: &Roll, world: &mut World) -> Result<(), WorldError> {
        let (way, weight) = (world.time() * it.speed / it.length, DVec3::from(it.force));
        if let Some(left) = (way as usize).checked_sub(1).and_then(|i| it.bodies.get(i)) {
            world.set_wrench(self.body(left)?, Force::ZERO)?;
        }
        if let Some(body) = it.bodies.get(way as usize) {
            let id = self.body(body)?;
            let rotation = world.body(id)?.frame().rotation;
            let wheel = rotation * DVec3::new((way.fract() - 0.5) * it.length, 0.0, it.height);
            world.set_wrench(id, Force::new(wheel.cross(weight), weight))?;
        }
        Ok(())
    }
}

impl Director for Cues {
    fn cue(&mut self, world: &mut World, dt: f64) -> Result<(), WorldError> {
        (0..self.cues.len()).try_for_each(|k| self.act(k, world, dt))
    }

    fn copy(&self) -> Box<dyn Director> {
        Box::new(self.clone())
    }

    fn cues(&self) -> Option<&[Cue]> {
        Some(&self.cues)
    }
}

/// A motor on the first coordinate of a constraint, in place of what acted on it \[rad/s or m/s, N·m or N].
fn drive(world: &mut World, id: ConstraintId, speed: f64, force: f64) -> Result<(), WorldError> {
    let Some(mut constraint) = world.constraint(id)?.cloned() else { return Ok(()) };
    constraint.actions = vec![Action::Motor { coordinate: 0, speed, force }];
    world.change(id, constraint)
}
