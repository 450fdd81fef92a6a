//! How the assembly tree is built: heavy paths, hubs split by welds. Theory, section 2.2.
//!
//! From every link the way goes on to the child with the largest subtree, the heavy one; these ways are the
//! **paths**. Each piece of a link on a path takes up the parts that hang on it by light joints; what results, an
//! item, has one handle. The items of a path are then joined to a low binary tree over runs of neighbours, each
//! run with its first and last link as handles.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::model::{LinkId, Tree};

use super::min_max_tree::split_levels;
use super::tree::{Bottom, Handle, Join, JoinJoint, Node, NodeId, NodeKind};

/// A link with more light children than this is split into as many pieces as it has light children. Pieces are
/// light, which costs digits (theory, section 10, where metrics of stars in twenty pieces have lost three to four): none are made that depth
/// does not need. Two is the lower end of what is advised there.
const MOST_LIGHT_CHILDREN: usize = 2;

/// A part along a path: the node, and the first and last item in it.
#[derive(Clone, Copy)]
struct Run {
    node: NodeId,
    first: usize,
    last: usize,
}

/// One item of a path: the part, and the joint by which its link is carried.
struct Item {
    part: NodeId,
    carried_by: JoinJoint,
}

/// All nodes of the assembly tree, children before parents, the root last.
pub(super) fn assemble(tree: &Tree) -> Vec<Node> {
    let shape = Shape::new(tree);
    let mut nodes: Vec<Node> = Vec::with_capacity(2 * tree.links.len() + 2);
    // by link: the whole part that hangs on its joint, once it is known
    let mut part = vec![NodeId(0); tree.links.len()];
    let (mut items, mut levels, mut waiting, mut light) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    // links stand depth first, so descending all that hangs on a path is known before the path
    for head in (0..tree.links.len()).rev() {
        if shape.is_heavy(tree, head) {
            continue;
        }
        items.clear();
        let mut next = Some(head);
        while let Some(i) = next {
            shape.light_children(i, &mut light);
            let pieces = if light.len() > MOST_LIGHT_CHILDREN { light.len() } else { 1 };
            for piece in 0..pieces {
                // one light child for each piece, or all of them on the whole
                let carried = if pieces > 1 { &mut light[piece..=piece] } else { &mut light[..] };
                items.push(item(&mut nodes, &part, LinkId::new(i), piece, pieces, carried));
            }
            next = shape.heavy[i];
        }
        part[head] = join_path(&mut nodes, &items, &mut levels, &mut waiting);
    }
    hang_on_world(&mut nodes, tree, &part);
    nodes
}

/// The children of every link, and which of them is heavy.
struct Shape {
    size: Vec<u32>,
    heavy: Vec<Option<usize>>,
    children: Vec<u32>,
    begins: Vec<u32>,
}

impl Shape {
    fn new(tree: &Tree) -> Self {
        let n = tree.links.len();
        let parent = |i: usize| tree.links[i].parent.map(LinkId::index);
        let mut size = vec![1u32; n];
        let mut heavy: Vec<Option<usize>> = vec![None; n];
        let mut begins = vec![0u32; n + 1];
        for i in (0..n).rev() {
            if let Some(p) = parent(i) {
                size[p] += size[i];
                begins[p + 1] += 1;
                // among equals the first
                if heavy[p].is_none_or(|h| size[i] >= size[h]) {
                    heavy[p] = Some(i);
                }
            }
        }
        for i in 0..n {
            begins[i + 1] += begins[i];
        }
        let mut next = begins.clone();
        let mut children = vec![0; begins[n] as usize];
        for i in 0..n {
            if let Some(p) = parent(i) {
                children[next[p] as usize] = i as u32;
                next[p] += 1;
            }
        }
        Self { size, heavy, children, begins }
    }

    fn is_heavy(&self, tree: &Tree, i: usize) -> bool {
        tree.links[i].parent.is_some_and(|p| self.heavy[p.index()] == Some(i))
    }

    /// The children of a link but the heavy one, largest subtree first.
    fn light_children(&self, i: usize, light: &mut Vec<usize>) {
        light.clear();
        let all = &self.children[self.begins[i] as usize..self.begins[i + 1] as usize];
        light.extend(all.iter().map(|&c| c as usize).filter(|&c| self.heavy[i] != Some(c)));
        light.sort_by_key(|&c| Reverse(self.size[c]));
    }
}

