//! Rigid parts: linear coefficients as functions of velocity, poses and inertia, all as found directly.

mod common;

use common::{Case, Item, Rng, assert_close, random_items, relative_error};
use glam::DVec3;
use proptest::prelude::*;
use supple::detail::assembly::problem::Problem;
use supple::detail::{AssemblyTree, BodyMetric, Freezer, FrozenParts, NodeId, NodeKind, RigidParts, Weights};
use supple::dynamics::{EquationOfMotion, energy};
use supple::model::LinkId;
use supple::{Axes, Force, Joint, Pose};

/// Issue's bar for tensors, relative to the largest of the same kind of number anywhere in the body.
const TENSORS: f64 = 1e-9;
/// Poses and inertias are sums and products of a few numbers.
const ROUNDING: f64 = 1e-12;

/// A random body on a free joint that moves as one rigid body: only the base has a velocity. All loads are constant in
/// the frames of links.
fn rigid_motion(count: usize, seed: u64, hub: f64) -> Case {
    let mut rng = Rng::new(seed, 11);
    let mut items: Vec<Item> = random_items(count, seed);
    items[0].body.joint = Joint::free();
    items[0].q = [rng.vector(1.0).to_array().as_slice(), &rng.quat().to_array()].concat();
    items[0].v = (0..6).map(|_| rng.range(-2.0, 2.0)).collect();
    items[0].tau = vec![0.0; 6];
    for (i, item) in items.iter_mut().enumerate().skip(1) {
        item.v.fill(0.0);
        if let Some((_, axes)) = &mut item.load {
            *axes = Axes::Body;
        }
        if rng.chance(hub) {
            item.body.parent = Some(format!("body{}", rng.below(i.min(2))));
        }
    }
    items[0].load = None;
    Case::new(&items, rng.vector(10.0))
}

/// Wrenches on links in link axes.
fn in_link_axes(case: &Case) -> Vec<(u32, Force)> {
    let kinematics = case.kinematics();
    let turned = |(link, f): &(u32, Force)| {
        let to_link = kinematics.links[*link as usize].rotation.transpose();
        (*link, Force::new(to_link * f.angular, to_link * f.linear))
    };
    case.wrenches().entries().iter().map(turned).collect()
}

fn check(case: &Case) {
    check_on(&AssemblyTree::build(case.model.tree()), case);
}

fn check_on(assembly: &AssemblyTree, case: &Case) {
    let tree = case.model.tree();
    let (kinematics, wrenches) = (case.kinematics(), case.wrenches());
    let (armature, weights) = (case.model.armature(), Weights::identity());
    let (gravity, tau) = (case.gravity, &case.tau[..]);

    // directly, at the state of motion
    let mut metric = BodyMetric::new(tree, assembly).unwrap();
    let equation =
        EquationOfMotion { tree, kinematics: &kinematics, gravity, diagonal: armature, wrenches: &wrenches };
    metric.accelerations(&equation, assembly, tau, &weights, &case.q);
    let problem = Problem {
        tree,
        assembly,
        kinematics: &kinematics,
        gravity,
        diagonal: armature,
        tau,
        wrenches: wrenches.entries(),
        moving: true,
    };

    // by what is kept of rigid parts
    let mut parts = FrozenParts::new(tree, assembly).unwrap();
    let leaves = parts.leaves().to_vec();
    let in_link = in_link_axes(case);
    let rigid = RigidParts::new(tree, assembly, &case.q);
    let freezer = Freezer {
        tree,
        assembly,
        leaves: &leaves,
        rigid: &rigid,
        weights: &weights,
        diagonal: armature,
        q: &case.q,
        tau,
        wrenches: &in_link,
    };
    parts.freeze_all(&freezer);

    let mut got: [Vec<f64>; 4] = Default::default();
    let mut expected: [Vec<f64>; 4] = Default::default();
    for (i, node) in assembly.nodes().iter().enumerate() {
        if matches!(node.kind, NodeKind::Base { .. } | NodeKind::Pair { .. }) {
            continue;
        }
        let id = NodeId::new(i);
        let (phi, psi, direct) = metric.coefficients(&problem, id);
        let frozen = parts.get(&freezer, id);
        let top = &kinematics.links[node.top.index()];
        let w = top.rotation.transpose() * top.velocity.angular;
        let linear = frozen.tensors.evaluate(w);
        let n = 6 * node.handles();
        for (list, linear) in [(&mut got, &linear), (&mut expected, &direct)] {
            list[0].extend(linear.b[..n].as_flattened());
            list[1].extend(linear.p[..n].as_flattened());
            list[2].push(linear.eta[0][0]);
        }
        for (list, phi, psi) in [(&mut got, &frozen.phi, &frozen.psi), (&mut expected, &phi, &psi)] {
            for m in [phi, psi] {
                list[3].extend(m.0[..n].iter().flat_map(|row| &row[..n]));
            }
        }
        // what tells only η gives the same η
        assert!(
            (frozen.tensors.evaluate_eta(w) - linear.eta[0][0]).abs()
                <= 1e-12 * linear.eta[0][0].abs().max(1.0)
        );

        // poses and inertia
        let pose_in_top = |link: LinkId| top.pose().inverse() * kinematics.links[link.index()].pose();
        if let Some(bottom) = node.bottom {
            close_poses(&rigid.get(tree, assembly, id).top_from_bottom, &pose_in_top(bottom));
        }
        if let NodeKind::Join(join) = node.kind {
            close_poses(
                &rigid.get(tree, assembly, id).top_from_beta,
                &pose_in_top(assembly.node(join.b).top),
            );
        }
    }
    for (name, (got, expected)) in ["b", "p", "η", "Φ and Ψ"].iter().zip(got.iter().zip(&expected)) {
        if expected.iter().any(|x| *x != 0.0) {
            assert_close(name, got, expected, TENSORS);
        }
    }
    // the whole body as one rigid body has the kinetic energy of its links
    if let Some(NodeKind::Base { link, b }) = assembly.nodes().last().map(|n| n.kind) {
        let base = &kinematics.links[link.index()];
        let inertia = rigid.get(tree, assembly, b).inertia.rotated(base.rotation);
        let kinetic = energy::kinetic(tree, &kinematics, &vec![0.0; case.model.nv()], &case.v);
        assert!((0.5 * inertia.twice_kinetic_energy(base.velocity) - kinetic).abs() <= ROUNDING * kinetic);
    }
}

