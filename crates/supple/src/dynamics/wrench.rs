//! External wrenches: a short list, never a loop over all bodies.

use glam::{DMat3, DVec3};

use crate::model::{Member, Model, Tree};
use crate::spatial::{ArticulatedInertia, Force};

use super::integrate::{Axes, Load};
use super::kinematics::Kinematics;
use super::spring::{PointMass, Spring, Tie};

/// Wrenches on links, in world axes about the links' origins, sorted by link.
#[derive(Clone, Debug, Default)]
pub struct Wrenches {
    /// (link, wrench), ascending; several entries per link add up.
    entries: Vec<(u32, Force)>,
    /// Inertia that implicit springs add, ascending by link.
    added: Vec<PointMass>,
}

impl Wrenches {
    /// No wrenches.
    pub const fn new() -> Self {
        Self { entries: Vec::new(), added: Vec::new() }
    }

    /// Forgets all wrenches, keeps the room.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.added.clear();
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
        insertion_sort(&mut self.entries, |entry| entry.0);
    }

    /// Adds springs at the state of `kinematics`, as seen by accelerations: their explicit part `F − (C + h K) v`, and, over
    /// a step `h` \[s] that is not zero, the inertia `h C + h² K` at their points.
    pub fn add_springs(
        &mut self,
        model: &Model,
        tree: &Tree,
        kinematics: &Kinematics,
        springs: &[Spring],
        h: f64,
    ) {
        if springs.is_empty() {
            return;
        }
        for tie in springs.iter().filter_map(|s| Tie::new(model, tree, kinematics, s)) {
            let force = tie.pull - (tie.c + tie.k * h) * tie.velocity;
            self.entries.push((tie.link, Force::new(DVec3::ZERO, force).about(tie.lever)));
            if h > 0.0 {
                let mass = tie.c * h + tie.k * (h * h);
                self.added.push(PointMass { link: tie.link, lever: tie.lever, mass });
            }
        }
        insertion_sort(&mut self.entries, |entry| entry.0);
        insertion_sort(&mut self.added, |added| added.link);
    }

    /// Takes wrenches and springs (explicitly) to the links of the full tree, in their own axes about their origins, where
    /// bodies have been located in `tree`, which may be a smaller one.
    pub fn set_on_links(
        &mut self,
        model: &Model,
        tree: &Tree,
        kinematics: &Kinematics,
        loads: &[Load],
        springs: &[Spring],
    ) {
        self.clear();
        let to_link = |Member { group, group_from_link }: Member| {
            let group = group.map_or(DMat3::IDENTITY, |g| kinematics.links[g.index()].rotation);
            (group * group_from_link.rotation).transpose()
        };
        for load in loads {
            let info = &model.bodies()[load.body.index()];
            let Some(link) = info.link else { continue };
            let wrench = match load.axes {
                Axes::Body => info.link_from_body.force(load.wrench),
                Axes::World => {
                    let to_link = to_link(tree.member(link));
                    let turned = Force::new(to_link * load.wrench.angular, to_link * load.wrench.linear);
                    turned.about(info.link_from_body.translation)
                }
            };
            self.entries.push((link.0, wrench));
        }
        for spring in springs {
            let info = &model.bodies()[spring.body.index()];
            let Some(link) = info.link else { continue };
            let force = spring.force(model, tree, kinematics);
            let turned = Force::new(DVec3::ZERO, to_link(tree.member(link)) * force);
            self.entries.push((link.0, turned.about(info.link_from_body.point(spring.point))));
        }
        insertion_sort(&mut self.entries, |entry| entry.0);
    }

    /// A cursor for loops that visit links from last to first.
    #[inline(always)]
    pub(crate) fn descending(&self) -> Descending<'_> {
        Descending { left: &self.entries }
    }

    /// A cursor over what implicit springs add to inertias, from last to first.
    pub(crate) fn descending_added(&self) -> DescendingAdded<'_> {
        DescendingAdded { left: &self.added }
    }

    /// The entries, ascending by link.
    pub fn entries(&self) -> &[(u32, Force)] {
        &self.entries
    }

    /// What implicit springs add to the inertia of links, ascending by link. It resists joint accelerations, not the
    /// bias: [`aba`](super::aba) adds it to the articulated inertia only.
    pub fn added(&self) -> &[PointMass] {
        &self.added
    }
}

/// `slice::sort_by_key` allocates; the list is short and mostly in order.
pub(super) fn insertion_sort<T>(entries: &mut [T], link: impl Fn(&T) -> u32) {
    for i in 1..entries.len() {
        let mut j = i;
        while j > 0 && link(&entries[j - 1]) > link(&entries[j]) {
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

pub(crate) struct DescendingAdded<'a> {
    left: &'a [PointMass],
}

impl DescendingAdded<'_> {
    /// `inertia` plus what implicit springs add to that of link `i`; links must come in descending order.
    #[inline]
    pub(crate) fn add_at(&mut self, i: usize, mut inertia: ArticulatedInertia) -> ArticulatedInertia {
        while let Some((added, rest)) = self.left.split_last() {
            if added.link as usize != i {
                break;
            }
            inertia += added.inertia();
            self.left = rest;
        }
        inertia
    }
}