/// A piece of a link with what hangs on it by light joints, lowest part first.
fn item(
    nodes: &mut Vec<Node>,
    part: &[NodeId],
    link: LinkId,
    piece: usize,
    pieces: usize,
    carried: &mut [usize],
) -> Item {
    let mut whole = push(nodes, leaf(link, piece as u32, pieces as u32));
    carried.sort_by_key(|&c| nodes[part[c].index()].height);
    for &c in carried.iter() {
        whole = push_join(
            nodes,
            Join {
                a: whole,
                b: part[c],
                joint: JoinJoint::Joint(LinkId::new(c)),
                alpha: Handle::Top,
                bottom: Bottom::None,
            },
        );
    }
    Item { part: whole, carried_by: if piece == 0 { JoinJoint::Joint(link) } else { JoinJoint::Weld(link) } }
}

/// Joins the items of a path to one part.
fn join_path(
    nodes: &mut Vec<Node>,
    items: &[Item],
    levels: &mut Vec<u32>,
    waiting: &mut Vec<(Run, u32)>,
) -> NodeId {
    split_levels(items.iter().map(|item| nodes[item.part.index()].height), levels);
    let end = items.len() - 1;
    let join = |nodes: &mut Vec<Node>, a: Run, b: Run| {
        let node = push_join(
            nodes,
            Join {
                a: a.node,
                b: b.node,
                joint: items[b.first].carried_by,
                alpha: if a.first < a.last { Handle::Bottom } else { Handle::Top },
                bottom: match b.last {
                    last if last == end => Bottom::None,
                    last if last == b.first => Bottom::TopOfB,
                    _ => Bottom::OfB,
                },
            },
        );
        Run { node, first: a.first, last: b.last }
    };
    waiting.clear();
    let mut run = Run { node: items[0].part, first: 0, last: 0 };
    for (i, level) in levels.iter().copied().chain([u32::MAX]).enumerate() {
        // all runs to the left that split at a lower level than here are complete
        while let Some(&(left, _)) = waiting.last().filter(|(_, l)| *l < level) {
            waiting.pop();
            run = join(nodes, left, run);
        }
        if i < end {
            waiting.push((run, level));
            run = Run { node: items[i + 1].part, first: i + 1, last: i + 1 };
        }
    }
    run.node
}

/// Joins every whole body with the world by its base joint, and the bodies, which do not feel each other, in
/// pairs: the two lowest first, which keeps the whole as low as can be.
pub(super) fn hang_on_world(nodes: &mut Vec<Node>, tree: &Tree, part: &[NodeId]) {
    let mut bodies = BinaryHeap::new();
    for (i, _) in tree.links.iter().enumerate().filter(|(_, l)| l.parent.is_none()) {
        let (link, body) = (LinkId::new(i), nodes[part[i].index()]);
        let kind = NodeKind::Base { link, b: part[i] };
        let base = push(
            nodes,
            Node { kind, bottom: None, joints: body.joints + 1, height: body.height + 1, ..body },
        );
        bodies.push(Reverse((nodes[base.index()].height, base)));
    }
    while bodies.len() > 1 {
        let (Some(Reverse((_, a))), Some(Reverse((height, b)))) = (bodies.pop(), bodies.pop()) else { break };
        let [na, nb] = [nodes[a.index()], nodes[b.index()]];
        let height = height + 1;
        let kind = NodeKind::Pair { a, b };
        let pair = push(nodes, Node { kind, bottom: None, joints: na.joints + nb.joints, height, ..na });
        bodies.push(Reverse((height, pair)));
    }
}

/// A leaf, not yet in its place.
pub(super) fn leaf(link: LinkId, piece: u32, pieces: u32) -> Node {
    Node {
        kind: NodeKind::Leaf { link, piece, pieces },
        parent: None,
        first: NodeId(0),
        slot: 0,
        top: link,
        bottom: None,
        joints: 0,
        height: 0,
    }
}

pub(super) fn push_join(nodes: &mut Vec<Node>, join: Join) -> NodeId {
    let (a, b) = (nodes[join.a.index()], nodes[join.b.index()]);
    let node = Node {
        kind: NodeKind::Join(join),
        parent: None,
        first: NodeId(0),
        slot: 0,
        top: a.top,
        bottom: match join.bottom {
            Bottom::None => None,
            Bottom::OfA => a.bottom,
            Bottom::TopOfB => Some(b.top),
            Bottom::OfB => b.bottom,
        },
        joints: a.joints + b.joints + u32::from(matches!(join.joint, JoinJoint::Joint(_))),
        height: a.height.max(b.height) + 1,
    };
    push(nodes, node)
}

pub(super) fn push(nodes: &mut Vec<Node>, node: Node) -> NodeId {
    nodes.push(node);
    NodeId::new(nodes.len() - 1)
}
