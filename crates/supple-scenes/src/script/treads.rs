//! Joints between treads and gears, made and cut before every step by what is near to what (Weinstein et al., section VII).

use std::f64::consts::TAU;

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use supple::constraint::{Ball, Constraint, Frame, OnCircle};
use supple::world::{ConstraintId, SingleId, World, WorldError};

use super::{Cue, Cues};
use crate::Ref;
use supple::spatial::math;

/// Attaches links of treads to teeth of gears that are near, and releases those of which a neighbour is attached to none.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Treads {
    /// How near a link must be to its tooth \[m].
    pub reach: f64,
    /// Teeth of a gear.
    pub teeth: usize,
    /// Radius of the circle that pins go round on, about the y axis of a gear \[m].
    pub radius: f64,
    /// The first pin of a link, in the link's frame \[m].
    pub pin: [f64; 3],
    /// The treads.
    pub treads: Vec<Tread>,
}

/// One tread and the gears that drive it.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Tread {
    /// Its links, each joined to the next and the last to the first.
    pub links: Vec<Ref>,
    /// Those that drive: front and back.
    pub gears: [Ref; 2],
    /// How attachments give; rigid if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soft: Option<Soft>,
}

/// A spring with a damper.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Soft {
    /// \[N/m or N·m/rad]
    pub stiffness: f64,
    /// \[N·s/m or N·m·s/rad]
    pub damping: f64,
}

/// How a link is attached, and by what.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attached {
    how: How,
    by: ConstraintId,
}

/// Links have a length, so that one of a row is enough to keep all of them at their teeth: the others are held to the gear's circle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// A tooth of a gear.
    Tooth(usize, usize),
    Circle(usize),
}

impl Treads {
    /// What is wrong with it: the field, and what it must be.
    pub(super) fn wrong(&self) -> Option<(&'static str, String)> {
        if self.teeth == 0 {
            return Some(("teeth", "must be 1 or more, got 0".into()));
        }
        let positive = |x: f64| x > 0.0 && x.is_finite();
        (!positive(self.radius))
            .then(|| ("radius", format!("must be positive and finite, got {} m", self.radius)))
    }

    /// A point of the circle, counted from the top backwards, in teeth.
    fn tooth(&self, k: f64) -> DVec3 {
        let (s, c) = math::sin_cos(k * TAU / self.teeth as f64);
        DVec3::new(-s, 0.0, c) * self.radius
    }

    /// The tooth that a link is near to.
    fn near(
        &self,
        world: &World,
        link: SingleId,
        gears: [SingleId; 2],
    ) -> Result<Option<(usize, usize)>, WorldError> {
        let pin = world.frame(link)?.point(DVec3::from(self.pin));
        let teeth = self.teeth as f64;
        for (gear, id) in gears.iter().enumerate() {
            let seen = world.frame(*id)?.inverse().point(pin);
            let number = (math::atan2(-seen.x, seen.z) / TAU * teeth).round().rem_euclid(teeth);
            if seen.distance(self.tooth(number)) < self.reach {
                return Ok(Some((gear, number as usize)));
            }
        }
        Ok(None)
    }

    fn attach(&self, tread: &Tread, gears: [SingleId; 2], link: SingleId, how: How) -> Constraint {
        let name = |gear: usize| ["front", "back"][gear];
        let attachment = match how {
            How::Tooth(gear, number) => Constraint::new(Ball, gears[gear], link)
                .parent_frame(Frame::at(self.tooth(number as f64)))
                .named(format!("{} tooth", name(gear))),
            How::Circle(gear) => Constraint::new(OnCircle { radius: self.radius }, gears[gear], link)
                .parent_frame(Frame::with_z(DVec3::ZERO, DVec3::Y))
                .named(format!("{} circle", name(gear))),
        }
        .child_frame(Frame::at(DVec3::from(self.pin)));
        match tread.soft {
            Some(Soft { stiffness, damping }) => attachment.soft(stiffness, damping),
            None => attachment,
        }
    }
}

impl Cues {
    pub(super) fn run_treads(&mut self, k: usize, world: &mut World) -> Result<(), WorldError> {
        let mut attached = std::mem::take(&mut self.attached[k]);
        let Cue::Treads(it) = &self.cues[k] else { return Ok(()) };
        let ran = it.treads.iter().zip(&mut attached).try_for_each(|(tread, attached)| {
            let links = tread.links.iter().map(|link| self.body(link)).collect::<Result<Vec<_>, _>>()?;
            let gears = [self.body(&tread.gears[0])?, self.body(&tread.gears[1])?];
            run(it, tread, &links, gears, attached, world)
        });
        self.attached[k] = attached;
        ran
    }
}

fn run(
    it: &Treads,
    tread: &Tread,
    links: &[SingleId],
    gears: [SingleId; 2],
    attached: &mut [Option<Attached>],
    world: &mut World,
) -> Result<(), WorldError> {
    let count = links.len();
    let near = links.iter().map(|link| it.near(world, *link, gears)).collect::<Result<Vec<_>, _>>()?;
    let is_near = |k: usize| near[k % count].is_some();
    let held = |k: usize| near[k % count].filter(|_| is_near(k + 1) && is_near(k + count - 1));
    for k in 0..count {
        let row = |step: usize| (1..count).take_while(|i| held(k + i * step).is_some()).count();
        let wanted = held(k).map(|(gear, tooth)| match row(1) as i32 - row(count - 1) as i32 {
            0 | 1 => How::Tooth(gear, tooth),
            _ => How::Circle(gear),
        });
        if wanted == attached[k].map(|at| at.how) {
            continue;
        }
        if let Some(at) = attached[k].take() {
            world.cut(at.by)?;
        }
        if let Some(how) = wanted {
            let by = world.add(it.attach(tread, gears, links[k], how))?;
            attached[k] = Some(Attached { how, by });
        }
    }
    Ok(())
}
