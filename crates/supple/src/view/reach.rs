use super::Looks;
use crate::model::{Element, Link, LinkId, LinkJoint, Tree};

/// How far from its base a body can be seen, whatever its joints do; without end if it has several bases, or slides within.
pub(super) fn reach(tree: &Tree, looks: &Looks) -> f64 {
    let mut farthest: f64 = 0.0;
    let mut ways: Vec<f64> = Vec::with_capacity(tree.links.len());
    for (i, link) in tree.links.iter().enumerate() {
        let way = match link.parent {
            Some(parent) => ways[parent.index()] + link.placement.translation.length() + shift(tree, link),
            None if i == 0 => 0.0,
            None => f64::INFINITY,
        };
        ways.push(way);
        if let Some((center, radius)) = looks.ball(LinkId::new(i)).ball() {
            farthest = farthest.max(way + center.length() + radius);
        }
    }
    farthest
}

/// How far a joint may take the origin of its link from where it is carried \[m].
fn shift(tree: &Tree, link: &Link) -> f64 {
    let of = |element: &Element| match element {
        Element::Hinge { anchor, .. } | Element::Ball { anchor } => 2.0 * anchor.length(),
        Element::Slide { .. } => f64::INFINITY,
    };
    match link.joint {
        LinkJoint::Revolute | LinkJoint::Spherical => 0.0,
        LinkJoint::Compound { first, count, .. } => {
            tree.elements[first as usize..][..count as usize].iter().map(of).sum()
        }
        LinkJoint::Prismatic | LinkJoint::Helical { .. } | LinkJoint::Free => f64::INFINITY,
    }
}
