//! The first half of an update: what every joint would do, and which of them are tried.

use crate::dynamics::BodyState;
use crate::model::LinkId;

use super::super::goal::Goal;
use super::super::hybrid::Hybrid;
use super::super::motion_metric::{Cause, Search};
use super::super::scene::Scene;
use super::super::select::Verdict;
use super::super::{Keep, RegionReport};
use super::choose::weigh;
use super::{Region, Update};

impl Region {
    /// Evaluates what every joint would do, and puts the joints to be tried into the transient region. Springs and dampers are implicit over the
    /// time looked ahead (section 9), so that accelerations times that time are what joints will gain in it.
    pub(super) fn predict(&mut self, update: &mut Update<'_>, goal: &Goal, report: &mut RegionReport) {
        let Update { model, detail, loads, .. } = *update;
        self.locate(model, loads);
        let Self { now, transient, assembly, rigid, weights, keep, selector, metric, drives, .. } = self;
        transient.active.copy_from(&now.active);
        let (q, v) = (&update.state.q[..], &update.state.v[..]);
        drives.set(&BodyState { model, tree: model.tree(), q, v }, loads);
        let scene = Scene { model, assembly, rigid, weights, q, v, loads, drives, ahead: goal.ahead };
        // what accelerates is worth the velocity that it will have gained
        let gained = goal.ahead * goal.ahead;
        let search = Search {
            of: Cause::Loads,
            detail,
            allowed: goal.acceleration,
            judge: |link, room| try_joint(transient, keep, link, room),
            weigh: weigh(&mut update.worth, scene.assembled(), now, gained),
            selector,
        };
        metric.select(&scene, now, search, update.work, report);
    }
}

/// Takes a joint into the transient region if there is room.
pub(super) fn try_joint(transient: &mut Hybrid, keep: &[Keep], link: LinkId, room: bool) -> Verdict {
    if keep.get(link.index()) == Some(&Keep::Rigid) || transient.active.contains(link.0) {
        Verdict::Free
    } else if room {
        transient.active.insert(link.0);
        Verdict::Counts
    } else {
        Verdict::NoRoom
    }
}
