use crate::detail::{JointWeight, Weights};
use crate::model::{Element, Link, LinkId, LinkJoint, Model};
use crate::spatial::mat6;

use super::{Looks, Volume};

impl Weights {
    /// What each joint changes in an image: the share of its link's pixels that are others if it turns by one radian (or slides by one
    /// metre), squared. What is long and thin changes more than what is short and thick: a rod that turns about its end changes
    /// as many of its pixels as it goes widths. With these weights 𝒱_M = dt N √𝒱 is in pixels, for joints of all kinds.
    pub fn by_looks(model: &Model, looks: &Looks) -> Self {
        let tree = model.tree();
        let weight = |(i, link): (usize, &Link)| {
            let Volume::Box { center, half, .. } = looks.oriented_box(LinkId::new(i)) else {
                return JointWeight::Scale(1.0);
            };
            let mut half = half.to_array();
            half.sort_unstable_by(f64::total_cmp);
            // seen from all sides, a box is as wide as its two shorter edges on average
            let (long, wide) = (half[2], 0.5 * (half[0] + half[1]));
            let widths = center.length().max(0.5 * long) / wide;
            let (turning, sliding) = (widths * widths, 1.0 / (wide * wide));
            match link.joint {
                LinkJoint::Prismatic => JointWeight::Scale(sliding),
                LinkJoint::Free => {
                    let mut m = mat6::ZERO;
                    for k in 0..6 {
                        m[k][k] = if k < 3 { turning } else { sliding };
                    }
                    JointWeight::Matrix(Box::new(m))
                }
                LinkJoint::Compound { first, count, .. } => {
                    let (mut m, mut at) = (mat6::IDENTITY, 0);
                    for element in &tree.elements[first as usize..][..count as usize] {
                        let (dofs, weight) = match element {
                            Element::Hinge { .. } => (1, turning),
                            Element::Slide { .. } => (1, sliding),
                            Element::Ball { .. } => (3, turning),
                        };
                        for k in at..(at + dofs).min(6) {
                            m[k][k] = weight;
                        }
                        at += dofs;
                    }
                    JointWeight::Matrix(Box::new(m))
                }
                _ => JointWeight::Scale(turning),
            }
        };
        Self::of_links(tree.links.iter().enumerate().map(weight).collect())
    }
}
