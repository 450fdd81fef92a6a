//! Assembly trees by choice: any tree of joins with at most two handles per part.
//!
//! From the whole body downward, a joint is chosen at which a part falls into two. In a part with one handle any joint
//! will do; in one with two a joint between them, or one that hangs on either. Theory, section 2.2 (the
//! alternative). Links are not split. Every result must agree with that of [`super::AssemblyTree::build`]: that
//! is what this is for. Time grows with the number of links times the depth.

use crate::model::{LinkId, Tree};

use super::heavy_path::{hang_on_world, leaf, push, push_join};
use super::tree::{Bottom, Handle, Join, JoinJoint, Node, NodeId};

/// A part still to be taken apart: its links, ascending, the first of which is its top.
struct Part {
    links: Vec<LinkId>,
    bottom: Option<LinkId>,
}

/// What is to be done next, from a stack.
enum Task {
    TakeApart(Part),
    /// The last two parts that are done are joined.
    Join {
        joint: LinkId,
        alpha: Handle,
        bottom: Bottom,
    },
}

/// All nodes, children before parents. `choose` gets the joints (by the links they carry) at which a part may be taken
/// apart, ascending, and gives the place of one of them.
pub(super) fn assemble(tree: &Tree, mut choose: impl FnMut(&[LinkId]) -> usize) -> Vec<Node> {
    let mut nodes = Vec::new();
    let mut whole = vec![NodeId(0); tree.links.len()];
    let mut of_root: Vec<Vec<LinkId>> = vec![Vec::new(); tree.links.len()];
    let mut root = vec![0; tree.links.len()];
    for (i, link) in tree.links.iter().enumerate() {
        root[i] = link.parent.map_or(i, |p| root[p.index()]);
        of_root[root[i]].push(LinkId::new(i));
    }
    for (i, links) in of_root.into_iter().enumerate().filter(|(_, links)| !links.is_empty()) {
        whole[i] = assemble_body(tree, links, &mut choose, &mut nodes);
    }
    hang_on_world(&mut nodes, tree, &whole);
    nodes
}

fn assemble_body(
    tree: &Tree,
    links: Vec<LinkId>,
    choose: &mut impl FnMut(&[LinkId]) -> usize,
    nodes: &mut Vec<Node>,
) -> NodeId {
    let mut tasks = vec![Task::TakeApart(Part { links, bottom: None })];
    let mut done: Vec<NodeId> = Vec::new();
    while let Some(task) = tasks.pop() {
        match task {
            Task::TakeApart(part) if part.links.len() == 1 => {
                done.push(push(nodes, leaf(part.links[0], 0, 1)));
            }
            Task::TakeApart(part) => {
                let candidates = candidates(tree, &part);
                let joint = candidates[choose(&candidates).min(candidates.len() - 1)];
                take_apart(tree, part, joint, &mut tasks);
            }
            Task::Join { joint, alpha, bottom } => {
                let (Some(b), Some(a)) = (done.pop(), done.pop()) else { unreachable!("two parts are done") };
                done.push(push_join(nodes, Join { a, b, joint: JoinJoint::Joint(joint), alpha, bottom }));
            }
        }
    }
    done[0]
}

/// The joints at which both sides would have at most two handles.
fn candidates(tree: &Tree, part: &Part) -> Vec<LinkId> {
    let top = part.links[0];
    let fits = |joint: &LinkId| {
        let alpha = tree.links[joint.index()].parent;
        part.bottom.is_none_or(|b| alpha == Some(top) || alpha == Some(b) || carries(tree, *joint, b))
    };
    part.links[1..].iter().copied().filter(fits).collect()
}

/// Whether `link` is `below` or carries it.
fn carries(tree: &Tree, link: LinkId, below: LinkId) -> bool {
    let mut at = Some(below);
    while let Some(i) = at.filter(|i| *i > link) {
        at = tree.links[i.index()].parent;
    }
    at == Some(link)
}

fn take_apart(tree: &Tree, part: Part, joint: LinkId, tasks: &mut Vec<Task>) {
    let top = part.links[0];
    let alpha = tree.links[joint.index()].parent.filter(|a| *a != top);
    let (b, a): (Vec<_>, Vec<_>) = part.links.iter().partition(|l| carries(tree, joint, **l));
    let in_b = part.bottom.filter(|l| carries(tree, joint, *l));
    let bottom = match part.bottom {
        None => Bottom::None,
        Some(l) if l == joint => Bottom::TopOfB,
        Some(_) if in_b.is_some() => Bottom::OfB,
        Some(_) => Bottom::OfA,
    };
    // of A the bottom is α, or what it was
    let a_bottom = alpha.or(part.bottom.filter(|_| in_b.is_none()));
    let handle = if alpha.is_some() { Handle::Bottom } else { Handle::Top };
    tasks.push(Task::Join { joint, alpha: handle, bottom });
    tasks.push(Task::TakeApart(Part { links: b, bottom: in_b.filter(|l| *l != joint) }));
    tasks.push(Task::TakeApart(Part { links: a, bottom: a_bottom }));
}
