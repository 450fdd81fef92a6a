//! The assembly tree: every joint once, at most two handles, depth within the table of theory §2.2.
#![allow(clippy::disallowed_methods, reason = "the library may not read the clock, this test does")]

mod common;

use common::Rng;
use supple::detail::{AssemblyTree, Bottom, Handle, Join, JoinJoint, NodeKind};
use supple::model::{Link, LinkId, LinkJoint, Tree};
use supple::{JointId, Pose, RigidInertia};

/// A tree of hinges from a list of parents (each smaller than its child), links renumbered depth first.
fn tree(parents: &[Option<usize>]) -> Tree {
    let mut children = vec![Vec::new(); parents.len()];
    let mut stack = Vec::new();
    for (i, parent) in parents.iter().enumerate().rev() {
        match parent {
            Some(p) => children[*p].push(i),
            None => stack.push((i, None)),
        }
    }
    let mut tree = Tree::default();
    while let Some((i, parent)) = stack.pop() {
        let id = LinkId::new(tree.links.len());
        tree.links.push(Link {
            parent,
            children: children[i].len() as u32,
            stash: false,
            joint: LinkJoint::Revolute,
            passive: false,
            q: id.0,
            v: id.0,
            row: id.0,
            id: JointId::new(i),
            full: id,
            placement: Pose::IDENTITY,
            inertia: RigidInertia::ZERO,
        });
        stack.extend(children[i].iter().map(|&c| (c, Some(id))));
    }
    tree
}

fn rooted(n: usize, parent: impl FnMut(usize) -> usize) -> Tree {
    let mut parents = vec![None];
    parents.extend((1..n).map(parent).map(Some));
    tree(&parents)
}

fn preferential(n: usize, rng: &mut Rng) -> Tree {
    // a link is chosen with probability proportional to its degree
    let mut ends = vec![0];
    rooted(n, |i| {
        let p = ends[rng.below(ends.len())];
        ends.extend([p, i]);
        p
    })
}

/// Top and bottom of a part, each a link and which piece of it.
type Handles = ((LinkId, u32), Option<(LinkId, u32)>);

/// Checks all that must hold of any assembly tree.
fn check(tree: &Tree) -> AssemblyTree {
    let assembly = AssemblyTree::build(tree);
    check_assembly(tree, &assembly);
    assembly
}

