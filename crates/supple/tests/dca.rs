//! Divide and conquer gives the accelerations of the articulated-body algorithm, for every tree and every joint.

mod common;

use std::sync::Arc;

use common::{Case, Item, Rng, assert_close, chain, forward, random_items, shuffle};
use glam::DVec3;
use proptest::prelude::*;
use supple::detail::assembly::joint_motion::{JointMotion, JointScratch};
use supple::detail::{AssemblyTree, Dca};
use supple::dynamics::EquationOfMotion;
use supple::dynamics::kinematics::LinkMotion;
use supple::model::LinkId;
use supple::{Axes, Body, Joint, JointKind, Load, Motion};

/// Issue's bar, relative to the largest acceleration. Theory §3 has 6.6e-12 on its random trees.
const EXACT: f64 = 1e-9;

fn by_dca(case: &Case, parallel: bool) -> Vec<f64> {
    by_dca_on(&AssemblyTree::build(case.model.tree()), case, parallel)
}

fn by_dca_on(assembly: &AssemblyTree, case: &Case, parallel: bool) -> Vec<f64> {
    let tree = case.model.tree();
    let mut dca = Dca::new(tree, assembly).expect("all links have inertia");
    let (kinematics, wrenches) = (case.kinematics(), case.wrenches());
    let mut qdd = vec![f64::NAN; case.model.nv()];
    let solve = if parallel { Dca::accelerations_parallel } else { Dca::accelerations };
    let equation = EquationOfMotion {
        tree,
        kinematics: &kinematics,
        gravity: case.gravity,
        diagonal: case.model.armature(),
        wrenches: &wrenches,
    };
    solve(&mut dca, &equation, assembly, &case.tau, &mut qdd);
    qdd
}

/// Bodies with these parents, everything else random: joints, frames, inertias, state, loads. A body that is
/// fixed to the world carries those without parent, so that there may be several root links.
fn with_parents(seed: u64, parents: &[Option<usize>]) -> Case {
    let mut rng = Rng::new(seed, 0);
    let mut items = random_items(parents.len(), seed);
    for (item, parent) in items.iter_mut().zip(parents) {
        item.body.parent = Some(parent.map_or("ground".into(), |p| format!("body{p}")));
    }
    let ground = Body::new("ground", Joint::fixed()).at(rng.pose(0.5));
    items.push(Item { body: ground, q: vec![], v: vec![], tau: vec![], load: None });
    shuffle(&mut items, &mut rng);
    Case::new(&items, rng.vector(10.0))
}

proptest! {
    #[test]
    fn random_trees(count in 1usize..60, seed: u64) {
        let case = Case::random(count, seed);
        assert_close("random tree", &by_dca(&case, false), &forward(&case), EXACT);
    }

    #[test]
    fn hubs_chains_and_forests(count in 1usize..60, seed: u64) {
        let mut rng = Rng::new(seed, 9);
        let (hub, next, roots) = (rng.unit(), rng.unit(), [0.0, 0.1][rng.below(2)]);
        let mut parents = vec![None];
        for i in 1..count {
            let any = rng.below(i);
            let (is_hub, is_next) = (rng.chance(hub), rng.chance(next));
            let parent = if is_hub { rng.below(i.min(2)) } else if is_next { i - 1 } else { any };
            parents.push((!rng.chance(roots)).then_some(parent));
        }
        let case = with_parents(seed, &parents);
        assert_close("tree with hubs", &by_dca(&case, false), &forward(&case), EXACT);
    }
}

proptest! {
    /// In whatever order parts are joined, series and rakes at either handle.
    #[test]
    fn every_assembly_shape(count in 1usize..40, seed: u64) {
        let case = Case::random(count, seed);
        let mut rng = Rng::new(seed, 12);
        let assembly = AssemblyTree::build_by_choice(case.model.tree(), |joints| rng.below(joints.len()));
        assert_close("any shape", &by_dca_on(&assembly, &case, false), &forward(&case), EXACT);
    }
}

/// What a joint does is the same from next to it as from the kinematics of the whole body.
#[test]
fn joints_seen_from_next_to_them() {
    for seed in 0..200 {
        let case = Case::random(12, seed);
        let (tree, kinematics) = (case.model.tree(), case.kinematics());
        for (i, link) in tree.links.iter().enumerate() {
            let own_axes = |m: &LinkMotion| {
                let r = m.rotation.transpose();
                Motion::new(r * m.velocity.angular, r * m.velocity.linear)
            };
            let alpha = link.parent.map_or(Motion::ZERO, |p| own_axes(&kinematics.links[p.index()]));
            let mut scratch = JointScratch::default();
            let (local, velocity) =
                JointMotion::local(tree, LinkId::new(i), &case.q, &case.v, alpha, &mut scratch);
            let whole = JointMotion::of(tree, &kinematics, LinkId::new(i));
            let numbers = |j: &JointMotion<'_>, v: Motion| {
                let pose = j.alpha_from_beta;
                [
                    &pose.rotation.to_cols_array()[..],
                    &pose.translation.to_array(),
                    &j.c.to_array(),
                    &v.to_array(),
                ]
                .concat()
            };
            let expected = numbers(&whole, own_axes(&kinematics.links[i]));
            // velocities of up to 12 links add up, and so do roundings
            assert_close("joint", &numbers(&local, velocity), &expected, 1e-13);
        }
    }
}

