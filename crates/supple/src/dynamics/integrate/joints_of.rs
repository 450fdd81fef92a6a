//! Numbers of the joints of a tree in lists that are as long as q or v of the whole model: joints that stand still are not
//! visited.

use crate::model::Tree;

use super::position::positions;

/// Copies the numbers of v that belong to a tree.
pub(super) fn copy_v(tree: &Tree, from: &[f64], to: &mut [f64]) {
    if tree.members.is_none() {
        to.copy_from_slice(from);
        return;
    }
    for link in &tree.links {
        to[link.dofs()].copy_from_slice(&from[link.dofs()]);
    }
}

/// Copies the numbers of q that belong to a tree.
pub(super) fn copy_q(tree: &Tree, from: &[f64], to: &mut [f64]) {
    if tree.members.is_none() {
        to.copy_from_slice(from);
        return;
    }
    for link in &tree.links {
        let range = link.q as usize..link.q as usize + positions(tree, link);
        to[range.clone()].copy_from_slice(&from[range]);
    }
}

/// Whether two lists agree in the numbers of v that belong to a tree.
pub(super) fn equal_v(tree: &Tree, a: &[f64], b: &[f64]) -> bool {
    if tree.members.is_none() { a == b } else { tree.links.iter().all(|l| a[l.dofs()] == b[l.dofs()]) }
}

/// Whether two lists agree in the numbers of q that belong to a tree.
pub(super) fn equal_q(tree: &Tree, a: &[f64], b: &[f64]) -> bool {
    if tree.members.is_none() {
        return a == b;
    }
    tree.links.iter().all(|link| {
        let range = link.q as usize..link.q as usize + positions(tree, link);
        a[range.clone()] == b[range]
    })
}

/// Calls `each` with every place in q, then every place in v, that belongs to a tree.
pub(super) fn for_each_place(tree: &Tree, mut in_q: impl FnMut(usize), mut in_v: impl FnMut(usize)) {
    for link in &tree.links {
        (link.q as usize..link.q as usize + positions(tree, link)).for_each(&mut in_q);
        link.dofs().for_each(&mut in_v);
    }
}