fn check_assembly(tree: &Tree, assembly: &AssemblyTree) {
    let nodes = assembly.nodes();
    let n = tree.links.len();
    let mut joints_seen = vec![0; n];
    let mut pieces_seen = vec![0; n];
    let mut share = vec![0.0; n];
    // per node the pieces that have a joint leading out, as (link, piece), found from the links alone
    let pieces_of: Vec<u32> = (0..n)
        .map(|i| match assembly.node(assembly.leaf(LinkId::new(i))).kind {
            NodeKind::Leaf { pieces, piece: 0, link } if link.index() == i => pieces,
            other => panic!("leaf of link {i} is {other:?}"),
        })
        .collect();
    // handles by node: (top piece, bottom piece)
    let mut handles: Vec<Handles> = Vec::new();
    for (i, node) in nodes.iter().enumerate() {
        let below = assembly.below(supple::detail::NodeId::new(i));
        assert!(below.end == i + 1 && below.start <= i);
        for child in node.children().into_iter().flatten() {
            assert!(child.index() < i && nodes[child.index()].parent.unwrap().index() == i);
            assert!(nodes[child.index()].first >= node.first);
            assert!(nodes[child.index()].height < node.height);
        }
        let joins_before = nodes[..i].iter().filter(|n| !matches!(n.kind, NodeKind::Leaf { .. })).count();
        assert!(n > 300 || node.slot as usize == joins_before);
        let joints = node.children().into_iter().flatten().map(|c| nodes[c.index()].joints).sum::<u32>();
        assert_eq!(node.joints, joints + u32::from(node.joint().is_some()));
        match node.kind {
            NodeKind::Leaf { link, piece, pieces } => {
                assert_eq!(piece, pieces_seen[link.index()], "pieces in order");
                pieces_seen[link.index()] += 1;
                share[link.index()] += 1.0 / f64::from(pieces);
                handles.push(((link, piece), None));
            }
            NodeKind::Join(Join { a, b, joint, alpha, bottom }) => {
                let ((top, a_bottom), (beta, b_bottom)) = (handles[a.index()], handles[b.index()]);
                let alpha = if alpha == Handle::Top { top } else { a_bottom.unwrap() };
                match joint {
                    JoinJoint::Joint(link) => {
                        joints_seen[link.index()] += 1;
                        assert_eq!(assembly.joint_node(link).index(), i);
                        assert_eq!(beta, (link, 0));
                        assert_eq!(tree.links[link.index()].parent, Some(alpha.0));
                    }
                    JoinJoint::Weld(link) => assert!(beta == (link, beta.1) && alpha == (link, beta.1 - 1)),
                }
                let new_bottom = match bottom {
                    Bottom::None => None,
                    Bottom::OfA => Some(a_bottom.unwrap()),
                    Bottom::TopOfB => Some(beta),
                    Bottom::OfB => Some(b_bottom.unwrap()),
                };
                assert_eq!(node.top, top.0);
                assert_eq!(node.bottom, new_bottom.map(|b| b.0));
                assert_ne!(Some(top), new_bottom);
                handles.push((top, new_bottom));
            }
            NodeKind::Base { link, b } => {
                joints_seen[link.index()] += 1;
                assert_eq!(assembly.joint_node(link).index(), i);
                assert_eq!(handles[b.index()], ((link, 0), None));
                handles.push(((link, 0), None));
            }
            NodeKind::Pair { .. } => handles.push(((node.top, 0), None)),
        }
    }
    assert!(joints_seen.iter().all(|&c| c == 1), "every joint once");
    assert!(pieces_seen == pieces_of && share.iter().all(|s| (s - 1.0f64).abs() < 1e-12));
    outward_joints_leave_at_handles(tree, assembly, &handles);
}

/// Every joint that is not yet used at a node starts at one of its handles: followed up from each leaf.
fn outward_joints_leave_at_handles(tree: &Tree, assembly: &AssemblyTree, handles: &[Handles]) {
    // a joint or weld, below the node where it joins: on either side its end must be a handle of every node
    for (i, node) in assembly.nodes().iter().enumerate() {
        let NodeKind::Join(Join { a, b, alpha, .. }) = node.kind else { continue };
        let (top, bottom) = handles[a.index()];
        let alpha = if alpha == Handle::Top { top } else { bottom.unwrap() };
        for (from, end) in [(a, alpha), (b, handles[b.index()].0)] {
            // go down towards the piece, as far as it goes
            let mut at = from;
            loop {
                assert!(handles[at.index()].0 == end || handles[at.index()].1 == Some(end), "node {i}");
                let inside = |id: supple::detail::NodeId| {
                    let mut range = assembly.below(id);
                    range.any(|k| matches!(assembly.nodes()[k].kind, NodeKind::Leaf { link, piece, .. } if (link, piece) == end))
                };
                let Some(next) = assembly
                    .node(at)
                    .children()
                    .into_iter()
                    .flatten()
                    .find(|&c| tree.links.len() <= 300 && inside(c))
                else {
                    break;
                };
                at = next;
            }
        }
    }
}

fn depth(tree: &Tree) -> (usize, usize) {
    let assembly = check(tree);
    let leaves = assembly.nodes().iter().filter(|n| matches!(n.kind, NodeKind::Leaf { .. })).count();
    (assembly.depth(), leaves - tree.links.len())
}

const N: usize = 1000;

