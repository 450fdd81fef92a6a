//! External wrenches: a short list, never a loop over all bodies.

use glam::DMat3;

use crate::model::{Member, Model, Tree};
use crate::spatial::Force;

use super::integrate::{Axes, Load};
use super::kinematics::Kinematics;

/// Wrenches on links, in world axes about the links' origins, sorted by link.
#[derive(Clone, Debug, Default)]
pub struct Wrenches {
    /// (link, wrench), ascending; several entries per link add up.
    entries: Vec<(u32, Force)>,
}

impl Wrenches {
    /// No wrenches.
    pub const fn new() -> Self {
        Self { entries: Vec::new() }
    }

    /// Forgets all wrenches, keeps the room.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Takes wrenches on bodies to the links of `tree`, whose poses `kinematics` has. Wrenches on bodies that are fixed
    /// to the world move nothing and are left out.
    pub fn set(&mut self, model: &Model, tree: &Tree, kinematics: &Kinematics, loads: &[Load]) {
        self.clear();
        for load in loads {
            let info = &model.bodies()[load.body.index()];
            let Some(member) = info.link.map(|link| tree.member(link)) else { continue };
            let Some(group) = member.group else { continue };
            let rotation = kinematics.links[group.index()].rotation;
            let group_from_body = member.group_from_link * info.link_from_body;
            let wrench = match load.axes {
                Axes::Body => {
                    let in_group = group_from_body.force(load.wrench);
                    Force::new(rotation * in_group.angular, rotation * in_group.linear)
                }
                Axes::World => load.wrench.about(rotation * group_from_body.translation),
            };
            self.entries.push((group.0, wrench));
        }
        // a stable sort, so that sums are formed in the order given
        insertion_sort(&mut self.entries);
    }

    /// The same on the links of the full tree, in their own axes about their origins: where bodies have been located in
    /// `tree`, which may be a smaller one.
    pub fn set_on_links(&mut self, model: &Model, tree: &Tree, kinematics: &Kinematics, loads: &[Load]) {
        self.clear();
        for load in loads {
            let info = &model.bodies()[load.body.index()];
            let Some(link) = info.link else { continue };
            let Member { group, group_from_link } = tree.member(link);
            let wrench = match load.axes {
                Axes::Body => info.link_from_body.force(load.wrench),
                Axes::World => {
                    let group = group.map_or(DMat3::IDENTITY, |g| kinematics.links[g.index()].rotation);
                    let to_link = (group * group_from_link.rotation).transpose();
                    let turned = Force::new(to_link * load.wrench.angular, to_link * load.wrench.linear);
                    turned.about(info.link_from_body.translation)
                }
            };
            self.entries.push((link.0, wrench));
        }
        insertion_sort(&mut self.entries);
    }

    /// A cursor for loops that visit links from last to first.
    #[inline(always)]
    pub(crate) fn descending(&self) -> Descending<'_> {
        Descending { left: &self.entries }
    }

    /// The entries, ascending by link.
    pub fn entries(&self) -> &[(u32, Force)] {
        &self.entries
    }
}

/// `slice::sort_by_key` allocates; the list is short and mostly in order.
fn insertion_sort(entries: &mut [(u32, Force)]) {
    for i in 1..entries.len() {
        let mut j = i;
        while j > 0 && entries[j - 1].0 > entries[j].0 {
            entries.swap(j - 1, j);
            j -= 1;
        }
    }
}

pub(crate) struct Descending<'a> {
    left: &'a [(u32, Force)],
}

impl Descending<'_> {
    /// `force` minus all wrenches on link `i`; links must come in descending order.
    #[inline(always)]
    pub(crate) fn subtract_at(&mut self, i: usize, mut force: Force) -> Force {
        while let Some(((link, wrench), rest)) = self.left.split_last() {
            if *link as usize != i {
                break;
            }
            force -= *wrench;
            self.left = rest;
        }
        force
    }
}
