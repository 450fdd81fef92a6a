//! Rigid groups and the joints between them: an ordinary tree with one link per active joint.
//!
//! Theory, section 5: the hybrid body of the paper (accelerations of the inactive joints zero) has the accelerations
//! that the articulated-body algorithm finds on this tree. Any set of joints may be active.
//!
//! This is the plain way, link by link over the whole body. [`super::Hybrid`] comes to the same tree by the assembly tree,
//! and visits only what is open; the two are tested against each other.

use crate::dynamics::kinematics::link_pose;
use crate::model::{LinkId, LinkJoint, Member, Tree};
use crate::spatial::Pose;

/// Makes `reduced` the tree of the rigid groups of `full` at the positions q: joints with `active[link]` false are frozen.
///
/// A group's frame is that of the link whose active joint carries it; q, v and joint ids are those of the full tree.
/// With all joints active it is the full tree, bit for bit.
pub fn reduce(full: &Tree, q: &[f64], active: &[bool], reduced: &mut Tree) {
    let Tree { links, members, elements, rows, screws, .. } = reduced;
    links.clear();
    let mut places: Vec<Member> = Vec::with_capacity(full.links.len());
    elements.clone_from(&full.elements);
    (*rows, *screws) = (0, 0);
    for (i, link) in full.links.iter().enumerate() {
        let carrier = match link.parent {
            Some(p) => places[p.index()],
            None => Member { group: None, group_from_link: Pose::IDENTITY },
        };
        if !active[i] {
            let group_from_link = carrier.group_from_link * link_pose(full, link, q);
            if let Some(group) = carrier.group {
                links[group.index()].inertia += link.inertia.transformed(&group_from_link);
            }
            places.push(Member { group: carrier.group, group_from_link });
            continue;
        }
        let mut group = *link;
        group.parent = carrier.group;
        group.placement = carrier.group_from_link * link.placement;
        group.row = *rows as u32;
        *rows += link.joint.dofs();
        if let LinkJoint::Compound { screw, dofs, .. } = &mut group.joint {
            *screw = *screws as u32;
            *screws += *dofs as usize;
        }
        places.push(Member { group: Some(LinkId::new(links.len())), group_from_link: Pose::IDENTITY });
        links.push(group);
    }
    let members = members.get_or_insert_default();
    members.clear(full.links.len());
    for (i, member) in places.into_iter().enumerate() {
        members.insert(LinkId::new(i), member);
    }
    reduced.connect();
}