fn close_poses(a: &Pose, b: &Pose) {
    let numbers = |p: &Pose| [p.rotation.to_cols_array().as_slice(), &p.translation.to_array()].concat();
    assert!(relative_error(&numbers(a), &numbers(b)) <= ROUNDING, "{a:?} is not {b:?}");
}

proptest! {
    #[test]
    fn tensors_are_what_is_found_directly(count in 1usize..40, seed: u64) {
        check(&rigid_motion(count, seed, 0.0));
    }

    #[test]
    fn in_whatever_order_parts_are_joined(count in 1usize..40, seed: u64) {
        let case = rigid_motion(count, seed, 0.3);
        let mut rng = Rng::new(seed, 12);
        let assembly = AssemblyTree::build_by_choice(case.model.tree(), |joints| rng.below(joints.len()));
        check_on(&assembly, &case);
    }

    #[test]
    fn also_with_split_hubs(count in 1usize..40, seed: u64) {
        check(&rigid_motion(count, seed, 0.8));
    }
}

/// Freezing one node after the other, from its children, gives what freezing all gives, also on many threads.
#[test]
fn one_node_at_a_time() {
    for (count, seed) in [(30, 4), (2000, 5)] {
        check_one_by_one(&Case::random(count, seed));
    }
}

fn check_one_by_one(case: &Case) {
    let tree = case.model.tree();
    let assembly = AssemblyTree::build(tree);
    let mut parts = FrozenParts::new(tree, &assembly).unwrap();
    let leaves = parts.leaves().to_vec();
    let weights = Weights::identity();
    let rigid = RigidParts::new(tree, &assembly, &case.q);
    let freezer = Freezer {
        tree,
        assembly: &assembly,
        leaves: &leaves,
        rigid: &rigid,
        weights: &weights,
        diagonal: case.model.armature(),
        q: &case.q,
        tau: &case.tau,
        wrenches: &[],
    };
    let mut one_by_one = parts.clone();
    parts.freeze_all(&freezer);
    for i in 0..assembly.nodes().len() {
        one_by_one.freeze(&freezer, NodeId::new(i));
    }
    for i in 0..assembly.nodes().len() {
        let [a, b] = [&parts, &one_by_one].map(|p| p.get(&freezer, NodeId::new(i)));
        assert_eq!(a.tensors.b, b.tensors.b);
        assert_eq!(a.tensors.eta, b.tensors.eta);
        assert_eq!(a.psi.top(), b.psi.top());
    }
}

/// Memory of a long chain, per joint (352 numbers for a part with two handles, none for two leaves joined).
#[test]
fn memory_per_joint() {
    let model = common::chain(10_000, |_| Joint::revolute(DVec3::Z)).finish().unwrap();
    let assembly = AssemblyTree::build(model.tree());
    let parts = FrozenParts::new(model.tree(), &assembly).unwrap();
    let per_joint = parts.bytes() as f64 / 10_000.0;
    println!("{per_joint:.0} bytes per joint");
    assert!(per_joint < 1700.0);
}