/// Depth and number of extra pieces as in the table of theory §2.2 where the tree is not random.
#[test]
fn depth_of_regular_trees_is_that_of_the_table() {
    let cases = [
        ("chain", rooted(N, |i| i - 1), 10, 0),
        ("star", rooted(N, |_| 0), 11, 997),
        ("caterpillar", rooted(N, |i| if i < N / 2 { i - 1 } else { i - N / 2 }), 10, 0),
        ("complete binary", rooted(N, |i| (i - 1) / 2), 17, 0),
        ("complete 4-ary", rooted(N, |i| (i - 1) / 4), 15, 498),
        ("broom", rooted(N, |i| if i < N / 2 { i - 1 } else { N / 2 - 1 }), 11, 498),
        ("spider, legs of 31", rooted(N, |i| if i % 31 == 1 { 0 } else { i - 1 }), 11, 31),
    ];
    for (name, tree, expected, pieces) in cases {
        let (depth, extra) = depth(&tree);
        println!("{name}: depth {depth}, extra pieces {extra}");
        assert!(depth <= expected && extra <= pieces, "{name}: {depth} > {expected} or {extra} > {pieces}");
    }
}

/// Random trees: theory has 15 for a recursive and 14 for a preferential tree, one tree each; here many.
#[test]
fn depth_of_random_trees_is_logarithmic() {
    let (mut recursive, mut preferential_depth) = (Vec::new(), Vec::new());
    for seed in 0..20 {
        let mut rng = Rng::new(seed, 0);
        recursive.push(depth(&rooted(N, |i| rng.below(i))).0);
        preferential_depth.push(depth(&preferential(N, &mut rng)).0);
    }
    println!("random recursive {recursive:?}, preferential attachment {preferential_depth:?}");
    assert!(recursive.iter().all(|&d| d <= 16) && recursive.iter().any(|&d| d <= 15));
    assert!(preferential_depth.iter().all(|&d| d <= 15) && preferential_depth.iter().any(|&d| d <= 14));
    // theory: depth / log2 n at most 1.51 (100), 1.61 (1000), 1.51 (10000) on its samples
    for (n, most) in [(100, 1.66), (1000, 1.61), (10_000, 1.61)] {
        for seed in 0..10 {
            let mut rng = Rng::new(seed, 1);
            let reach = [usize::MAX, 3, 30, n / 10][seed as usize % 4];
            let depth = depth(&rooted(n, |i| i - 1 - rng.below(i.min(reach)))).0;
            let ratio = depth as f64 / (n as f64).log2();
            assert!(ratio <= most, "{n} links, seed {seed}: depth {depth}, {ratio:.2} log2 n");
        }
    }
}

/// Everything that must hold does so for small trees of all sorts, also with several root links.
#[test]
fn small_trees_and_forests_are_assembled_soundly() {
    for seed in 0..300 {
        let mut rng = Rng::new(seed, 2);
        let n = 1 + rng.below(60);
        let (roots, hub) = ([0.0, 0.1, 0.5][rng.below(3)], rng.unit());
        let mut parents = vec![None];
        for i in 1..n {
            let hubs = rng.below(i.min(3));
            let anywhere = rng.below(i);
            parents.push((!rng.chance(roots)).then(|| if rng.chance(hub) { hubs } else { anywhere }));
        }
        let tree = tree(&parents);
        check(&tree);
        check_assembly(&tree, &AssemblyTree::build_by_choice(&tree, |joints| rng.below(joints.len())));
    }
    assert!(AssemblyTree::build(&Tree::default()).root().is_none());
}

/// Many bodies on one world stay side by side: the world is not a hub that takes a level for each.
#[test]
fn a_thousand_bodies_on_the_world_are_ten_levels() {
    let assembly = check(&tree(&vec![None; 1024]));
    assert_eq!(assembly.depth(), 0);
    assert_eq!(assembly.nodes().last().unwrap().height, 11);
}

/// No recursion, and n log n: a million links in a row, a million on one, in about a second.
#[test]
fn a_million_links() {
    for (name, tree) in [("chain", rooted(1_000_000, |i| i - 1)), ("star", rooted(1_000_000, |_| 0))] {
        let started = std::time::Instant::now();
        let assembly = AssemblyTree::build(&tree);
        println!("{name}: {:.2?}, depth {}", started.elapsed(), assembly.depth());
        assert!(assembly.depth() <= 21);
    }
}
