use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use glam::DVec3;

use crate::spatial::{Pose, RigidInertia, Sym3};
use crate::util::SparseSet;

use super::{Element, JointId, LinkId};

/// The joint of a link. Joints with one degree of freedom act along **z of the link's own frame**: the
/// builder turns frames so, and no inner loop carries an axis about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinkJoint {
    /// Turns about z.
    Revolute,
    /// Slides along z.
    Prismatic,
    /// Turns about z and advances along it by `pitch` \[m/rad].
    Helical {
        /// Advance per angle \[m/rad].
        pitch: f64,
    },
    /// Turns about any axis.
    Spherical,
    /// Moves freely.
    Free,
    /// Several elements in a row (also cylindrical, universal and planar joints).
    Compound {
        /// First of its entries in [`Tree::elements`].
        first: u32,
        /// How many entries.
        count: u32,
        /// Where its motion subspace begins among the compound rows of a workspace.
        screw: u32,
        /// Degrees of freedom.
        dofs: u32,
    },
}

impl LinkJoint {
    /// Degrees of freedom.
    #[inline(always)]
    pub const fn dofs(&self) -> usize {
        match self {
            Self::Revolute | Self::Prismatic | Self::Helical { .. } => 1,
            Self::Spherical => 3,
            Self::Free => 6,
            Self::Compound { dofs, .. } => *dofs as usize,
        }
    }
}

/// One moving rigid body of a [`Tree`] and the joint that carries it.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Link that carries it; `None` is the world.
    pub parent: Option<LinkId>,
    /// How many links it carries; the first of them is the next link.
    pub children: u32,
    /// Whether the next link belongs to another parent, so that its inertia must wait on the stack.
    pub stash: bool,
    /// Its joint.
    pub joint: LinkJoint,
    /// Whether the joint has springs, dampers, friction or limits.
    pub passive: bool,
    /// First of its entries in q.
    pub q: u32,
    /// First of its entries in v.
    pub v: u32,
    /// First of its rows in a workspace.
    pub row: u32,
    /// The joint in the model.
    pub id: JointId,
    /// Its own number in the full tree of the model.
    pub full: LinkId,
    /// Joint frame in the parent link's frame.
    pub placement: Pose,
    /// Inertia of all its bodies, in the link's frame.
    pub inertia: RigidInertia,
}

impl Link {
    /// No link: a place to be filled.
    pub(crate) const NONE: Self = Self {
        parent: None,
        children: 0,
        stash: false,
        joint: LinkJoint::Revolute,
        passive: false,
        q: 0,
        v: 0,
        row: 0,
        id: JointId::new(0),
        full: LinkId::new(0),
        placement: Pose::IDENTITY,
        inertia: RigidInertia::ZERO,
    };

    /// Whether it is a floating base.
    #[inline]
    pub fn floats(&self) -> bool {
        self.parent.is_none() && self.joint == LinkJoint::Free
    }

    /// Its degrees of freedom: where they stand in v.
    #[inline(always)]
    pub fn dofs(&self) -> Range<usize> {
        self.v as usize..self.v as usize + self.joint.dofs()
    }
}

/// A link's inertia about its own centre of mass, link axes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Central {
    /// Mass \[kg].
    pub mass: f64,
    /// Centre of mass \[m].
    pub com: DVec3,
    /// Rotational inertia about it \[kg·m²].
    pub inertia: Sym3,
}

/// Where a link of the full tree is in a smaller one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    /// The link of the smaller tree, a rigid group, that it moves with; `None` is the world.
    pub group: Option<LinkId>,
    /// Its frame in the group's frame, or in the world.
    pub group_from_link: Pose,
}

/// Where links of the full tree are in a smaller one: of those links that were asked about.
#[derive(Clone, Debug, Default)]
pub struct Members {
    known: SparseSet,
    of: Vec<Member>,
}

impl Members {
    /// Forgets all, for a full tree of so many links.
    pub(crate) fn clear(&mut self, links: usize) {
        self.of.clear();
        self.known.clear();
        if self.known.universe() != links {
            self.known = SparseSet::new(links);
        }
    }

    /// Whether it is known where a link is.
    #[inline]
    pub(crate) fn knows(&self, link: LinkId) -> bool {
        self.known.contains(link.0)
    }

    /// Notes where a link is that was not known.
    pub(crate) fn insert(&mut self, link: LinkId, member: Member) {
        if self.known.insert(link.0) {
            self.of.push(member);
        }
    }

    #[inline]
    fn get(&self, link: LinkId) -> Option<&Member> {
        self.of.get(self.known.place(link.0)?)
    }
}

/// A kinematic tree of moving links: what all algorithms run on.
///
/// Links stand depth first, so ascending loops meet parents before children, descending ones children
/// before parents. The full body is one such tree; rigid groups of it make a smaller one over the same q and v.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Different for every tree that is made: what is known of one is not taken for known of another.
    pub(crate) id: u64,
    /// The links, depth first.
    pub links: Vec<Link>,
    /// The links' inertias about their centres of mass.
    pub central: Vec<Central>,
    /// Where links of the full tree are in this one; `None` in the full tree itself.
    pub members: Option<Members>,
    /// Elements of the compound joints.
    pub elements: Vec<Element>,
    /// Degrees of freedom of these links.
    pub rows: usize,
    /// Degrees of freedom of the compound joints among them.
    pub screws: usize,
}

impl Tree {
    /// Where a link of the full tree is in this one. In a smaller tree it must be among those that were located, as all
    /// are that carry loads; any other counts as part of the world.
    #[inline]
    pub fn member(&self, link: LinkId) -> Member {
        match &self.members {
            None => Member { group: Some(link), group_from_link: Pose::IDENTITY },
            Some(members) => {
                debug_assert!(members.knows(link), "link {} was not located", link.0);
                let nowhere = Member { group: None, group_from_link: Pose::IDENTITY };
                members.get(link).copied().unwrap_or(nowhere)
            }
        }
    }

    /// Whether the joint of a link of the full tree moves in this one.
    #[inline]
    pub fn moves(&self, link: LinkId) -> bool {
        // links of a smaller tree stand in the order of the full one
        self.members.is_none() || self.links.binary_search_by_key(&link, |l| l.full).is_ok()
    }

    /// Fills in what follows from the links: `children`, `stash`, central inertias.
    pub(crate) fn connect(&mut self) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        self.id = NEXT.fetch_add(1, Ordering::Relaxed);
        for i in 0..self.links.len() {
            self.links[i].children = 0;
            if let Some(p) = self.links[i].parent {
                debug_assert!(p.index() < i, "parents precede children");
                self.links[p.index()].children += 1;
            }
        }
        for i in 0..self.links.len() {
            let next_waits = self.links.get(i + 1).is_some_and(|next| next.parent.is_some());
            self.links[i].stash = self.links[i].children == 0 && next_waits;
        }
        self.central.clear();
        self.central.extend(self.links.iter().map(|l| Central {
            mass: l.inertia.mass,
            com: l.inertia.com(),
            inertia: l.inertia.inertia_com(),
        }));
    }
}
