use glam::DVec3;

use crate::detail::{Keep, Region};
use crate::view::Viewer;
use crate::{JointId, Simulation, StepReport};

/// What a world knows of an articulation without visiting it.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemberSchedule {
    /// Whether there is an articulation at this place; whether anything can push it; and whether it sleeps, as those may that are pushed.
    pub(super) present: bool,
    pub(super) coupled: bool,
    pub(super) asleep: bool,
    /// A ball that it stays in, as of its last step \[m]; without end if nothing is known.
    pub(super) center: DVec3,
    pub(super) reach: f64,
    /// Time that it has yet to take \[s].
    pub(super) owed: f64,
    /// What its last step did.
    pub(super) report: StepReport,
    pub(super) active: u32,
    /// Joints that are never frozen.
    pub(super) never_frozen: u32,
    /// Whether it would move but no joint of it is active.
    pub(super) starved: bool,
    /// Whether it takes the present step.
    pub(super) steps: bool,
    /// Whether any of it may be seen, and in about how many pixels.
    pub(super) seen: bool,
    /// Whether it comes into view in the present step.
    pub(super) came: bool,
    pixels: f64,
    /// Whether it rests until then \[s], unless it grows larger in the image than this.
    pub(super) rests: bool,
    /// Whether it did so before the present step.
    pub(super) rested: bool,
    until: f64,
    /// Whether the cue has acted on it in this step although it sleeps; its own time was that of the world then \[s].
    pub(super) asked: bool,
    pub(super) since: f64,
    pixels_then: f64,
}

/// It was changed by hand: it rests until now.
const CHANGED: f64 = f64::NEG_INFINITY;

/// Pixels of the ball about a body that is large enough for its motion to be seen in every step: of a person some 15 pixels tall.
const LARGE: f64 = 400.0;

impl MemberSchedule {
    pub(super) fn new(member: &Simulation) -> Self {
        let reach = member.looks().map_or(f64::INFINITY, |looks| looks.reach(&member.model));
        let never_frozen = never_frozen(member) as u32;
        let mut schedule = Self { present: true, reach, never_frozen, ..Self::absent() };
        schedule.refresh(member);
        schedule
    }

    /// Of a place at which there is no articulation.
    pub(super) fn absent() -> Self {
        Self {
            present: false,
            coupled: false,
            asleep: false,
            center: DVec3::ZERO,
            reach: 0.0,
            owed: 0.0,
            report: StepReport::default(),
            active: 0,
            never_frozen: 0,
            starved: false,
            steps: false,
            seen: true,
            came: false,
            pixels: f64::INFINITY,
            rests: false,
            rested: false,
            until: CHANGED,
            asked: false,
            since: 0.0,
            pixels_then: 0.0,
        }
    }

    /// Whether there is an articulation that does not sleep.
    pub(super) fn is_awake(&self) -> bool {
        self.present && !self.asleep
    }

    /// Whether it comes into view; notes whether it is there, and how large.
    pub(super) fn comes_into_view(&mut self, viewer: &Viewer) -> bool {
        let before = self.seen;
        let images = viewer.images().iter().filter(|image| image.sees(self.center, self.reach));
        self.pixels = images.map(|image| image.of_ball_looked_at(self.center, self.reach)).sum();
        self.seen = self.pixels > 0.0;
        self.seen && !before
    }

    /// Whether it is so large in the image that parts of it may come into view while others are there.
    pub(super) fn is_large(&self) -> bool {
        self.seen && self.pixels > LARGE
    }

    /// Whether it may go on resting at a time \[s].
    pub(super) fn may_rest(&self, time: f64, next: impl Fn() -> f64) -> bool {
        self.rests && !self.is_due(time, next)
    }

    /// Whether something may be done to it at a time \[s], where it rests or sleeps; `next` \[s] is what the present cue says of that time.
    pub(super) fn is_due(&self, time: f64, next: impl Fn() -> f64) -> bool {
        self.until == CHANGED || (time >= self.until && next() < f64::INFINITY)
    }

