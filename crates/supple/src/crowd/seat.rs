use glam::DVec3;

use crate::Simulation;
use crate::adaptive::{Keep, Region};
use crate::model::LinkJoint;
use crate::view::Looks;

/// What a crowd knows of a member without visiting it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seat {
    /// A ball that it stays in, as of its last step \[m]; without end if nothing is known.
    pub(super) center: DVec3,
    pub(super) reach: f64,
    /// Time that it has yet to take \[s].
    pub(super) owed: f64,
    pub(super) active: u32,
    /// Joints that are never frozen.
    pub(super) held: u32,
    /// Whether it would move, and has no joint to do it with.
    pub(super) needy: bool,
    /// Whether it takes the present step.
    pub(super) steps: bool,
}

impl Seat {
    pub(super) fn new(member: &Simulation) -> Self {
        let reach = member.looks().map_or(f64::INFINITY, |looks| reach(member, looks));
        let held = held(member) as u32;
        let mut seat =
            Self { center: DVec3::ZERO, reach, owed: 0.0, active: 0, held, needy: false, steps: true };
        seat.look(member);
        seat
    }

    /// Looks where the member is, and what it has.
    pub(super) fn look(&mut self, member: &Simulation) {
        self.center = base(member);
        self.active = active(member) as u32;
        if let Some(region) = member.region() {
            self.held = region.held() as u32;
        }
        self.needy = is_needy(member);
    }
}

/// Where the base of a body is, which has but one.
fn base(member: &Simulation) -> DVec3 {
    let tree = member.model.tree();
    match tree.links.first() {
        Some(link) if matches!(link.joint, LinkJoint::Free) => {
            let at = link.q as usize;
            member.state.q.get(at..at + 3).map_or(DVec3::ZERO, |q| link.placement.point(DVec3::from_slice(q)))
        }
        Some(link) => link.placement.translation,
        None => DVec3::ZERO,
    }
}

/// How far from its base a body can be seen, whatever its joints do; without end if it has several bases, or slides.
fn reach(member: &Simulation, looks: &Looks) -> f64 {
    let tree = member.model.tree();
    let mut farthest: f64 = 0.0;
    let mut ways: Vec<f64> = Vec::with_capacity(tree.links.len());
    for (i, link) in tree.links.iter().enumerate() {
        let turns = !matches!(link.joint, LinkJoint::Prismatic | LinkJoint::Compound { .. });
        let way = match link.parent {
            Some(parent) if turns && !matches!(link.joint, LinkJoint::Free) => {
                ways[parent.index()] + link.placement.translation.length()
            }
            None if i == 0 && turns => 0.0,
            _ => f64::INFINITY,
        };
        ways.push(way);
        if let Some((center, radius)) = looks.ball(crate::model::LinkId::new(i)).ball() {
            farthest = farthest.max(way + center.length() + radius);
        }
    }
    farthest
}

/// Active joints of a member; before its first step at less than full detail those that are never frozen.
pub(super) fn active(member: &Simulation) -> usize {
    match member.region() {
        Some(region) => region.active().len(),
        None if member.detail().is_full() => member.model.moving_joints(),
        None => held(member),
    }
}

/// Whether a member would move, and has no joint to do it with.
fn is_needy(member: &Simulation) -> bool {
    let needs =
        |region: &Region| region.active().len() <= region.held() && region.report().acceleration > 0.0;
    member.region().is_some_and(needs)
}

/// Joints that are never frozen.
pub(super) fn held(member: &Simulation) -> usize {
    let bases = member.model.tree().links.iter().filter(|link| link.floats()).count();
    let keep = &member.detail().keep;
    let mut kept: Vec<_> = keep.iter().filter(|(_, keep)| *keep == Keep::Active).map(|(j, _)| *j).collect();
    kept.sort_unstable();
    kept.dedup();
    bases + kept.len()
}