/// Every kind of joint as base and between two links.
#[test]
fn every_kind_of_joint() {
    for (k, kind) in common::every_kind().into_iter().enumerate() {
        for seed in 0..20 {
            let mut items = random_items(4, seed + 100 * k as u64);
            for i in [0, 2] {
                items[i] = with_joint(&items[i], kind.clone(), seed);
            }
            let case = Case::new(&items, DVec3::new(0.0, 0.0, -9.81));
            assert_close(kind.word(), &by_dca(&case, false), &forward(&case), EXACT);
        }
    }
}

fn with_joint(item: &Item, kind: JointKind, seed: u64) -> Item {
    let mut rng = Rng::new(seed, 77);
    let mut item = item.clone();
    let (nq, nv) = kind.sizes();
    item.q = kind.neutral();
    if nq == nv {
        item.q.iter_mut().for_each(|q| *q += rng.range(-0.8, 0.8));
    }
    item.v = (0..nv).map(|_| rng.range(-2.0, 2.0)).collect();
    item.tau = (0..nv).map(|_| rng.range(-5.0, 5.0)).collect();
    let armature = if rng.chance(0.5) { rng.range(0.0, 2.0) } else { 0.0 };
    item.body.joint = Joint::new(kind).armature(armature);
    item
}

/// A star of 200 links: its hub is split into 198 pieces, which costs digits (theory §10: 1e-11 for 20 pieces).
#[test]
fn a_star_with_a_split_hub() {
    let parents: Vec<_> = (0..200).map(|i| (i > 0).then_some(0)).collect();
    for seed in 0..10 {
        let case = with_parents(seed, &parents);
        assert_close("star", &by_dca(&case, false), &forward(&case), EXACT);
    }
}

/// A long moving chain, on one thread and on many: the same bits.
#[test]
fn long_chains_and_threads() {
    for (links, joint) in
        [(300, Joint::revolute(DVec3::Z)), (3000, Joint::revolute(DVec3::Y)), (700, Joint::spherical())]
    {
        let model = Arc::new(chain(links, |_| joint.clone()).finish().expect("valid"));
        let mut rng = Rng::new(links as u64, 0);
        let mut q = model.neutral().to_vec();
        if model.nq() == model.nv() {
            q.iter_mut().for_each(|q| *q = rng.range(-0.3, 0.3));
        }
        let v = (0..model.nv()).map(|_| rng.range(-1.0, 1.0)).collect();
        let tau = (0..model.nv()).map(|_| rng.range(-0.1, 0.1)).collect();
        let body = model.body(&format!("link{}", links / 2)).expect("it exists");
        let loads = vec![Load { body, wrench: rng.force(1.0), axes: Axes::World }];
        let case = Case { model, q, v, tau, loads, gravity: DVec3::new(0.0, -9.81, 0.0) };
        let serial = by_dca(&case, false);
        assert_close(&format!("chain of {links}"), &serial, &forward(&case), EXACT);
        assert_eq!(serial, by_dca(&case, true), "threads change nothing");
    }
}

/// A forest large enough to be shared among threads.
#[test]
fn a_large_forest_on_threads() {
    let mut rng = Rng::new(5, 0);
    let parents: Vec<_> =
        (0..4000).map(|i| (i % 400 != 0).then(|| i - 1 - rng.below((i % 400).min(5)))).collect();
    let case = with_parents(3, &parents);
    let serial = by_dca(&case, false);
    assert_close("forest", &serial, &forward(&case), EXACT);
    assert_eq!(serial, by_dca(&case, true), "threads change nothing");
}

/// A link without mass has no inverse inertia: an error that names its joint.
#[test]
fn massless_links_are_refused() {
    let mut builder = chain(3, |_| Joint::revolute(DVec3::Y));
    builder.add(Body::new("tip", Joint::revolute(DVec3::Z).armature(0.1)).on("link2"));
    let model = builder.finish().expect("armature resists");
    let assembly = AssemblyTree::build(model.tree());
    let error = Dca::new(model.tree(), &assembly).expect_err("the tip has no mass");
    assert_eq!(model.joints()[error.joint.index()].name, "tip");
}