    /// It rests at a time `now` \[s], and until then nothing is done to it \[s]. Another cue may do something although this one never will.
    pub(super) fn rests_until(&mut self, then: f64, now: f64) {
        self.until = if then < f64::INFINITY { then } else { now };
    }

    /// Whether it rests but has grown so much in the image that its rest must be checked again.
    pub(super) fn has_grown(&self) -> bool {
        /// Pixels that do not matter.
        const FEW: f64 = 16.0;
        self.rests && self.pixels > 2.0 * self.pixels_then + FEW
    }

    /// How many steps it takes at once: one if it is large enough in the image that its motion is seen.
    pub(super) fn every(&self, viewer: &Viewer) -> u32 {
        let most = viewer.attention.every.max(1);
        if self.seen { ((LARGE / self.pixels).sqrt() as u32).clamp(1, most) } else { most }
    }

    /// Notes where the member is, and what it has.
    pub(super) fn refresh(&mut self, member: &Simulation) {
        self.center = member.base();
        self.active = active(member) as u32;
        if let Some(region) = member.region() {
            self.never_frozen = region.never_frozen() as u32;
        }
        self.starved = is_starved(member);
        let rests = member.is_resting();
        if self.came || !(self.rests && rests) {
            self.pixels_then = self.pixels;
        }
        self.rests = rests;
    }
}

/// Active joints of a member; before its first step at less than full detail those that are never frozen.
pub(super) fn active(member: &Simulation) -> usize {
    match member.region() {
        Some(region) => region.active().len(),
        None if member.detail().is_full() => member.model.moving_joints(),
        None => never_frozen(member),
    }
}

/// Whether a member would move but no joint of it is active.
fn is_starved(member: &Simulation) -> bool {
    let needs = |region: &Region| {
        region.active().len() <= region.never_frozen() && region.report().acceleration > 0.0
    };
    let rests = member.is_resting();
    !rests && member.region().is_some_and(needs)
}

/// Joints that are never frozen.
pub(super) fn never_frozen(member: &Simulation) -> usize {
    let links = &member.model.tree().links;
    let bases = links.iter().filter(|link| link.floats()).count();
    let freezes = |joint: &JointId| {
        let link = member.model.joints().get(joint.index()).and_then(|joint| joint.link);
        link.is_some_and(|link| !links[link.index()].floats())
    };
    let kept = member.detail().keep.iter().filter(|(_, keep)| *keep == Keep::Active).map(|(joint, _)| *joint);
    let mut kept: Vec<_> = kept.filter(freezes).collect();
    kept.sort_unstable();
    kept.dedup();
    bases + kept.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Looks;
    use crate::{Body, Joint, JointKind, ModelBuilder, Pose, RigidInertia};

    /// A base that slides on a plane is where it slid to, and universal joints only turn: such a body used to be seen from everywhere.
    #[test]
    fn a_body_is_about_its_base() -> Result<(), crate::ModelError> {
        let rod = RigidInertia::solid_capsule(1.0, DVec3::ZERO, DVec3::Z, 0.1);
        let universal = Joint::new(JointKind::Universal { axes: [DVec3::X, DVec3::Y] });
        let model = ModelBuilder::new()
            .body(
                Body::new("foot", JointKind::Planar { normal: DVec3::Z })
                    .at(Pose::from_xyz(0.0, 0.0, 1.0))
                    .inertia(rod),
            )
            .body(Body::new("top", universal).on("foot").at(Pose::from_xyz(0.0, 0.0, 1.0)).inertia(rod))
            .finish()?;
        let mut member = Simulation::new(model);
        member.state.q[..3].copy_from_slice(&[3.0, 4.0, 0.5]);
        assert_eq!(member.set_looks(Looks::by_inertia(&member.model)), Ok(()));
        let schedule = MemberSchedule::new(&member);
        assert!(schedule.center.distance(DVec3::new(3.0, 4.0, 1.0)) < 1e-12, "{}", schedule.center);
        assert!(schedule.reach > 2.0 && schedule.reach < 2.5, "{}", schedule.reach);
        Ok(())
    }
}
