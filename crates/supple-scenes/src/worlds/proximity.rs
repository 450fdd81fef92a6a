//! Joints between treads and gears, made and cut before every step by what is near to what (Weinstein et al., section VII).

use std::f64::consts::TAU;

use glam::DVec3;
use supple::constraint::{Ball, Constraint, Frame, OnCircle};
use supple::world::{ConstraintId, SingleId, World, WorldError};

use crate::world_stage::Director;

/// Links of a tread, teeth of a gear.
pub(crate) const LINKS: usize = 34;
pub(crate) const TEETH: usize = 12;
/// A link \[m].
pub(crate) const LINK: DVec3 = DVec3::new(0.2, 0.4, 0.04);

/// Radius of the circle that pins go round on \[m].
pub(crate) fn radius() -> f64 {
    0.5 * LINK.x / (0.5 * TAU / TEETH as f64).sin()
}

/// A point of that circle, counted from the top backwards, in teeth.
pub(crate) fn tooth(k: f64) -> DVec3 {
    let (s, c) = (k * TAU / TEETH as f64).sin_cos();
    DVec3::new(-s, 0.0, c) * radius()
}

/// One tread and the gears that drive it.
pub(crate) struct Tread {
    pub(crate) links: Vec<SingleId>,
    /// Those that drive.
    pub(crate) gears: [SingleId; 2],
    /// Stiffness and damping of attachments \[N/m, N·s/m]; `None`: rigid.
    pub(crate) soft: Option<(f64, f64)>,
    /// How the first pin of each link is attached, and by what.
    pub(crate) attached: Vec<Option<(Attached, ConstraintId)>>,
}

/// A tooth of one of the two gears.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tooth {
    gear: usize,
    number: usize,
}

/// Links have a length, so that one of a row is enough to keep all of them at their teeth: the others are held to the gear's circle.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attached {
    Tooth(Tooth),
    Circle(usize),
}

/// Attaches links to teeth that are near, and releases those of which a neighbour is attached to none.
pub(crate) struct Proximity {
    pub(crate) treads: Vec<Tread>,
    /// How near a link must be to its tooth \[m].
    pub(crate) reach: f64,
}

/// The first pin of a link, in the link's frame.
const PIN: DVec3 = DVec3::new(-0.5 * LINK.x, 0.0, 0.0);

impl Tread {
    /// The tooth that a link is near to.
    fn near(&self, world: &World, link: usize, reach: f64) -> Result<Option<Tooth>, WorldError> {
        let pin = world.frame(self.links[link])?.point(PIN);
        for (gear, id) in self.gears.iter().enumerate() {
            let seen = world.frame(*id)?.inverse().point(pin);
            let number = ((-seen.x).atan2(seen.z) / TAU * TEETH as f64).round().rem_euclid(TEETH as f64);
            if seen.distance(tooth(number)) < reach {
                return Ok(Some(Tooth { gear, number: number as usize }));
            }
        }
        Ok(None)
    }

    fn update(&mut self, world: &mut World, reach: f64) -> Result<(), WorldError> {
        let near = (0..LINKS).map(|k| self.near(world, k, reach)).collect::<Result<Vec<_>, _>>()?;
        let is_near = |k: usize| near[k % LINKS].is_some();
        let held = |k: usize| near[k % LINKS].filter(|_| is_near(k + 1) && is_near(k + LINKS - 1));
        for k in 0..LINKS {
            let row = |step: usize| (1..LINKS).take_while(|i| held(k + i * step).is_some()).count();
            let wanted = held(k).map(|tooth| match row(1) as i32 - row(LINKS - 1) as i32 {
                0 | 1 => Attached::Tooth(tooth),
                _ => Attached::Circle(tooth.gear),
            });
            if wanted == self.attached[k].map(|(how, _)| how) {
                continue;
            }
            if let Some((_, id)) = self.attached[k].take() {
                world.cut(id)?;
            }
            if let Some(how) = wanted {
                self.attached[k] = Some((how, world.add(self.attach(k, how))?));
            }
        }
        Ok(())
    }

    fn attach(&self, link: usize, how: Attached) -> Constraint {
        let child = self.links[link];
        let name = |gear: usize| ["front", "back"][gear];
        let attachment = match how {
            Attached::Tooth(at) => Constraint::new(Ball, self.gears[at.gear], child)
                .parent_frame(Frame::at(tooth(at.number as f64)))
                .named(format!("{} tooth", name(at.gear))),
            Attached::Circle(gear) => Constraint::new(OnCircle { radius: radius() }, self.gears[gear], child)
                .parent_frame(Frame::with_z(DVec3::ZERO, DVec3::Y))
                .named(format!("{} circle", name(gear))),
        }
        .child_frame(Frame::at(PIN));
        match self.soft {
            Some((stiffness, damping)) => attachment.soft(stiffness, damping),
            None => attachment,
        }
    }
}

impl Director for Proximity {
    fn cue(&mut self, world: &mut World, _dt: f64) -> Result<(), WorldError> {
        self.treads.iter_mut().try_for_each(|tread| tread.update(world, self.reach))
    }
}
