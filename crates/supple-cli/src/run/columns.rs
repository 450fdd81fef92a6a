//! Names of the numbers in q and v, after their joints.

use supple::model::{Element, JointInfo};
use supple::{JointKind, Model};

/// One name for every number in q: the joint's name, and which number if it has several.
pub(crate) fn positions(model: &Model) -> Vec<String> {
    named(model, |kind| match kind {
        JointKind::Spherical => QUATERNION.to_vec(),
        JointKind::Free => vec!["x", "y", "z", "qx", "qy", "qz", "qw"],
        _ => one_by_one(kind, &QUATERNION),
    })
}

/// One name for every number in v.
pub(crate) fn velocities(model: &Model) -> Vec<String> {
    named(model, |kind| match kind {
        JointKind::Spherical => ANGULAR.to_vec(),
        JointKind::Free => vec!["wx", "wy", "wz", "vx", "vy", "vz"],
        _ => one_by_one(kind, &ANGULAR),
    })
}

const QUATERNION: [&str; 4] = ["qx", "qy", "qz", "qw"];
const ANGULAR: [&str; 3] = ["wx", "wy", "wz"];

/// Parts of joints whose positions and velocities are named alike, but for balls.
fn one_by_one(kind: &JointKind, ball: &[&'static str]) -> Vec<&'static str> {
    match kind {
        JointKind::Cylindrical { .. } => vec!["angle", "distance"],
        JointKind::Universal { .. } => vec!["1", "2"],
        JointKind::Planar { .. } => vec!["x", "y", "angle"],
        JointKind::Compound(elements) if elements.len() > 1 => {
            let number = ["1", "2", "3", "4", "5", "6"];
            let part = |(i, e): (usize, &Element)| match e {
                Element::Ball { .. } => ball.to_vec(),
                Element::Hinge { .. } | Element::Slide { .. } => vec![number[i.min(5)]],
            };
            elements.iter().enumerate().flat_map(part).collect()
        }
        JointKind::Compound(elements) if matches!(elements[..], [Element::Ball { .. }]) => ball.to_vec(),
        JointKind::Fixed => Vec::new(),
        _ => vec![""],
    }
}

fn named(model: &Model, parts: impl Fn(&JointKind) -> Vec<&'static str>) -> Vec<String> {
    let name = |joint: &JointInfo| {
        let prefix = joint.name.clone();
        let part = move |part: &'static str| {
            if part.is_empty() { prefix.clone() } else { format!("{prefix}.{part}") }
        };
        parts(&joint.kind).into_iter().map(part).collect::<Vec<_>>()
    };
    model.joints().iter().flat_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_every_scene_has_a_name_of_its_own() {
        for scene in supple_scenes::gallery() {
            let stage = scene.build(&scene.small()).unwrap();
            let Some((_, first)) = stage.first() else { continue };
            let model = &first.model;
            for (names, count) in [(positions(model), model.nq()), (velocities(model), model.nv())] {
                assert_eq!(names.len(), count, "{}", scene.name);
                let unique: std::collections::BTreeSet<_> = names.iter().collect();
                assert_eq!(unique.len(), count, "{}", scene.name);
            }
        }
    }
}
